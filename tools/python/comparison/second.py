"""Second derivatives: gradproof, gradcheck and gradgradcheck on autograd functions whose first derivatives are right.

    python tools/python/comparison/second.py          # prints a table of tools/python/README.md, in Markdown

In each planted bug something that depends on an input is a constant to the second backward. All checkers have their default
tolerances and the same shapes.
"""

import warnings

import gradproof as gp
import torch


def function(forward, backward):
    """An autograd function of forward(x) -> (y, kept, ...) and backward(dy, kept, ...)."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *x):
            y, *kept = forward(*x)
            ctx.save_for_backward(*kept)
            return y

        @staticmethod
        def backward(ctx, dy):
            return backward(dy, *ctx.saved_tensors)

    return Function


def keeping(value, kept):
    """A forward of one input that keeps what `kept` makes of x and y."""

    def forward(x):
        y = value(x)
        return y, kept(x, y)

    return forward


def root(x):
    return ((x * x).mean(-1, keepdim=True) + 1e-5).rsqrt()


def norm_back(dy, x, r):
    return r * dy - x * r**3 * (dy * x).mean(-1, keepdim=True)


def softmax(x):
    return torch.softmax(x, -1)


def softmax_back(dy, y):
    return y * (dy - (dy * y).sum(-1, keepdim=True))


CASES = {
    "tanh": (keeping(torch.tanh, lambda x, y: y), lambda dy, y: dy * (1 - y * y), False),
    "tanh keeps its slope": (keeping(torch.tanh, lambda x, y: 1 - y * y), lambda dy, slope: dy * slope, True),
    "sigmoid": (keeping(torch.sigmoid, lambda x, y: y), lambda dy, y: dy * y * (1 - y), False),
    "sigmoid detaches y": (keeping(torch.sigmoid, lambda x, y: y), lambda dy, y: dy * y.detach() * (1 - y), True),
    "softmax": (keeping(softmax, lambda x, y: y), softmax_back, False),
    "softmax keeps a copy of y": (keeping(softmax, lambda x, y: y.clone()), softmax_back, True),
    "rms_norm": (keeping(lambda x: x * root(x), lambda x, y: x), lambda dy, x: norm_back(dy, x, root(x)), False),
    "rms_norm keeps the root": (lambda x: (x * root(x), x, root(x)), norm_back, True),
    "square": (keeping(lambda x: x * x, lambda x, y: x), lambda dy, x: 2 * x * dy, False),
    "square uses x.data": (keeping(lambda x: x * x, lambda x, y: x), lambda dy, x: 2 * x.data * dy, True),
    "square detaches the cotangent": (keeping(lambda x: x * x, lambda x, y: x), lambda dy, x: 2 * x * dy.detach(), True),
}


def by_gradproof(f):
    if not (report := gp.check_kernel(f, shapes=[(3, 5)])):
        raise AssertionError(str(report))


def by(check):
    def run(f):
        torch.manual_seed(0)
        check(f.apply, (torch.randn(3, 5, dtype=torch.float64, requires_grad=True),))

    return run


CHECKERS = {
    "gradproof, only shapes": by_gradproof,
    "gradcheck": by(torch.autograd.gradcheck),
    "gradgradcheck": by(torch.autograd.gradgradcheck),
}


def main():
    print("| kernel | planted | " + " | ".join(CHECKERS) + " |")
    print("|---|---|" + "---|" * len(CHECKERS))
    for name, (forward, backward, is_planted) in CASES.items():
        cells = []
        for check in CHECKERS.values():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(function(forward, backward))
                cells.append("missed" if is_planted else "right")
            except Exception as error:  # a checker that finds something raises
                cells.append("found" if is_planted else f"false alarm: {error}"[:70])
        print(f"| {name} | {'yes' if is_planted else 'no'} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
