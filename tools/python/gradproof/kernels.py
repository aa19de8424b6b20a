"""check_kernel: a forward and a backward held to the page of an op, a derivation, a trusted function, or differences."""

import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _contracts, _core, _frameworks, _kernel, _kernel_report, _refusals, _source, _threads
from ._arrays import each, is_special, wide
from ._box import Box, changed
from ._report import Report
from .derivations import SEED

MOST_CALLS = 4  # on which the contracts beyond value and gradient are asked


def _names(given):
    return [given] if isinstance(given, str) else list(given)


def _dtypes(given):
    names = [given] if isinstance(given, (str, type, np.dtype)) else list(given)
    names = [str(np.dtype(name)) for name in names]
    if not names or any(name not in ("float64", "float32") for name in names):
        raise ValueError(f"check_kernel: dtype is {', '.join(names) or 'empty'}, expected float64, float32 or both")
    return names


def _of_page(plan, like, attrs):
    plan.input_names = [name.rstrip("?") for name in _core.op_inputs(like).split()]
    calls = _core.page_calls(like, attrs or {}, plan.without, plan.kernel.most_inputs, plan.seed)
    for name in plan.without:
        plan.leave_out(f"called {name}: left out by without=")
    plan.kind, plan.name, plan.attrs = "page", like, attrs or {}
    plan.defaults = _core.op_defaults(like, attrs or {})
    for call in calls:
        given = call.x
        while given and given[-1] is None:
            given.pop()
        if why := _why_not(plan, call, given):
            plan.leave_out(why)
        else:
            plan.calls.append(_core.trimmed(call, len(given)))


def _why_not(plan, call, given):
    """Why the kernel cannot be asked this call of a page, whose inputs are `given`; None if it can."""
    kernel, inputs, wanted = plan.kernel, plan.input_names, len(plan.kernel.required)
    if not plan.special and (call.excused or any(a is not None and is_special(a) for a in given)):
        return "empty, at a kink, or not finite: asked by conventions=True"
    if len(given) > kernel.most_inputs:
        return f"the kernel takes no {inputs[min(len(given), len(inputs)) - 1]}"
    if len(given) < wanted:
        return f"of {len(given)} inputs, and the kernel wants {wanted}"
    if absent := [inputs[i] for i, a in enumerate(given[:wanted]) if a is None]:
        return f"the kernel wants a {absent[0]}"
    attrs = changed(call.attrs, plan.defaults)
    return f"the kernel takes no {' and no '.join(attrs)}" if attrs and not kernel.takes(attrs) else None


def _of_proof(plan, proof):
    source = _source.find(proof, ".proof", "check_kernel")
    plan.kind, plan.name, plan.text = "proof", source.name, source.text
    plan.input_names, plan.wrt, plan.calls = _core.proof_calls(source.name, source.text, plan.seed)


def _drawn(shapes, domain, seed, vary):
    """Calls of these shapes: three draws, large values, and each size as 1."""
    random = np.random.default_rng(seed)
    draw = {
        "normal": random.standard_normal,
        "positive": lambda s: random.uniform(0.5, 2, s),
        "unit": lambda s: random.uniform(-0.9, 0.9, s),
    }
    if domain not in draw:
        raise ValueError(f"check_kernel: domain is {domain!r}, expected one of {', '.join(draw)}")
    sets = [(f"draw {i + 1}", shapes, 1, False) for i in range(3)]
    if domain == "normal" and vary:
        sets.append(("values times 30", shapes, 30, True))
    for size in sorted({n for shape in shapes for n in shape if n > 1} if vary else ()):
        sets.append((f"{size} as 1", [tuple(1 if n == size else n for n in shape) for shape in shapes], 1, True))
    return [(name, [times * draw[domain](shape) for shape in which], added) for name, which, times, added in sets]


def _shapes(given):
    try:
        shapes = [tuple(int(n) for n in shape) for shape in given]
    except TypeError:
        raise ValueError(f"check_kernel: shapes is {given!r}, expected a shape for each input, [(3, 5), (5,)]") from None
    if any(n < 0 for shape in shapes for n in shape):
        raise ValueError(f"check_kernel: shapes is {given!r}, expected sizes of at least 0")
    return shapes


def _of_values(plan, sets):
    """Calls of given values; the shape of the cotangent is that of y, which the reference or the kernel says."""
    random = np.random.default_rng(plan.seed + 1)
    teller = plan.reference or plan.kernel
    for name, x, added in sets:
        x = each(lambda a: np.array(a, np.float64), x)
        try:
            y = teller.record(each(lambda a: teller.array(a.astype(plan.dtypes[0])), x), {}).y
        except _kernel.KernelFault as fault:
            if added:
                plan.leave_out(f"{name}: {fault}")
                continue
            if plan.reference:
                raise ValueError(f"check_kernel: the reference cannot be asked: {fault}") from None
            y = np.zeros(())
        plan.calls.append(_core.made_call(name, x, wide(y), random.standard_normal(y.shape), added))


