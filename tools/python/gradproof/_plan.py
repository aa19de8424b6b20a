"""What a kernel is asked, and what it is held to: the calls of a page, of a derivation, or of given shapes and arrays."""

import math
import operator
import time

import numpy as np

from . import _core, _frameworks, _kernel, _outputs, _slips, _source
from ._arrays import each, is_special, wide
from ._box import Box, changed
from ._types import TYPES, integers_of, name_of, values

PROOF = "derivation.proof"  # the name of a text in the notation
TIMES_30 = "values times 30"  # the name of a sample
LARGE = 20_000  # numbers, of which one draw is asked
OTHERS = "domain=, vary=False or samples= choose other values"


def _names(given):
    return [given] if isinstance(given, str) else list(given)


def dtypes_of(given):
    if given is None:
        return ["float64", "float32"]
    names = []
    for one in given if isinstance(given, (list, tuple)) else [given]:
        try:
            names.append(name_of(one))
        except TypeError:  # NumPy knows no such type
            names.append(str(one))
    if not names or any(name not in TYPES for name in names):
        raise ValueError(f"check_kernel: dtype is {', '.join(names) or 'empty'}, expected some of {', '.join(TYPES)}")
    return names


def _of_page(plan, like, attrs):
    plan.input_names = [name.rstrip("?") for name in _core.op_inputs(like).split()]
    calls = _core.page_calls(like, attrs or {}, plan.without, plan.kernel.most_inputs, plan.seed)
    for name in plan.without:
        plan.leave_out(f"called {name}: left out by without=")
    plan.kind, plan.name, plan.attrs = "page", like, attrs or {}
    plan.kernel.choose_outputs(1)
    plan.defaults = plan.kernel.defaults = _core.op_defaults(like, attrs or {})
    for call in calls:
        given = call.x
        while given and given[-1] is None:
            given.pop()
        if why := why_not(plan, call, given):
            plan.leave_out(why)
        else:
            plan.calls.append(_core.trimmed(call, len(given)))


def why_not(plan, call, given):
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
    if unfit := kernel.unfit(given):
        return unfit
    attrs = changed(call.attrs, plan.defaults)
    return f"the kernel takes no {' and no '.join(attrs)}" if attrs and not kernel.takes(attrs) else None


def _of_proof(plan, proof):
    source = _source.find(proof, ".proof", "check_kernel")
    plan.kind, plan.name, plan.text = "proof", source.name, source.text
    plan.kernel.choose_outputs(1)
    for number, name in enumerate(plan.kernel.output_names):
        try:
            text = _slips.up_to(source.name, source.text, name, plan.seed)
            plan.input_names, plan.wrt, calls = _core.proof_calls(PROOF, text, plan.seed)
        except ValueError:
            if plan.kernel.framework == "c":
                break  # the names of a signature may be others
            raise
        plan.parts.append(_outputs.Part(number, name, text, calls))
    if len(plan.parts) == len(plan.kernel.output_names) > 1:
        plan.calls = plan.parts[0].calls
    else:
        plan.parts = []
        plan.input_names, plan.wrt, plan.calls = _core.proof_calls(source.name, source.text, plan.seed)


DOMAINS = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "positive": lambda random, shape: random.uniform(0.5, 2, shape),
    "unit": lambda random, shape: random.uniform(-0.9, 0.9, shape),
}


def drawn(shapes, domain, seed, vary):
    """Calls of these shapes: three draws (of many numbers one), large values, and each size as 1."""
    random = np.random.default_rng(seed)
    if domain not in DOMAINS:
        raise ValueError(f"check_kernel: domain is {domain!r}, expected one of {', '.join(DOMAINS)}")
    sets = [(f"draw {i + 1}", shapes, 1, False) for i in range(1 if _are_large(shapes) else 3)]
    if domain == "normal" and vary:
        sets.append((TIMES_30, shapes, 30, True))
    for size in sorted({n for shape in shapes for n in shape if n > 1} if vary else ()):
        sets.append((f"{size} as 1", [tuple(1 if n == size else n for n in shape) for shape in shapes], 1, True))
    return [(name, [times * DOMAINS[domain](random, shape) for shape in which], added) for name, which, times, added in sets]


