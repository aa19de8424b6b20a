"""A kernel as the library calls it."""

import numpy as np

from ._arrays import each, same, wide


def changed(attrs, defaults):
    """The attributes whose values are not the defaults."""
    return {name: value for name, value in attrs.items() if not same(value, defaults.get(name))}


class Box:
    """A kernel as the library calls it (src/python_box.hpp): float64 arrays in and out, whatever type it computes in."""

    def __init__(self, kernel, dtypes, input_names, defaults=None, page=""):
        self.kernel, self.name, self.file = kernel, kernel.name, kernel.file
        self.types = [{"float64": "double", "float32": "float"}[d] for d in dtypes]
        self.directions = ["forward", "backward"] if kernel.has_backward else ["forward"]
        self.input_names, self.defaults, self.page = input_names, defaults, page

    def attrs_of(self, call):
        """The attributes of a call that are not what the kernel has anyway."""
        return {} if self.defaults is None else changed(call.attrs, self.defaults)

    def _ready(self, x, dtype):
        return each(lambda a: self.kernel.array(np.asarray(a, dtype)), x)

    def run(self, call, dtype):
        recorded = self.kernel.record(self._ready(call.x, dtype), self.attrs_of(call))
        if recorded.y.shape != call.u.shape or not self.kernel.has_backward:
            return wide(recorded.y), [None] * len(call.x)
        gradients = [wide(g) for g in recorded.pull(self.kernel.array(call.u.astype(dtype)))]
        for i, given in enumerate(call.x):
            if given is not None and self.kernel.is_asked(i) and gradients[i] is None and self.kernel.framework == "torch":
                gradients[i] = np.zeros(given.shape)  # what None means to autograd
        return wide(recorded.y), gradients

    def forward(self, call, x):
        return wide(self.kernel.record(self._ready(x, "float64"), self.attrs_of(call)).y)
