"""Second derivatives: the backward of PyTorch or JAX differentiated once more, against those of the page or differences.

With g the gradients of <y, u>, v random and s = <g, v>: the framework differentiates s by every input and by u. Along a random
direction this is the derivative of s, which the page gives exactly and differences of the first backward give with an error.
"""

import numpy as np

from . import _core
from ._arrays import each
from ._kernel import KernelFault
from ._later import Told

EXACT, BY_DIFFERENCES = 1e-9, 1e-6  # of the largest terms
STEP = 1e-3


class NotOffered(Exception):
    """The framework has no second derivative; the text says why."""


class _Question:
    """One call: what s depends on (the inputs, then u), and the random weights v of the gradients."""

    def __init__(self, asker):
        self.asker, self.kernel = asker, asker.kernel
        self.random = np.random.default_rng(1)
        self.gradients = asker.gradients()
        self.v = each(lambda g: self.random.standard_normal(g.shape), self.gradients)
        self.names = [*asker.box.input_names[: len(asker.x)], "the cotangent"]

    def claimed(self):
        """What the framework says: the derivative of s by each input and by u."""
        kernel, asker = self.kernel, self.asker
        v = each(lambda a: kernel.array(a), self.v)
        return kernel.second(each(kernel.array, asker.x), asker.attrs, kernel.array(asker.u), v)

    def direction(self, k):
        """One for each input and one for u, all of them 0 but number k."""
        of = [*self.asker.x, self.asker.u]
        return [None if a is None else self.random.standard_normal(a.shape) * (i == k) for i, a in enumerate(of)]

    def along(self, w):
        """The true derivative of s along w, and how far it may be off."""
        if self.asker.box.page:
            found = _core.second(self.asker.box.page, self.asker.call, w[:-1], w[-1])
            terms = [a * b for a, b in zip(found, self.v, strict=True) if a is not None and b is not None]
            return sum(float(t.sum()) for t in terms), EXACT * sum(float(np.abs(t).sum()) for t in terms)
        near, far = self._difference(w, STEP), self._difference(w, 2 * STEP)
        best = near + (near - far) / 3
        return best, 4 * abs(best - near) + BY_DIFFERENCES * abs(best)

    def _difference(self, w, step):
        return (self._s(w, step) - self._s(w, -step)) / (2 * step)

    def _s(self, w, step):
        x = [None if a is None else self.kernel.array(a + step * d) for a, d in zip(self.asker.x, w[:-1], strict=True)]
        found = self.asker.record(x).pull(self.kernel.array(self.asker.u + step * w[-1]))
        return sum(float((g * v).sum()) for g, v in zip(found, self.v, strict=True) if g is not None and v is not None)


def second_derivatives(asker):
    """None where nothing can be asked. Errors: Told where the framework has no second derivative of this kernel."""
    if asker.type.name != "float64" or not asker.kernel.is_differentiated:
        return None
    question = _Question(asker)
    try:
        claimed = question.claimed()
    except NotOffered as why:
        raise Told(str(why)) from None
    largest = max((float(np.abs(a).sum()) for a in question.gradients if a is not None), default=0)
    for k, part in enumerate(claimed):
        if part is None:
            continue
        w = question.direction(k)
        terms = part * w[k]
        try:
            true, off = question.along(w)
        except KernelFault:
            continue  # too far for its domain
        if not np.isfinite(true):
            continue
        most = off + EXACT * (float(np.abs(terms).sum()) + largest)
        if not abs(float(terms.sum()) - true) <= most:
            return (
                f"differentiated once more by {question.names[k]}, the gradients give {terms.sum():.6g} in a random direction, "
                f"and the true ones {true:.6g}: is something that depends on an input a constant to the backward? "
                "Save inputs and outputs alone, or mark the backward with once_differentiable"
            )
    return ""
