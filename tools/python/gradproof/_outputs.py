"""Kernels with several outputs: which of them are held to what, and through which of them a gradient is wrong."""

import copy
import itertools
import re

import numpy as np

from . import _core
from ._arrays import each
from ._contracts import Finding
from ._kernel import KernelFault
from ._types import TYPES

MOST_CALLS = 4  # on which outputs are judged that what the kernel is held to does not have
WRONG, UNUSED = "wrong", "is not used: claimed 0"
HANDED = ", handed to "  # in what is said of gradients that are swapped
MOST_ASKED = 3  # of the samples on which a gradient is wrong
ALONE = "Give a function that returns {} alone, lambda *x: kernel(*x)[0]{}, or reference= with all outputs"


def fit(plan):
    """A derivation that does not end with the first output may end with all of them put together."""
    kernel = plan.kernel
    if plan.parts or plan.kind != "proof" or not plan.calls or not kernel.has_several:
        return
    wanted = plan.calls[0].u.shape
    kernel.choose_outputs(None)
    shapes = _shapes(plan, plan.calls[0])
    _forget(kernel)
    if len(shapes) < 2 or shapes[0] == wanted:
        kernel.choose_outputs(1)
    else:
        axes = [axis for axis in range(len(wanted)) if _along(shapes, axis) == wanted]
        is_flat = len(wanted) == 1 and sum(map(np.prod, shapes)) == wanted[0]
        kernel.choose_outputs(None if axes or is_flat else 1, None if is_flat or not axes else axes[0])


def _along(shapes, axis):
    """The shape of arrays put together along an axis; None where they do not fit."""
    rest = {tuple(n for a, n in enumerate(shape) if a != axis) for shape in shapes}
    if len(rest) != 1 or any(len(shape) <= axis for shape in shapes):
        return None
    return (*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])


def _shapes(plan, call):
    """Of the outputs that can be judged; none where the forward raises."""
    kernel = plan.kernel
    kept = list(kernel.tracebacks)
    kernel.integers = plan.integers.get(call.name, {})
    for kind in dict.fromkeys(["float64", *plan.dtypes]):
        kernel.type = TYPES[kind]
        x, attrs = each(lambda a: kernel.array(kernel.type.round(a)), call.x), plan.box([kind]).attrs_of(call)
        try:
            if not kernel.kept:
                kernel.record(x, attrs)
            return kernel.shapes(x, attrs)
        except KernelFault:
            kernel.tracebacks[:] = kept
    return []


def _forget(kernel):
    """The notes that say of what y is made."""
    kernel.notes[:] = [note for note in kernel.notes if not note.startswith(("y is output ", "the outputs are "))]


class Part:
    """An output that a derivation computes: its number among those of the kernel, its name, what computes it alone, and calls."""

    def __init__(self, number, name, text, calls):
        self.number, self.name, self.text, self.calls = number, name, text, calls


def judge_parts(plan, judge):
    """Findings on value and gradient through each output alone, held to the value of the derivation with its name.

    judge(plan) gives those on the calls of a plan. Leaves the plan with calls that ask for all outputs, for the other contracts.
    """
    kernel, asked, contracts = plan.kernel, list(plan.kernel.asked), {}
    for part in plan.parts:
        one = copy.copy(plan)
        one.calls, one.output, one.text = part.calls, part.name, part.text
        one.name += "" if one.name.endswith(".proof") else ".proof"  # which says how the text is read
        kernel.choose_outputs(None, alone=part.number)
        shapes = _shapes(one, part.calls[0]) if part.calls else []
        is_constant = bool(kernel.kept) and kernel.kept[0] in kernel.constant
        if is_constant:
            kernel.note(f"{part.name} has no gradient on purpose: its value alone is judged")
            kernel.asked = [False] * len(plan.input_names)
        for name, samples in judge(one).items():
            for sample in samples:
                if not (is_constant and name == "gradient"):
                    contracts.setdefault(name, []).append(_of_part(sample, name, part.name, shapes))
        kernel.asked = list(asked)
    kernel.choose_outputs(None)
    plan.calls = _of_all(plan).calls
    return contracts


