"""What a kernel in Python is asked beyond value and gradient: that it writes to nothing, keeps nothing, takes any layout.

What happens to its results later is asked in _later.py, second derivatives in _second.py.
"""

import numpy as np

from . import _later, _second
from ._arrays import each
from ._kernel import KernelFault, OutOfTime
from ._types import TYPES

SCALES, SCALES_OF_HALF = (2.0**14, 2.0**-24), (2.0**5, 2.0**-5)  # of cotangents that are large or tiny
UNITS, UNITS_OF_HALF = 256, 16  # of rounding of the largest entry that two orders of summing may differ by


class Finding:
    """One contract on one sample, in the fields that reports of the library have."""

    def __init__(self, contract, sample, verdict="right", reason="", excused=False):
        self.contract, self.sample, self.verdict, self.reason, self.excused = contract, sample, verdict, reason, excused

    def to_dict(self):
        out = {"sample": self.sample, "verdict": self.verdict, "excused": self.excused, "entries": 0}
        return out | ({"reason": self.reason} if self.reason else {})


def _same_bits(a, b):
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)


def _close(a, b, scale, kind):
    """Whether two results agree up to the order of sums."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape:
        return False
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return False
    off = np.abs(a.astype(float) - b.astype(float))[finite]
    units = UNITS_OF_HALF if kind.is_half else UNITS
    return not off.size or float(off.max()) <= units * kind.eps * scale + units * kind.least


def _largest(arrays):
    finite = [np.abs(a[np.isfinite(a)]).max(initial=0) for a in arrays if a is not None]
    return float(max(finite, default=0))


class Asker:
    """Asks the contracts of one kernel on one drawn call, at one element type."""

    def __init__(self, box, call, dtype):
        self.box, self.kernel, self.call, self.type = box, box.kernel, call, TYPES[dtype]
        self.kernel.type = self.type
        box.begin(call)
        self.x = each(self.type.round, call.x)
        self.u = self.type.round(call.u)
        self.attrs = box.attrs_of(call)
        self.is_random = False  # the same call gives other numbers, by more than rounding

    def record(self, x=None, **more):
        self.box.expect_time()
        return self.kernel.record(each(self.kernel.array, self.x) if x is None else x, self.attrs, **more)

    def pull(self, recorded, u=None):
        self.box.expect_time()
        return recorded.pull(self.kernel.array(self.u if u is None else u))

    def gradients(self, u=None):
        return self.pull(self.record(), u)

    def close(self, a, b, of):
        """Whether two results agree up to the order of sums, whose terms are as large as those of the arrays `of`."""
        return _close(a, b, _largest(of), self.type)

    def other_cotangent(self):
        return self.type.round(np.roll(self.u.reshape(-1), 1).reshape(self.u.shape) / 2)

    def name(self, i):
        return f"d({self.box.input_names[i]})"

    def differing(self, a, b, same=_same_bits):
        """The names of what differs between two lists of gradients."""
        return [self.name(i) for i, (p, q) in enumerate(zip(a, b, strict=True)) if not same(p, q)]

    # Each contract: "" where it is kept, else what is broken; None where it cannot be asked.

    def unchanged(self):
        if not self.kernel.writes_can_be_seen:
            return None
        x, u = each(self.kernel.array, self.x), self.kernel.array(self.u)
        recorded = self.record(x)
        if (who := self._written(x)) is not None:
            return f"the forward writes to its input {who}"
        recorded.pull(u)
        if (who := self._written(x)) is not None:
            return f"the backward writes to the input {who}"
        if not np.array_equal(self.kernel.held(u), self.u, equal_nan=True):
            return "the backward writes to the cotangent"
        return ""

    def _written(self, x):
        for i, (now, then) in enumerate(zip(x, self.x, strict=True)):
            if then is not None and not np.array_equal(self.kernel.held(now), then, equal_nan=True):
                return self.box.input_names[i]
        return None

    def deterministic(self):
        first, second = self.record(), self.record()
        if not _same_bits(first.y, second.y):
            self.is_random = not self.close(second.y, first.y, [first.y])
            return "y has other bits the second time"
        off = self.differing(self.pull(first), self.pull(second))
        return f"{off[0]} has other bits the second time" if off else ""

    def independent(self):
        """Neither another call of the same shapes between a forward and its backward changes anything, nor a second backward."""
        alone = self.gradients()
        recorded = self.record()
        between = self.record(each(lambda a: self.kernel.array(self.type.round(a / 2)), self.x))
        off = self.differing(self.pull(recorded), alone)
        if off:
            return f"{off[0]} is another one after a second forward: something is kept between calls"
        self.pull(between)
        off = self.differing(self.pull(recorded), alone)
        return f"{off[0]} is another one when the backward runs a second time" if off else ""

    def linear(self):
        factor = self.type.held.type(-0.75)
        v = self.other_cotangent()
        zero = self.gradients(np.zeros_like(self.u))
        for i, g in enumerate(zero):
            if g is not None and np.any(g != 0) and not np.any(np.isnan(g)):
                return f"{self.name(i)} is not 0 for a cotangent of zeros"
        du, dv = self.gradients(), self.gradients(v)
        both = self.gradients(self.type.round(factor * self.u + v))
        scale = 4 * (_largest(du) + _largest(dv))
        for i, (g, a, b) in enumerate(zip(both, du, dv, strict=True)):
            if g is not None and a is not None and b is not None and not _close(g, factor * a + b, scale, self.type):
                return f"{self.name(i)} of -0.75 u + v is not -0.75 times that of u plus that of v"
        for factor in SCALES_OF_HALF if self.type.is_half else SCALES:
            if who := self._not_times(factor, du):
                return f"not linear in the cotangent: {who} of {factor:g} u is not {factor:g} times that of u"
        return self.kernel.unlike_tangent(each(self.kernel.array, self.x), self.attrs)

    def _not_times(self, factor, gradients):
        """The name of a gradient that does not grow as the cotangent does; powers of two round nothing."""
        scaled = self.gradients(self.type.round(factor * self.u))
        for i, (g, of) in enumerate(zip(scaled, gradients, strict=True)):
            if g is None or of is None:
                continue
            true = factor * of.astype(float)
            in_range = np.isfinite(true) & (np.abs(true) <= self.type.largest / 2)
            if in_range.all() and not _close(g, true, factor * _largest([of]), self.type):
                return self.name(i)
        return ""

    def needed(self):
        if self.kernel.framework != "torch" or self.kernel.backward is not None:
            return None
        present = [i for i, a in enumerate(self.x) if a is not None and self.kernel.is_asked(i)]
        if len(present) < 2:
            return None
        full = self.gradients()
        for i in present:
            recorded = self.record(needs=[j == i for j in range(len(self.x))])
            found = self.pull(recorded)[i]
            if not _close(found, full[i], _largest([full[i]]), self.type):
                return f"{self.name(i)} is another one where only it is asked for"
        return ""

    def layout(self):
        if not self.kernel.layouts:
            return None
        plain = self.record()
        gradients = self.pull(plain)
        for how in self.kernel.layouts:
            recorded = self.record(each(lambda a, how=how: self.kernel.arranged(a, how)[0], self.x))
            if not _close(recorded.y, plain.y, _largest([plain.y]), self.type):
                return f"y is another one for inputs whose memory is arranged otherwise: {how}"
            off = self._off(recorded.pull(self.kernel.arranged(self.u, how)[0]), gradients)
            if off:
                return f"{off} is another one for arrays whose memory is arranged otherwise: {how}"
        value = self.type.held.type(0.75)
        of_one = self.gradients(np.full_like(self.u, value))
        off = self._off(plain.pull(self.kernel.spread(value, self.u)), of_one)
        return f"{off} is another one for a cotangent with strides of 0" if off else ""

    def _off(self, found, true):
        scale = _largest(true)
        off = self.differing(found, true, lambda a, b: _close(a, b, scale, self.type))
        return off[0] if off else ""

    def in_bounds(self):
        if not self.kernel.memory:
            return None
        for how in self.kernel.memory:
            x = each(lambda a, how=how: self.kernel.arranged(a, how), self.x)
            u, around_u = self.kernel.arranged(self.u, how)
            recorded = self.record(each(lambda a: a[0], x))
            found = recorded.pull(u)
            if not all(a is None or a[1]() for a in x) or not around_u():
                return "it writes outside of an array that it was given"
            if how == "in a row" and self._nan_from_outside(recorded.y, found):
                return "it reads outside of an array that it was given: the words around it were NaN, and so is a result"
        return ""

    def _nan_from_outside(self, y, gradients):
        plain = self.record()
        then = [plain.y, *self.pull(plain)]
        return any(
            a is not None and b is not None and np.isnan(a).sum() > np.isnan(b).sum()
            for a, b in zip([y, *gradients], then, strict=True)
        )


QUESTIONS = {
    "unchanged": Asker.unchanged,
    "deterministic": Asker.deterministic,
    "independent": Asker.independent,
    "linear": Asker.linear,
    "needed": Asker.needed,
    "layout": Asker.layout,
    "in bounds": Asker.in_bounds,
    "accumulation": _later.accumulation,
    "saved tensors": _later.saved_tensors,
    "second derivatives": _second.second_derivatives,
}
IN_JAX = "arrays of JAX cannot be written to"
WHY_NOT = {
    "needed": {None: "asked of an autograd function with two inputs or more"},
    "unchanged": {None: IN_JAX},
    "layout": {"jax": "arrays of JAX have one layout", "c": "a C function is given arrays in a row"},
    "in bounds": {None: "arrays of JAX have no memory around them that could be seen"},
    "accumulation": {None: IN_JAX},
    "saved tensors": {"jax": IN_JAX, None: "the backward is handed the inputs once more, and saves nothing"},
    "second derivatives": {None: "asked, in float64, of what PyTorch or JAX differentiates"},
}


def _why_not(contract, kernel):
    by_framework = WHY_NOT[contract]
    return by_framework.get(kernel.framework) or by_framework.get(None, "")


RANDOM = "not judged, for the same call gives other numbers each time"
OF_STATE = ("deterministic", "independent")  # what a compiled kernel keeps between calls does not show


def ask(box, call, dtype, no_second="", is_first=True):
    """A Finding for each contract. What the kernel raises while it is asked is a finding too.

    no_second says why second derivatives are not judged; "" where they are. On the first call nothing is compiled by which
    something kept between calls would not show.
    """
    asker = Asker(box, call, dtype)
    out = []
    for contract, question in QUESTIONS.items():
        if contract == "second derivatives" and no_second and box.kernel.is_differentiated:
            out.append(Finding(contract, call.name, reason=no_second, excused=True))
            continue
        if asker.is_random:
            out.append(Finding(contract, call.name, reason=RANDOM, excused=True))
            continue
        box.kernel.is_eager = is_first and contract in OF_STATE
        try:
            with np.errstate(all="ignore"):
                broken = question(asker)
        except OutOfTime as late:
            out.append(Finding(contract, call.name, reason=str(late), excused=True))
            continue
        except KernelFault as fault:
            broken = str(fault)
        except _later.Told as told:
            out.append(Finding(contract, call.name, "told", str(told), excused=True))
            continue
        if broken is None:
            out.append(Finding(contract, call.name, "right", _why_not(contract, box.kernel), excused=True))
        elif broken:
            out.append(Finding(contract, call.name, "wrong", f"{broken}, as {dtype}"))
        else:
            out.append(Finding(contract, call.name))
    return out
