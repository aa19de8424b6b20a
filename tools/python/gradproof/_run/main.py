"""Runs a program on drawn inputs and tells what its lines computed.

Lines are told apart by where in the text they begin, in bytes. Arrays are asked as {shape, values, whole, differentiable}, and
answered as {shape, values, narrow}.
Asked: text, path and cases, each with lines, gradient_lines, inputs, fallbacks, incoming and gradients (arrays by name),
cotangent (an array, or None) and sizes.
Answered, for each case: python, values (by line {name, times}, times being arrays), changed (by line the return), again (lines
that compute something else where other calls came before or between), gradients (by name, what PyTorch and JAX get), handed
[{by, name, at, array}] (what functions return, objects keep and the module holds) and not_run [{name, lines, why, at}].
"""

import ast
import importlib
import json
import os
import sys
import traceback
import types

from . import again, arrays, calls, functions, handed, instrument, recorded


def answer(asked):
    """A list with what each case gives. What the program raises is told in it, SystemExit too."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(asked["path"])))
    text, path = asked["text"], asked["path"]
    cases = asked["cases"]
    out = [Run(text, path, case).answer() for case in cases]
    if out:  # one draw shows it as well as twelve
        out[0]["again"] = again.differing(Run(text, path, cases[0]), out[0]["values"])
    return out


def serve(asked, descriptor):
    """Answers as JSON to a descriptor, and ends: what the program left running is not waited for."""
    text = json.dumps(answer(asked))
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    os._exit(0)


class Run:
    """One draw: the program is loaded, and its functions are called."""

    def __init__(self, text, path, case):
        self.text, self.path, self.case = text, path, case
        self.told = recorded.Recorder()
        self.caller = None
        self.not_run = []
        self.functions = []
        self.handed = []

    def answer(self):
        try:
            self.load()
            self.call_all()
            self.told.pause()
            self.handed = handed.over(self)
            self.caller.pull_back()
        except BaseException as error:
            self._fails("", [], error)
        gradients = self.caller.gradients if self.caller else {}
        return {
            "python": ".".join(map(str, sys.version_info[:3])),
            "values": self.told.values,
            "changed": self.told.changed,
            "again": [],
            "gradients": {name: given for name, given in gradients.items() if given is not None},
            "handed": self.handed,
            "not_run": self.not_run,
        }

    def load(self):
        """The module of the program, with the inputs under their names."""
        case = self.case
        code, tree = instrument.instrumented(self.text, self.path, set(case["lines"]), set(case["inputs"]))
        imported = _imports(tree)
        _prepare(imported.values())
        module = types.ModuleType("__main__" if instrument.is_asked_of_main(tree, self.text, case["lines"]) else "program")
        module.__file__ = self.path
        sys.modules[module.__name__] = module
        scope = module.__dict__
        library = functions.library_of(tree, imported)
        given = {**case["inputs"], **case["incoming"]}
        self.told.inputs = {name: arrays.drawn(array, library) for name, array in given.items()}
        scope.update({**case["sizes"], **self.told.inputs, instrument.TOLD: self.told})
        exec(code, scope)
        self.caller = calls.Caller(case, scope, self.path)
        self.functions = functions.functions_of(tree, self.text, case["lines"])

    def call_all(self):
        """Each function as soon as all that it is given is known."""
        waiting = self.functions
        while waiting:
            left = []
            for function in waiting:
                self.told.begin()
                try:
                    self.caller.call(function)
                except calls.NotRun as why:
                    left.append((function, str(why)))
                except BaseException as error:
                    self._fails(function.name, function.lines, error)
            if len(left) == len(waiting):
                self.not_run += [{"name": f.name, "lines": f.lines, "why": why, "at": None} for f, why in left]
                break
            waiting = [function for function, _ in left]

    def _fails(self, name, lines, error):
        at = error.lineno if isinstance(error, SyntaxError) and error.filename == self.path else None
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == self.path:
                at = frame.lineno
        why = f"{type(error).__name__}: {error}".split("\n")[0][:300].removesuffix(": ")
        where = None if at is None else instrument.starts_of_lines(self.text)[at - 1]
        self.not_run.append({"name": name, "lines": lines, "why": why, "at": where})


def _imports(tree):
    """The libraries of arrays that it imports, by the names it has for them."""
    out = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] in ("numpy", "torch", "jax"):
                    out[name.asname or name.name] = importlib.import_module(name.name.split(".")[0])
    return out


def _prepare(modules):
    """Numbers are doubles, so that what is compared is the formula, and each line has its own."""
    for module in modules:
        if module.__name__ == "torch":
            module.set_default_dtype(module.float64)
        if module.__name__ == "jax":
            module.config.update("jax_enable_x64", True)
            module.config.update("jax_disable_jit", True)  # what is traced has no values