def _are_large(shapes):
    return sum(math.prod(shape) for shape in shapes) > LARGE


def shapes_of(given):
    try:
        shapes = [tuple(operator.index(n) for n in shape) for shape in given]
    except TypeError:
        raise ValueError(f"check_kernel: shapes is {given!r}, expected a shape for each input, [(3, 5), (5,)]") from None
    if any(n < 0 for shape in shapes for n in shape):
        raise ValueError(f"check_kernel: shapes is {given!r}, expected sizes of at least 0")
    return shapes


def samples_of(given):
    """A list of samples, each a tuple of inputs. Errors: TypeError."""
    how = "expected a list of samples, each a tuple of the inputs: samples=[(x, gain)], or samples=[(x,)] for one input"
    if not isinstance(given, (list, tuple, type(None))):
        raise TypeError(f"check_kernel: samples is a {type(given).__name__}, {how}")
    for x in given or []:
        if not isinstance(x, (list, tuple)):
            raise TypeError(f"check_kernel: samples holds a {type(x).__name__}, {how}")
    return given or []


def _expect_inputs(plan, count, what, one):
    """Errors: ValueError for too few or too many inputs."""
    required, most = plan.kernel.required, plan.kernel.most_inputs
    if len(required) <= count <= most:
        return
    takes = ", ".join(required) or "nothing"
    if most > len(required):
        takes += f" and up to {most - len(required)} more"
    raise ValueError(f"check_kernel: {what} {count} {one}{'s' if count != 1 else ''}, and the forward takes {takes}")


def _of_values(plan, sets):
    """Calls of given values; the shape of the cotangent is that of y, which the reference or the kernel says."""
    random = np.random.default_rng(plan.seed + 1)
    teller = plan.reference or plan.kernel
    for name, x, added in sets:
        integers = {i: a for i, a in ((i, integers_of(a)) for i, a in enumerate(x)) if a is not None}
        x = [None if a is None or i in integers else values(a, f"{name}, input {i + 1},") for i, a in enumerate(x)]
        if x and len(integers) == len(x):
            raise ValueError(f"check_kernel: {name} holds integers alone, which have no gradient: x.astype(float)")
        if integers:
            plan.integers[name] = integers
        teller.integers = integers
        kept = list(teller.tracebacks)
        try:
            y = _value(plan, teller, x)
        except _kernel.KernelFault as fault:
            if added:
                teller.tracebacks[:] = kept
                plan.leave_out(f"{_made(name)}: {fault}")
                continue
            if plan.reference:
                raise ValueError(f"check_kernel: {fault}") from None
            plan.faults[name] = str(fault)
            y = np.zeros(())
        if not name.startswith("sample") and not np.isfinite(y).all():
            plan.leave_out(f"{_made(name)}: the true y is not finite; {OTHERS}")
            continue
        plan.calls.append(_core.made_call(name, x, wide(y), random.standard_normal(y.shape), added))
    if plan.reference:
        plan.kernel.choose_outputs(plan.reference.outputs or 1)


def _made(name):
    """The name of a sample, and how it was made where the name does not say it."""
    return f"{name} (each size {name.split()[0]} made 1)" if name.endswith(" as 1") else name


def _value(plan, teller, x):
    """y, in double where it is computed in that."""

    def at(kind):
        teller.type = kind
        return teller.record(each(lambda a: teller.array(kind.round(a)), x), {}).y

    if teller.only:
        return at(teller.only)
    if plan.dtypes[0] == "float64":
        return at(TYPES["float64"])
    try:
        with teller.trying():
            return at(TYPES["float64"])
    except _kernel.KernelFault:
        y = at(TYPES[plan.dtypes[0]])
        teller.takes_double = False
        teller.narrow["y"] = plan.dtypes[0]
        return y


