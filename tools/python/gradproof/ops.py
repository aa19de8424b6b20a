"""Every op of the engine as a function: gradproof.ops.softmax(x, axis=0). Made from the registry, with its formulas as docstring.

Inputs are tensors, arrays or numbers; what is a tensor on a tape is recorded there. Attributes are given by name.
"""

import difflib
import inspect

from . import _core
from .tensor import _FAST, run

_PAGES = {op["name"]: op for op in _core.ops()}
__all__ = sorted(_PAGES)


def _docstring(op):
    lines = [f"{op['forward']}", "", f"backward  {op['backward']}"]
    if op["defaults"]:
        lines.append(f"attrs     {op['defaults']}")
    if op["saves"]:
        lines.append(f"saves     {op['saves']}")
    lines.append(f"source    {op['source']}")
    return "\n".join(lines)


def _inputs(op):
    """The names of its inputs, and how many of them are required."""
    words = op["inputs"].split()
    return [word.rstrip("?").removesuffix("...") for word in words], sum(not word.endswith("?") for word in words)


def _signature(op):
    names, required = _inputs(op)
    kinds, parameters = inspect.Parameter, []
    for i, name in enumerate(names):
        parameters.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if i < required else None))
    for name, value in op["attrs"].items():
        parameters.append(kinds(name, kinds.KEYWORD_ONLY, default=value))
    return inspect.Signature(parameters)


def _function(op):
    names, required = _inputs(op)
    text, fast = op["inputs"] or "none", _FAST[op["name"]]

    def function(*inputs, **attrs):
        if not attrs and required <= len(inputs) <= len(names) and (out := fast(*inputs)) is not None:
            return out
        inputs = list(inputs)
        given = {name: attrs.pop(name) for name in names if name in attrs}
        if given:
            if any(name in given for name in names[: len(inputs)]):
                raise TypeError(f"{op['name']}: an input is given twice; its inputs are {text}")
            inputs += [given.get(name) for name in names[len(inputs) :]]
            while len(inputs) > required and inputs[-1] is None:
                inputs.pop()
        if "..." in text:
            inputs = list(inputs[0]) if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else inputs
        elif not required <= len(inputs) <= len(names):
            raise TypeError(f"{op['name']}: got {len(inputs)} inputs, expected {text}")
        return run(op["name"], inputs, attrs)

    function.__name__ = function.__qualname__ = op["name"]
    function.__module__, function.__doc__, function.__signature__ = __name__, _docstring(op), _signature(op)
    return function


_FUNCTIONS = {name: _function(op) for name, op in _PAGES.items()}


def __getattr__(name):
    near = difflib.get_close_matches(name, _FUNCTIONS, 1)
    hint = f"; did you mean {near[0]}" if near else ""
    raise AttributeError(f"gradproof.ops: no op is called {name}{hint}")


def __dir__():
    return __all__


globals().update(_FUNCTIONS)  # nothing above uses a word of Python that an op is called by, such as sum and max