def _of_part(sample, contract, name, shapes):
    """The finding, which says of which output it is."""
    sample["output"], reason = name, sample.get("reason", "")
    if contract == "gradient":
        if reason:
            sample["reason"] = f"through {name}: {reason}"
        return sample
    sample["reason"] = re.sub(r"\by (of|is) ", rf"{name} \1 ", reason, count=1)
    for told in [sample.get("worst") or {}, *sample.get("census", []), *sample.get("diagnoses", [])]:
        if told.get("tensor") == "y":
            told["tensor"] = name
    return sample


def judge_rest(plan, compared):
    """Findings on the gradient through all outputs, where what the kernel is held to has fewer: by differences.

    compared(plan) gives the findings of the library on the calls of a plan.
    """
    kernel = plan.kernel
    if not kernel.left:
        return []
    most, axis, narrow = kernel.most_outputs, kernel.axis, dict(kernel.narrow)
    names = " and ".join(kernel.output_name(i) for i in kernel.left)
    kept = " and ".join(kernel.output_name(i) for i in kernel.kept)
    if plan.surrogate is not None:
        kernel.note(f"the gradient through {names} is not judged, for straight_through= says nothing of it")
        return []
    what = {"page": f"the page of {plan.name}", "proof": f"the derivation {plan.name}"}.get(
        plan.kind, f"the function {plan.name}"
    )
    kernel.note(f"{what} has only {kept}: through {names} the gradient is held to differences of the kernel's own forward")
    kernel.choose_outputs(None)
    try:
        all_of = _of_all(plan)
        found = compared(all_of).get("gradient", [])
        _forget(kernel)
        add_causes(all_of, found, compared)
    finally:
        kernel.choose_outputs(most, axis)
        kernel.narrow = narrow
    how = ", or mark the other ctx.mark_non_differentiable" if kernel.framework == "torch" else ""
    for sample in found:
        if sample["verdict"] == "cannot tell":
            sample["reason"] = f"nothing tells the gradient through {names}: {sample['reason']}. {ALONE.format(kept, how)}"
        elif sample["verdict"] == "wrong":
            sample["reason"] = sample["reason"] + f", through all outputs, {names} too"
    if not found:
        why = f"nothing tells the gradient through {names}. {ALONE.format(kept, how)}"
        return [Finding("gradient", "all samples", "cannot tell", why).to_dict()]
    return found


def _of_all(plan):
    """The plan that asks for all outputs, with cotangents of their shape."""
    random = np.random.default_rng(plan.seed + 2)
    out = copy.copy(plan)
    out.kind, out.name, out.text, out.reference, out.surrogate, out.calls, out.parts = "itself", "", "", None, None, [], []
    for call in [c for c in plan.calls if not c.added and c.u.size][:MOST_CALLS]:
        if shapes := _shapes(plan, call):
            of_all = shapes[0] if len(shapes) == 1 else sum(int(np.prod(shape)) for shape in shapes)
            u = random.standard_normal(of_all)
            out.calls.append(_core.with_values(call, call.x, u))
    return out


