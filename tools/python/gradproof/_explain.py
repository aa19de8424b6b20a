"""What is said of a finding beyond what the library says: causes that show in how the kernel was called, or in its types."""

import numpy as np

from . import _contracts, _elsewhere, _plan
from ._arrays import each
from ._kernel import KernelFault, positional
from ._types import TYPES
from .tensor import run

MOST_SAMPLES = 4  # that the library explains
MOST_WORK = 1 << 14  # entries of a Jacobian that is taken by differences


def explain(plan, contracts):
    """Adds reasons to the findings on value and gradient."""
    _empty(plan, contracts)
    for name in ("value", "gradient"):
        wrong = [s for s in contracts.get(name, []) if s["verdict"] == "wrong"]
        said = [why for sample in wrong if _say(sample, why := _narrow(plan, sample) or _absent(plan, sample))]
        if name == "gradient" and wrong and not said:
            said = _say(wrong[0], _one_term(plan, wrong[0]))
        if name == "gradient" and wrong and not said:
            said = [_say(s, why) for why in _elsewhere.find(plan, wrong) for s in wrong if _is_off(s, why[0])]
        if wrong and not said and all(s["sample"] == _plan.TIMES_30 for s in wrong):
            wrong[0].setdefault("hints", []).append("only there: domain=, vary=False or samples= choose other values")
    if said := _swapped(plan, contracts) or _attribute(plan, contracts):
        name, text = said
        first = next(s for s in contracts[name] if s["verdict"] == "wrong")
        first.setdefault("hints", []).append(text)


CONFIRMED = ("entries", None)  # kinds of reasons that say what is seen on their own sample; None: found in this file


def keep_confirmed(plan, contracts):
    """A cause that does not hold on all draws on which a gradient is wrong is none, nor one of what is no function.

    Of pages and derivations on half of them: a sample of one column, or with other attributes, may look like another cause.
    """
    is_random = any(s["verdict"] == "wrong" for s in contracts.get("deterministic", []))
    for name in ("value", "gradient"):
        wrong = [s for s in contracts.get(name, []) if s["verdict"] == "wrong"]
        if is_random:
            for sample in wrong:
                sample["diagnoses"] = []
                sample.pop("hints", None)
            continue
        added = {c.name for c in plan.calls if c.added}
        asked = [s for s in wrong if s["sample"] not in added][:MOST_SAMPLES]
        for tensor in {d["tensor"] for s in asked for d in s.get("diagnoses", [])}:
            off = [s for s in asked if any(c["tensor"] == tensor and c["off"] and c["compared"] > 2 for c in s.get("census", []))]
            kinds = [_kind(s, tensor) for s in off]
            if not kinds:
                continue  # of one entry or two: nothing else to hold it to
            least = len(kinds) if plan.kind in ("itself", "reference") else len(kinds) / 2
            held = {k for k in kinds if kinds.count(k) >= least} | set(CONFIRMED)
            for s in asked:
                s["diagnoses"] = [d for d in s.get("diagnoses", []) if d["tensor"] != tensor or d.get("kind") in held]


def _kind(sample, tensor):
    return next((d.get("kind") for d in sample.get("diagnoses", []) if d["tensor"] == tensor), "")


def _is_off(sample, tensor):
    return any(c["tensor"] == tensor and c["off"] for c in sample.get("census", []))


def _say(sample, why):
    """Makes this the reason of the finding, if it is one; a reason that the library has for the same array gives way."""
    if why is None:
        return False
    tensor, text = why
    others = [d for d in sample.get("diagnoses", []) if d["tensor"] != tensor]
    sample["diagnoses"] = [{"tensor": tensor, "text": text}, *others]
    return True


