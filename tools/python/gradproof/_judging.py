"""A kernel held to its plan: the library judges value and gradient, the contracts beyond them are asked here."""

import copy
import json
import re

import numpy as np

from . import _contracts, _core, _directions, _explain, _outputs, _plan, _refusals, _resized, _slips
from ._arrays import each
from ._box import Box
from ._kernel import KernelFault
from ._types import TYPES

NOT_FIRST = "not judged, for the first ones are not those of the forward"
DECLARED = "not judged, for straight_through= says that a gradient is not that of the forward"
MOST_CLAIMS = 5  # of a derivation that are told to be wrong
MOST_CALLS = 4  # on which the contracts beyond value and gradient are asked


def judged(plan, wrt, stop):
    """The library's findings on value and gradient, and those of the other contracts: a list for each contract."""
    if not plan.calls:
        return {}
    count = max(len(call.x) for call in plan.calls)
    names = (plan.input_names + [f"input {i}" for i in range(len(plan.input_names), count)])[:count]
    plan.input_names = names
    plan.kernel.asked = [a and b for a, b in zip(_asked(plan, wrt, count), _declared(plan), strict=True)]
    _outputs.fit(plan)
    if plan.parts:
        contracts = _outputs.judge_parts(plan, lambda part: _value_and_gradient(part, stop))
    else:
        contracts = _value_and_gradient(plan, stop)
        _outputs.add_causes(plan, contracts.get("gradient", []), lambda of: _first_compared(of, stop))
    if plan.kernel.saves and any(s["verdict"] == "wrong" for s in contracts.get("gradient", [])):
        plan.kernel.note("the forward returns a pair, y and what is saved: the backward is called as backward(dy, saved)")
    if not any(s["verdict"] == "wrong" for s in contracts.get("value", [])):
        rest = _outputs.judge_rest(plan, lambda of: _first_compared(of, stop))
        contracts.setdefault("gradient", []).extend(rest)
    is_right = all(s["verdict"] not in ("wrong", "cannot tell") for samples in contracts.values() for s in samples)
    if plan.shapes and not plan.integers and plan.surrogate is None and is_right:
        for finding in _directions.ask_sizes(plan):
            contracts.setdefault(finding.pop("contract"), []).append(finding)
    elif plan.kind in ("page", "proof") and is_right:
        for name, findings in _resized.ask(plan, lambda of: _first_compared(of, stop)).items():
            contracts.setdefault(name, []).extend(findings)
    for finding in _asked_beyond(plan, contracts):
        contracts.setdefault(finding.contract, []).append(finding.to_dict())
    if not plan.parts:
        _explain.keep_confirmed(plan, contracts)
    _tell_claims(plan, contracts, stop)
    return contracts


def _value_and_gradient(plan, stop):
    contracts = {}
    wide = [name for name in plan.dtypes if not TYPES[name].is_half]
    for dtypes in [wide] * bool(wide) + [[name] for name in plan.dtypes if TYPES[name].is_half]:
        for name, samples in _compared(plan, dtypes, stop).items():
            contracts.setdefault(name, []).extend(samples)
    _blame(contracts)
    _explain.explain(plan, contracts)
    _add_sizes(plan, contracts)
    if plan.output:
        _explain.keep_confirmed(plan, contracts)
    return contracts


def _tell_claims(plan, contracts, stop):
    """A derivation may hold wrong claims, from which a kernel may have been written; the kernel is held to its forward alone."""
    if plan.kind != "proof":
        return
    found = _core.check(plan.name, plan.text, None, [], plan.seed, False, None, stop)
    wrong = [line for line in json.loads(found["json"]).get("lines", []) if line.get("verdict") == "wrong"]
    off = {c["tensor"] for s in contracts.get("gradient", []) if s["verdict"] == "wrong" for c in s.get("census", []) if c["off"]}
    for line in wrong[:MOST_CLAIMS]:
        of = next((t for t in off if re.match(rf"(∂L\s*/\s*∂|dL/d|d|∇|grad\(){re.escape(t[2:-1])}(?!\w)", line["text"])), None)
        too = f", and {of} of the kernel is wrong too" if of else ""
        plan.kernel.note(f"line {line['line']} of the derivation is itself wrong{too}: {line['text']}{_repair(line)}")
    bad = [s for s in contracts.get("gradient", []) if s["verdict"] == "wrong"]
    for tensor, text in _slips.find(plan, bad, wrong, stop) if bad and not plan.parts else ():
        for s in bad:
            if any(c["tensor"] == tensor and c["off"] for c in s.get("census", [])):
                others = [d for d in s.get("diagnoses", []) if d["tensor"] != tensor]
                s["diagnoses"] = [{"tensor": tensor, "text": text}, *others]