def add_causes(plan, found, compared):
    """Says of wrong gradients through which outputs they are wrong: the backward is asked once for each output alone."""
    kernel = plan.kernel
    if not kernel.outputs or kernel.outputs < 2 or not kernel.has_several:
        return
    calls = {call.name: call for call in plan.calls if not call.added}
    wrong = [s for s in found if s["verdict"] == "wrong" and s["sample"] in calls and s.get("census")][:MOST_ASKED]
    if not wrong:
        return
    if pair := _taken_for_each_other(plan, wrong, calls, compared):
        text = f"the cotangents of {' and '.join(kernel.output_name(kernel.kept[k]) for k in pair)} are taken for each other"
        for s in wrong:
            s["diagnoses"] = [{"tensor": c["tensor"], "text": text} for c in s["census"] if c["off"]]
        return
    numbers, one = list(kernel.kept), copy.copy(plan)
    alone = []  # for each output the findings, by sample
    for k in range(len(numbers)):
        one.calls = [_only(plan, calls[s["sample"]], k) for s in wrong]
        alone.append({s["sample"]: s for s in compared(one).get("gradient", [])})
    for tensor in dict.fromkeys(c["tensor"] for s in wrong for c in s["census"] if c["off"]):
        if tensor in {f"d({plan.input_names[i]})" for i in kernel.absent}:
            continue  # the backward returns None for it, which is said already
        if any(d["tensor"] == tensor and HANDED in d["text"] for s in wrong for d in s.get("diagnoses", [])):
            continue
        where = [s for s in wrong if any(c["tensor"] == tensor and c["off"] for c in s["census"])]
        told = [[_through(by.get(s["sample"], {}), tensor) for by in alone] for s in where]
        if any(None in row for row in told) or len({tuple(text == "" for text in row) for row in told}) != 1:
            continue
        texts = [row[0] if len(set(row)) == 1 else WRONG for row in zip(*told, strict=True)]
        if len(set(texts)) == 1 or not any(texts):
            continue  # what is wrong is so through all outputs alike
        by_output = sorted(zip(numbers, texts, strict=True), key=lambda pair: pair[1] != "")  # the right ones first
        text = ", ".join(_words(kernel.output_name(number), text) for number, text in by_output)
        for s in where:
            others = [d for d in s.get("diagnoses", []) if d["tensor"] != tensor]
            s["diagnoses"] = [*others, {"tensor": tensor, "text": text}]
            if UNUSED in text and s is where[0] and not s.get("hints"):
                how = "ctx.mark_non_differentiable(it)" if kernel.framework == "torch" else "hand over lambda *x: kernel(*x)[0]"
                how = how if kernel.is_differentiated else "leave it out of outputs=, and return it with what is saved"
                s["hints"] = [f"if an output has no gradient on purpose: {how}"]


def _taken_for_each_other(plan, wrong, calls, compared):
    """The numbers of two outputs, where all is right once their cotangents are exchanged."""
    asked = [calls[s["sample"]] for s in wrong]
    shapes = [_shapes(plan, call) for call in asked]
    for i, j in itertools.combinations(range(min(map(len, shapes))), 2):
        if any(of[i] != of[j] for of in shapes):
            continue
        one = copy.copy(plan)
        one.calls, one.exchanged = asked, {call.name: _exchanged(plan, call, i, j) for call in asked}
        judged = [s for s in compared(one).get("gradient", []) if not s["excused"]]
        if judged and all(s["verdict"] == "right" for s in judged):
            return i, j
    return None


def _exchanged(plan, call, i, j):
    """Where in the cotangent each entry stands, once the parts of two outputs are in each other's place."""
    of = _output_of(plan, call).reshape(-1)
    places = np.arange(of.size)
    places[of == i], places[of == j] = np.flatnonzero(of == j), np.flatnonzero(of == i)
    return places


def _output_of(plan, call):
    """For each entry of the cotangent the number of its output."""
    axis = plan.kernel.axis
    parts = [np.full(shape, i) for i, shape in enumerate(_shapes(plan, call))]
    return np.concatenate([p.reshape(-1) for p in parts]) if axis is None else np.concatenate(parts, axis)


def _only(plan, call, k):
    """The call with a cotangent for one output alone."""
    return _core.with_values(call, call.x, np.where(_output_of(plan, call) == k, call.u, 0.0))


def _through(finding, tensor):
    """What is said of a gradient through one output: "" where it is right, None where nothing is known."""
    if finding.get("verdict") not in ("right", "wrong"):
        return None
    if not any(c["tensor"] == tensor and c["off"] for c in finding.get("census", [])):
        return "" if finding.get("census") or finding["verdict"] == "right" else None
    said = next((d["text"] for d in finding.get("diagnoses", []) if d["tensor"] == tensor), "")
    return said if said and not said.startswith("only ") else WRONG


def _words(output, text):
    if not text:
        return f"right through {output}"
    if "zero everywhere" in text:
        return f"the cotangent of {output} {UNUSED}"
    return f"wrong through {output}" + (f": {text}" if text != WRONG else "")