def _narrow(plan, sample):
    """Computed in float32 where the inputs are float64: by the type of the results, or since float32 holds each of them."""
    worst = sample.get("worst")
    if worst is None or not isinstance(worst["true"], float) or not isinstance(worst["claimed"], float):
        return None
    what = worst["tensor"]
    told = plan.kernel.narrow.get(what) or plan.kernel.narrow.get("y")
    is_near = abs(worst["claimed"] - worst["true"]) <= 128 * TYPES[told or "float32"].eps * abs(worst["true"])
    if told and is_near and "float64" in plan.dtypes:
        return what, f'computed in {told} where the inputs are float64; if on purpose, say dtype="{told}"'
    is_double = sample.get("reason", "").endswith("as double")
    if is_near and worst["claimed"] and is_double and _is_float32(plan, sample["sample"], what):
        return what, 'computed in float32: each entry is one that float32 holds; if on purpose, say dtype="float32"'
    return None


def _is_float32(plan, name, what):
    call = next(c for c in plan.calls if c.name == name)
    box = plan.box(["float64"])
    try:
        y, gradients = box.run(call, "float64")
    except Exception:
        return False
    named = {"y": y} | {f"d({n})": g for n, g in zip(plan.input_names, gradients, strict=False)}
    a = named.get(what)
    return a is not None and a.size > 3 and np.array_equal(a, a.astype(np.float32))


def _one_term(plan, sample):
    """Of the terms that add up in an entry, one for each entry of y that depends on it, only the last is there, or the first."""
    call = next((c for c in plan.calls if c.name == sample["sample"]), None)
    named = {d["tensor"] for d in sample.get("diagnoses", []) if not d["text"].startswith("only ")}
    off = {c["tensor"] for c in sample.get("census", []) if c["off"]} - named
    kind = TYPES["float32" if plan.kernel.only is TYPES["float32"] or "y" in plan.kernel.narrow else "float64"]
    if call is None or plan.kernel.most_outputs != 1 and plan.kernel.outputs:
        return None
    box = plan.box([kind.name])
    for i, a in enumerate(call.x):
        name = f"d({plan.input_names[i]})"
        if name not in off or a.size * call.u.size > MOST_WORK:
            continue
        try:
            claimed = box.run(call, kind.name)[1][i].reshape(-1)
            terms = _terms(box, call, i, kind)
        except Exception:
            return None
        there = np.abs(terms) > 1e-3 * np.abs(terms).max(initial=0)
        near = 1e-4 * np.abs(terms).max(initial=0) if kind.eps < 1e-10 else 3e-3 * np.abs(terms).max(initial=0)
        columns = np.arange(claimed.size)
        true = terms.sum(0)
        is_off, alone = np.abs(claimed - true) > near, there.sum(0)
        if not is_off.any() or (alone[is_off] < 2).any():
            continue
        last = terms[len(terms) - 1 - there[::-1].argmax(0), columns]
        for which, one in (("last", last), ("first", terms[there.argmax(0), columns])):
            if (np.abs(claimed - one)[alone > 0] <= near).all():
                return name, f"of the terms that add up in an entry only the {which} is there: is it = for +=?"
    return None


def _terms(box, call, i, kind):
    """By differences of the forward: what each entry of y (rows) adds to the gradient of each entry of input i."""
    x, step = np.array(call.x[i]), 2.0**-13 if kind.eps < 1e-10 else 2.0**-7
    out = np.zeros((call.u.size, x.size))
    for k in range(x.size):
        sides = []
        for sign in (1, -1):
            moved = x.copy()
            moved.reshape(-1)[k] += sign * step
            sides.append(box.forward(call, [moved if j == i else a for j, a in enumerate(call.x)]))
        out[:, k] = ((sides[0] - sides[1]) * call.u).reshape(-1) / (2 * step)
    return out


def _absent(plan, sample):
    """The backward returns None for an input that its value depends on."""
    for i in sorted(plan.kernel.absent):
        name = plan.input_names[i]
        is_zero = any(d["tensor"] == f"d({name})" and "zero everywhere" in d["text"] for d in sample.get("diagnoses", []))
        if is_zero or sample.get("reason", "").startswith(f"d({name}) is absent"):
            rest = [n for k, n in enumerate(plan.input_names) if k not in plan.kernel.absent]
            purpose = f"; if that is on purpose, say wrt={rest}" if rest else ""
            what = f"has no d{name}" if plan.kernel.framework == "c" else f"returns None for {name}"
            return f"d({name})", f"the backward {what}{purpose}"
    return None


