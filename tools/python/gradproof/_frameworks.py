"""How a kernel is called in NumPy, PyTorch and JAX: arrays in, a recorded call out whose backward can be asked for.

kernel = kernel_of(forward, backward, framework=None)      # finds out what was given
call = kernel.record([array, ...], {})                     # its forward
call.y, call.pull(dy)                                      # NumPy arrays; a gradient for each input, None where there is none
"""

import inspect
import math
import os
import re
import sys
import time
import traceback

import numpy as np

from ._threads import TimeLimit

GUARD = 16  # words before and behind an array


class KernelFault(Exception):
    """What the kernel did wrong in one sentence: it raised, or returned what is no array."""


class Recorded:
    """A call after its forward."""

    def __init__(self, y, pull):
        self.y, self.pull = y, pull


def _user_frames(error):
    """The traceback without the frames of this package."""
    here = os.path.dirname(__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(here)]
    own = [f for f in frames if "site-packages" not in f.filename and not f.filename.startswith("<")]
    frames = own or frames
    lines = ["Traceback (most recent call last):\n"] + traceback.format_list(frames)
    return "".join(lines + traceback.format_exception_only(error))


def keywords(function):
    """The names that a function takes as keywords, and whether it takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], False
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters)


def positional(function, skip=0):
    """The names of the arguments without a default, and how many may be given by position at most."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return [], 8
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    any_number = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return [p.name for p in by_place if p.default is p.empty], 8 if any_number else len(by_place)


class Kernel:
    """A kernel on NumPy arrays: y = forward(*x), or (y, saved); then backward(dy, *x), or backward(dy, saved)."""

    framework = "numpy"
    layouts = ("columns first", "every second element", "reversed", "read only")
    writes_can_be_seen = True

    def __init__(self, forward, backward, name=None):
        self.forward, self.backward = forward, backward
        self.name = name or getattr(forward, "__name__", type(forward).__name__)
        self.file = self._place(forward)
        self.required, self.most_inputs = positional(forward, self.skipped)
        self.tracebacks, self.notes, self.pid = [], [], os.getpid()
        self.asked = []  # for each input whether its gradient is judged; all where it is empty
        self.began, self.doing = None, ""  # since when which function runs

    skipped = 0
    has_backward = property(lambda self: self.backward is not None)

    @staticmethod
    def _place(function):
        try:
            file, line = inspect.getsourcefile(function), inspect.getsourcelines(function)[1]
            return f"{os.path.basename(file)}:{line}"
        except (TypeError, OSError):
            return ""

    def takes(self, attrs):
        """Whether the forward takes these attributes by name."""
        named, any_name = keywords(self.forward)
        return any_name or all(name in named for name in attrs)

    def _given(self, function, attrs):
        named, any_name = keywords(function)
        return attrs if any_name else {k: v for k, v in attrs.items() if k in named}

    def _guarded(self, what, function, *args, **attrs):
        """What the function returns. Errors: KernelFault for what it raises, with the traceback kept."""
        self.began, self.doing = time.monotonic(), what
        try:
            with np.errstate(all="ignore"):
                result = function(*args, **attrs)
        except TimeLimit:
            raise
        except BaseException as error:  # SystemExit and GeneratorExit are faults of the kernel too
            if isinstance(error, KernelFault):
                raise
            text = _user_frames(error)
            if text not in self.tracebacks and len(self.tracebacks) < 3:
                self.tracebacks.append(text)
            line = str(error).strip().split("\n")[0][:200]
            raise KernelFault(f"{what} raised {type(error).__name__}: {line}") from None
        finally:
            self.began = None
            if os.getpid() != self.pid:  # the kernel forked: the child has no business here
                os._exit(0)
        return result

    def array(self, x):
        """The framework's own array. There is room around it, so that a kernel that writes a little outside does no harm."""
        return Kernel.arranged(self, x, "with room")[0]

    def arranged(self, x, how):
        """The same values in other memory, with room around them, and a function that says whether that room is as it was."""
        x = np.asarray(x)
        step = 2 if how == "every second element" else 1
        outside = np.nan if how in ("in a row", "every second element") else 0
        buffer = np.full(step * x.size + 2 * GUARD, outside, x.dtype)
        view = self._view(buffer, x.shape, how)
        view[...] = x
        view.flags.writeable = how != "read only"
        before, mask = buffer.copy(), np.ones(buffer.shape, bool)
        self._view(mask, x.shape, how)[...] = False
        return view, lambda: np.array_equal(buffer[mask], before[mask], equal_nan=True)

    @staticmethod
    def _view(buffer, shape, how):
        step, n = 2 if how == "every second element" else 1, math.prod(shape)
        row = buffer[GUARD : GUARD + step * n : step]
        if how == "columns first":
            return row.reshape(shape[::-1]).T
        return row.reshape(shape)[..., ::-1] if how == "reversed" and shape else row.reshape(shape)

    def spread(self, value, like):
        """An array of this shape whose elements are one."""
        return np.broadcast_to(np.asarray(value, like.dtype), like.shape)

    def to_numpy(self, a, what):
        if isinstance(a, (float, np.floating)):
            a = np.asarray(a)
        if not isinstance(a, np.ndarray):
            raise KernelFault(f"{what} is a {type(a).__name__}, expected an array of NumPy")
        if a.dtype.kind != "f":
            raise KernelFault(f"{what} has elements of type {a.dtype}, expected floats")
        return a

    def _checked(self, a, what, like):
        out = self.to_numpy(a, what)
        if out.dtype != like and (note := f"{what} is {out.dtype} where the inputs are {like}") not in self.notes:
            self.notes.append(note)
        return np.array(out)

    def _gradients(self, result, x, dtype):
        result = result if isinstance(result, (tuple, list)) else (result,)
        if len(result) != len(x):
            raise KernelFault(f"the backward returns {len(result)} gradients, expected {len(x)}: one for each input")
        out = [None] * len(x)
        for i, (g, a) in enumerate(zip(result, x, strict=True)):
            if g is None or a is None or not self.is_asked(i):
                continue
            out[i] = self._checked(g, f"d({self.input_name(i)})", dtype)
            if out[i].shape != tuple(a.shape):
                raise KernelFault(f"d({self.input_name(i)}) is {list(out[i].shape)}, expected {list(a.shape)}")
        return out

    def is_asked(self, i):
        """Whether the gradient by this input is judged."""
        return i >= len(self.asked) or self.asked[i]

    def input_name(self, i):
        return self.required[i] if i < len(self.required) else f"input {i}"

    def record(self, x, attrs):
        """Runs the forward on arrays of the framework."""
        dtype = self._dtype(x)
        result = self._guarded("the forward", self.forward, *x, **self._given(self.forward, attrs))
        is_pair = isinstance(result, tuple)
        if is_pair and len(result) != 2:
            raise KernelFault(f"the forward returns {len(result)} values, expected y, or (y, saved)")
        y = result[0] if is_pair else result
        backward_attrs = self._given(self.backward, attrs) if self.backward else {}

        def pull(dy):
            args = (dy, result[1]) if is_pair else (dy, *x)
            return self._gradients(self._guarded("the backward", self.backward, *args, **backward_attrs), x, dtype)

        return Recorded(self._checked(y, "y", dtype), pull)

    def _dtype(self, x):
        return next(np.dtype(str(a.dtype).removeprefix("torch.")) for a in x if a is not None)


