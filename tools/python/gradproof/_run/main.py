"""Runs a program on drawn inputs and tells what its lines computed.

Lines are told apart by where in the text they begin, in bytes. Arrays are asked as {shape, values, whole, differentiable}, and
answered as {shape, values, narrow}.
Asked: text, path and cases, each with lines, gradient_lines, inputs, fallbacks, incoming and gradients (arrays by name),
cotangent (an array, or None) and sizes.
Answered, for each case: python, values (by line a list of arrays), changed (by line the return), gradients (by name, what
is returned so, or what PyTorch and JAX get) and not_run [{name, lines, why, at}].
"""

import ast
import importlib
import json
import os
import sys
import traceback
import types

from . import arrays, calls, functions, instrument, recorded


def answer(asked):
    """A list with what each case gives. What the program raises is told in it, SystemExit too."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(asked["path"])))
    return [_Run(asked["text"], asked["path"], case).answer() for case in asked["cases"]]


def serve(asked, descriptor):
    """Answers as JSON to a descriptor, and ends: what the program left running is not waited for."""
    text = json.dumps(answer(asked))
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    os._exit(0)


class _Run:
    def __init__(self, text, path, case):
        self._text, self._path, self._case = text, path, case
        self._told = recorded.Recorder()
        self._not_run = []
        self._gradients = {}

    def answer(self):
        try:
            self._call_all(*self._module())
        except BaseException as error:
            self._fails("", [], error)
        return {
            "python": ".".join(map(str, sys.version_info[:3])),
            "values": self._told.values,
            "changed": self._told.changed,
            "gradients": {name: given for name, given in self._gradients.items() if given is not None},
            "not_run": self._not_run,
        }

    def _module(self):
        """The program, run with the inputs under their names: its tree and its names."""
        case = self._case
        code, tree = instrument.instrumented(self._text, self._path, set(case["lines"]), set(case["inputs"]))
        imported = _imports(tree)
        _prepare(imported.values())
        module = types.ModuleType("__main__" if instrument.is_asked_of_main(tree, self._text, case["lines"]) else "program")
        module.__file__ = self._path
        sys.modules[module.__name__] = module
        scope = module.__dict__
        library = functions.library_of(tree, imported)
        given = {**case["inputs"], **case["incoming"]}
        self._told.inputs = {name: arrays.drawn(array, library) for name, array in given.items()}
        scope.update({**case["sizes"], **self._told.inputs, instrument.TOLD: self._told})
        exec(code, scope)
        return tree, scope

    def _call_all(self, tree, scope):
        """Each function as soon as all that it is given is known."""
        caller = calls.Caller(self._case, scope, self._path)
        waiting = functions.functions_of(tree, self._text, self._case["lines"])
        while waiting:
            left = []
            for function in waiting:
                self._told.begin()
                try:
                    caller.call(function)
                except calls.NotRun as why:
                    left.append((function, str(why)))
                except BaseException as error:
                    self._fails(function.name, function.lines, error)
            if len(left) == len(waiting):
                self._not_run += [{"name": f.name, "lines": f.lines, "why": why, "at": None} for f, why in left]
                break
            waiting = [function for function, _ in left]
        self._gradients = caller.gradients
        self._told.pause()
        caller.pull_back()

    def _fails(self, name, lines, error):
        at = error.lineno if isinstance(error, SyntaxError) and error.filename == self._path else None
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == self._path:
                at = frame.lineno
        why = f"{type(error).__name__}: {error}".split("\n")[0][:300].removesuffix(": ")
        where = None if at is None else instrument.starts_of_lines(self._text)[at - 1]
        self._not_run.append({"name": name, "lines": lines, "why": why, "at": where})


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
