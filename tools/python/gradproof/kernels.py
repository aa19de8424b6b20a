"""check_kernel: a forward and a backward held to the page of an op, a derivation, a trusted function, or differences."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import DTypeLike

from . import _contracts, _frameworks, _judging, _kernel_report, _plan, _progress, _threads
from ._report import Report
from .derivations import SEED


def sample_names(
    forward,
    backward=None,
    *,
    shapes=None,
    samples=None,
    domain="normal",
    framework=None,
    signature=None,
    outputs=None,
    seed=SEED,
    name=None,
    **how,
):
    """The names of the samples that check_kernel would ask; the kernel is not called. Errors: those of check_kernel."""
    if shapes is not None or samples is not None:
        sets = _plan.drawn(_plan.shapes_of(shapes), domain, seed, how.get("vary", True)) if shapes is not None else []
        return [name for name, _, _ in sets] + [f"sample {i + 1}" for i in range(len(_plan.samples_of(samples)))]
    asked = {key: how[key] for key in ("dtype", "conventions", "without", "vary") if key in how}
    kernel = _frameworks.kernel_of(forward, backward, how.get("framework"), how.get("name"), how.get("signature"), outputs)
    plan = _plan.Plan(kernel, seed, **asked)
    _plan.fill(plan, how.get("like"), how.get("proof"), how.get("reference"), None, None, how.get("attrs"), domain)
    return list(dict.fromkeys(call.name for call in plan.calls))


def check_kernel(
    forward: Callable | Any,
    backward: Callable | Any | None = None,
    *,
    like: str | Callable | None = None,
    proof: str | os.PathLike | None = None,
    reference: Callable | None = None,
    shapes: Sequence[Sequence[int]] | None = None,
    samples: Sequence[Sequence] | None = None,
    attrs: dict[str, Any] | None = None,
    dtype: DTypeLike | Sequence[str] | None = None,
    framework: str | None = None,
    signature: str | None = None,
    outputs: str | Sequence[str] | None = None,
    wrt: str | Sequence[str] | None = None,
    domain: str = "normal",
    straight_through: Callable | str | Sequence[str] | None = None,
    vary: bool = True,
    conventions: bool = False,
    without: str | Sequence[str] = (),
    time_limit: float | None = 60,
    total_limit: float | None = 120,
    seed: int = SEED,
    name: str | None = None,
) -> Report:
    """Proofreads the gradient of a kernel that exists already.

    forward, backward  functions: y = forward(*x), dx = backward(dy, *x); or (y, saved) = forward(*x), dx = backward(dy, saved).
                       Without backward: a torch.autograd.Function, a jax.custom_vjp or custom_jvp, or with framework="torch" or
                       "jax" any function that it differentiates; several outputs are judged as one, end to end, those that like=
                       or proof= has not by differences
    What it is held to, the strongest first:
      like=      the page of an op, "softmax" (see gradproof.ops): its values, gradients and samples. attrs={"axis": 0} says which
                 attributes the kernel has; a kernel that takes attributes by name is also asked with others
      proof=     a derivation: a text, a path, or a name of the library
      reference= a function that is trusted, with shapes=[(3, 5)] or samples=[(x,)]; in PyTorch and JAX by its own autograd
      nothing    with shapes or samples: differences of the kernel's own forward. The report says that this is weaker
    dtype      the types that the kernel computes in: "float64" and "float32", or some of these, "float16" and "bfloat16"
    samples    integers and booleans among them (targets, indices, lengths), and keys of jax.random, are handed over as they are,
               and have no gradient
    attrs      without like=: arguments of the kernel with the values that they are given
    signature  of two C functions, given by ctypes, as capsules or by their addresses: their prototypes with the sizes of the
               arrays (_prototype.py); attrs= gives numbers of theirs a value
    outputs    of a kernel with several outputs, their names: y, r = forward(*x), or y, r, saved = forward(*x); then dx =
               backward(dy, dr, *x), or backward(dy, dr, saved). With proof= each is held to the value of the derivation with its
               name. Where PyTorch or JAX differentiates they need no names, and in C the signature says them
    wrt        names of the inputs whose gradients are asked for; all of them by default
    domain     how values of `shapes` are drawn: "normal", "positive" or "unit" (between -0.9 and 0.9)
    straight_through  says that the backward is not the derivative of the forward on purpose: a function whose gradient it has
               instead, straight_through=lambda x: x, or names of inputs whose gradients are compared with nothing
    vary       also asks for larger values than `shapes` draws, and with each of their sizes as 1; what is not finite there is
               left out
    conventions  also asks what frameworks have different conventions for, as the page has them: NaN and infinities, masked rows,
               ties and kinks, empty arrays
    without    samples of the op that the kernel is not meant for, by their names or parts of them: ["grouped heads"]
    time_limit seconds that one call may take
    total_limit seconds that the whole check may take: what is not asked by then is left out, and named
    Returns a report: true if right, with the contracts, the samples, the worst entries, and what was not asked. What the kernel
    raises is in the report. Errors: TypeError and ValueError for wrong arguments.
    """
    kernel = _frameworks.kernel_of(forward, backward, framework, name, signature, outputs)
    plan = _plan.Plan(kernel, seed, dtype=dtype, conventions=conventions, without=without, vary=vary)
    if not kernel.has_backward:
        raise ValueError('check_kernel: the backward is missing; give it, or framework="torch" or "jax" to take that of autograd')
    started = time.monotonic()
    if total_limit is not None:
        plan.ends, plan.limit = started + total_limit, total_limit

    def job(stop):
        _plan.fill(plan, like, proof, reference, shapes, samples, attrs, domain)
        _plan.declare(plan, straight_through)
        return _judging.judged(plan, wrt, stop), len(plan.calls)

    def look():
        line.show(kernel.calls)
        return kernel.late(time_limit)

    line = _progress.Line("check_kernel: {0} s, {1} calls of the kernel")
    try:
        contracts, calls = _threads.run(job, look)
    except _threads.NeverReturned as late:
        contracts, calls = {"value": [_contracts.Finding("value", "all samples", "wrong", str(late)).to_dict()]}, 0
    finally:
        line.close()
    if kernel.misuse:
        raise ValueError(kernel.misuse)
    return _kernel_report.report(plan, contracts, calls, time.monotonic() - started)
