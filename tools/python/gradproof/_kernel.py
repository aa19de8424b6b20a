"""A kernel on NumPy arrays: how it is called, and how what it returns and raises is understood."""

import contextlib
import functools
import inspect
import math
import os
import re
import time
import traceback

import numpy as np

from ._threads import TimeLimit
from ._types import TYPES

GUARD = 16
SEVERAL = (
    "expected y, or (y, saved), and then dx = backward(dy, saved); several outputs need names, outputs=['y', 'r']: "
    "y, r = forward(*x), dx = backward(dy, dr, *x)"
)


class KernelFault(Exception):
    """What the kernel did wrong in one sentence: it raised, or returned what is no array."""


class OutOfTime(KernelFault):
    """The check has run as long as it may; what was asked last is left out."""


class Recorded:
    """A call after its forward: y as an array of NumPy, and pull(dy), the gradients as such.

    raw_y and raw are what the kernel itself returned, raw that of the last pull; is_handed says whether the backward is handed
    the inputs once more.
    """

    def __init__(self, y, pull, raw_y, is_handed=False):
        self.y, self.pull, self.raw_y, self.is_handed = y, pull, raw_y, is_handed
        self.raw = []


def _user_frames(error):
    """The traceback without the frames of this package, and of others all but the last."""
    here = os.path.dirname(__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(here)]
    own = [f for f in frames if "site-packages" not in f.filename and not f.filename.startswith("<")]
    lines = ["Traceback (most recent call last):\n"] + traceback.format_list(own or frames[-1:])
    said = "".join(traceback.format_exception_only(error)).split("\n--------------------\n")[0]  # JAX on frames that it left out
    return "".join(lines) + re.sub(_FRAME_OF_OTHERS.format(re.escape(here)), "", said, flags=re.MULTILINE).rstrip("\n") + "\n"


_FRAME_OF_OTHERS = r'^ *File "({}/|.*/site-packages/|.*/threading\.py)[^\n]*\n'  # in the traceback of a callback


def _without_numbers(text):
    """For whether two tracebacks are alike."""
    return re.sub(r"0x[0-9a-f]+|[-+.\d]+(e[-+]\d+)?|\s+", "", text)


def _line_of(error):
    """The first line of its text; an exception may fail to have one."""
    try:
        return str(error).strip().split("\n")[0][:200]
    except Exception:
        return ""


def keywords(function):
    """The names that a function takes as keywords, and whether it takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], False
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters)


def positional(function, skip=0):
    """The names of the arguments without a default, and how many may be given by position at most."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return [], 8
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    any_number = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return [p.name for p in by_place if p.default is p.empty], 8 if any_number else len(by_place)


