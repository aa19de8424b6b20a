"""Causes found by trying: a gradient that is right for an input reversed, or one step off, along an axis; or a factor in it."""

import numpy as np

from ._types import TYPES

MOST_WORK = 1 << 14  # entries of a Jacobian that is taken by differences
MOST_TRIES = 200
WAYS = {
    "reversed along axis {axis}": lambda a, axis: np.flip(a, axis),
    "one step off along axis {axis}: at i stands what belongs at i - 1": lambda a, axis: np.roll(a, 1, axis),
    "one step off along axis {axis}: at i stands what belongs at i + 1": lambda a, axis: np.roll(a, -1, axis),
}


class _Call:
    """A call on which gradients are wrong: what is claimed, and differences of the forward."""

    def __init__(self, box, call, kind):
        self.box, self.call, self.kind = box, call, kind
        self.y, self.claimed = box.run(call, kind.name)
        self.step, self.off = (2.0**-13, 1e-5) if kind.eps < 1e-10 else (2.0**-7, 3e-3)
        random = np.random.default_rng(3)
        self.along = [[None if a is None else random.standard_normal(a.shape) for a in call.x] for _ in range(2)]

    def is_gradient_at(self, i, x):
        """Whether d(input i) is the derivative of <u, forward> at x, in two random directions."""
        return all(self._agrees(i, x, v[i]) for v in self.along)

    def _agrees(self, i, x, v):
        sides = [self._at(i, x, sign * self.step * v) for sign in (1, -1)]
        true = (sides[0] - sides[1]) / (2 * self.step)
        terms = self.claimed[i] * v
        return bool(abs(float(terms.sum()) - true) <= self.off * float(np.abs(terms).sum()))

    def _at(self, i, x, by):
        y = self.box.forward(self.call, [a + by if j == i else a for j, a in enumerate(x)])
        return float((y * self.call.u).sum())

    def gradient(self, i):
        """By differences, entry by entry; None where that is too much work."""
        x = self.call.x
        if x[i].size * self.call.u.size > MOST_WORK:
            return None
        out = np.zeros(x[i].shape)
        for k in np.ndindex(out.shape):
            by = np.zeros(out.shape)
            by[k] = self.step
            out[k] = (self._at(i, x, by) - self._at(i, x, -by)) / (2 * self.step)
        return out


def find(plan, wrong):
    """(tensor, text) of each cause that holds on two of the samples on which gradients are wrong, or on the only one."""
    calls = {c.name: c for c in plan.calls if not c.added}
    wrong = [s for s in wrong if s["sample"] in calls and s.get("census")][:2]
    if not wrong or plan.kernel.only and plan.kernel.only is not TYPES["float64"]:
        return []
    try:
        tried = [_Call(plan.box(["float64"]), calls[s["sample"]], TYPES["float64"]) for s in wrong]
        return [(tensor, text) for tensor, i in _unexplained(plan, wrong[0]) if (text := _cause(plan, tried, i))]
    except Exception:  # what the kernel raises here is no finding
        return []


def _unexplained(plan, sample):
    said = {d["tensor"] for d in sample.get("diagnoses", []) if not d["text"].startswith("only ")}
    names = [f"d({name})" for name in plan.input_names]
    return [(c["tensor"], names.index(c["tensor"])) for c in sample["census"] if c["off"] and c["tensor"] not in said]


def _cause(plan, tried, i):
    x = tried[0].call.x
    if tried[0].claimed[i] is None:
        return None
    tries = [
        (j, axis, way) for j, a in enumerate(x) if a is not None for axis in range(a.ndim) if a.shape[axis] > 1 for way in WAYS
    ]
    for j, axis, way in tries[:MOST_TRIES]:
        if all(t.is_gradient_at(i, _changed(t.call.x, j, axis, way)) for t in tried):
            return f"it is the gradient with {plan.input_names[j]} {way.format(axis=axis)}"
    return _factor(plan, tried, i)


def _changed(x, j, axis, way):
    return [np.ascontiguousarray(WAYS[way](a, axis)) if k == j else a for k, a in enumerate(x)]


def _factor(plan, tried, i):
    """One array of the gradient's shape stands in it one step off: claimed / true is its value here over the neighbour's."""
    names, shape = ["y", *plan.input_names], tried[0].call.x[i].shape
    for t in tried:
        t.true = t.gradient(i)
        if t.true is None:
            return None
    for n, name in enumerate(names):
        for axis in range(len(shape)):
            for by in (1, -1):
                if all(_is_off_by(t, ([t.y, *t.call.x])[n], i, axis, by) for t in tried):
                    return f"along axis {axis}, {name} stands in it at i where {name} at i {'-' if by > 0 else '+'} 1 belongs"
    return None


def _is_off_by(t, a, i, axis, by):
    if a is None or a.shape != t.true.shape or a.shape[axis] < 3:
        return False
    inside = tuple(
        slice(1, None) if by > 0 and k == axis else slice(None, -1) if k == axis else slice(None) for k in range(a.ndim)
    )
    other = np.roll(a, by, axis)
    left, right = (t.claimed[i] * other)[inside], (t.true * a)[inside]
    size = np.abs(right).max(initial=0)
    is_other = np.abs(t.claimed[i] - t.true)[inside].max(initial=0) > 1e-3 * np.abs(t.true).max(initial=0)
    return bool(is_other and left.size > 2 and np.abs(left - right).max(initial=0) <= 1e-4 * size)