def _repair(line):
    why = line.get("diagnosis", {})
    if why.get("repair"):
        return f"; write  {why['repair']}"
    return f"; right is  {line['derived']}" if line.get("derived") else ""


def _first_compared(plan, stop):
    """The findings at the first type that is asked."""
    if not plan.calls:
        return {}
    kind = TYPES[plan.dtypes[0]]
    return _compared_on(_held(plan, kind) if kind.is_half else plan.calls, plan, [kind.name], stop)


def _trusted(plan, kernel):
    return kernel and Box(kernel, ["float64", "float32"], plan.input_names, plan=plan)


def _compared(plan, dtypes, stop):
    """The library's findings on value and gradient, at float64 and float32 or at one half type.

    Samples that were added are asked apart: a value that is wrong there alone hides no gradient of the others.
    """
    half = TYPES[dtypes[0]]
    calls = _held(plan, half) if half.is_half else plan.calls
    along = [c for c in calls if not half.is_half and _directions.replaces_entries(plan, c)]
    if along:
        out = _directions.judge_all(plan, along)
        plan.kernel.note(ALONG)
        rest = copy.copy(plan)
        rest.calls = [c for c in calls if all(c is not a for a in along)]
        for name, samples in (_compared(rest, dtypes, stop) if rest.calls else {}).items():
            out.setdefault(name, []).extend(s for s in samples if s["sample"] != "all samples")
        return out
    out = _compared_on([c for c in calls if not c.added], plan, dtypes, stop)
    if not out and calls and plan.kind != "page":
        out = {"gradient": [_contracts.Finding("gradient", "all samples", "cannot tell", NO_DRAW).to_dict()]}
    added = _compared_on([c for c in calls if c.added and not _is_saturated(plan, c, half)], plan, dtypes, stop)
    if out:
        _drop(added, lambda s: s["sample"] == "all samples")
    if any(s["verdict"] == "wrong" for s in out.get("value", [])):
        for sample in added.get("gradient", []):
            sample |= {"verdict": "right", "excused": True, "reason": AT_FAULT}
    if out.get("value") and any(not s["excused"] for s in added.get("gradient", [])):
        _drop(out, lambda s: s["sample"] == "all samples")
    for name, samples in added.items():
        out.setdefault(name, []).extend(samples)
    for name in dict.fromkeys(s["sample"] for s in out.get("gradient", []) if _is_out_of_range(s)):
        why = next(s["reason"] for s in out["gradient"] if s["sample"] == name)
        plan.leave_out(f"{name}: {why} for {' and '.join(dtypes)}; {_plan.OTHERS}")
        _drop(out, lambda s, name=name: s["sample"] == name)
    return out


def _add_sizes(plan, contracts):
    """How large the gradients are of which some entries are off."""
    calls = {c.name: c for c in plan.calls}
    for sample in contracts.get("gradient", []):
        if sample["verdict"] == "wrong" and sample["sample"] in calls:
            x = calls[sample["sample"]].x
            sample["sizes"] = {f"d({n})": a.size for n, a in zip(plan.input_names, x, strict=False) if a is not None}


def _drop(contracts, is_dropped):
    for name in list(contracts):
        contracts[name] = [s for s in contracts[name] if not is_dropped(s)]


def _is_out_of_range(sample):
    return sample["excused"] and sample.get("reason", "").startswith("the true ")


ALONG = "the gradient is held to differences along two directions, where that by each entry costs too much, or is in float"
NO_DRAW = f"the true y is finite on no draw; {_plan.OTHERS}"
WITHOUT_DOUBLE = "y is float32 whatever it is given, and differences in float32 say nothing: give like=, proof= or reference="
HALF_ALONE = "the kernel takes {0} alone, and differences in {0} say nothing: give like=, proof= or reference="
AT_FAULT = "not judged, for the forward is at fault"
BACKWARD = "the backward is at fault: "
NARROW = "it does not compute in double, and differences of a float forward say nothing"