class _Plan:
    """What is asked of a kernel, and what it is held to."""

    def __init__(self, kernel, seed, *, dtype="float64", conventions=False, without=(), vary=True):
        self.kernel, self.seed, self.dtypes = kernel, int(seed), _dtypes(dtype)
        self.special, self.without, self.vary = conventions, _names(without), vary
        self.kind, self.name, self.text, self.reference = "itself", "", "", None
        self.input_names, self.wrt, self.defaults = kernel.required, [], None
        self.calls, self.not_asked = [], {}

    def leave_out(self, why):
        """One sample more that is not asked for this reason."""
        self.not_asked[why] = self.not_asked.get(why, 0) + 1


def _planned(plan, like, proof, reference, shapes, samples, attrs, domain):
    if like is not None and callable(like):
        like, reference = None, like
    given = [name for name, value in (("like", like), ("proof", proof), ("reference", reference)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"check_kernel: give one of like, proof and reference, not {' and '.join(given)}")
    if attrs and like is None:
        raise ValueError("check_kernel: attrs are those of the op that like= names")
    if like is not None:
        _of_page(plan, like, attrs)
    elif proof is not None:
        _of_proof(plan, proof)
    else:
        if shapes is None and samples is None:
            raise ValueError("check_kernel: give like=, proof=, or the shapes of the inputs: shapes=[(3, 5)]")
        if reference is not None:
            plan.kind, plan.name = "reference", getattr(reference, "__name__", "the reference")
            framework = plan.kernel.framework
            plan.reference = _frameworks.kernel_of(reference, None, framework if framework != "numpy" else None, plan.name)
    if like is not None or proof is not None:
        if shapes is not None or samples is not None:
            raise ValueError("check_kernel: shapes and samples go without like and proof, which have their own")
        return
    sets = _drawn(_shapes(shapes), domain, plan.seed, plan.vary) if shapes is not None else []
    sets += [(f"sample {i + 1}", x, False) for i, x in enumerate(samples or [])]
    _of_values(plan, sets)


def sample_names(
    forward, backward=None, *, shapes=None, samples=None, domain="normal", framework=None, seed=SEED, name=None, **how
):
    """The names of the samples that check_kernel would ask; the kernel is not called. Errors: those of check_kernel."""
    if shapes is not None or samples is not None:
        sets = _drawn(_shapes(shapes), domain, seed, how.get("vary", True)) if shapes is not None else []
        return [name for name, _, _ in sets] + [f"sample {i + 1}" for i in range(len(samples or []))]
    asked = {key: how[key] for key in ("dtype", "conventions", "without", "vary") if key in how}
    plan = _Plan(_frameworks.kernel_of(forward, backward, framework, name), seed, **asked)
    _planned(plan, how.get("like"), how.get("proof"), how.get("reference"), None, None, how.get("attrs"), domain)
    return list(dict.fromkeys(call.name for call in plan.calls))


def check_kernel(
    forward: Callable,
    backward: Callable | None = None,
    *,
    like: str | Callable | None = None,
    proof: str | os.PathLike | None = None,
    reference: Callable | None = None,
    shapes: Sequence[Sequence[int]] | None = None,
    samples: Sequence[Sequence] | None = None,
    attrs: dict[str, Any] | None = None,
    dtype: DTypeLike | Sequence[str] = ("float64", "float32"),
    framework: str | None = None,
    wrt: str | Sequence[str] | None = None,
    domain: str = "normal",
    vary: bool = True,
    conventions: bool = False,
    without: str | Sequence[str] = (),
    time_limit: float | None = 60,
    seed: int = SEED,
    name: str | None = None,
) -> Report:
    """Proofreads the gradient of a kernel that exists already.

    forward, backward  functions: y = forward(*x), dx = backward(dy, *x); or (y, saved) = forward(*x), dx = backward(dy, saved).
                       Without backward: a torch.autograd.Function, a jax.custom_vjp or custom_jvp, or with framework="torch" or
                       "jax" any function that it differentiates
    What it is held to, the strongest first:
      like=      the page of an op, "softmax" (see gradproof.ops): its values, gradients and samples. attrs={"axis": 0} says which
                 attributes the kernel has; a kernel that takes attributes by name is also asked with others
      proof=     a derivation: a text, a path, or a name of the library
      reference= a function that is trusted, with shapes=[(3, 5)] or samples=[(x,)]; in PyTorch and JAX by its own autograd
      nothing    with shapes or samples: differences of the kernel's own forward. The report says that this is weaker
    dtype      the types that the kernel computes in, "float64", "float32" or both
    wrt        names of the inputs whose gradients are asked for; all of them by default
    domain     how values of `shapes` are drawn: "normal", "positive" or "unit" (between -0.9 and 0.9)
    vary       also asks for larger values than `shapes` draws, and with each of their sizes as 1
    conventions  also asks what frameworks have different conventions for, as the page has them: NaN and infinities, masked rows,
               ties and kinks, empty arrays
    without    samples of the op that the kernel is not meant for, by their names or parts of them: ["grouped heads"]
    time_limit seconds that one call may take
    Returns a report: true if right, with the contracts, the samples, the worst entries, and what was not asked. What the kernel
    raises is in the report. Errors: TypeError and ValueError for wrong arguments.
    """
    kernel = _frameworks.kernel_of(forward, backward, framework, name)
    plan = _Plan(kernel, seed, dtype=dtype, conventions=conventions, without=without, vary=vary)
    if not kernel.has_backward:
        raise ValueError('check_kernel: the backward is missing; give it, or framework="torch" or "jax" to take that of autograd')
    started = time.monotonic()

    def job(stop):
        _planned(plan, like, proof, reference, shapes, samples, attrs, domain)
        return _judged(plan, wrt, stop), len(plan.calls)

    try:
        contracts, calls = _threads.run(job, lambda: kernel.late(time_limit))
    except _threads.NeverReturned as late:
        contracts, calls = {"value": [_contracts.Finding("value", "all samples", "wrong", str(late)).to_dict()]}, 0
    return _kernel_report.report(plan, contracts, calls, time.monotonic() - started)


def _judged(plan, wrt, stop):
    """The library's findings on value and gradient, and those of the other contracts: a list for each contract."""
    if not plan.calls:
        return {}
    count = max(len(call.x) for call in plan.calls)
    names = (plan.input_names + [f"input {i}" for i in range(len(plan.input_names), count)])[:count]
    plan.input_names = names
    plan.kernel.asked = _asked(plan, wrt, count)
    box = Box(plan.kernel, plan.dtypes, names, plan.defaults, plan.name if plan.kind == "page" else "")
    trusted = plan.reference and Box(plan.reference, ["float64", "float32"], names)
    to = (plan.kind, plan.name, plan.text)
    text = _core.check_kernel(box, plan.calls, to, trusted, plan.kernel.asked, plan.special, stop)
    kernel = json.loads(text)["ops"][0]["kernels"][0]
    contracts = {c["name"]: c["samples"] for c in kernel["contracts"] if c["samples"]}
    _blame(contracts)
    for finding in _asked_beyond(plan, box, contracts):
        contracts.setdefault(finding.contract, []).append(finding.to_dict())
    return contracts


def _asked_beyond(plan, box, contracts):
    """Findings of the contracts beyond value and gradient, on a few calls where there is something to compare."""
    lost = {}  # samples, with the function at fault
    for name, function in (("value", "forward"), ("gradient", "backward")):
        lost |= {s["sample"]: function for s in contracts.get(name, []) if _is_lost(s)}
    usable = [call for call in plan.calls if not call.added and call.u.size > 0 and call.name not in lost]
    if lost and not usable:
        why = f"not judged, for the {next(iter(lost.values()))} is at fault"
        return [_contracts.Finding(name, "all samples", "right", why, excused=True) for name in _contracts.QUESTIONS]
    some = usable[:: max(1, len(usable) // MOST_CALLS)][:MOST_CALLS]
    out = [finding for call in some for dtype in plan.dtypes for finding in _contracts.ask(box, call, dtype)]
    if plain := next((call for call in usable if not box.attrs_of(call)), None):
        out += _refusals.ask(plan, plain)
    return out


def _is_lost(sample):
    """Whether there was nothing to compare: it raised, or gave another shape."""
    return sample["verdict"] == "wrong" and not sample.get("census")


def _blame(contracts):
    """What the backward raised is a fault of the gradient; the library has it with the value."""
    for sample in list(contracts.get("value", [])):
        reason = sample.get("reason", "")
        if not reason.startswith('threw "'):
            continue
        sample["reason"] = reason.removeprefix('threw "').removesuffix('"')
        if sample["reason"].startswith(("the backward", "d(")):
            contracts["value"].remove(sample)
            contracts.setdefault("gradient", []).append(sample)


def _asked(plan, wrt, count):
    asked = list(plan.wrt) or [True] * count
    if wrt is None:
        return asked
    names = wrt.replace(",", " ").split() if isinstance(wrt, str) else list(wrt)
    for name in names:
        if name not in plan.input_names:
            raise ValueError(f"check_kernel: wrt has {name!r}, the inputs are {', '.join(plan.input_names)}")
    return [name in names for name in plan.input_names]
