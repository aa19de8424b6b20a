"""Derivations: checked, derived from a forward, explained number by number, compared with arrays."""

import functools
import json
import os
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core, _run, _source, _threads
from ._arrays import Arrays, named
from ._html import folded, mathml
from ._report import Report, of_strings

SEED = 20240613


def _names(given):
    """The names of "Q, K", "Q K" or ["Q", "K"]."""
    return given.replace(",", " ").split() if isinstance(given, str) else [str(name) for name in given]


def _check(what, ending, caller, seed, chain, bind, functions=(), run=None):
    source = _source.find(what, ending, caller)
    if functions:
        source.text = _core.with_functions(source.name, source.text, functions)
    bound = named(bind or {}, caller)
    found = _threads.call(_core.check, source.name, source.text, source.reader, bound, seed, chain, run)
    return of_strings(found, source)


def check_proof(source: str | os.PathLike, *, seed: int = SEED, chain: bool = False, bind: Arrays | None = None) -> Report:
    """Gives each claim of a derivation in the notation a verdict.

    source  a text, a path (the end of its name says how it is read), or the name of a derivation of the library
    chain   judges each line by the gradients claimed above it, not by the true ones
    bind    arrays by name, in the place of what the derivation draws
    A text that cannot be read gives the verdict "not read". Errors: FileNotFoundError; ValueError for arrays that do not fit.
    """
    return _check(source, ".proof", "check_proof", seed, chain, bind)


def check_markdown(source: str | os.PathLike, *, seed: int = SEED, chain: bool = False, bind: Arrays | None = None) -> Report:
    """Checks the blocks of a Markdown text that are fenced as ```proof. Arguments as of check_proof."""
    return _check(source, ".md", "check_markdown", seed, chain, bind)


def check_tex(source: str | os.PathLike, *, seed: int = SEED, chain: bool = False, bind: Arrays | None = None) -> Report:
    """Checks the equations of a LaTeX text; of a path also what it takes in by \\input. Arguments as of check_proof."""
    return _check(source, ".tex", "check_tex", seed, chain, bind)


def check_python(
    source: str | os.PathLike,
    *,
    function: str | Iterable[str] = "",
    seed: int = SEED,
    chain: bool = False,
    bind: Arrays | None = None,
    run: bool = False,
    time_limit: float = 60,
) -> Report:
    """Checks the backward of a NumPy, PyTorch or JAX program, which is read, and not run. Arguments as of check_proof, and

    function    looks at these functions, what they call and what stands outside of all; at all of them if empty
    run         runs it, too, in a process of its own, and compares what its lines compute with what was read: where one differs,
                right lines get "cannot tell"
    time_limit  seconds that the run may take
    Errors: ValueError also for a name that no function has; RuntimeError for a run that takes too long or ends without an answer.
    """
    runs = functools.partial(_run.in_python, time_limit=time_limit) if run else None
    return _check(source, ".py", "check_python", seed, chain, bind, _names(function), runs)


class Derivation(Report):
    """The gradients of a forward, derived line by line. True if each was derived."""

    def __init__(self, found, source, wrt):
        super().__init__(found["verdict"], found["notation"], json.loads(found["json"]), source)
        self._found, self._wrt = found, wrt

    def notation(self) -> str:
        """A text whose claims are the lines, ready for check_proof."""
        return self._found["notation"]

    def latex(self) -> str:
        """The same in LaTeX, ready for check_tex."""
        return self._found["latex"]

    def markdown(self) -> str:
        """The same in Markdown, ready for check_markdown."""
        return self._found["markdown"]

    def _program(self, target):
        return _threads.call(_core.program, self._source.name, self._source.text, self._wrt, target)

    def numpy(self) -> str:
        """A NumPy program with forward and gradients that compares them with differences when it is run."""
        return self._program("numpy")

    def torch(self) -> str:
        """A program with a torch.autograd.Function that checks itself when it is run."""
        return self._program("torch")

    def jax(self) -> str:
        """A program with a jax.custom_vjp that checks itself when it is run."""
        return self._program("jax")

    def cpp(self) -> str:
        """The page of an op in C++, to be built as a plugin. Errors: ValueError where wrt leaves out an input."""
        return self._program("cpp")

    def _repr_html_(self):
        equations = [f"{line['left']} = {line['right']}" for line in self._data["lines"]]
        latex = _core.latex_of(self._source.name, self._source.text, equations)
        rows = "".join(f"<p>{mathml(tex, text)}</p>" for tex, text in zip(latex, equations, strict=True))
        return f"<div>{rows}{folded('as text', str(self))}</div>"


def _with_inputs(text, inputs):
    """A text of assignments alone as a derivation. Errors: ValueError where the shapes of its inputs are not said."""
    if re.search(r"^\s*(input|forward)\b", text, re.MULTILINE):
        return text
    if inputs is None:
        raise ValueError('derive: the shapes of the inputs are missing: write inputs="Q [n, d], K [m, d]"')
    sizes = [size.strip() for shape in re.findall(r"\[([^\]]*)\]", inputs) for size in shape.split(",")]
    names = list(dict.fromkeys(size for size in sizes if size and not size.isdigit()))
    dims = "dims " + " ".join(names) + "\n" if names else ""
    lines = "\n".join("  " + line.strip() for line in re.split(r"[;\n]", text) if line.strip())
    return f"{dims}input {inputs}\nforward\n{lines}\n"


