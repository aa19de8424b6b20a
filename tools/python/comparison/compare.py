"""Runs gradproof, torch.autograd.gradcheck, torch.library.opcheck and jax.test_util.check_grads on the same planted bugs.

    python tools/python/comparison/compare.py          # prints the tables of tools/python/README.md, in Markdown

Each checker gets the same kernels and, where it does not draw its own, the same shapes; all with their default tolerances.
gradproof runs twice: held to a page or a derivation, and with nothing but the shapes.
"""

import functools
import itertools
import re
import sys
import warnings

import gradproof as gp
import jax
import jax.test_util
import kernels
import planted
import torch

M_TORCH, M_JAX = kernels.Torch(), kernels.Jax()
NUMBERS = itertools.count(1)  # of custom ops, whose names must differ


def backward_on(backward):
    """The backward as PyTorch calls it; the forward saved inputs and value."""

    def back(ctx, dy):
        *x, y = ctx.saved_tensors
        return tuple(backward(M_TORCH, dy, tuple(x), y))

    return back


def function_of(forward, backward):
    """The kernel as a torch.autograd.Function."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *x):
            y = forward(M_TORCH, *x)
            ctx.save_for_backward(*x, y)
            return y

    Function.backward = staticmethod(backward_on(backward))
    return Function


def inputs(kernel):
    torch.manual_seed(0)
    return [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in kernel.shapes]


def by_gradcheck(kernel, forward, backward):
    torch.autograd.gradcheck(function_of(forward, backward).apply, inputs(kernel))


def by_opcheck(kernel, forward, backward):
    arguments = ", ".join(f"Tensor x{i}" for i in range(len(kernel.shapes)))
    short = f"k{next(NUMBERS)}"
    name = f"planted::{short}"
    torch.library.define(name, f"({arguments}) -> Tensor")
    torch.library.impl(name, "cpu", lambda *x: forward(M_TORCH, *x).clone())
    torch.library.register_fake(name, lambda *x: kernel.forward(M_TORCH, *x).clone())

    def set_up(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    torch.library.register_autograd(name, backward_on(backward), setup_context=set_up)
    torch.library.opcheck(getattr(torch.ops.planted, short).default, tuple(inputs(kernel)))


def by_check_grads(kernel, forward, backward):
    @jax.custom_vjp
    def f(*x):
        return forward(M_JAX, *x)

    def run(*x):
        y = forward(M_JAX, *x)
        return y, (x, y)

    f.defvjp(run, lambda kept, dy: tuple(backward(M_JAX, dy, *kept)))
    with jax.enable_x64(True):
        x = [jax.numpy.asarray(t.detach().numpy()) for t in inputs(kernel)]
        jax.test_util.check_grads(f, x, order=1, modes=["rev"])


def named(kernel, apply):
    """The function with the names of the kernel's inputs, as an author would have it."""
    names = ", ".join(kernel.inputs)
    scope = {"apply": apply}
    exec(f"def {kernel.name}({names}):\n    return apply({names})\n", scope)
    return scope[kernel.name]


def by_gradproof(kernel, forward, backward, held):
    report = gp.check_kernel(named(kernel, function_of(forward, backward).apply), framework="torch", **held)
    if report.verdict == "cannot tell":
        print(f"cannot tell: {kernel.name}\n{report}", file=sys.stderr)
    if not report:
        raise AssertionError(str(report))


CHECKERS = {
    "gradproof": lambda k, f, b: by_gradproof(k, f, b, k.held),
    "gradproof, only shapes": lambda k, f, b: by_gradproof(k, f, b, {"shapes": k.shapes}),
    "gradcheck": by_gradcheck,
    "opcheck": by_opcheck,
    "check_grads": by_check_grads,
}


def finds(checker, kernel, forward, backward):
    """What the checker says of a kernel; "" where it finds nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CHECKERS[checker](kernel, forward, backward)
    except Exception as error:  # a checker that finds something raises
        return str(error) or type(error).__name__
    return ""


def reason(said):
    """The first reason in a report of gradproof."""
    kinds = (r"why: (.*)", r'(?:wrong|cannot tell) +(?!value|gradient)\S+.*?": (.*)', r'wrong .*?": (.*)')
    found = re.search("|".join(kinds[:2]), said) or re.search(kinds[2], said)
    text = found[found.lastindex] if found else ""
    return text[:70].replace("|", "\\|")


def on_bugs():
    by_name = {kernel.name: kernel for kernel in kernels.KERNELS}
    count = {checker: 0 for checker in CHECKERS} | {"named": 0}
    print("| kernel | planted | " + " | ".join(CHECKERS) + " | gradproof says |")
    print("|---|---|" + "---|" * len(CHECKERS) + "---|")
    for bug in planted.BUGS:
        kernel, cells, said = by_name[bug.kernel], [], ""
        for checker in CHECKERS:
            if checker == "check_grads" and bug.torch_only:
                cells.append("-")
                continue
            found = finds(checker, kernel, *bug.parts(kernel))
            cells.append("found" if found else "missed")
            count[checker] += bool(found)
            said = found if checker == "gradproof" else said
        is_named = bool(re.search(bug.named, said))
        count["named"] += is_named
        print(
            f"| {bug.kernel} | {bug.what} | {' | '.join(cells)} | {reason(said)}{'' if is_named else ' (not the cause)'} |",
            flush=True,
        )
    return count


def on_right_kernels():
    """False alarms on the fifteen right kernels, in PyTorch and in JAX."""
    alarms = {}
    for kernel in kernels.KERNELS:
        for checker in CHECKERS:
            said = finds(checker, kernel, kernel.forward, kernel.backward)
            alarms.setdefault(checker, []).extend([kernel.name] if said else [])
            if said:
                print(f"{checker} on the right {kernel.name}: {said}", file=sys.stderr)
        in_jax = named(kernel, functools.partial(kernel.forward, M_JAX))
        report = gp.check_kernel(in_jax, framework="jax", **kernel.held)
        alarms["gradproof"] += [] if report else [f"{kernel.name} in JAX"]
        if not report:
            print(report, file=sys.stderr)
    return alarms


def main():
    alarms = on_right_kernels()
    count = on_bugs()
    total = len(planted.BUGS)
    asked = {checker: total for checker in CHECKERS} | {"check_grads": sum(not bug.torch_only for bug in planted.BUGS)}
    print("\n| | found | false alarms on right kernels |\n|---|---|---|")
    for checker in CHECKERS:
        right = len(kernels.KERNELS) * (2 if checker == "gradproof" else 1)
        print(f"| {checker} | {count[checker]} of {asked[checker]} | {len(alarms[checker])} of {right} |")
    print(f"\ngradproof names the cause of {count['named']} of {total}.")
    print(f"PyTorch {torch.__version__}, JAX {jax.__version__}, default tolerances.")


if __name__ == "__main__":
    main()
