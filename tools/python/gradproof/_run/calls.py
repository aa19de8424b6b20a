"""Calls of the functions of a program, with what is drawn and with what those before them computed."""

import ast
import inspect
import itertools
import sys

from . import arguments, arrays
from .arguments import NotRun
from .functions import last_name, library_of


class Caller:
    """`scope`: the names of the program, once it is loaded; `path`: of its text."""

    def __init__(self, asked, scope, path):
        self._gradient_lines = set(asked["gradient_lines"])
        self._arguments = self._of_objects = arguments.Arguments(asked)
        self._scope, self._path, self._objects, self._returned = scope, path, {}, {}
        self.between = None  # called with an autograd.Function between its forward and its backward
        self.gradients = {}  # by names: what PyTorch and JAX get

    def beside(self, asked):
        """One with other inputs and objects of its own, of the same program."""
        return Caller(asked, self._scope, self._path)

    def use(self, asked):
        """Other inputs from here on; objects keep those that they are made with."""
        self._arguments = arguments.Arguments(asked)

    def call(self, function):
        """Errors: NotRun; what the function raises."""
        library = library_of(function.owner or function.node, self._scope)
        if function.owner is not None and self._is_autograd(function.owner):
            if function.node.name == "forward":  # and backward with it
                self._apply(function)
            return
        takes_gradients = self.goes_back(function)
        returned = self._called(self._target(function, library), library, takes_gradients)
        node = next((part.value for part in reversed(function.node.body) if isinstance(part, ast.Return)), None)
        self._arguments.keep(node, returned)
        self._returned[function.node.lineno] = returned, node
        for part in returned if isinstance(returned, tuple) else [returned]:
            if inspect.isfunction(part) and part.__code__.co_filename == self._path:  # a backward that closes over its forward
                self._called(part, library, True)

    def returned_by(self, function):
        """What it returned last, and the expression that says so; (None, None) where it was not called."""
        return self._returned.get(function.node.lineno, (None, None))

    def _called(self, target, library, takes_gradients):
        parameters = inspect.signature(target).parameters
        given = self._arguments.bind(parameters, library, takes_gradients)
        positional = [given.pop(name) for name, p in parameters.items() if p.kind == p.POSITIONAL_ONLY and name in given]
        return target(*positional, **given)

    def _target(self, function, library):
        """The function, or the method bound to an object."""
        if function.owner is None:
            return self._scope[function.node.name]
        cls = self._scope[function.owner.name]
        kinds = {last_name(part) for part in function.node.decorator_list}
        if kinds & {"staticmethod", "classmethod"}:
            return getattr(cls, function.node.name)
        if function.owner.name not in self._objects:
            self._objects[function.owner.name] = self._made(cls, library)
        return getattr(self._objects[function.owner.name], function.node.name)

    def _made(self, cls, library):
        """An object of a class, with what is drawn in the place of what it drew for itself. Errors: NotRun."""
        own = cls.__init__ is not object.__init__
        parameters = dict(list(inspect.signature(cls.__init__).parameters.items())[1:]) if own else {}
        try:
            made = cls(**self._of_objects.bind(parameters, library, False))
        except NotRun:
            made = self._of_sizes(cls, parameters, library)
        drawn = [name for name in self._of_objects.inputs() if name not in parameters and hasattr(made, name)]
        for a, b in itertools.combinations(drawn, 2):
            if arrays.are_one(getattr(made, a), getattr(made, b)):
                raise NotRun(f"its {a} and its {b} are one array")
        for name in drawn:
            self._replace(made, name, self._of_objects.input(name, library))
        return made

    def _of_sizes(self, cls, parameters, library):
        """One whose parameters are sizes under other names: those with which its arrays have the shapes of the inputs."""
        known, missing = {}, []
        for name, parameter in parameters.items():
            try:
                known |= self._of_objects.bind({name: parameter}, library, False)
            except NotRun as why:
                missing.append((name, why))
        sizes = sorted(set(self._of_objects.sizes().values()))
        for chosen in itertools.product(sizes, repeat=len(missing)) if len(missing) <= 3 else ():
            try:
                made = cls(**known, **dict(zip((name for name, _ in missing), chosen, strict=True)))
            except Exception:  # of other sizes
                continue
            shapes = {name: tuple(given["shape"]) for name, given in self._of_objects.inputs().items() if hasattr(made, name)}
            if shapes and all(tuple(getattr(getattr(made, name), "shape", ())) == shape for name, shape in shapes.items()):
                return made
        raise missing[0][1]

    @staticmethod
    def _replace(made, name, value):
        """What an object drew for itself."""
        old = getattr(made, name)
        if hasattr(old, "data") and hasattr(old, "requires_grad"):
            old.data = value
        else:
            setattr(made, name, value)

    def _is_autograd(self, owner):
        cls = self._scope.get(owner.name)
        bases = cls.__mro__[1:] if inspect.isclass(cls) else ()
        return any(base.__name__ == "Function" and base.__module__.startswith("torch") for base in bases)

    def _apply(self, function):
        """A torch.autograd.Function, forth and back, as PyTorch does it."""
        given, first = self._applied(function)
        if self.between is not None:
            self.between(function)
        cotangent = self._arguments.cotangent("torch")
        if isinstance(cotangent, float):
            cotangent = first.new_tensor(cotangent)
        first.backward(None if cotangent is None else cotangent.reshape(first.shape))
        for name, value in given.items():
            if self._arguments.is_differentiable(name):
                self.gradients[name] = arrays.plain(value.grad if value.grad is not None else 0 * value)

    def _applied(self, function):
        """What its apply is given, by name, and the first value that it gives."""
        cls = self._scope[function.owner.name]
        with_context = "setup_context" not in vars(cls)
        parameters = dict(list(inspect.signature(cls.forward).parameters.items())[with_context:])
        given = self._arguments.bind(parameters, "torch", False)
        for name, value in given.items():
            if self._arguments.is_differentiable(name):
                value.requires_grad_(True)
        out = cls.apply(*given.values())
        return given, out[0] if isinstance(out, tuple) else out

    def forth(self, function):
        """What a function computes, without what goes back. Errors: as of call()."""
        if function.owner is not None and self._is_autograd(function.owner):
            if function.node.name == "forward":
                self._applied(function)
        else:
            self.call(function)

    def objects(self):
        """By the names of their classes."""
        return self._objects

    def scope(self):
        """The names of the module."""
        return self._scope

    def goes_back(self, function):
        return any(line in self._gradient_lines for line in function.lines)

    def pull_back(self):
        """What each jax.custom_vjp of the program gives, as JAX takes it."""
        jax = sys.modules.get("jax")
        for f in list(self._scope.values()):
            if jax is None or not isinstance(f, jax.custom_vjp) or getattr(f, "nondiff_argnums", ()):
                continue
            try:
                given = self._arguments.bind(inspect.signature(f).parameters, "jax", False)
            except NotRun:
                continue
            out, pulled = jax.vjp(f, *given.values())
            first = out[0] if isinstance(out, tuple) else out
            cotangent = self._arguments.cotangent("jax")
            if first is not out or (cotangent is None and first.shape):
                continue
            for name, gradient in zip(given, pulled(jax.numpy.asarray(1.0 if cotangent is None else cotangent)), strict=True):
                if self._arguments.is_differentiable(name):
                    self.gradients[name] = arrays.plain(gradient)
