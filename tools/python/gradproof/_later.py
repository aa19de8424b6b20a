"""What happens to a kernel's results after a call: gradients that add up, and saved tensors when inputs are written to later."""

import itertools

import numpy as np

from ._arrays import each
from ._kernel import KernelFault


class Told(Exception):
    """Nothing is wrong, and the user had better know: the text says what."""


def _add(a, b):
    return None if a is None else a if b is None else a + b


def _off(asker, found, true, scale=None):
    """The first gradient that differs; "" where none does."""
    off = asker.differing(found, true, lambda a, b: asker.close(a, b, scale or true))
    return off[0] if off else ""


def accumulation(asker):
    """Gradients of several backward passes add up: none lies in the memory of another, none takes the place of one."""
    kernel = asker.kernel
    if not kernel.writes_can_be_seen:
        return None
    if kernel.framework == "c":
        return _added_to_memory(asker)
    v = asker.other_cotangent()
    recorded = asker.record()
    first = asker.pull(recorded)
    raw = recorded.raw
    second = asker.pull(recorded, v)
    asker.gradients(v)
    now = [None if g is None else kernel.held(a) for g, a in zip(first, raw, strict=True)]
    if off := asker.differing(now, first):
        return f"{off[0]} of a backward is overwritten by the next one: both return the same memory"
    return _given_twice(asker) or _added_to_grad(asker, first, second, v)


def _added_to_memory(asker):
    """Of C functions: each gradient overwrites what stands where it is written to, or adds to it."""
    kernel, before = asker.kernel, 0.5
    alone = asker.gradients()
    kernel.fill = before
    try:
        found = asker.gradients()
    finally:
        kernel.fill = 0.0
    for i, (now, then) in enumerate(zip(found, alone, strict=True)):
        if now is None or asker.close(now, then, [then]):
            continue
        if not asker.close(now, then + before, [then, then + before]):
            return f"{asker.name(i)} is neither overwritten nor added to: it is another one where other numbers stood before"
        kernel.note(f"{asker.name(i)} is added to what stands there")
    return ""


def _given_twice(asker):
    """One array as two of the inputs."""
    kernel, x = asker.kernel, asker.x
    present = [i for i, a in enumerate(x) if a is not None and a.size]
    for i, j in itertools.combinations(present, 2):
        if x[i].shape != x[j].shape:
            continue
        apart = [x[i] if k == j else a for k, a in enumerate(x)]
        together = each(kernel.array, apart)
        together[j] = together[i]
        alone, twice = asker.record(each(kernel.array, apart)), asker.record(together)
        names = f"{asker.box.input_names[i]} and {asker.box.input_names[j]}"
        if not asker.close(twice.y, alone.y, [alone.y]):
            return f"y is another one where {names} are one array"
        if off := _off(asker, asker.pull(twice), asker.pull(alone)):
            return f"{off} is another one where {names} are one array"
    return ""


def _added_to_grad(asker, first, second, v):
    """Of autograd: two calls in one graph, and a .grad that holds something before."""
    if asker.kernel.framework != "torch" or asker.kernel.backward is not None:
        return ""
    before = [None if a is None else np.full_like(a, 0.5) for a in asker.x]
    found = asker.kernel.accumulated(each(asker.kernel.array, asker.x), asker.attrs, [asker.u, v], before)
    there = [_add(_add(b, g), h) if f is not None else None for f, b, g, h in zip(found, before, first, second, strict=True)]
    if off := _off(asker, found, there, [*before, *first, *second]):
        return f"{off} of two calls in one graph does not add up to the sum of both in .grad"
    return ""


def saved_tensors(asker):
    """What is saved for the backward is not changed by who writes to the inputs, or to y, after the forward."""
    kernel = asker.kernel
    x = each(kernel.array, asker.x)
    recorded = asker.record(x)
    if not kernel.writes_can_be_seen or recorded.is_handed:
        return None
    shared = [
        name for name, a in zip(asker.box.input_names, x, strict=True) if a is not None and kernel.shares(recorded.raw_y, a)
    ]
    if shared:
        kernel.note(f"y lies in the memory of {shared[0]}: who writes to one changes the other")
    true = asker.pull(recorded)
    places = [i for i, a in enumerate(x) if a is not None] + ["y"]
    return next((broken for place in places if (broken := _written_between(asker, place, true))), "")


def _written_between(asker, place, true):
    """What changes where an input, or y, is written to between forward and backward. Errors: Told."""
    kernel, x = asker.kernel, each(asker.kernel.array, asker.x)
    recorded = asker.record(x)
    what = "y" if place == "y" else asker.box.input_names[place]
    if not kernel.overwrite(recorded.raw_y if place == "y" else x[place]):
        return ""
    kept = list(kernel.tracebacks)
    try:
        found = asker.pull(recorded)
    except KernelFault as fault:
        kernel.tracebacks[:] = kept
        if "modified by an inplace operation" in str(fault) or "has been modified inplace" in str(fault):
            return ""  # PyTorch counts the versions of what save_for_backward saves, and of what views show, and refuses
        raise
    if not (off := _off(asker, found, true)):
        return ""
    if kernel.framework == "torch" and kernel.backward is None:
        late = f"{off} is another one once {what} is written to after the forward, and nothing refuses it"
        return f"{late}: save {what} by ctx.save_for_backward"
    raise Told(f"what is saved lies in the memory of {what}: who writes to {what} before the backward changes {off}")
