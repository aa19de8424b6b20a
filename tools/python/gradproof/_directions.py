"""Gradients held to differences of the kernel's own forward along directions: a few calls, however large the arrays are.

With v an array of signs, <d(x), v> is the derivative of <u, y> along v. It is asked where each entry alone costs too much (large
arrays, further sizes), and of kernels that compute in float, whose differences tell an entry to three digits only.
"""

import math

import numpy as np

from . import _core
from ._arrays import each, wide
from ._contracts import Finding
from ._kernel import KernelFault, OutOfTime
from ._types import TYPES

LARGE = 1_000_000  # numbers in the inputs and y, above which no entry is asked alone
MOST = 1_000_000  # numbers that inputs of further sizes may hold
SIZES = (33, 65, 257)  # one more than the blocks that kernels work in
MOST_SIZES = 4  # different ones of the given shapes, each of which is made another one
WHO = "differences of its own forward along directions"


def is_large(call):
    return call.u.size + sum(a.size for a in call.x if a is not None) > LARGE


class Question:
    """One call: the kernel's gradients, and its differences along a direction."""

    def __init__(self, plan, call):
        self.plan, self.call = plan, call
        self.kind = plan.kernel.only or TYPES["float32" if "y" in plan.kernel.narrow else "float64"]
        self.box = plan.box([self.kind.name])
        self.box.type_of_forward = self.kind
        self.is_double = self.kind.name == "float64"
        self.step, self.near = (2.0**-26 if is_large(call) else 2.0**-20, 1e-5) if self.is_double else (2.0**-7, 2e-3)
        random = np.random.default_rng(plan.seed + 3)
        self.signs = each(lambda a: random.choice([-1.0, 1.0], a.shape), call.x)
        self.y, self.claimed = self.box.run(call, self.kind.name)
        sizes = [np.abs(a).max(initial=0) for a in [*call.x, self.y] if a is not None]  # of terms that may cancel in y
        self.noise = 64 * self.kind.eps * float(np.linalg.norm(call.u)) * max(1.0, *map(float, sizes))

    def directions(self, i):
        """At random, and along the gradient's own signs, where its terms do not cancel."""
        return self.signs[i], np.where(self.claimed[i] < 0, -1.0, 1.0)

    def along(self, i, v, step=None):
        """(claimed, true, how far the true one may be off, the size of the terms)."""
        terms, step = self.claimed[i] * v, step or self.step
        first = self._difference(i, v, step)
        true, off = first, self.noise / step
        if not self.is_double:
            second = self._difference(i, v, step / 2)
            true = second + (second - first) / 3
            off += 4 * abs(second - first)
        return float(terms.sum()), true, off, float(np.linalg.norm(terms))

    def _difference(self, i, v, step):
        sides = []
        for sign in (1, -1):
            x = [a + sign * step * v if j == i else a for j, a in enumerate(self.call.x)]
            given = each(lambda a: np.asarray(self.kind.round(a), float), x)
            sides.append((float((self.box.forward(self.call, given) * self.call.u).sum()), given[i]))
        moved = np.abs(sides[0][1] - sides[1][1]).max(initial=0)  # what is left of the step once it is rounded
        return (sides[0][0] - sides[1][0]) / (moved or 2 * step)

    def is_off(self, i, v):
        """Whether it is off along v, with a shorter step too, so that no kink is at fault; None where differences do not tell."""
        for step in (self.step, self.step / 8) if self.is_double else (self.step,):
            claimed, true, off, size = self.along(i, v, step)
            scale = max(size, abs(true), abs(claimed) if np.isfinite(claimed) else 0)
            if not np.isfinite(true) or off > 50 * self.near * scale:
                return None
            if abs(claimed - true) <= off + self.near * scale:
                return False
        return True

    def where(self, i):
        """Along which axis, and where, the gradient is off; "" where it is throughout."""
        shape = self.call.x[i].shape
        for axis in sorted(range(len(shape)), key=lambda a: -shape[a]):
            n = shape[axis]
            if not 1 < n <= 300:
                continue
            off = []
            for k in range(n):
                v = np.zeros(shape)
                at = (slice(None),) * axis + (k,)
                v[at] = self.signs[i][at]
                if self.is_off(i, v):
                    off.append(k)
            if 0 < len(off) < n:
                at = f"at {off[0]}" if len(off) == 1 else f"from {off[0]} to {off[-1]}"
                return f"only along axis {axis} {at}, of 0 to {n - 1}"
        return ""


