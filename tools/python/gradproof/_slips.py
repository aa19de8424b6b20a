"""Wrong gradients of a kernel that is held to a derivation: which line of the backward they come from.

The gradients are derived line by line, one line is changed as by a slip of the pen, or replaced by a wrong line of the author's,
and what follows is compared with the kernel's arrays. A slip in dS is then seen in dQ and dK, where it does not look like one.
"""

import json
import re

from . import _core
from ._types import TYPES

MOST_SLIPS = 60
MOST_SAMPLES = 2
_FACTOR = r"(?:/|⊙)\s*(?:sqrt\([^()]*\)|[\w.]+)$"


def derived(name, text, seed, stop):
    """The declarations of a derivation, the lines of its forward, and the text of its gradients, in the notation."""
    text = _core.derive(name, text, [], seed, False, stop)["notation"]
    head, forward, claims = re.fullmatch(r"(.*?)^forward\n(.*?)^claim\n(.*)", text, re.DOTALL | re.MULTILINE).groups()
    return head, [line.strip() for line in forward.splitlines() if line.strip()], claims


def value_of(line):
    """The name of what a line of a forward computes."""
    return re.match(r"\w+", line)[0]


def up_to(name, text, output, seed):
    """The derivation up to a value, which is then what it computes. Errors: ValueError where there is no such value."""
    head, forward, _ = derived(name, text, seed, _core.Stop())
    values = list(map(value_of, forward))
    if output not in values:
        raise ValueError(f"check_kernel: outputs has {output!r}, the derivation computes {', '.join(values)}")
    last = len(values) - values[::-1].index(output)
    return head + "forward\n" + "".join(f"  {line}\n" for line in forward[:last])


def find(plan, wrong, claims, stop):
    """(tensor, text) of each wrong gradient that one slip explains on all samples asked.

    wrong: findings; claims: the wrong lines of the derivation, as the checker tells them.
    """
    calls = {c.name: c for c in plan.calls if not c.added}
    asked = [s for s in wrong if s["sample"] in calls and s.get("census")][:MOST_SAMPLES]
    if not asked:
        return []
    try:
        backward = _Backward(plan, stop)
        told = [(calls[s["sample"]], _claimed(plan, calls[s["sample"]])) for s in asked]
    except Exception:  # it cannot be derived, or the kernel raises: there is no cause to be told
        return []
    tensors = [c["tensor"] for c in asked[0]["census"] if c["off"] and c["tensor"] in told[0][1]]
    right = [t for t in told[0][1] if t not in tensors]
    out = {}
    for slip, text in backward.slips(claims):
        left = [t for t in tensors if t not in out and (slip.is_of_author or slip.value != t[2:-1])]
        gives = [t for t in left if all(backward.gives(slip, call, t, claimed[t], stop) for call, claimed in told)]
        if gives and all(backward.gives(slip, call, t, claimed[t], stop) for t in right for call, claimed in told[:1]):
            out |= dict.fromkeys(gives, text)
        if len(out) == len(tensors):
            break
    return list(out.items())


class _Slip:
    """The line of the gradient of a value, and what stands in its place."""

    def __init__(self, line, is_of_author=False):
        self.line, self.value, self.is_of_author = line, line[0], is_of_author


def _claimed(plan, call):
    kind = plan.kernel.only or TYPES["float64"]
    _, gradients = plan.box([kind.name]).run(call, kind.name)
    found = zip(plan.input_names, gradients, strict=True)
    return {f"d({name})": g.astype(kind.held) for name, g in found if g is not None}


class _Backward:
    """The lines of a derivation and of its gradients, as one program."""

    def __init__(self, plan, stop):
        self.head, self.forward, claims = derived(plan.name, plan.text, plan.seed, stop)
        self.values = [*plan.input_names, *map(value_of, self.forward)]
        self.output, self.inputs = self.values[-1], plan.input_names
        self.lines = [found for line in claims.splitlines() if (found := self._line(line))]

    def _line(self, text):
        """(value, its indices, right side) of a line that says what a gradient is."""
        found = re.fullmatch(r"\s*(?:∂L\s*/\s*∂|dL/d|∇|d)(\w+)(\[[^\]]*\])?\s*=\s*(.*?)\s*", text)
        return (found[1], found[2] or "", found[3]) if found and found[1] in self.values else None

    def slips(self, claims):
        """(slip, what is said of it) of each that is tried."""
        for claim in claims:
            if line := self._line(claim["text"]):
                text = f"the kernel follows line {claim['line']} of the derivation, which is wrong: {claim['text']}"
                yield _Slip(line, True), text
        count = 0
        for value, indices, right in self.lines:
            for changed, what in _changed(right):
                if (count := count + 1) > MOST_SLIPS:
                    return
                changed = changed.replace(" )", ")")
                text = f"it follows from a slip before it, {what}: ∂L/∂{value}{indices} = {changed}"
                yield _Slip((value, indices, changed)), text

    def gives(self, slip, call, tensor, claimed, stop):
        """Whether the gradient that follows from this slip is that of the kernel."""
        lines = [slip.line if line[0] == slip.value else line for line in self.lines]
        program = [self._plain(f"grad{value}{indices} = {right}") for value, indices, right in lines]
        given = f"input grad{self.output} [{', '.join(map(str, call.u.shape))}]\n"
        text = self.head + given + "forward\n" + "".join(f"  {line}\n" for line in [*self.forward, *program])
        arrays = [*zip(self.inputs, call.x, strict=True), (f"grad{self.output}", call.u)]
        try:
            found = _core.compare("slip.proof", text, arrays, [(f"grad{tensor[2:-1]}", claimed)], None, stop)
        except Exception:  # the changed line is none
            return False
        return json.loads(found["json"])["verdict"] == "right"

    def _plain(self, line):
        """Gradients as names of values."""
        names = "|".join(sorted(map(re.escape, self.values), key=len, reverse=True))
        return re.sub(rf"(?:∂L\s*/\s*∂|dL/d|∇)({names})(?!\w)|(?<![\w])d({names})(?!\w)", lambda m: f"grad{m[1] or m[2]}", line)


def _changed(right):
    """The right side of a line with one slip, and what that is called."""
    for at, sign, end in _terms(right):
        term = right[at:end].strip()
        yield (right[:at] + right[end:]).strip(), f"the term {sign} {term[1:].strip()} is missing"
        yield right[:at] + ("+" if sign == "-" else "-") + right[at + 1 :], f"the sign of {term[1:].strip()} is wrong"
    for found in re.finditer(r"\^T", right):
        yield right[: found.start()] + right[found.end() :], "a matrix is not transposed"
    if found := re.search(_FACTOR, right):
        yield right[: found.start()].strip(), f"{found[0]} is missing"
    yield f"-({right})", "the sign is wrong"


def _terms(text):
    """(start, sign, end) of each term behind a + or - with spaces around it, up to the end of its bracket."""
    for found in re.finditer(r" ([+-]) ", text):
        depth, end = 0, len(text)
        for k in range(found.end(), len(text)):
            depth += (text[k] in "([") - (text[k] in ")]")
            if depth < 0 or depth == 0 and text[k - 1 : k + 2] in (" + ", " - "):
                end = k
                break
        yield found.start() + 1, found[1], end