def _compared_on(calls, plan, dtypes, stop):
    if not calls:
        return {}
    trusted = _trusted(plan, plan.reference)
    to, half = (plan.kind, plan.name, plan.text), TYPES[dtypes[0]]
    limits = (half.eps, half.least, half.largest) if half.is_half else None
    is_wide = not plan.kernel.only and _takes_double(plan, calls[0]) and not (plan.kind == "itself" and "y" in plan.kernel.narrow)
    if half.is_half and plan.kind == "itself" and not plan.kernel.takes_double:
        found = _contracts.Finding("gradient", "all samples", "cannot tell", HALF_ALONE.format(half.name))
        return {"gradient": [found.to_dict()]}
    double, declared = plan.box(["float64"]) if is_wide else None, _trusted(plan, plan.surrogate)
    asked = (plan.kernel.asked, plan.special, limits, declared, double)
    text = _core.check_kernel(plan.box(dtypes), calls, to, trusted, *asked, stop)
    contracts = json.loads(text)["ops"][0]["kernels"][0]["contracts"]
    for sample in (s for c in contracts for s in c["samples"]):
        reason = sample.get("reason", "")
        if half.is_half and reason.endswith(", as double"):
            sample["reason"] = reason.removesuffix("double") + half.name
        if NARROW in reason:
            sample["reason"] = reason.replace(NARROW, WITHOUT_DOUBLE)
        if sample.get("worst") and reason.startswith(BACKWARD):
            said = sample["reason"].removeprefix(BACKWARD).split(" of ", 1)
            sample["reason"] = f"{BACKWARD}{sample['worst']['tensor']} of {said[1]}"  # of the gradient that is told below
    found = {c["name"]: c["samples"] for c in contracts if c["samples"]}
    return _without_late(plan, found)


def _is_saturated(plan, call, kind):
    """Whether rounding may leave nothing of a slope there, and no call in double says what; it is then left out."""
    if call.name != _plan.TIMES_30 or not kind.is_half or plan.kernel.takes_double:
        return False
    plan.leave_out(f"{call.name}: the kernel takes {kind.name} alone")
    return True


def _takes_double(plan, call):
    """Whether the kernel can be asked in float64 too, where dtype= has other types alone."""
    if "float64" in plan.dtypes or not plan.kernel.takes_double:
        return plan.kernel.takes_double
    try:
        with plan.kernel.trying():
            plan.box(["float64"]).forward(call, call.x)
    except KernelFault:
        plan.kernel.narrow["y"], plan.kernel.takes_double = plan.dtypes[0], False
        return False
    return True


def _without_late(plan, found):
    """Without the samples for which there was no time, which are left out."""
    late = {s["sample"] for c in found.values() for s in c if plan.late in s.get("reason", "")} - {"all samples"}
    if not late:
        return found
    if all(s["verdict"] != "wrong" or s["sample"] in late for s in found.get("value", [])):  # no forward is at fault
        late |= {s["sample"] for s in found.get("gradient", []) if s.get("reason", "") == AT_FAULT}
    for name in sorted(late):
        plan.leave_out(f"{name}: {plan.late}")
    _drop(found, lambda s: s["sample"] in late)
    return {name: samples for name, samples in found.items() if samples}


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
    most = 1 if any(map(_directions.is_large, usable)) else MOST_CALLS
    some = usable[:: max(1, len(usable) // most)][:most]
    is_declared = plan.surrogate is not None or bool(plan.uncompared)
    not_second = DECLARED if is_declared else NOT_FIRST
    is_right = not is_declared and all(
        s["verdict"] not in ("wrong", "cannot tell") for samples in contracts.values() for s in samples
    )
    out = []
    for call in some:
        for dtype in plan.dtypes:
            is_first = call is some[0] and dtype == plan.dtypes[0]
            out += _contracts.ask(plan.box([dtype]), call, dtype, "" if is_right else not_second, is_first)
    if plain := next((call for call in usable if not plan.box(plan.dtypes).attrs_of(call)), None):
        out += _refusals.ask(plan, plain)
    return out


def _is_lost(sample):
    """Whether there was nothing to compare: it raised, or gave another shape."""
    return sample["verdict"] == "wrong" and not sample.get("census") and not sample.get("compared")


def _blame(contracts):
    """What the backward raised is a fault of the gradient; the library has it with the value."""
    for sample in list(contracts.get("value", [])):
        reason = sample.get("reason", "")
        if not reason.startswith('threw "'):
            continue
        sample["reason"] = reason.removeprefix('threw "').removesuffix('"')
        if sample["reason"].startswith(("the backward", "d(", "y has no gradient")):
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