def judge(plan, call, locate=True):
    """A finding on the gradient of this call, in the fields that reports of the library have."""
    out = Finding("gradient", call.name, excused=True).to_dict()
    try:
        question = Question(plan, call)
        if question.y.shape != call.u.shape:
            return out
        told = False
        for i, g in enumerate(question.claimed):
            if g is None or call.x[i] is None or not plan.kernel.is_asked(i) or not g.size:
                continue
            for v in question.directions(i):
                if (is_off := question.is_off(i, v)) is None:
                    continue
                told = told or bool(np.any(g != 0))
                out["entries"] += 1
                if is_off:
                    return _wrong(plan, question, i, v, out, locate)
    except OutOfTime as late:
        return out | {"reason": str(late)}
    except KernelFault as fault:
        return out | {"verdict": "wrong", "excused": False, "reason": str(fault)}
    return out | ({"excused": False} if told else {"reason": "nothing is known of the gradient: its differences do not tell"})


def _wrong(plan, question, i, v, out, locate):
    name = f"d({plan.input_names[i]})"
    claimed, true, *_ = question.along(i, v)
    reason = f"the backward is at fault: along one direction {name} gives {claimed:.6g}, and the forward changes by {true:.6g}"
    out |= {"verdict": "wrong", "excused": False, "reason": reason, "compared": True}
    if locate and (where := question.where(i)):
        out["diagnoses"] = [{"tensor": name, "text": f"it is off {where}"}]
    return out


def replaces_entries(plan, call):
    """Whether differences are the truth, and those by each entry cost too much, or tell too little."""
    if plan.surrogate is not None:
        return False
    if plan.kind == "itself" and (plan.kernel.only is TYPES["float32"] or "y" in plan.kernel.narrow):
        return True
    by_differences = plan.kind == "itself" or plan.kind == "reference" and not plan.reference.has_backward
    return by_differences and is_large(call)


def judge_all(plan, calls):
    """Findings on calls that are judged along directions. In float what is wrong on one draw alone may be a kink."""
    contracts = {}
    for call in calls:
        if plan.is_late(call.name):
            continue
        wrong = _value(plan, call)
        contracts.setdefault("value" if wrong else "gradient", []).append(wrong or judge(plan, call))
    drawn = {call.name for call in calls if not call.added}
    found = [s for s in contracts.get("gradient", []) if s["sample"] in drawn]
    off = [s for s in found if s["verdict"] == "wrong" and s["entries"]]
    if len(found) > 1 and len(off) == 1 and TYPES["float32"] is plan.kernel.only:
        off[0] |= {"verdict": "cannot tell", "reason": f"{off[0]['reason']}, on this draw alone: is there a kink?"}
    if not any(not s["excused"] for c in contracts.values() for s in c):
        why = next((s.get("reason", "") for s in found), "there is no sample")
        found = Finding("gradient", "all samples", "cannot tell", f"no gradient could be compared with {WHO}: {why}")
        contracts["gradient"] = [found.to_dict()]
    return contracts


def other_shapes(shapes):
    """(size, other, shapes): with each size made another one, one more than a block; with 0, all of them 1."""
    sizes = sorted({n for shape in shapes for n in shape if n > 1})
    out = []
    if len(sizes) > 1:
        out.append((0, 1, [tuple(1 for _ in shape) for shape in shapes]))
    for n in sizes[-MOST_SIZES:]:
        for other in SIZES:
            if other not in sizes:
                changed = [tuple(other if m == n else m for m in shape) for shape in shapes]
                if sum(math.prod(shape) for shape in changed) <= MOST:
                    out.append((n, other, changed))
    return out


def _name(size, other):
    return f"{size} as {other}" if size else "all sizes 1"


