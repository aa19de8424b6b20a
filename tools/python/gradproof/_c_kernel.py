"""A kernel of two C functions, called with raw pointers as its signature says."""

import ctypes
import faulthandler
import math
import os
import resource
import signal
import time
import warnings

import numpy as np

from . import _prototype
from ._kernel import Kernel, KernelFault, Recorded
from ._types import TYPES

MOST_SECONDS = 2.0  # that a call may take in a child process: with threads of OpenMP it may never return there


def _address(function, what):
    """Where a function of ctypes, a capsule, or a number points to. Errors: TypeError."""
    if isinstance(function, int) and not isinstance(function, bool):
        return function
    if type(function).__name__ == "PyCapsule":
        api = ctypes.pythonapi
        api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        return api.PyCapsule_GetPointer(function, api.PyCapsule_GetName(function))
    if is_c_function(function):
        return ctypes.cast(function, ctypes.c_void_p).value
    kind = type(function).__name__
    raise TypeError(f"check_kernel: the {what} is a {kind}, expected a function of ctypes, a capsule or an address")


def is_c_function(function):
    return isinstance(function, ctypes._CFuncPtr)


def _signal_of(function, given):
    """Calls the function in a child process: the name of the signal that ended it, "" if none did within the time."""
    if not hasattr(os, "fork"):
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX and Python warn of threads, of which the child has none
        child = os.fork()
    if child == 0:
        try:
            faulthandler.disable()  # so that nothing is printed, and no core written, of what is only tried
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            function(*given)
        finally:
            os._exit(0)
    ends = time.monotonic() + MOST_SECONDS
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ""


