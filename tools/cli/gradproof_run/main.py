"""Runs a program on drawn inputs and tells what its lines computed: one JSON object in, one out.

In: text, path and cases, each with lines, gradient_lines, inputs, fallbacks, incoming and gradients (each by name {shape, values,
whole, differentiable}), cotangent (such, or null) and sizes. Out, for each case: python, values (by offset in bytes, a list of
{shape, values, narrow}), changed (by offset the line of the return) and not_run [{name, lines, why}].
"""

import ast
import importlib
import os
import sys
import traceback
import types

from gradproof_run import calls, instrument, recorded


def main(asked):
    sys.path[0:0] = [os.path.dirname(os.path.abspath(asked["path"]))]
    return [run({**case, "text": asked["text"], "path": asked["path"]}) for case in asked["cases"]]


def run(asked):
    told = recorded.Recorder()
    not_run = []
    try:
        _run(asked, told, not_run)
    except BaseException as error:  # of the program's module, exit() included
        not_run.append({"name": "", "lines": [], "why": _why(error, asked["path"])})
    return {"python": ".".join(map(str, sys.version_info[:3])), "values": told.values, "changed": told.changed, "not_run": not_run}


def _run(asked, told, not_run):
    code, tree = instrument.instrumented(asked["text"], asked["path"], set(asked["lines"]), set(asked["inputs"]))
    _set_precision(tree)
    module = types.ModuleType("program")
    module.__file__ = asked["path"]
    sys.modules["program"] = module
    scope = module.__dict__
    library = calls.library_of(tree, {name: module for name, module in _imports(tree).items() if module})
    caller = calls.Caller(asked, scope)
    for name in {**asked["inputs"], **asked["incoming"]}:
        scope[name] = caller.value_of(name, library)
    scope[instrument.TOLD] = told
    exec(code, scope)
    waiting = calls.functions_of(tree, set(asked["lines"]))
    while waiting:
        left = []
        for function in waiting:
            told.begin()
            try:
                caller.call(function)
            except calls.NotRun as why:
                left.append((function, str(why)))
            except BaseException as error:
                not_run.append({"name": function.name, "lines": sorted(function.lines), "why": _why(error, asked["path"])})
        if len(left) == len(waiting):
            not_run += [{"name": f.name, "lines": sorted(f.lines), "why": why} for f, why in left]
            break
        waiting = [function for function, _ in left]


def _imports(tree):
    out = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] in ("numpy", "torch", "jax"):
                    out[name.asname or name.name] = importlib.import_module(name.name.split(".")[0])
    return out


def _set_precision(tree):
    """Numbers are doubles, so that what is compared is the formula."""
    for module in _imports(tree).values():
        if module.__name__ == "torch":
            module.set_default_dtype(module.float64)
        if module.__name__ == "jax":
            module.config.update("jax_enable_x64", True)


def _why(error, path):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    at = f"line {lines[-1]}: " if lines else ""
    return f"{at}{type(error).__name__}: {error}".split("\n")[0][:300]
