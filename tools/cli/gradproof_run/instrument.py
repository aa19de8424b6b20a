"""A program that tells what its lines compute: its syntax tree with a call behind each line that was asked for."""

import ast

TOLD = "__gradproof__"


class _Telling(ast.NodeTransformer):
    def __init__(self, text, lines):
        self._lines = lines
        starts = [0]
        for line in text.encode().split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        self._starts = starts

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
        return ast.Expr(self._call("seen", ast.Constant(self._offset(node)), value, ast.Constant(source)))

    def _places(self, target):
        """What a target assigns to, as (node, expression): of dx[t] the whole dx, of grads["W"] that entry."""
        if isinstance(target, ast.Tuple | ast.List):
            return [place for part in target.elts for place in self._places(part)]
        if isinstance(target, ast.Starred):
            return self._places(target.value)
        base = target
        while isinstance(base, ast.Subscript) and not isinstance(base.slice, ast.Constant):
            base = base.value
        return [(target, base)] if isinstance(base, ast.Name | ast.Attribute | ast.Subscript) else []

    def _behind(self, node):
        if isinstance(node, ast.Assign):
            places = [place for target in node.targets for place in self._places(target)]
        elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
            places = self._places(node.target)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value  # np.add.at(dE, ids, dx); hs.append(h); dW.add_(x)
            changed = call.args[:1]
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
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
        return ast.Expr(self._call("ends", ast.Constant(line), ast.Call(ast.Name("locals", ast.Load()), [], [])))

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if self._is_asked_for(node):
            node.body.append(self._ends(node.end_lineno))
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


def instrumented(text, name, lines, without):
    """The code of the text, with calls of TOLD behind `lines`; lines of the module that assign names of `without` are left out.

    Also its tree as it stood, for who looks for its functions. Errors: SyntaxError.
    """
    tree = ast.parse(text, name)
    as_written = ast.parse(text, name)
    tree.body = [node for node in tree.body if not _assigns_only(node, without)]
    telling = _Telling(text, lines).visit(tree)
    return compile(ast.fix_missing_locations(telling), name, "exec"), as_written


def _assigns_only(node, names):
    if not isinstance(node, ast.Assign):
        return False
    targets = [part for target in node.targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return all(isinstance(target, ast.Name) and target.id in names for target in targets)
