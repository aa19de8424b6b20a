"""A kernel as the library calls it."""

import numpy as np

from ._arrays import each, same, wide
from ._kernel import KernelFault
from ._types import TYPES


def changed(attrs, defaults):
    """The attributes whose values are not the defaults."""
    return {name: value for name, value in attrs.items() if not same(value, defaults.get(name))}


class Box:
    """A kernel as the library calls it (src/python_box.hpp): float64 arrays in and out, whatever type it computes in.

    The library knows float64 and float32. A half type is asked for by a box of its own, which is called as if for float64, with
    numbers that the type holds.
    """

    type_of_forward = None  # where it is not float64

    def __init__(self, kernel, dtypes, input_names, defaults=None, page="", plan=None):
        self.plan = plan  # what it is asked within; None for one that is not timed
        self.integers = plan.integers if plan else {}  # of the samples, by name
        self.kernel, self.name, self.file = kernel, kernel.name, kernel.file
        self.half = next((TYPES[d] for d in dtypes if TYPES[d].is_half), None)
        self.types = ["double"] if self.half else [{"float64": "double", "float32": "float"}[d] for d in dtypes]
        self.directions = ["forward", "backward"] if kernel.has_backward else ["forward"]
        self.input_names, self.defaults, self.page = input_names, defaults, page

    def attrs_of(self, call):
        """The attributes of a call that are not what the kernel has anyway."""
        return {} if self.defaults is None else changed(call.attrs, self.defaults)

    def begin(self, call):
        """Makes the integers of this sample those of the kernel."""
        self.kernel.integers = self.integers.get(call.name, {})

    def expect_time(self):
        if self.plan:
            self.plan.expect_time()

    def _ready(self, x, kind):
        self.kernel.type = kind
        return each(lambda a: self.kernel.array(kind.round(a)), x)

    def run(self, call, dtype):
        self.begin(call)
        self.expect_time()
        kind = self.half or TYPES[dtype]
        recorded = self.kernel.record(self._ready(call.x, kind), self.attrs_of(call))
        is_asked = not self.kernel.asked or any(self.kernel.asked)
        if recorded.y.shape != call.u.shape or not self.kernel.has_backward or not is_asked:
            return wide(recorded.y), [None] * len(call.x)
        gradients = [wide(g) for g in recorded.pull(self.kernel.array(kind.round(self._cotangent(call))))]
        for i, given in enumerate(call.x):
            if given is not None and self.kernel.is_asked(i) and gradients[i] is None and self.kernel.framework == "torch":
                gradients[i] = np.zeros(given.shape)  # what None means to autograd
        return wide(recorded.y), gradients

    def _cotangent(self, call):
        if self.plan is None or self.kernel is not self.plan.kernel or call.name not in self.plan.exchanged:
            return call.u
        return call.u.reshape(-1)[self.plan.exchanged[call.name]].reshape(call.u.shape)

    def forward(self, call, x):
        self.begin(call)
        self.expect_time()
        if self.plan and self.kernel is self.plan.kernel and call.name in self.plan.faults:
            raise KernelFault(self.plan.faults[call.name])
        own = TYPES["float64"] if self.kernel.takes_double else self.half or TYPES["float32"]
        kind = self.type_of_forward or self.kernel.only or own
        return wide(self.kernel.value(self._ready(x, kind), self.attrs_of(call)))
