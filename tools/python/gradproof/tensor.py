"""Tensors of the engine, the tape that records what is done to them, and transforms of functions over them.

tape = gp.Tape()
x = tape.leaf(numpy_array)
y = gp.ops.softmax(x)
tape.backward(y, dy)
tape.grad(x)                     # a NumPy array
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arrays import detached, each

_TAPES = {"float64": _core.Tape64, "float32": _core.Tape32}
_FAST: dict = {op["name"]: _core.Op(op["name"]) for op in _core.ops()}


def _array(given, dtype=None):
    """The array in row-major order, of this element type or, without one, of float32 if it is that and of float64 otherwise."""
    out = np.asarray(detached(given))
    if out.dtype.kind not in "fiub":
        raise TypeError(f"tensor: got elements of type {out.dtype}, expected numbers")
    dtype = dtype or ("float32" if out.dtype == np.float32 else "float64")
    return np.require(out, "float64" if dtype == "dual" else dtype, "C"), dtype


def _operators(name) -> tuple[Callable[["Tensor", ArrayLike], "Tensor"], Callable[["Tensor", ArrayLike], "Tensor"]]:
    """The methods for a tensor on the left and on the right of an operator."""
    return lambda self, other: run(name, [self, other]), lambda self, other: run(name, [other, self])


class Tensor(_core.Value):
    """A value of the engine, float64 or float32; on a tape if it was made from one of its leaves.

    In a function that jvp or hvp calls it is "dual": a float64 with its derivative in one direction.
    """

    __slots__ = ()
    __array_priority__ = 100  # NumPy leaves array * tensor to this class
    dtype: str
    shape: tuple[int, ...]
    on_tape: bool

    def numpy(self) -> np.ndarray:
        """A copy as an array of NumPy."""
        return self._view().copy()

    def __array__(self, dtype=None, copy=None):
        view = self._view()  # on the tensor's own memory, and read-only
        return np.array(view, dtype) if copy else np.asarray(view, dtype)

    def __dlpack__(self, **how):
        """The tensor's own memory, read-only; a copy for those who do not know read-only memory."""
        try:
            return self._view().__dlpack__(**how)
        except BufferError:
            return self.numpy().__dlpack__(**how)

    def __dlpack_device__(self):
        return (1, 0)

    def __repr__(self):
        return f"gradproof.tensor({np.array2string(self.numpy(), separator=', ')}, dtype={self.dtype})"

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("sub")
    __mul__, __rmul__ = _operators("mul")
    __truediv__, __rtruediv__ = _operators("div")
    __matmul__, __rmatmul__ = _operators("matmul")

    def __neg__(self) -> "Tensor":
        return run("neg", [self])


_core.set_tensor_type(Tensor)