def derive(
    source: str | os.PathLike,
    *,
    wrt: str | Iterable[str] = "",
    inputs: str | None = None,
    steps: bool = False,
    seed: int = SEED,
) -> Derivation:
    """Derives the gradients of a forward, from the last value to the first, and judges each line.

    source  as of check_proof, or assignments alone: "S = Q K^T / sqrt(d); A = softmax(S)", with their
    inputs  "Q [n, d], K [m, d]"
    wrt     only the gradients of these values, "Q K"; all of them if empty
    steps   says of each line which rules it follows from
    Errors: ValueError for a text that cannot be read (ProofError, with its place) or a name without a gradient.
    """
    found = _source.find(source, ".proof", "derive")
    found.text = _with_inputs(found.text, inputs) if found.name.endswith(".proof") else found.text
    names = _names(wrt)
    return Derivation(_threads.call(_core.derive, found.name, found.text, names, seed, steps), found, names)


class Explanation(Report):
    """Every step of a derivation with its numbers, in one draw."""

    def __init__(self, found, source, seed):
        super().__init__("right", found["text"], json.loads(found["json"]), source)
        self._words, self._seed = found.get("words", ""), seed

    def words(self) -> str:
        """The whole backward in sentences."""
        return self._words

    def cell(self, cell: str) -> "Explanation":
        """One entry, "dK[2,1]" or "S[0,1]", as the products that are summed into it."""
        source, seed = self._source, self._seed
        found = _threads.call(_core.explain, source.name, source.text, cell, seed)
        return Explanation(found, source, seed)

    def _repr_html_(self):
        return f"<div>{folded('explanation', str(self), True)}</div>"


def explain(source: str | os.PathLike, *, seed: int = SEED) -> Explanation:
    """Explains one draw of a derivation: shapes and numbers forward, then the true gradients back.

    Errors: ValueError for a text that cannot be read.
    """
    found = _source.find(source, ".proof", "explain")
    return Explanation(_threads.call(_core.explain, found.name, found.text, "", seed), found, seed)


def compare(source: str | os.PathLike, inputs: Arrays, theirs: Arrays, *, tolerance: float | None = None) -> Report:
    """Holds arrays that were computed elsewhere to the true values and gradients of a derivation.

    inputs  arrays by name, what the derivation starts from
    theirs  the results by name: "O", "dQ", "grad_Q"; "dO" is the cotangent to use
    Errors: ValueError for a name without a meaning, an input without an array, or shapes that do not fit.
    """
    found = _source.find(source, ".proof", "compare")
    bound, results = named(inputs, "compare"), named(theirs, "compare")
    tolerance = None if tolerance is None else float(tolerance)
    return of_strings(_threads.call(_core.compare, found.name, found.text, bound, results, tolerance))


class Judgement(Report):
    """The verdict on an answer to an exercise; a wrong answer gets a question first."""

    def __init__(self, found):
        super().__init__(found["verdict"], found["text"], json.loads(found["json"]))
        self.question, self.repair = found.get("question", ""), found["repair"]

    def __str__(self):
        return self._text + (self.question + "\n" if self.question else "")


def judge_exercise(exercise: str | int, answer: str) -> Judgement:
    """Judges an answer to an exercise of the library (see exercises()), by its number or name.

    ``.question`` is a first thought about a wrong answer, ``.repair`` what would be right.
    Errors: ValueError for an unknown exercise or an answer that cannot be read.
    """
    return Judgement(_threads.call(_core.judge, str(exercise), str(answer)))


def exercises() -> list[dict]:
    """The exercises of the library: dictionaries with number, name, title, forward and what is asked."""
    return [dict(zip(("number", "name", "title", "forward", "asked"), e, strict=True)) for e in _core.exercises()]


def attention_mistakes(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    dy: ArrayLike,
    mine: Arrays,
    *,
    mask: ArrayLike | None = None,
    past_key: ArrayLike | None = None,
    past_value: ArrayLike | None = None,
    **attrs: Any,
) -> Report:
    """Compares results of attention with the true ones, and names the mistake that explains each wrong one.

    mine    arrays by name: "y", "dq", "dk", "dv", "dmask", "weights"
    attrs   those of the op attention: causal, scale, softcap, window_left, window_right, q_heads, kv_heads, ...
    Shapes  q [B,H,L,D], k [B,H,S,D], v [B,H,S,E], dy [B,H,L,E].
    """
    given = {"q": q, "k": k, "v": v, "dy": dy, "mask": mask, "past_key": past_key, "past_value": past_value}
    inputs = named({name: array for name, array in given.items() if array is not None}, "attention_mistakes")
    results = named(mine, "attention_mistakes")
    is_float = inputs[0][1].dtype == np.float32
    return of_strings(_threads.call(_core.attention_mistakes, inputs, attrs, results, is_float))