class CKernel(Kernel):
    """Two C functions: what they read and write is told by a signature (_prototype.py)."""

    framework = "c"
    layouts, memory = (), ("in a row",)

    def __init__(self, forward, backward, signature, name=None):
        self.forward_c, self.backward_c = _prototype.read(signature)
        if backward is None:
            raise ValueError("check_kernel: the backward is missing; a C function has none of its own")
        self.call_forward = self.forward_c.function(_address(forward, "forward"))
        self.call_backward = self.backward_c.function(_address(backward, "backward"))
        super().__init__(self._no_forward, self._no_forward, name or self.forward_c.name)
        self.file, self.fill, self.defaults, self.fixed = "", 0.0, {}, {}
        self.tried = {}  # of functions and shapes, the signal by which such a call ended; "" for none
        self._read_roles()
        self.required, self.most_inputs = [a.name for a in self.inputs], len(self.inputs)

    def _no_forward(self, *_):
        raise AssertionError("C functions are called through record")

    def _read_roles(self):
        """Which pointer is an input, y, saved, a cotangent, a gradient. Errors: ValueError."""
        self.inputs = [a for a in self.forward_c.arrays if a.is_read]
        written = sorted((a for a in self.forward_c.arrays if not a.is_read), key=lambda a: not a.is_float)
        types = {a.type for a in [*self.forward_c.arrays, *self.backward_c.arrays] if a.is_float}
        whole = [a for a in self.inputs if not a.is_float] + [a for a in written[:1] if not a.is_float]
        if whole:
            raise ValueError(f"signature: {whole[0].name} holds integers, which only what the forward saves may")
        if not self.inputs or not written or len(types) != 1:
            raise ValueError("signature: the forward has to read an array and to write one, all floats of one type")
        self.only = TYPES[types.pop()]
        self.sizes_of = {a.name: a.sizes for a in self.forward_c.arrays}
        cotangents = {a.name for a in self.backward_c.arrays if a.is_read} - self.sizes_of.keys()
        self.out = [a for a in self.forward_c.arrays if not a.is_read and a.is_float and "d" + a.name in cotangents]
        self.out = self.out or [next((a for a in written if a.name in ("y", "out") and a.is_float), written[0])]
        self.y = self.out[0]
        self.saved = [a for a in written if a not in self.out]
        self.output_names = [a.name for a in self.out] if len(self.out) > 1 else []
        for name, sizes in self.sizes_of.items():
            if sizes is None:
                raise ValueError(f"signature: the sizes of {name} are not said: {name}[n]")
        for a in self.backward_c.arrays:
            known = {*self.sizes_of, *("d" + y.name for y in self.out)} if a.is_read else {"d" + i.name for i in self.inputs}
            if a.name not in known:
                raise ValueError(f"signature: {a.name} of the backward is not known, expected one of {', '.join(sorted(known))}")

    def fix(self, attrs):
        """Gives numbers of the signature their values. Errors: ValueError for a name that is none."""
        numbers = [n.name for n in [*self.forward_c.numbers, *self.backward_c.numbers]]
        for name in attrs:
            if name not in numbers:
                raise ValueError(f"check_kernel: attrs has {name!r}, which is no number of the signature")
        self.fixed = attrs

    def takes(self, attrs):
        return all(any(n.name == name for n in self.forward_c.numbers) for name in attrs)

    def unfit(self, x):
        """Why inputs of these shapes cannot be given; None where they can."""
        bound = {}
        for a, given in zip(self.inputs, x, strict=False):
            if given is not None and not _prototype.bind(a.sizes, np.shape(given), bound):
                return f"the signature has {a.name}[{', '.join(a.sizes)}]: other shapes"
        return None

    def _sizes(self, x):
        if len(x) != len(self.inputs) or any(a is None for a in x):
            raise KernelFault(f"{len(x)} inputs, expected {len(self.inputs)}")
        if why := self.unfit(x):
            raise KernelFault(why)
        bound = {}
        for a, given in zip(self.inputs, x, strict=True):
            _prototype.bind(a.sizes, given.shape, bound)
        return bound

    def _shape(self, name, bound, attrs):
        def value(of):
            if of in bound:
                return math.prod(bound[of])
            if (found := self._attribute(of, bound, attrs)) is None:
                where = f"give it a value where it is an argument: long {of} = n / 2"
                raise self.wrong_use(f"signature: nothing says what the size {of} of {name} is; {where}")
            return found

        out = []
        for s in self.sizes_of[name]:
            if (plain := s.lstrip("*")) in bound:
                out += bound[plain]
            else:
                out.append(self._size(plain, value))
        if min(out, default=0) < 0:
            raise KernelFault(f"{name} has a size below 0 for inputs of these shapes")
        return tuple(out)

    def _attribute(self, name, bound, attrs):
        """The value of a number that is no size of an input; None where nothing says it."""
        for source in (attrs, self.fixed, self.defaults):
            if source.get(name) is not None:
                return source[name]
        numbers = [n for n in [*self.forward_c.numbers, *self.backward_c.numbers] if n.name == name and n.default is not None]
        if not numbers or not isinstance(numbers[0].default, str):
            return numbers[0].default if numbers else None
        return self._size(numbers[0].default, lambda of: self._number(of, bound, attrs))

    def _size(self, text, value):
        try:
            return _prototype.size_of(text, value)
        except ValueError as error:
            raise self.wrong_use(str(error)) from None

    def _number(self, name, bound, attrs):
        if name in bound:
            return math.prod(bound[name])
        if (found := self._attribute(name, bound, attrs)) is None:
            raise self.wrong_use(f"signature: nothing says what {name} is; give it a value: {name} = 1, or {name} = n / 2")
        return found

    def _try_apart(self, what, prototype, function, given, shapes):
        """The first call at each set of shapes runs in a child process before: one that crashes is a fault and ends nothing."""
        key = prototype.name, shapes
        if key not in self.tried:
            self.tried[key] = _signal_of(function, given)
        if self.tried[key]:
            pointers = len(prototype.arrays)
            raise KernelFault(
                f"{what} crashes with {self.tried[key]} (it was tried in a process of its own). Is each of its arguments in the "
                f"signature, in its place and with its type? There are {len(prototype.parameters)}, {pointers} of them pointers"
            )

    def _run(self, what, prototype, function, arrays, bound, attrs):
        """Calls a function with these arrays by name; those it writes to are given with room around them."""
        kept = {a.name: arrays[a.name] for a in prototype.arrays}
        given = [
            kept[p.name][0].ctypes.data if isinstance(p, _prototype.Array) else self._number(p.name, bound, attrs)
            for p in prototype.parameters
        ]
        self._try_apart(what, prototype, function, given, tuple(np.shape(kept[a.name][0]) for a in prototype.arrays))
        code = self._guarded(what, function, *given)
        if code:
            raise KernelFault(f"{what} returned {code}, expected 0")
        for name, (_, is_whole) in kept.items():
            if not is_whole():
                raise KernelFault(f"{what} writes outside of {name}")

    def _written(self, shape, value, kind=None):
        if kind is None:
            return self.arranged(np.full(shape, value), "in a row")
        buffer = np.zeros(math.prod(shape) + 2 * self.room, kind)
        inside = buffer[self.room : buffer.size - self.room]
        return inside.reshape(shape), lambda: not (buffer[: self.room].any() or buffer[buffer.size - self.room :].any())

    def record(self, x, attrs, **_):
        bound = self._sizes(x)
        arrays = {a.name: (given, lambda: True) for a, given in zip(self.inputs, x, strict=True)}
        for a in [*self.out, *self.saved]:
            arrays[a.name] = self._written(self._shape(a.name, bound, attrs), np.nan, None if a.is_float else a.type)
        self._run(self.called, self.forward_c, self.call_forward, arrays, bound, attrs)

        outputs = [arrays[a.name][0] for a in self.out]
        kept = self._chosen(list(range(len(outputs))), outputs) if self.output_names else [0]
        held = [self._checked(outputs[i], self.out[i].name if self.output_names else "y") for i in kept]

        def pull(dy):
            own = dict(arrays)
            for a, part in zip(self.out, self._parts_of(dy, outputs, kept), strict=True):
                own["d" + a.name] = np.ascontiguousarray(part), lambda: True
            for a, given in zip(self.inputs, x, strict=True):
                own["d" + a.name] = self._written(given.shape, self.fill)
            self._run("the backward", self.backward_c, self.call_backward, own, bound, attrs)
            there = {a.name for a in self.backward_c.arrays}
            call.raw = [own["d" + a.name][0] if "d" + a.name in there else None for a in self.inputs]
            return self._gradients(call.raw, x)

        call = Recorded(self._put_together(held), pull, outputs[kept[0]], is_handed=True)
        return call

    def shapes(self, x, attrs):
        bound = self._sizes(x)
        return [self._shape(self.out[i].name, bound, attrs) for i in self.kept or [0]]

    def _call(self, x, attrs):
        self.record(x, attrs)
