"""What the parameters of a function are given: drawn inputs, gradients, and what was computed and kept before."""

import ast
import inspect

from . import arrays

_PARAMETERS = ("params", "parameters", "weights", "model", "theta")
_SETTINGS = ("config", "cfg", "hparams", "opts", "options", "settings")
_KEPT = ("cache", "caches", "ctx", "saved", "res", "residuals", "state", "context", "kept", "tape", "mem", "memory")
_STEPS = ("lr", "learning_rate", "eta", "step_size", "rate", "momentum")  # of updates, which nothing judges


class NotRun(Exception):
    """Why a function cannot be called."""


class Arguments:
    """`asked`: as main.py takes it."""

    def __init__(self, asked):
        self._asked = asked
        self._returned = {}  # by the names that returns give them
        self._kept = []  # what was returned and is no array, or is the second of two
        self._context = Context()
        self._passed = set()  # inputs that are parameters of their own

    def input(self, name, library):
        """A drawn input, or a gradient that comes in from outside. Errors: KeyError."""
        return arrays.drawn({**self._asked["inputs"], **self._asked["incoming"]}[name], library)

    def inputs(self):
        return self._asked["inputs"]

    def parameters(self):
        """The names of inputs with gradients that no function was given by themselves: those of a dict of parameters."""
        return [name for name in self.inputs() if self.is_differentiable(name) and name not in self._passed]

    def sizes(self):
        return self._asked["sizes"]

    def is_differentiable(self, name):
        return self._asked["inputs"].get(name, {}).get("differentiable", False)

    def fallback(self, name, library):
        """What the reading knows of it. Errors: KeyError."""
        return arrays.drawn(self._asked["fallbacks"][name], library)

    def cotangent(self, library):
        """The gradient of the last value; None where a loss is stated."""
        given = self._asked["cotangent"]
        return None if given is None else arrays.drawn(given, library)

    def keep(self, node, returned):
        """What a function returned by `node`, for those below."""
        if isinstance(node, ast.Name):
            self._returned[node.id] = returned
        if isinstance(node, ast.Tuple) and isinstance(returned, tuple | list) and len(node.elts) == len(returned):
            for part, value in zip(node.elts, returned, strict=True):
                self.keep(part, value)
        several = isinstance(returned, tuple) and isinstance(node, ast.Tuple)
        values = list(returned) if several else [returned]
        for i, value in enumerate(values):
            is_cache = isinstance(value, list | tuple | dict) or (value is not None and arrays.plain(value) is None)
            if is_cache or (i == 1 and len(values) == 2):  # return out, x
                self._kept.append(value)

    def named(self, name, library):
        """An input, or what the reading knows of it. Errors: KeyError."""
        return self.input(name, library) if name in self._asked["inputs"] else self.fallback(name, library)

    def bind(self, parameters, library, takes_gradients):
        """By name, in their order. Errors: NotRun where nothing says what one is."""
        out, left = {}, []
        for name, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            try:
                out[name] = self._argument(name, parameter, library)
            except KeyError:
                left.append(name)
        gradient, kept = self._told_apart(left)
        if gradient is not None and takes_gradients and (cotangent := self.cotangent(library)) is not None:
            out[gradient] = cotangent
        if kept is not None and self._kept:
            out[kept] = self._kept[-1]
        for name in left:
            if name not in out:
                raise NotRun(f"nothing says what its {name} is")
        return {name: out[name] for name in parameters if name in out}

    def _argument(self, name, parameter, library):
        if name in self._asked["inputs"] or name in self._asked["incoming"]:
            self._passed.add(name)
            return self.input(name, library)
        if name in self._returned and not _looks_like_gradient(name):
            return self._returned[name]
        if parameter.default is not inspect.Parameter.empty:
            return parameter.default
        if name in self._asked["fallbacks"]:
            return self.fallback(name, library)
        if name in self._asked["sizes"]:
            return self._asked["sizes"][name]
        if name in _STEPS:
            return 0.1
        if name in _PARAMETERS or name in _SETTINGS or name.endswith(("_param", "_params", "_config")):
            return ByName(self, library)
        if name == "ctx":
            return self._context
        if name in self._returned:
            return self._returned[name]
        return arrays.drawn(self._asked["gradients"][name], library)

    @staticmethod
    def _told_apart(left):
        """Of parameters that nothing names, the gradient that comes in, and what the forward kept for later; None for neither."""
        if len(left) == 1:
            return (None, left[0]) if left[0] in _KEPT else (left[0], None)
        if len(left) == 2:
            for gradient, kept in (left, left[::-1]):
                if kept in _KEPT or (_looks_like_gradient(gradient) and not _looks_like_gradient(kept)):
                    return gradient, kept
        return None, None


def _looks_like_gradient(name):
    return name.startswith(("d", "g", "upstream", "delta")) or name.endswith(("grad", "_bar"))


class ByName(dict):
    """A dict of parameters or settings that has what is drawn under each name; its entries are attributes, too."""

    def __init__(self, arguments, library):
        super().__init__(mode="train")
        self._arguments, self._library = arguments, library

    def __missing__(self, name):
        self[name] = self._arguments.named(name, self._library)
        return self[name]

    def _filled(self):
        for name in self._arguments.parameters():
            self[name]  # drawn where it is missing
        return {name: value for name, value in super().items() if name != "mode"}

    def items(self):
        return self._filled().items()

    def keys(self):
        return self._filled().keys()

    def values(self):
        return self._filled().values()

    def __iter__(self):
        return iter(self._filled())

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Context:
    """What a forward keeps things in for its backward, where no framework gives it one."""

    needs_input_grad = (True,) * 32
    saved_tensors = ()

    def save_for_backward(self, *saved):
        self.saved_tensors = saved