class Plan:
    """What is asked of a kernel, and what it is held to."""

    def __init__(self, kernel, seed, *, dtype=None, conventions=False, without=(), vary=True):
        self.kernel, self.seed, self.dtypes = kernel, int(seed), dtypes_of(dtype)
        if kernel.only and dtype is None:
            self.dtypes = [kernel.only.name]
        if kernel.only and self.dtypes != [kernel.only.name]:
            raise ValueError(f"check_kernel: dtype is {', '.join(self.dtypes)}, and the signature says {kernel.only.name}")
        self.special, self.without, self.vary = conventions, _names(without), vary
        self.kind, self.name, self.text, self.reference = "itself", "", "", None
        self.input_names, self.wrt, self.defaults = kernel.required, [], None
        self.calls, self.not_asked = [], {}
        self.parts, self.output = [], ""  # outputs that a derivation computes, each held to it alone; and which of them this is
        self.exchanged = {}  # of samples, by name: where in the cotangent that stands which the backward is given instead
        self.integers = {}  # of samples, by name: arrays by the numbers of the inputs
        self.surrogate, self.uncompared = None, []  # of a backward that is declared to be straight-through

        self.faults = {}  # of samples, by name: what the forward raised where it was asked for y
        self.shapes, self.draw = [], None  # of shapes=, and how numbers are drawn for them: draw(random, shape)
        self.ends, self.limit = math.inf, math.inf  # when the whole check has to be done, and within how many seconds

    def box(self, dtypes):
        """The kernel as the library calls it."""
        page = self.name if self.kind == "page" else ""
        return Box(self.kernel, dtypes, self.input_names, self.defaults, page, self)

    def expect_time(self):
        """Errors: OutOfTime."""
        if self.is_past():
            raise _kernel.OutOfTime(self.late)

    @property
    def late(self):
        return f"not asked within {self.limit:g} s; total_limit= gives more"

    def is_past(self):
        return time.monotonic() > self.ends

    def is_late(self, what):
        """Whether there is no time for this, which is then left out."""
        if not self.is_past():
            return False
        self.leave_out(f"{what}: {self.late}")
        return True

    def leave_out(self, why, count=1):
        """So many samples more that are not asked for this reason."""
        self.not_asked[why] = self.not_asked.get(why, 0) + count


def fill(plan, like, proof, reference, shapes, samples, attrs, domain):
    if like is not None and callable(like):
        like, reference = None, like
    given = [name for name, value in (("like", like), ("proof", proof), ("reference", reference)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"check_kernel: give one of like, proof and reference, not {' and '.join(given)}")
    if attrs and like is None:
        plan.kernel.fix(attrs)
        plan.input_names = plan.kernel.required
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
            plan.reference = _frameworks.kernel_of(
                reference, None, framework if framework not in ("numpy", "c") else None, plan.name
            )
            plan.reference.called = "the reference"
            plan.reference.name_outputs_of(plan.kernel)
    if like is not None or proof is not None:
        if shapes is not None or samples is not None:
            raise ValueError("check_kernel: shapes and samples go without like and proof, which have their own")
        return
    if shapes is not None:
        _expect_inputs(plan, len(shapes_of(shapes)), "shapes has", "shape")
    sets = drawn(shapes_of(shapes), domain, plan.seed, plan.vary) if shapes is not None else []
    if shapes is not None and plan.vary:
        plan.shapes, plan.draw = shapes_of(shapes), DOMAINS[domain]
    for i, x in enumerate(samples_of(samples)):
        _expect_inputs(plan, len(x), f"sample {i + 1} has", "input")
        sets.append((f"sample {i + 1}", x, False))
    if shapes is not None and _are_large(shapes_of(shapes)):
        plan.leave_out(f"draws 2 and 3: the inputs hold more than {LARGE} numbers")
    _of_values(plan, sets)


def declare(plan, straight_through):
    """Takes what the author says of a backward that is not the derivative of its forward."""
    if callable(straight_through):
        framework = plan.kernel.framework if plan.kernel.framework in ("torch", "jax") else None
        plan.surrogate = _frameworks.kernel_of(straight_through, None, framework, "the declared function")
    elif straight_through is not None:
        plan.uncompared = _names(straight_through)
