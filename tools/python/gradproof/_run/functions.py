"""The functions of a program in which lines stand that were asked for."""

import ast
import inspect

from . import instrument


class Function:
    """A function of the module or a method of `owner`, a class of it; `lines`: those of its own that were asked for."""

    def __init__(self, node, owner, lines):
        self.node, self.owner, self.lines = node, owner, lines
        self.called = {last_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}

    @property
    def name(self):
        return self.node.name if self.owner is None else f"{self.owner.name}.{self.node.name}"


def last_name(node):
    """c of a.b.c; "" of what is no name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def functions_of(tree, text, offsets):
    """Those in which one of the lines stands, each before those that it calls."""
    lines, found = instrument.lines_of(text, offsets), []
    for node in tree.body:
        owner = node if isinstance(node, ast.ClassDef) else None
        for part in owner.body if owner else [node]:
            if isinstance(part, ast.FunctionDef):
                own = [at for line in range(part.lineno, part.end_lineno + 1) for at in lines.get(line, [])]
                if own:
                    found.append(Function(part, owner, own))
    return sorted(found, key=lambda f: sum(f.node.name in other.called for other in found if other is not f))


def library_of(node, scope):
    """Which library the arrays are of that a part of the program works on: "numpy", "torch" or "jax"."""
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    for names in (used, set(scope)):
        values = [scope[name] for name in names if name in scope]
        modules = {value.__name__.split(".")[0] for value in values if inspect.ismodule(value)}
        for library in ("torch", "jax", "numpy"):
            if library in modules:
                return library
    return "numpy"
