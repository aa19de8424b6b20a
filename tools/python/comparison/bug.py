"""What a planted bug is, and two ways to make one out of a right backward."""

from dataclasses import dataclass


@dataclass
class Bug:
    kernel: str
    what: str  # the truth, in a few words
    named: str  # a regular expression: a report that it matches names the cause
    forward: object = None
    backward: object = None
    make: object = None  # instead of both: a function that returns (forward, backward) with state of their own
    torch_only: bool = False

    def parts(self, kernel):
        """Forward and backward with the bug."""
        return self.make() if self.make else (self.forward or kernel.forward, self.backward or kernel.backward)


def scaled(back, which, by):
    """One gradient of a backward, multiplied."""

    def backward(m, dy, x, y):
        out = list(back(m, dy, x, y))
        out[which] = by * out[which]
        return tuple(out)

    return backward


def with_dy(back, change):
    """A backward of a cotangent that is changed first."""
    return lambda m, dy, x, y: back(m, change(m, dy), x, y)