class TorchKernel(Kernel):
    """The same on tensors; without a backward, what autograd makes of the forward."""

    framework = "torch"
    layouts = ("columns first", "every second element")
    has_backward = True

    def __init__(self, forward, backward, name=None):
        import torch

        self.torch, self.function = torch, None
        if inspect.isclass(forward) and issubclass(forward, torch.autograd.Function):
            self.function, self.skipped = (
                forward,
                0 if hasattr(forward, "setup_context") and self._new_style(forward) else 1,
            )
            super().__init__(forward.forward, None, name or forward.__name__)
            self.forward = forward.apply
        else:
            super().__init__(forward, backward, name)

    def _new_style(self, function):
        return function.setup_context is not self.torch.autograd.function._SingleLevelFunction.setup_context

    def takes(self, attrs):
        return self.function is None and super().takes(attrs)

    def _given(self, function, attrs):
        return {} if self.function is not None else super()._given(function, attrs)

    def array(self, x):
        return self.torch.from_numpy(super().array(x))

    def arranged(self, x, how):
        view, unchanged = super().arranged(x, how)
        return self.torch.from_numpy(view), unchanged

    def spread(self, value, like):
        return self.torch.tensor(value, dtype=getattr(self.torch, str(like.dtype))).expand(like.shape)

    def to_numpy(self, a, what):
        if not isinstance(a, self.torch.Tensor):
            raise KernelFault(f"{what} is a {type(a).__name__}, expected a tensor of PyTorch")
        if a.device.type != "cpu":
            raise KernelFault(f"{what} is on {a.device}, expected a tensor in this machine's memory")
        if not a.is_floating_point():
            raise KernelFault(f"{what} has elements of type {a.dtype}, expected floats")
        a = a.detach()
        return (a.float() if a.dtype == self.torch.bfloat16 else a).numpy()

    def record(self, x, attrs, needs=None):
        if self.backward is not None:
            return super().record(x, attrs)
        dtype = self._dtype(x)
        needs = [self.is_asked(i) for i in range(len(x))] if needs is None else needs
        leaves = [None if a is None else a.detach().requires_grad_(needs[i]) for i, a in enumerate(x)]
        asked = [i for i, a in enumerate(leaves) if a is not None and a.requires_grad]
        y = self._guarded("the forward", self.forward, *leaves, **self._given(self.forward, attrs))
        value = self._checked(y, "y", dtype)

        def pull(dy):
            if not y.requires_grad:
                raise KernelFault("y has no gradient: the forward leaves the graph of autograd")
            wanted = [leaves[i] for i in asked]
            found = self._guarded("the backward", self._autograd, y, wanted, dy)
            out = [None] * len(x)
            for i, g in zip(asked, found, strict=True):
                out[i] = None if g is None else self._checked(g, f"gradient {i}", dtype)
            return out

        return Recorded(value, pull)

    def _autograd(self, y, wanted, dy):
        try:
            return self.torch.autograd.grad(y, wanted, dy, retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            said = re.search(r"invalid gradient at index (\d+) - got (\[.*?\]) but expected .* (\[.*?\])", str(error))
            if said is None or len(wanted) < len(self.required):
                raise
            raise KernelFault(f"d({self.input_name(int(said[1]))}) is {said[2]}, expected {said[3]}") from None


class JaxKernel(Kernel):
    """A function of JAX; without a backward, what jax.vjp makes of it, and so its custom_vjp or custom_jvp where it has one."""

    framework = "jax"
    layouts = ()
    writes_can_be_seen = False
    has_backward = True

    def __init__(self, forward, backward, name=None):
        import jax

        self.jax = jax
        super().__init__(forward, backward, name)

    def _wide(self):
        wide = getattr(self.jax, "enable_x64", None)
        return self.jax.experimental.enable_x64(True) if wide is None else wide(True)

    def array(self, x):
        with self._wide():
            return self.jax.numpy.asarray(x.copy())

    def to_numpy(self, a, what):
        if not isinstance(a, self.jax.Array):
            raise KernelFault(f"{what} is a {type(a).__name__}, expected an array of JAX")
        out = np.asarray(a)
        if out.dtype.kind != "f":
            raise KernelFault(f"{what} has elements of type {out.dtype}, expected floats")
        return out

    def record(self, x, attrs):
        if self.backward is not None:
            with self._wide():
                call = super().record(x, attrs)
            return Recorded(call.y, lambda dy: self._widely(call.pull, dy))
        dtype, given = self._dtype(x), self._given(self.forward, attrs)
        with self._wide():
            y, back = self._guarded("the forward", self.jax.vjp, lambda *a: self.forward(*a, **given), *x)
            value = self._checked(y, "y", dtype)

        def pull(dy):
            return self._gradients(self._guarded("the backward", back, dy), x, dtype)

        return Recorded(value, lambda dy: self._widely(pull, dy))

    def _widely(self, pull, dy):
        with self._wide():
            return pull(dy)


def _is_torch(function):
    torch = sys.modules.get("torch")
    return torch is not None and inspect.isclass(function) and issubclass(function, torch.autograd.Function)


def _is_jax(function):
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(function, (jax.custom_vjp, jax.custom_jvp))


_KERNELS = {"numpy": Kernel, "torch": TorchKernel, "jax": JaxKernel}


def kernel_of(forward, backward, framework, name=None, *, caller="check_kernel"):
    """The kernel that was given. Errors: TypeError, ValueError for what is none."""
    if not callable(forward):
        raise TypeError(f"{caller}: the forward is a {type(forward).__name__}, expected a function")
    if backward is not None and not callable(backward):
        raise TypeError(f"{caller}: the backward is a {type(backward).__name__}, expected a function or None")
    found = "torch" if _is_torch(forward) else "jax" if _is_jax(forward) else None
    if found and backward is not None:
        raise ValueError(f"{caller}: {getattr(forward, '__name__', 'it')} has a backward of its own; leave backward out")
    if framework is not None and framework not in _KERNELS:
        raise ValueError(f"{caller}: framework is {framework!r}, expected one of {', '.join(_KERNELS)}")
    return _KERNELS[framework or found or "numpy"](forward, backward, name)