def told(pairs):
    """Which sizes, in some words: 33, 65, 257 for 3 and for 5, all sizes 1."""
    by_others = {}
    for n in dict.fromkeys(n for n, _ in pairs if n):
        by_others.setdefault(", ".join(str(o) for m, o in pairs if m == n), []).append(str(n))
    words = [f"{others} for {' and for '.join(sizes)}" for others, sizes in by_others.items()]
    return "; ".join(words + ["all sizes 1"] * ((0, 1) in pairs))


def ask_sizes(plan):
    """Findings at further sizes than those of shapes=, where the kernel takes them; which ones is a note."""
    asked, refused, late, findings, kernel = [], [], [], [], plan.kernel
    if TYPES[kernel.narrow.get("y", "float64")].is_half:
        return []  # differences say nothing
    kept = list(kernel.tracebacks)
    for size, other, shapes in other_shapes(plan.shapes):
        name, pair = _name(size, other), (size, other)
        if plan.is_past():
            late.append(pair)
            continue
        try:
            if (call := _call_of(plan, name, shapes)) is None:
                continue
        except KernelFault as fault:
            refused.append((pair, str(fault)))
            continue
        wrong = _value(plan, call)
        found = (wrong or judge(plan, call)) | {"contract": "value" if wrong else "gradient"}
        if found["verdict"] == "wrong" and not _again(plan, name, shapes):
            continue
        asked.append(pair)
        findings.append(found)
    kernel.tracebacks[:] = kept if all(f["verdict"] == "right" for f in findings) else kernel.tracebacks
    if asked:
        kernel.note(f"further sizes, along two directions each: {told(asked)}")
    if refused:
        plan.leave_out(f"further sizes, {told([pair for pair, _ in refused])}: {refused[0][1]}", len(refused))
    if late:
        plan.leave_out(f"further sizes, {told(late)}: {plan.late}", len(late))
    return findings


def _again(plan, name, shapes):
    """Whether it is wrong for other numbers too, so that no kink is at fault."""
    try:
        call = _call_of(plan, name, shapes, 1)
    except KernelFault:
        return False
    return call is not None and (_value(plan, call) or judge(plan, call, False))["verdict"] == "wrong"


def _call_of(plan, name, shapes, draw=0):
    """The call at these shapes; None where y is empty or not finite. Errors: KernelFault where the kernel does not take them."""
    random = np.random.default_rng(plan.seed + 5 + draw)
    x = [plan.draw(random, shape) for shape in shapes]
    teller = plan.reference or plan.kernel
    teller.integers = {}
    teller.type = teller.only or TYPES["float32" if "y" in plan.kernel.narrow else "float64"]
    y = teller.value(each(lambda a: teller.array(teller.type.round(a)), x), {})
    if not y.size or not np.isfinite(y).all():
        return None
    return _core.made_call(name, x, wide(y), random.standard_normal(y.shape), True)


def _value(plan, call):
    """A finding where the value is not that of the trusted function; None where it is, or nothing is known of it."""
    if plan.reference is None:
        return None
    kind = plan.kernel.only or TYPES["float32" if "y" in plan.kernel.narrow else "float64"]
    trusted, own = plan.reference, plan.box([kind.name])
    own.type_of_forward = kind
    wrong = Finding("value", call.name, "wrong").to_dict()
    try:
        y = own.forward(call, call.x)
    except KernelFault as fault:
        return wrong | {"reason": str(fault)}
    trusted.type = trusted.only or kind
    true = trusted.value(each(lambda a: trusted.array(trusted.type.round(a)), call.x), {})
    if y.shape != true.shape:
        return wrong | {"reason": f"y is {list(y.shape)} by the kernel and {list(true.shape)} by {plan.name}"}
    largest = float(np.abs(true).max(initial=0))
    off = np.abs(y - true) > 1024 * kind.eps * max(largest, 1e-30)
    if not off.any():
        return None
    at = tuple(int(k) for k in np.argwhere(off)[0])
    return wrong | {
        "reason": f"the forward is at fault: y is not that of {plan.name}",
        "worst": {"tensor": "y", "index": list(at), "claimed": float(y[at]), "true": float(true[at])},
        "census": [{"tensor": "y", "off": int(off.sum()), "compared": int(off.size)}],
    }
