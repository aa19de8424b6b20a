"""Programs with one slip: a name, an operator, a number, an argument or a line is another, is left out or stands elsewhere."""

import ast
import copy

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow)
_COMPARISONS = (ast.Gt, ast.Lt, ast.GtE, ast.Eq, ast.NotEq)
_METHODS = ("sum", "mean", "max", "exp", "abs", "sqrt", "cumsum", "std", "var", "prod", "log", "sort", "sign", "tanh", "square")
_NUMBERS = (0, 1, 2, -1, 0.5, True, None)


class _Exchanged(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else self.generic_visit(node)


def _set(attribute, value):
    return lambda node: setattr(node, attribute, value)


def _swapped(at):
    def change(node):
        node.elts[at], node.elts[at + 1] = node.elts[at + 1], node.elts[at]

    return change


def _of_name(node, names):
    return [_set("id", other) for other in names if other != node.id] if node.id in names else []


def _of_attribute(node, attributes):
    out = [lambda x: x.value] if node.attr == "T" else []
    of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
    return out + [_set("attr", other) for other in attributes if of_self and other != node.attr]


def _of_call(node):
    out = [lambda x, j=j: x.keywords.pop(j) and None for j in range(len(node.keywords))]
    out += [lambda x, j=j: x.args[j] for j in range(len(node.args))]
    if isinstance(node.func, ast.Attribute):
        out += [lambda x, name=name: setattr(x.func, "attr", name) for name in _METHODS]
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "np"):
            out.append(lambda x: x.func.value)
    return out


def _of_sequence(node):
    def first_twice(x):
        x.elts[0] = copy.deepcopy(x.elts[1])

    return [*map(_swapped, range(len(node.elts) - 1)), lambda x: x.elts.reverse(), first_twice] if len(node.elts) > 1 else []


def _of_value(node):
    """What may be done to any value: its sign, its first entry, its transpose, what is positive of it, whole numbers."""

    def method(name, *arguments):
        return lambda x: ast.Call(ast.Attribute(copy.deepcopy(x), name, ast.Load()), list(arguments), [])

    def positive(x):
        return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "maximum", ast.Load()), [copy.deepcopy(x), ast.Constant(0)], [])

    out = [
        lambda x: ast.UnaryOp(ast.USub(), copy.deepcopy(x)),
        lambda x: ast.Attribute(copy.deepcopy(x), "T", ast.Load()),
        method("astype", ast.Name("int", ast.Load())),
        method("ravel"),
        positive,
    ]
    return (
        out
        if isinstance(node, ast.Tuple | ast.List)
        else [*out, lambda x: ast.Subscript(copy.deepcopy(x), ast.Constant(0), ast.Load())]
    )


def _changes(node, names, attributes):
    """Functions that change a copy of this node, or return what stands in its place."""
    out = []
    match node:
        case ast.BinOp():
            out += [_set("op", o()) for o in _OPERATORS if not isinstance(node.op, o)]
            out += [lambda x: x.left, lambda x: x.right, lambda x: ast.BinOp(x.right, x.op, x.left)]
        case ast.Name():
            out += _of_name(node, names)
        case ast.Attribute():
            out += _of_attribute(node, attributes)
        case ast.Call():
            out += _of_call(node)
        case ast.Constant(value=int() | float()):
            out += [_set("value", other) for other in (*_NUMBERS, node.value + 1) if other is not node.value]
        case ast.UnaryOp():
            out.append(lambda x: x.operand)
        case ast.Subscript(ctx=ast.Load()):
            out.append(lambda x: x.value)
        case ast.AugAssign():
            out.append(lambda x: ast.Assign([x.target], x.value, lineno=1))
            out += [_set("op", o()) for o in _OPERATORS if not isinstance(node.op, o)]
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript()]):
            out += [lambda x, o=o: ast.AugAssign(x.targets[0], o(), x.value) for o in (ast.Add, ast.Sub, ast.Mult)]
        case ast.Compare():
            out += [_set("ops", [o()]) for o in _COMPARISONS if not isinstance(node.ops[0], o)]
        case ast.Tuple() | ast.List():
            out += _of_sequence(node)
        case ast.Dict():
            out.append(lambda x: x.values.reverse())
    if (
        isinstance(node, ast.expr)
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and not isinstance(node, ast.Constant)
    ):
        out += _of_value(node)
    return out


def of_parts(text):
    """One part of a line is another; not of an __init__, which may set its parameters as it will."""
    tree = ast.parse(text)
    names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - {"np", "self"})
    attributes = sorted({n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"})
    initial = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name == "__init__" for n in ast.walk(f)}
    for at, node in enumerate(ast.walk(tree)):
        if id(node) in initial:
            continue
        for change in _changes(node, names, attributes):
            other = copy.deepcopy(tree)
            part = list(ast.walk(other))[at]
            new = change(part)
            if isinstance(new, ast.AST):
                other = _Exchanged(part, new).visit(other)
            yield text.split("\n")[0] + "\n" + ast.unparse(ast.fix_missing_locations(other)) + "\n"


def of_lines(text):
    """A line is left out, stands twice, elsewhere, or in the place of another."""
    lines = text.rstrip("\n").split("\n")

    def indent(line):
        return len(line) - len(line.lstrip())

    def joined(*parts):
        return "\n".join([line for part in parts for line in part]) + "\n"

    for a in range(1, len(lines)):
        yield joined(lines[:a], lines[a + 1 :])
        yield joined(lines[: a + 1], lines[a:])
        for b in range(1, len(lines)):
            if a == b or indent(lines[a]) != indent(lines[b]):
                continue
            rest = lines[:a] + lines[a + 1 :]
            yield joined(rest[:b], [lines[a]], rest[b:])
            yield joined(lines[:b], [lines[a]], lines[b + 1 :])
