"""A kernel held to its plan: the library judges value and gradient, the contracts beyond them are asked here."""

import json

import numpy as np

from . import _contracts, _core, _refusals
from ._arrays import each
from ._box import Box
from ._types import TYPES

MOST_CALLS = 4  # on which the contracts beyond value and gradient are asked


def judged(plan, wrt, stop):
    """The library's findings on value and gradient, and those of the other contracts: a list for each contract."""
    if not plan.calls:
        return {}
    count = max(len(call.x) for call in plan.calls)
    names = (plan.input_names + [f"input {i}" for i in range(len(plan.input_names), count)])[:count]
    plan.input_names = names
    plan.kernel.asked = [a and b for a, b in zip(_asked(plan, wrt, count), _declared(plan), strict=True)]
    contracts = {}
    wide = [name for name in plan.dtypes if not TYPES[name].is_half]
    for dtypes in [wide] * bool(wide) + [[name] for name in plan.dtypes if TYPES[name].is_half]:
        for name, samples in _compared(plan, dtypes, stop).items():
            contracts.setdefault(name, []).extend(samples)
    _blame(contracts)
    for finding in _asked_beyond(plan, contracts):
        contracts.setdefault(finding.contract, []).append(finding.to_dict())
    return contracts


def _box(plan, dtypes):
    return Box(plan.kernel, dtypes, plan.input_names, plan.defaults, plan.name if plan.kind == "page" else "")


def _trusted(plan, kernel):
    return kernel and Box(kernel, ["float64", "float32"], plan.input_names)


def _compared(plan, dtypes, stop):
    """The library's findings on value and gradient, at float64 and float32 or at one half type."""
    trusted = _trusted(plan, plan.reference)
    to, half = (plan.kind, plan.name, plan.text), TYPES[dtypes[0]]
    limits = (half.eps, half.least, half.largest) if half.is_half else None
    calls = _held(plan, half) if half.is_half else plan.calls
    text = _core.check_kernel(
        _box(plan, dtypes), calls, to, trusted, plan.kernel.asked, plan.special, limits, _trusted(plan, plan.surrogate), stop
    )
    contracts = json.loads(text)["ops"][0]["kernels"][0]["contracts"]
    for sample in (s for c in contracts for s in c["samples"] if half.is_half):
        if sample.get("reason", "").endswith(", as double"):
            sample["reason"] = sample["reason"].removesuffix("double") + half.name
    return {c["name"]: c["samples"] for c in contracts if c["samples"]}


def _held(plan, half):
    """The calls with the numbers that a half type holds, without those that are too large for it."""
    out = []
    for call in plan.calls:
        if all(half.fits(a) for a in [*call.x, call.u]):
            x = each(lambda a: half.round(a).astype(np.float64), call.x)
            out.append(_core.with_values(call, x, half.round(call.u).astype(np.float64)))
        else:
            plan.leave_out(f"larger numbers than {half.name} holds")
    return out


def _asked_beyond(plan, contracts):
    """Findings of the contracts beyond value and gradient, on a few calls where there is something to compare."""
    lost = {}  # samples, with the function at fault
    for name, function in (("value", "forward"), ("gradient", "backward")):
        lost |= {s["sample"]: function for s in contracts.get(name, []) if _is_lost(s)}
    usable = [call for call in plan.calls if not call.added and call.u.size > 0 and call.name not in lost]
    if lost and not usable:
        why = f"not judged, for the {next(iter(lost.values()))} is at fault"
        return [_contracts.Finding(name, "all samples", "right", why, excused=True) for name in _contracts.QUESTIONS]
    some = usable[:: max(1, len(usable) // MOST_CALLS)][:MOST_CALLS]
    is_declared = plan.surrogate is not None or bool(plan.uncompared)
    is_right = not is_declared and all(
        s["verdict"] not in ("wrong", "cannot tell") for samples in contracts.values() for s in samples
    )
    out = []
    for call in some:
        for dtype in plan.dtypes:
            out += _contracts.ask(_box(plan, [dtype]), call, dtype, is_right)
    if plain := next((call for call in usable if not _box(plan, plan.dtypes).attrs_of(call)), None):
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
    return asked if wrt is None else _are_among(plan, wrt.replace(",", " ").split() if isinstance(wrt, str) else wrt, "wrt")


def _declared(plan):
    """For each input whether its gradient is compared, which may be declared otherwise."""
    return [not is_declared for is_declared in _are_among(plan, plan.uncompared, "straight_through")]


def _are_among(plan, names, argument):
    for name in names:
        if name not in plan.input_names:
            raise ValueError(f"check_kernel: {argument} has {name!r}, the inputs are {', '.join(plan.input_names)}")
    return [name in names for name in plan.input_names]
