"""The functions of a program in which the lines stand: which, with what arguments, and in which order they are called."""

import ast
import inspect

from gradproof_run import arrays


class NotRun(Exception):
    """Why a function cannot be called."""


class Function:
    """A function or method whose own lines were asked for."""

    def __init__(self, node, owner, lines):
        self.node, self.owner, self.lines = node, owner, lines
        self.called = {_last_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}

    @property
    def name(self):
        return self.node.name if self.owner is None else f"{self.owner.name}.{self.node.name}"


def _last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def functions_of(tree, lines):
    """Those of the module and of its classes in which one of `lines` stands, each before those that it calls."""
    found = []
    for node in tree.body:
        for part in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(part, ast.FunctionDef):
                own = {line for line in lines if part.lineno <= line <= part.end_lineno}
                if own:
                    found.append(Function(part, node if isinstance(node, ast.ClassDef) else None, own))
    return sorted(found, key=lambda f: sum(f.node.name in other.called for other in found if other is not f))


def library_of(node, scope):
    """Which library the arrays are of that a function works on: "numpy", "torch" or "jax"."""
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    for names in (used, set(scope)):
        values = [scope[name] for name in names if name in scope]
        modules = {value.__name__.split(".")[0] for value in values if inspect.ismodule(value)}
        for library in ("torch", "jax", "numpy"):
            if library in modules:
                return library
    return "numpy"


