"""Calls that have to be refused: those that the page of an op, or a trusted function, refuses."""

from . import _core
from ._arrays import each
from ._box import changed
from ._contracts import Finding
from ._kernel import GUARD
from ._types import TYPES
from .tensor import run


def _grown(x):
    """The inputs with one axis of one of them longer by one, each in turn, with what is said of it."""
    if sum(a is not None for a in x) < 2:
        return
    for i, a in enumerate(x):
        for axis in range(0 if a is None else a.ndim):
            yield i, axis, [a.repeat([1] * (a.shape[axis] - 1) + [2], axis) if k == i else b for k, b in enumerate(x)]


def _is_refused_by_page(name, x, attrs):
    try:
        run(name, x, attrs)
    except ValueError:
        return True
    return False


def _of_page(plan, call):
    """(what it is, inputs, attributes) of calls that the page refuses."""
    kernel = plan.kernel
    for name, given, x in _core.page_refusals(plan.name, plan.attrs, plan.seed):
        given = changed(given, plan.defaults)
        fits = len(kernel.required) <= len(x) <= kernel.most_inputs
        if fits and all(a is not None and a.size for a in x) and (not given or kernel.takes(given)):
            yield name, x, given
    for i, axis, x in _grown(call.x):
        if all(a is None or a.size for a in x) and _is_refused_by_page(plan.name, x, call.attrs):
            yield f"axis {axis} of {plan.input_names[i]} too long by one", x, {}


def _of_reference(plan, call):
    plan.reference.integers = plan.integers.get(call.name, {})
    for i, axis, x in _grown(call.x):
        if plan.reference.is_refused(each(lambda a: plan.reference.array(a), x), {}):
            yield f"axis {axis} of {plan.input_names[i]} too long by one", x, {}


def ask(plan, call):
    """A Finding for each call that has to be refused. One that is not is told, and a fault where conventions are asked."""
    calls = _of_page(plan, call) if plan.kind == "page" else _of_reference(plan, call) if plan.reference else ()
    out, kernel = [], plan.kernel
    kernel.type = TYPES[plan.dtypes[0]]
    plan.box(plan.dtypes[:1]).begin(call)
    for name, x, given in calls:
        kernel.room = sum(a.size for a in x if a is not None)  # for a kernel that believes in the sizes of another input
        arrays = each(lambda a: kernel.array(kernel.type.round(a)), x)
        if kernel.is_refused(arrays, given):
            out.append(Finding("refusals", name))
        else:
            shapes = ", ".join(str(list(a.shape)) for a in x if a is not None)
            verdict = "wrong" if plan.special else "told"
            who = "the page" if plan.kind == "page" else plan.name
            reason = f"{name}, inputs {shapes}: refused by {who}, and taken by the kernel"
            out.append(Finding("refusals", name, verdict, reason, excused=not plan.special))
    kernel.room = GUARD
    return out