class Kernel:
    """A kernel on NumPy arrays: y = forward(*x), or (y, saved); then backward(dy, *x), or backward(dy, saved)."""

    framework = "numpy"
    layouts = ("columns first", "every second element", "reversed", "read only")
    memory = ("in a row", "every second element")  # layouts with NaN around them
    only = None  # the element type, where it has one alone
    writes_can_be_seen = True
    is_eager = True  # nothing is compiled, where the framework could
    is_differentiated = False  # by a framework, which may do so twice

    def __init__(self, forward, backward, name=None):
        self.forward, self.backward = forward, backward
        self.name = name or getattr(forward, "__name__", type(forward).__name__)
        self.file = self._place(forward)
        self.required, self.most_inputs = positional(forward, self.skipped)
        self.tracebacks, self.notes, self.pid = [], [], os.getpid()
        self.misuse = None  # why it cannot be judged as it was given, once that is known
        self.integers = {}  # by the number of an input: arrays that are handed over as they are, and have no gradient
        self.takes_double = True  # as far as it is known; else it is asked in the types of dtype= alone
        self.narrow = {}  # the type of results that are not float64 where the inputs are
        self.absent = set()  # the numbers of inputs for which the backward returned None
        self.calls = 0  # so far
        self.asked = []  # for each input whether its gradient is judged; all where it is empty
        self.output_names = []  # of several outputs, where they have names
        self.constant = set()  # the numbers of outputs without a gradient
        self.choose_outputs(None)
        self.type = TYPES["float64"]  # of the arrays that it is given
        self.room = GUARD  # words before and behind an array
        self.began, self.doing = None, ""  # since when which function runs

    def choose_outputs(self, most, axis=None, alone=None):
        """Of several outputs the first `most` are judged, or all: put together along an axis, or end to end; or one alone."""
        self.most_outputs, self.axis, self.alone = most, axis, alone
        self.outputs = None  # how many are judged, once that is known
        self.kept, self.left = [], []  # the numbers of those that are judged, and of those that could be and are not

    @property
    def has_several(self):
        """Whether it may have several outputs, each with a cotangent."""
        return self.is_differentiated or bool(self.output_names)

    may_have_one = False  # a trusted function may have the first output alone

    def name_outputs_of(self, kernel):
        """Makes this, which is trusted, one of as many outputs as the kernel."""
        if self.framework == "numpy":
            self.output_names, self.may_have_one = kernel.output_names, True

    def output_name(self, i):
        return self.output_names[i] if i < len(self.output_names) else f"output {i + 1}"

    skipped = 0
    saves = False  # the forward returns (y, saved)
    called = "the forward"  # in what is said of it
    has_backward = property(lambda self: self.backward is not None)

    @staticmethod
    def _place(function):
        function = inspect.unwrap(function)
        try:
            file, line = inspect.getsourcefile(function), inspect.getsourcelines(function)[1]
            return f"{os.path.basename(file)}:{line}"
        except (TypeError, OSError):
            return ""

    def wrong_use(self, text):
        """An error that check_kernel raises again, whatever else is found."""
        self.misuse = self.misuse or text
        return ValueError(text)

    def takes(self, attrs):
        """Whether the forward takes these attributes by name."""
        named, any_name = keywords(self.forward)
        return any_name or all(name in named for name in attrs)

    def fix(self, attrs):
        """Gives arguments of the kernel their values. Errors: ValueError for a name that is none."""
        for name in attrs:
            if not self.takes({name: None}):
                raise ValueError(f"check_kernel: attrs has {name!r}, which the kernel does not take by name")
        self.required = [name for name in self.required if name not in attrs]
        self.forward = functools.partial(self.forward, **attrs)
        if self.backward is not None:
            self.backward = functools.partial(self.backward, **self._given(self.backward, attrs))

    def _filled(self, x):
        """The inputs with the integers among them."""
        return [self._integer(self.integers[i]) if i in self.integers else a for i, a in enumerate(x)]

    def _integer(self, a):
        return a.copy() if isinstance(a, np.ndarray) else a

    def unfit(self, x):
        """Why inputs of these shapes cannot be given; None where they can."""
        return None

    def _given(self, function, attrs):
        named, any_name = keywords(function)
        return attrs if any_name else {k: v for k, v in attrs.items() if k in named}

    def _guarded(self, what, function, *args, **attrs):
        """What the function returns. Errors: KernelFault for what it raises, with the traceback kept."""
        self.began, self.doing = time.monotonic(), what
        self.calls += 1
        try:
            with np.errstate(all="ignore"):
                result = function(*args, **attrs)
        except TimeLimit:
            raise
        except BaseException as error:  # SystemExit and GeneratorExit are faults of the kernel too
            if isinstance(error, KernelFault) or self.misuse:
                raise
            text = _user_frames(error)
            if _without_numbers(text) not in map(_without_numbers, self.tracebacks) and len(self.tracebacks) < 3:
                self.tracebacks.append(text)
            raise KernelFault(self._said(what, error)) from None
        finally:
            self.began = None
            if os.getpid() != self.pid:  # the kernel forked: the child has no business here
                os._exit(0)
        return result

    def _said(self, what, error):
        """In one sentence what a function raised."""
        return f"{what} raised {type(error).__name__}: {_line_of(error)}"

    @contextlib.contextmanager
    def trying(self):
        """Within, a call that fails leaves no traceback and no note."""
        kept = list(self.tracebacks), list(self.notes)
        try:
            yield
        except KernelFault:
            self.tracebacks[:], self.notes[:] = kept
            raise

    def late(self, limit):
        """A text once a call runs beyond this number of seconds."""
        began = self.began
        if limit is None or began is None or time.monotonic() - began < limit:
            return None
        return f"{self.doing} did not return within {limit:g} s"

    def array(self, x):
        """The framework's own array. There is room around it, so that a kernel that writes a little outside does no harm."""
        return self._seen(self._placed(x, "with room")[1])

    def arranged(self, x, how):
        """The same values in other memory, with room around them, and a function that says whether that room is as it was."""
        buffer, view = self._placed(x, how)
        before, mask = buffer.copy(), np.ones(buffer.shape, bool)
        self._view(mask, view.shape, how, self.room)[...] = False
        return self._seen(view), lambda: np.array_equal(buffer[mask], before[mask], equal_nan=True)

    def _placed(self, x, how):
        """Memory with room, and the values in it."""
        x = self.type.stored(x)
        step = 2 if how == "every second element" else 1
        outside = self.type.stored(np.nan if how in ("in a row", "every second element") else 0.0)
        buffer = np.full(step * x.size + 2 * self.room, outside, x.dtype)
        view = self._view(buffer, x.shape, how, self.room)
        view[...] = x
        view.flags.writeable = how != "read only"
        return buffer, view

    def _seen(self, stored):
        """What lies in memory as an array of the framework."""
        return self.type.of_numpy(stored)

    @staticmethod
    def _view(buffer, shape, how, room):
        step, n = 2 if how == "every second element" else 1, math.prod(shape)
        row = buffer[room : room + step * n : step]
        if how == "columns first":
            return row.reshape(shape[::-1]).T
        return row.reshape(shape)[..., ::-1] if how == "reversed" and shape else row.reshape(shape)

    def spread(self, value, like):
        """An array of this shape whose elements are one."""
        return np.broadcast_to(self._seen(self.type.stored(value)), like.shape)

    def to_numpy(self, a, what):
        """The values as NumPy holds them, and the name of their type. Errors: KernelFault for what is no array of floats."""
        if isinstance(a, (float, np.generic)):  # what NumPy makes of an array without axes
            a = np.asarray(a)
        if not isinstance(a, np.ndarray):
            raise KernelFault(f"{what} is a {type(a).__name__}, expected an array of NumPy")
        return self._held(a, str(a.dtype), what)

    @staticmethod
    def _held(a, name, what):
        if name not in TYPES:
            raise KernelFault(f"{what} has elements of type {name}, expected floats")
        return np.array(a, TYPES[name].held), name  # of subclasses of arrays the plain one

    def _checked(self, a, what):
        out, name = self.to_numpy(a, what)
        if name != self.type.name:
            self.note(f"{what} is {name} where the inputs are {self.type.name}")
            if self.type.name == "float64":
                self.narrow[what] = name
        return out

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def held(self, a):
        """A copy of an array of the framework."""
        return self.to_numpy(a, "a gradient")[0]

    def _gradients(self, result, x):
        if len(result) != len(x):
            raise KernelFault(f"the backward returns {len(result)} gradients, expected {len(x)}: one for each input")
        out = [None] * len(x)
        for i, (g, a) in enumerate(zip(result, x, strict=True)):
            if g is None and a is not None:
                self.absent.add(i)
            if g is None or a is None or not self.is_asked(i):
                continue
            out[i] = self._checked(g, f"d({self.input_name(i)})")
            if out[i].shape != tuple(a.shape):
                raise KernelFault(f"d({self.input_name(i)}) is {list(out[i].shape)}, expected {list(a.shape)}")
        return out

    def is_asked(self, i):
        """Whether the gradient by this input is judged."""
        return i >= len(self.asked) or self.asked[i]

    def input_name(self, i):
        return self.required[i] if i < len(self.required) else f"input {i}"

    def record(self, x, attrs):
        """Runs the forward on arrays of the framework."""
        result = self._guarded(self.called, self.forward, *self._filled(x), **self._given(self.forward, attrs))
        backward_attrs = self._given(self.backward, attrs) if self.backward else {}
        outputs, saved = self._parted(result, backward_attrs)
        for i, a in enumerate(outputs):
            if self.output_names and not hasattr(a, "shape"):
                raise KernelFault(f"{self.output_name(i)} is a {type(a).__name__}, expected an array")
        kept = self._chosen(list(range(len(outputs))), outputs) if self.output_names else [0]
        held = [self._checked(outputs[i], self.output_name(i) if self.output_names else "y") for i in kept]
        self.saves = bool(saved)

        def pull(dy):
            found = self._guarded(
                "the backward", self.backward, *self._parts_of(dy, outputs, kept), *(saved or self._filled(x)), **backward_attrs
            )
            call.raw = list(found) if isinstance(found, (tuple, list)) else [found]
            if self.integers and len(call.raw) == len(x) - len(self.integers):  # nothing is said of the integers
                rest = iter(call.raw)
                call.raw = [None if i in self.integers else next(rest) for i in range(len(x))]
            return self._gradients(call.raw, x)

        call = Recorded(self._put_together(held), pull, outputs[kept[0]], not saved)
        return call

    def _parted(self, result, backward_attrs):
        """The outputs that a forward returned, and a tuple of what it saves, which is empty or holds one thing."""
        count = len(self.output_names)
        if not count:
            is_pair = isinstance(result, tuple)
            if is_pair and (len(result) != 2 or self._takes_more_than_saved(backward_attrs)):
                raise self.wrong_use(f"check_kernel: the forward returns {len(result)} values, {SEVERAL}")
            return (result[:1], result[1:]) if is_pair else ((result,), ())
        if self.may_have_one and not isinstance(result, (tuple, list)):
            return (result,), ()
        if not isinstance(result, (tuple, list)) or len(result) not in (count, count + 1):
            got = f"{len(result)} values" if isinstance(result, (tuple, list)) else f"a {type(result).__name__}"
            raise KernelFault(f"{self.called} returns {got}, expected {', '.join(self.output_names)}, and at most what is saved")
        return tuple(result[:count]), tuple(result[count:])

    def _put_together(self, held):
        if len(held) == 1:
            return held[0]
        return np.concatenate([a.reshape(-1) for a in held]) if self.axis is None else np.concatenate(held, self.axis)

    def _parts_of(self, dy, outputs, kept):
        """The cotangents of all outputs, of which those that are not judged are 0."""
        if kept == list(range(len(outputs))) and len(kept) == 1:
            return [dy]
        parts = [None if i in kept else self.array(np.zeros(a.shape)) for i, a in enumerate(outputs)]
        at = 0
        for i in kept:
            shape = tuple(outputs[i].shape)
            if len(kept) == 1:
                parts[i] = dy
            elif self.axis is None:
                size = math.prod(shape)
                parts[i] = dy[at : at + size].reshape(shape)
                at += size
            else:
                size = shape[self.axis]
                parts[i] = dy[(slice(None),) * self.axis + (slice(at, at + size),)]
                at += size
        return parts

    def _takes_more_than_saved(self, attrs):
        """Whether the backward needs more than a cotangent, what is saved, and these attributes."""
        names = positional(self.backward)[0] if self.backward else []
        return len([name for name in names if name not in attrs]) > 2

    def _chosen(self, kept, outputs):
        """Which of several outputs are judged: of those that can be, all or as many as what they are held to has."""
        names = self.output_names
        if names and len(names) not in (len(outputs), len(kept)) and not (self.may_have_one and len(outputs) == 1):
            raise self.wrong_use(f"check_kernel: outputs names {', '.join(names)}, and the kernel has {len(outputs)} outputs")
        if self.alone is not None:
            kept = [self.alone if len(names) == len(outputs) else kept[self.alone]]
        if not kept:
            raise KernelFault(f"none of the {len(outputs)} outputs is a tensor of floats with a gradient")
        kept, left = kept[: self.most_outputs], kept[len(kept) if self.most_outputs is None else self.most_outputs :]
        if self.outputs is not None or self.alone is not None:
            self.kept = kept
            return kept
        self.outputs, self.kept, self.left = len(kept), kept, left
        which = ", ".join(f"{self.output_name(i)} {list(outputs[i].shape)}" for i in kept)
        if len(kept) > 1:
            how = "end to end" if self.axis is None else f"put together along axis {self.axis}"
            self.note(f"{'the outputs are' if names else 'y is'} {which}, {how}")
        elif not left and len(outputs) > 1:
            self.note(f"of {len(outputs)} outputs only {which} is judged")
        return kept

    def shapes(self, x, attrs):
        """Of the outputs that y is made of."""
        result = self._guarded(self.called, self.forward, *self._filled(x), **self._given(self.forward, attrs))
        return [tuple(result[i].shape) for i in self.kept] if isinstance(result, (tuple, list)) else [tuple(result.shape)]

    def value(self, x, attrs):
        """y alone, for inputs near those of other calls."""
        return self.record(x, attrs).y

    def is_refused(self, x, attrs):
        """Whether the forward raises for these inputs. What it raises is then no fault."""
        kept = list(self.tracebacks)
        try:
            self._call(x, attrs)
        except KernelFault:
            return True
        finally:
            self.tracebacks[:] = kept
        return False

    def _call(self, x, attrs):
        self._guarded(self.called, self.forward, *self._filled(x), **self._given(self.forward, attrs))

    def unlike_tangent(self, x, attrs):
        """What is wrong with forward mode, which frameworks alone have; "" where nothing is."""
        return ""

    def overwrite(self, a):
        """Other values in this array, as someone may write who owns it. False where it cannot be written to."""
        if not a.flags.writeable:
            return False
        a[...] = a / 2 + 1
        return True

    def shares(self, a, b):
        """Whether two arrays lie in the same memory."""
        return isinstance(a, np.ndarray) and np.may_share_memory(a, b)
