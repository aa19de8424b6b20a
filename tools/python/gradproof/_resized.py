"""Further sizes of kernels that are held to a page or a derivation: one size at a time is made one more than a block."""

import copy

from . import _core, _plan
from ._directions import SIZES, told
from ._kernel import KernelFault
from ._types import TYPES

LONG = 1025  # of pages, which are as exact there and cost little


def _first_of_page(plan):
    """The call of a page whose sizes are changed: one with the attributes of the kernel, and with most inputs."""
    drawn = [call for call in plan.calls if not call.added and not call.excused and call.u.size]
    usual = [call for call in drawn if not plan.box(plan.dtypes).attrs_of(call)]
    return max(usual or drawn, key=lambda call: (sum(x is not None for x in call.x), call.u.ndim), default=None)


def _calls(plan):
    """Those that can be asked of the kernel."""
    if plan.kind == "proof":
        return _core.resized_proof_calls(plan.name, plan.text, list(SIZES), plan.seed)
    if (first := _first_of_page(plan)) is None:
        return []
    made = _core.resized_calls(plan.name, plan.attrs, first.name, [*SIZES, LONG], plan.seed)
    calls = [_core.trimmed(call, len(first.x)) for call in made]
    return [call for call in calls if _plan.why_not(plan, call, call.x) is None]


def _pair(call):
    """(4, 33) of "rows, 4 as 33": the size that was changed, and the other one."""
    size, other = call.name.rsplit(", ", 1)[-1].split(" as ")
    return size, int(other)


def _refusal(plan, call):
    """What the forward raises there; None where it takes such a call."""
    try:
        with plan.kernel.trying():
            plan.box(plan.dtypes[:1]).forward(call, call.x)
    except KernelFault as fault:
        return str(fault)
    return None


def ask(plan, compared):
    """Findings on value and gradient at further sizes, where the kernel takes them; which ones is a note.

    compared(plan) gives the findings of the library on the calls of a plan, at the first type.
    """
    if plan.parts or not plan.vary or plan.surrogate is not None or TYPES[plan.dtypes[0]].is_half:
        return {}
    asked, refused, late, contracts = [], [], [], {}
    for call in _calls(plan):
        if any(part in call.name for part in plan.without):
            continue
        if plan.is_past():
            late.append(_pair(call))
        elif (why := _refusal(plan, call)) is not None:
            refused.append((_pair(call), why))
        else:
            one = copy.copy(plan)
            one.calls = [call]
            asked.append(_pair(call))
            for name, samples in compared(one).items():
                contracts.setdefault(name, []).extend(s for s in samples if s["sample"] == call.name)
    if asked:
        plan.kernel.note(f"further sizes: {told(asked)}")
    if refused:
        plan.leave_out(f"further sizes, {told([pair for pair, _ in refused])}: {refused[0][1]}", len(refused))
    if late:
        plan.leave_out(f"further sizes, {told(late)}: {plan.late}", len(late))
    return contracts