def _swapped(plan, contracts):
    """A backward that takes the cotangent last."""
    kernel = plan.kernel
    wrong = [s for s in contracts.get("gradient", []) if s["verdict"] == "wrong"]
    if not wrong or kernel.backward is None or kernel.framework == "c" or not kernel.required:
        return None
    names = positional(kernel.backward)[0]
    if len(names) == len(kernel.required) + 1 and names[:-1] == kernel.required:
        how = ", ".join(["dy", *kernel.required])
        return "gradient", f"the backward is called as backward({how}), and its first argument is {names[0]}"
    return None


NUMBERS = (0.0, 1e-12, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, float(np.finfo(np.float32).eps), float(np.finfo(float).eps), 0.5, 2.0)


def _attribute(plan, contracts):
    """The value of one attribute of the page with which it gives what the kernel gives."""
    wrong = [s for s in contracts.get("value", []) if s["verdict"] == "wrong"]
    if plan.kind != "page" or not wrong or not wrong[0].get("census"):
        return None
    call = next((c for c in plan.calls if c.name == wrong[0]["sample"]), None)
    box = plan.box(["float64"] if "float64" in plan.dtypes else plan.dtypes[:1])
    try:
        y = box.forward(call, call.x)
    except Exception:
        return None
    given = [None if a is None else np.asarray(a) for a in call.x]
    kind = TYPES["float64"] if plan.kernel.only is None else plan.kernel.only
    for name, usual in call.attrs.items():
        tried = [not usual] if isinstance(usual, bool) else NUMBERS if isinstance(usual, float) else ()
        for value in tried:
            if value == usual:
                continue
            try:
                true = np.asarray(run(plan.name, given, call.attrs | {name: value}))
            except (ValueError, TypeError):
                continue
            most = 64 * kind.eps * np.abs(y).max(initial=0)
            if true.shape == y.shape and np.isfinite(y).all() and np.abs(true - y).max(initial=0) <= most:
                return "value", f'y is that for {name}={value!r}: say attrs={{"{name}": {value!r}}}'
    return None


def _empty(plan, contracts):
    """Where y has no entry, every gradient is 0: a kernel that gives those is right there."""
    if plan.kind not in ("itself", "reference") or not contracts.get("gradient"):
        return
    found = []
    for call in (c for c in plan.calls if c.u.size == 0 and (plan.special or not c.added)):
        if any(s["sample"] == call.name and s["verdict"] == "wrong" for c in contracts.values() for s in c):
            continue
        entries = sum(a.size for i, a in enumerate(call.x) if a is not None and plan.kernel.is_asked(i))
        if not entries:
            continue
        finding = _contracts.Finding("gradient", call.name).to_dict() | {"entries": entries}
        for dtype in plan.dtypes:
            kernel = plan.kernel
            kernel.type, kernel.integers = TYPES[dtype], plan.integers.get(call.name, {})
            try:
                recorded = kernel.record(each(lambda a: kernel.array(kernel.type.round(a)), call.x), {})  # noqa: B023
                gradients = recorded.pull(kernel.array(call.u))
            except KernelFault as fault:
                finding |= {"verdict": "wrong", "reason": str(fault)}
                break
            for i, g in enumerate(gradients):
                if g is not None and np.any(g != 0):
                    finding |= {"verdict": "wrong", "reason": f"d({plan.input_names[i]}) is not 0 where y is empty, as {dtype}"}
        found.append(finding)
    if found:
        names = {f["sample"] for f in found} | {"all samples"}
        contracts["gradient"] = [s for s in contracts["gradient"] if s["sample"] not in names] + found
