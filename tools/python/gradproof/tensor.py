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

_VALUES = {"float64": _core.Value64, "float32": _core.Value32}
_TAPES = {"float64": _core.Tape64, "float32": _core.Tape32}


def _array(given, dtype=None):
    """The array, of this element type or, without one, of float32 if it is that and of float64 otherwise."""
    out = np.asarray(detached(given))
    if out.dtype.kind not in "fiub":
        raise TypeError(f"tensor: got elements of type {out.dtype}, expected numbers")
    dtype = dtype or ("float32" if out.dtype == np.float32 else "float64")
    return np.array(out, dtype, order="C"), dtype


def _operators(op) -> tuple[Callable[["Tensor", ArrayLike], "Tensor"], Callable[["Tensor", ArrayLike], "Tensor"]]:
    """The methods for a tensor on the left and on the right of an operator."""
    return lambda self, other: run(op, [self, other]), lambda self, other: run(op, [other, self])


class Tensor:
    """A value of the engine, float64 or float32; on a tape if it was made from one of its leaves."""

    __slots__ = ("_value", "dtype")
    __array_priority__ = 100  # NumPy leaves array * tensor to this class

    def __init__(self, value, dtype):
        self._value, self.dtype = value, dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._value.shape)

    @property
    def on_tape(self) -> bool:
        return self._value.on_tape

    def numpy(self) -> np.ndarray:
        """A copy as an array of NumPy."""
        return self._value.numpy()

    def __array__(self, dtype=None, copy=None):
        return self.numpy().astype(dtype, copy=False) if dtype is not None else self.numpy()

    def __dlpack__(self, **how):
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


def tensor(array: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """A constant from an array of NumPy, PyTorch or JAX, or from numbers. dtype: "float64" or "float32"; by default the array's.

    Errors: TypeError for what holds no numbers; ValueError for another dtype.
    """
    values, dtype = _array(array, _dtype(dtype))
    return Tensor(_VALUES[dtype](values), dtype)


def _dtype(given):
    name = None if given is None else str(np.dtype(given))
    if name is not None and name not in _VALUES:
        raise ValueError(f"tensor: dtype is {name}, expected float64 or float32")
    return name


class Tape:
    """Records the ops on its leaves, and computes their gradients."""

    def __init__(self, dtype: DTypeLike = "float64"):
        self.dtype = _dtype(dtype)
        self._tape = _TAPES[self.dtype]()

    def leaf(self, array: ArrayLike, name: str = "") -> Tensor:
        """A value to differentiate by."""
        return Tensor(self._tape.leaf(_array(array, self.dtype)[0], name), self.dtype)

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
    return x._value


def run(name, inputs, attrs=None):
    """The op of this name. Arrays and numbers among the inputs are constants; None is an input that is absent."""
    types = {x.dtype for x in inputs if isinstance(x, Tensor)}
    if len(types) > 1:
        raise TypeError(f"{name}: some inputs are float64 and some float32; make them one type by gradproof.tensor(x, dtype)")
    if types:
        dtype = types.pop()
    else:
        dtype = "float32" if all(getattr(x, "dtype", None) == np.float32 for x in inputs if x is not None) else "float64"
    values = [x._value if isinstance(x, Tensor) else None if x is None else _VALUES[dtype](_array(x, dtype)[0]) for x in inputs]
    op = _core.run_op64 if dtype == "float64" else _core.run_op32
    return Tensor(op(name, values, attrs or {}), dtype)


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
