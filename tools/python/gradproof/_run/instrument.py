"""A program that tells what its lines compute: its syntax tree with a call behind each line that was asked for."""

import ast
import bisect

TOLD = "__gradproof__"


def starts_of_lines(text):
    """Where each line begins, in bytes."""
    starts = [0]
    for line in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def lines_of(text, offsets):
    """By the number of a line, from 1, the offsets that lie in it."""
    starts, out = starts_of_lines(text), {}
    for offset in sorted(offsets):
        out.setdefault(bisect.bisect_right(starts, offset), []).append(offset)
    return out


def is_asked_of_main(tree, text, offsets):
    """Whether a line stands in a block `if __name__ == "__main__":` of the module."""
    asked = lines_of(text, offsets)
    blocks = [node for node in tree.body if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)]
    return any(line in asked for node in blocks for line in range(node.lineno, node.end_lineno + 1))


class _Telling(ast.NodeTransformer):
    def __init__(self, text, offsets):
        self._lines = lines_of(text, offsets)
        self._starts = starts_of_lines(text)
        self._function = 0  # the line of its def

    def _offset(self, node):
        return self._starts[node.lineno - 1] + node.col_offset

    def _is_asked_for(self, node):
        return any(line in self._lines for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))

    def _call(self, method, *arguments):
        called = ast.Attribute(ast.Name(TOLD, ast.Load()), method, ast.Load())
        return ast.Call(called, list(arguments), [])

    def _seen(self, node, where):
        """Behind a line: what stands now where it assigned."""
        source = ast.unparse(where)
        value = ast.parse(source, mode="eval").body
        told = (ast.Constant(self._offset(node)), value, ast.Constant(self._function), ast.Constant(source))
        return ast.Expr(self._call("seen", *told))

    def _places(self, target):
        """What a target assigns to, as (node, expression): of dx[t] the whole dx, of grads["W"] that entry."""
        if isinstance(target, ast.Tuple | ast.List):
            return [place for part in target.elts for place in self._places(part)]
        if isinstance(target, ast.Starred):
            return self._places(target.value)
        base = target
        while isinstance(base, ast.Subscript) and not _is_key(base.slice):
            base = base.value
        return [(target, base)] if is_plain(base) else []

    def _behind(self, node):
        if isinstance(node, ast.Assign):
            places = [place for target in node.targets for place in self._places(target)]
        elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
            places = self._places(node.target)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value  # np.add.at(dE, ids, dx); hs.append(h); dW.add_(x)
            changed = call.args[:1]
            if isinstance(call.func, ast.Attribute):
                changed = [*changed, call.func.value]
            places = [(node, base) for part in changed for _, base in self._places(part)]
        else:
            return []
        return [self._seen(at, base) for at, base in places]

    def _block(self, body):
        out = []
        for node in body:
            asked = self._is_asked_for(node)
            behind = self._behind(node) if asked else []
            visited = self.visit(node)
            out += [*(visited if isinstance(visited, list) else [visited]), *behind]
        return out

    def generic_visit(self, node):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, field, None), list):
                setattr(node, field, self._block(body))
        for handler in getattr(node, "handlers", []):
            self.generic_visit(handler)
        for case in getattr(node, "cases", []):
            self.generic_visit(case)
        return node

    def _ends(self, line):
        scope = ast.Call(ast.Name("locals", ast.Load()), [], [])
        return ast.Expr(self._call("ends", ast.Constant(self._starts[line - 1]), ast.Constant(self._function), scope))

    def visit_FunctionDef(self, node):
        around, self._function = self._function, node.lineno
        self.generic_visit(node)
        if self._is_asked_for(node):
            node.body.append(self._ends(node.end_lineno))
        self._function = around
        return node

    def visit_Return(self, node):
        ends = self._ends(node.lineno)
        if node.value is None or not self._is_asked_for(node):
            return [ends, node]
        if isinstance(node.value, ast.Tuple | ast.List):
            node.value.elts = [self._returned(part, part) for part in node.value.elts]
        elif isinstance(node.value, ast.Dict):
            node.value.values = [self._returned(part, part) for part in node.value.values]
        else:
            node.value = self._returned(node.value, node)
        return [ends, node]

    def _returned(self, part, at):
        if isinstance(part, ast.Starred):
            return part
        return self._call("element", ast.Constant(self._offset(at)), part)


def _is_key(node):
    """Of "W" in grads["W"]."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_plain(node):
    """Of what can be read once more and changes nothing by that."""
    if isinstance(node, ast.Subscript):
        return _is_key(node.slice) and is_plain(node.value)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_plain(node.value))


def instrumented(text, name, offsets, inputs):
    """The code of the text, with calls of TOLD behind the lines at `offsets`, and its tree as it stood.

    What the module itself assigns to names of `inputs`, in other lines, is left out. Errors: SyntaxError.
    """
    marked = text.removeprefix("\ufeff")
    as_written, tree = ast.parse(marked, name), ast.parse(marked, name)
    asked = lines_of(text, offsets)
    tree.body = [part for node in tree.body for part in ([node] if node.lineno in asked else _with_inputs(node, inputs))]
    return compile(ast.fix_missing_locations(_Telling(text, offsets).visit(tree)), name, "exec"), as_written


def _with_inputs(node, inputs):
    """A line of the module, left out if it assigns inputs alone, and behind it those that it assigns as they were drawn."""
    if not isinstance(node, ast.Assign):
        return [node]
    assigned = [part for target in node.targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    names = [part.id for part in assigned if isinstance(part, ast.Name) and part.id in inputs]
    again = [ast.parse(f"{name} = {TOLD}.inputs[{name!r}]").body[0] for name in names]
    return [*([] if len(names) == len(assigned) else [node]), *again]