class Caller:
    """Calls the functions with what is drawn, and with what those before them computed and returned."""

    def __init__(self, asked, scope):
        self._asked, self._scope = asked, scope
        self._objects, self._known, self._kept = {}, {}, []

    def value_of(self, name, library):
        """Of an input, or of a gradient that comes in from outside; KeyError of others."""
        return arrays.drawn({**self._asked["inputs"], **self._asked["incoming"]}[name], library)

    def _gradient(self, name, library):
        """Of a parameter that is called as a gradient of a value is: dh, grad_h, h_grad."""
        for value, given in self._asked["gradients"].items():
            if name in (f"d{value}", f"d_{value}", f"grad_{value}", f"{value}_grad", f"dL_d{value}", f"g_{value}", f"g{value}"):
                return arrays.drawn(given, library)
        raise KeyError(name)

    def bind(self, parameters, library, takes_gradients, who):
        """The arguments by name. Errors: NotRun where nothing says what one is."""
        out, left = {}, []
        for name, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            try:
                out[name] = self._argument(name, parameter, library)
            except KeyError:
                left.append(name)
        gradient, kept = self._told_apart(left)
        if gradient is not None and takes_gradients and self._asked["cotangent"] is not None:
            out[gradient] = arrays.drawn(self._asked["cotangent"], library)
        if kept is not None and self._kept:
            out[kept] = self._kept[-1]
        for name in left:
            if name not in out:
                raise NotRun(f"nothing says what its {name} is")
        return {name: out[name] for name in parameters if name in out}

    def _told_apart(self, left):
        """Of parameters that nothing names, the gradient that comes in, and what the forward kept for later; None for neither."""
        if len(left) == 1:
            return (None, left[0]) if self._kept and not self._looks_like_gradient(left[0]) else (left[0], None)
        if len(left) == 2:
            for gradient, kept in (left, left[::-1]):
                if self._looks_like_gradient(gradient) and not self._looks_like_gradient(kept):
                    return gradient, kept
                if kept in ("cache", "ctx", "saved", "res", "residuals", "state", "context", "kept", "tape", "mem"):
                    return gradient, kept
        return None, None

    @staticmethod
    def _looks_like_gradient(name):
        return name.startswith(("d", "g", "upstream", "delta")) or name.endswith(("grad", "_bar"))

    def _argument(self, name, parameter, library):
        if name in self._asked["inputs"] or name in self._asked["incoming"]:
            return self.value_of(name, library)
        if name in self._known and not self._looks_like_gradient(name):
            return self._known[name]
        if parameter.default is not parameter.empty:
            return parameter.default
        if name in self._asked["fallbacks"]:
            return arrays.drawn(self._asked["fallbacks"][name], library)
        if name in self._asked["sizes"]:
            return self._asked["sizes"][name]
        if name in self._known:
            return self._known[name]
        return self._gradient(name, library)

    def object_of(self, owner, library):
        """An object of a class of the program, made once."""
        if owner.name not in self._objects:
            self._objects[owner.name] = self._made(self._scope[owner.name], library)
        return self._objects[owner.name]

    def _made(self, cls, library):
        own = cls.__init__ is not object.__init__
        parameters = dict(list(inspect.signature(cls.__init__).parameters.items())[1:]) if own else {}
        made = cls(**self.bind(parameters, library, False, cls.__name__))
        for name in self._asked["inputs"]:
            if hasattr(made, name) and name not in parameters:
                self._replace(made, name, self.value_of(name, library))
        return made

    @staticmethod
    def _replace(made, name, value):
        """What an object drew for itself."""
        old = getattr(made, name)
        if hasattr(old, "data") and hasattr(old, "requires_grad"):
            old.data = value
        else:
            setattr(made, name, value)

    def call(self, function):
        """Errors: NotRun; what the function raises."""
        library = library_of(function.owner or function.node, self._scope)
        takes_gradients = bool(function.lines & set(self._asked["gradient_lines"]))
        if function.owner is not None and self._is_autograd(function.owner):
            if function.node.name == "forward":
                self._apply(function)
            return
        target = self._scope[function.node.name] if function.owner is None else self._method(function, library)
        parameters = inspect.signature(target).parameters
        arguments = self.bind(parameters, library, takes_gradients, function.name)
        positional = [arguments[n] for n, p in parameters.items() if p.kind == p.POSITIONAL_ONLY and n in arguments]
        named = {n: a for n, a in arguments.items() if parameters[n].kind != inspect.Parameter.POSITIONAL_ONLY}
        self._keep(function, target(*positional, **named))

    def _method(self, function, library):
        kinds = {_last_name(part) for part in function.node.decorator_list}
        if kinds & {"staticmethod", "classmethod"}:
            return getattr(self._scope[function.owner.name], function.node.name)
        return getattr(self.object_of(function.owner, library), function.node.name)

    def _is_autograd(self, owner):
        cls = self._scope.get(owner.name)
        bases = cls.__mro__[1:] if inspect.isclass(cls) else ()
        return any(base.__name__ == "Function" and base.__module__.startswith("torch") for base in bases)

    def _apply(self, function):
        """A torch.autograd.Function, forth and back, as PyTorch does it."""
        cls = self._scope[function.owner.name]
        parameters = dict(list(inspect.signature(cls.forward).parameters.items())[1:])
        arguments = list(self.bind(parameters, "torch", False, function.name).values())
        for name, value in zip(parameters, arguments, strict=False):
            if self._asked["inputs"].get(name, {}).get("differentiable"):
                value.requires_grad_(True)
        out = cls.apply(*arguments)
        first = out[0] if isinstance(out, tuple) else out
        if self._asked["cotangent"] is None:
            first.backward()
        else:
            first.backward(arrays.drawn(self._asked["cotangent"], "torch").reshape(first.shape))

    def _keep(self, function, returned):
        """What a function returned, for those below: each value by its name, and what is no array as what is kept for later."""
        value = next((part.value for part in reversed(function.node.body) if isinstance(part, ast.Return)), None)
        whole = [(value, returned)]
        several = isinstance(value, ast.Tuple) and isinstance(returned, tuple)
        for node, part in zip(value.elts, returned, strict=False) if several else whole:
            if isinstance(node, ast.Name):
                self._known[node.id] = part
            if isinstance(part, list | tuple | dict) or (part is not None and arrays.plain(part) is None):
                self._kept.append(part)
