"""What a program hands over: what its functions return, and what its objects and the module hold after the calls."""

import ast

from . import arrays, instrument, recorded


def over(run):
    """[{by, name, at, array}]: what is handed over by whom, and under which name: W of self.W, grad_W of grads["W"], else "".

    `at`: the line of the return, of what has to be a gradient; else None. `array` is None of a name that stands for None where it
    is returned.
    """
    out = []
    for function in run.functions:
        called = any(function.node.name in other.called for other in run.functions if other is not function)
        if run.caller.goes_back(function) and not called:  # what a helper returns is another in each call
            out += _returned(run, function)
    for name, made in run.caller.objects().items():
        out += _held(f"{name} keeps", getattr(made, "__dict__", {}))
    drawn = {*run.case["inputs"], *run.case["incoming"], *run.case["sizes"]}
    own = {name: value for name, value in run.caller.scope().items() if name not in drawn and not name.startswith("__")}
    return out + _held("the module holds", own)


def _returned(run, function):
    """But for values that lines of the function compute and that are no gradients."""
    returned, node = run.caller.returned_by(function)
    if node is None:
        return []
    by, at = f"{function.name} returns", instrument.starts_of_lines(run.text)[node.lineno - 1]
    values = [told["times"][-1] for line, told in run.told.values.items() if _is_beside(run, function, line)]
    out = []
    for part, value in _parts(node, returned):
        if isinstance(value, dict):
            of_gradients = "grad" in ast.unparse(part).lower()
            out += _named(by, _entries("grads" if of_gradients else "returned", value))
            continue
        name = recorded.name_of(ast.unparse(part)) if _returns_once(function) and instrument.is_plain(part) else ""
        if value is None and name:
            out.append({"by": by, "name": name, "at": None, "array": None})
        arrays_of = [array for array in _arrays(value) if not any(arrays.same(array, other) for other in values)]
        out += [{"by": by, "name": name, "at": at, "array": array} for array in arrays_of]
    return out


def _is_beside(run, function, line):
    return line in function.lines and line not in run.case["gradient_lines"]


def _returns_once(function):
    return sum(isinstance(part, ast.Return) for part in ast.walk(function.node)) == 1


def _parts(node, returned):
    """What stands behind return, with the values."""
    several = isinstance(node, ast.Tuple | ast.List) and isinstance(returned, tuple | list) and len(node.elts) == len(returned)
    return zip(node.elts, returned, strict=True) if several else [(node, returned)]


def _arrays(value):
    """Of a tuple those of its parts."""
    if isinstance(value, tuple):
        return [array for part in value for array in _arrays(part)]
    array = arrays.plain(value)
    return [] if array is None else [array]


def _held(by, values):
    """Under their names, and the entries of dicts."""
    entries = [entry for name, value in values.items() if isinstance(value, dict) for entry in _entries(name, value)]
    return _named(by, [*values.items(), *entries])


def _entries(name, values):
    return [(recorded.name_of(f"{name}[{key!r}]"), value) for key, value in values.items() if isinstance(key, str)]


def _named(by, values):
    plain = [(name, arrays.plain(value)) for name, value in values]
    return [{"by": by, "name": name, "at": None, "array": array} for name, array in plain if array is not None]