def tensor(array: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """A constant from an array of NumPy, PyTorch or JAX, or from numbers. dtype: "float64" or "float32"; by default the array's.

    The numbers are copied once. Errors: TypeError for what holds no numbers; ValueError for another dtype.
    """
    return _core.constant(*_array(array, _dtype(dtype)))


def _dtype(given):
    name = None if given is None else str(np.dtype(given))
    if name is not None and name not in _TAPES:
        raise ValueError(f"tensor: dtype is {name}, expected float64 or float32")
    return name


class Tape:
    """Records the ops on its leaves, and computes their gradients."""

    def __init__(self, dtype: DTypeLike = "float64"):
        self.dtype = _dtype(dtype)
        self._tape = _TAPES[self.dtype]()

    def leaf(self, array: ArrayLike, name: str = "") -> Tensor:
        """A value to differentiate by."""
        return self._tape.leaf(_array(array, self.dtype)[0], name)

    def backward(self, y: Tensor, dy: ArrayLike | None = None) -> None:
        """Computes the gradients of all that y depends on, from dy, the cotangent of y; 1 where y has one element.

        Errors: ValueError if dy has not the shape of y; TapeError on a second call.
        """
        self._tape.backward(_on(self, y), None if dy is None else _array(dy, self.dtype)[0])

    def grad(self, x: Tensor) -> np.ndarray:
        """The gradient of a leaf as an array of NumPy, zeros where no path leads to it. Errors: TapeError before backward."""
        return self._tape.grad(_on(self, x))

    def reset(self) -> None:
        """Forgets what was recorded; tensors made before are refused from then on."""
        self._tape.reset()

    def __len__(self):
        return self._tape.nodes


def _on(tape, x):
    if not isinstance(x, Tensor) or x.dtype != tape.dtype:
        raise TypeError(f"tape: got a {type(x).__name__}, expected a tensor of this tape")
    return x


def run(name, inputs, attrs=None):
    """The op of this name. Arrays and numbers among the inputs are constants; None is an input that is absent."""
    if not attrs and (out := _FAST[name](*inputs)) is not None:
        return out
    types = {x.dtype for x in inputs if isinstance(x, Tensor)}
    if len(types) > 1:
        both = " and some ".join(sorted(types, reverse=True))
        raise TypeError(f"{name}: some inputs are {both}; make them one type by gradproof.tensor(x, dtype)")
    if types:
        dtype = types.pop()
    else:
        dtype = "float32" if all(getattr(x, "dtype", None) == np.float32 for x in inputs if x is not None) else "float64"
    tensors = [x if x is None or isinstance(x, Tensor) else _core.constant(*_array(x, dtype)) for x in inputs]
    return _FAST[name].call(tensors, attrs or {})


def vjp(
    f: Callable[..., Tensor], x: Sequence[ArrayLike | None], dy: ArrayLike | None, *, dtype: DTypeLike = "float64"
) -> tuple[np.ndarray, list]:
    """The value of f(*x) and the products of dy with its Jacobian by each x, as arrays of NumPy.

    x is a list of arrays, or None for what is absent; f takes tensors and returns one.
    """
    tape = Tape(dtype)
    leaves = each(tape.leaf, x)
    y = f(*leaves)
    if not isinstance(y, Tensor):
        raise TypeError(f"the function returns a {type(y).__name__}, expected a tensor")
    if y.on_tape:
        tape.backward(y, dy)

    def gradient(leaf):
        return tape.grad(leaf) if y.on_tape else np.zeros(leaf.shape, tape.dtype)

    return y.numpy(), each(gradient, leaves)


def grad(f: Callable[..., Tensor], *, dtype: DTypeLike = "float64") -> Callable:
    """The gradient function of f, whose value has one element: it returns an array for each argument, or the only one."""

    def gradients(*x):
        found = vjp(f, x, None, dtype=dtype)[1]
        return found[0] if len(found) == 1 else found

    return gradients


def _pair(x, v, caller):
    """Arrays and their tangents. Errors: ValueError where there are not as many."""
    if len(x) != len(v):
        raise ValueError(f"{caller}: {len(x)} inputs, {len(v)} tangents")
    return [_array(a, "float64")[0] for a in x], [_array(a, "float64")[0] for a in v]


def jvp(f: Callable[..., Tensor], x: Sequence[ArrayLike], v: Sequence[ArrayLike]) -> tuple[np.ndarray, np.ndarray]:
    """The value of f(*x), and the product of its Jacobian with v: exact, by dual numbers through the forward alone, in float64.

    x and v are lists of arrays, f takes tensors and returns one. Errors: ValueError if v does not have the shapes of x.
    """
    return _core.jvp(f, *_pair(x, v, "jvp"))


def hvp(f: Callable[..., Tensor], x: Sequence[ArrayLike], v: Sequence[ArrayLike]) -> tuple[list, list]:
    """The gradients of f at x, and the product of its Hessian with v: exact, the hand-written backward run on dual numbers.

    f(*x) has one element. Both results have an array for each input. Errors: ValueError if v does not have the shapes of x.
    """
    tape = _core.TapeDual()
    leaves = [tape.leaf_along(a, b) for a, b in zip(*_pair(x, v, "hvp"), strict=True)]
    y = f(*leaves)
    if not isinstance(y, Tensor):
        raise TypeError(f"the function returns a {type(y).__name__}, expected a tensor")
    if not y.on_tape:
        return [np.zeros(leaf.shape) for leaf in leaves], [np.zeros(leaf.shape) for leaf in leaves]
    tape.backward(y, None)
    found = [tape.grads(leaf) for leaf in leaves]
    return [g for g, _ in found], [h for _, h in found]
