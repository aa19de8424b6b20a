"""How a kernel is called in NumPy, PyTorch and JAX: arrays in, a recorded call out whose backward can be asked for.

kernel = kernel_of(forward, backward, framework=None)      # finds out what was given
call = kernel.record([array, ...], {})                     # its forward
call.y, call.pull(dy)                                      # NumPy arrays; a gradient for each input, None where there is none
"""

import inspect
import re
import sys

import numpy as np

from ._c_kernel import CKernel, is_c_function
from ._jax_kernel import JaxKernel
from ._kernel import Kernel, KernelFault, Recorded
from ._second import NotOffered
from ._types import TYPES


class TorchKernel(Kernel):
    """The same on tensors; without a backward, what autograd makes of the forward."""

    framework = "torch"
    layouts = ("columns first", "every second element")
    has_backward = True
    is_differentiated = property(lambda self: self.backward is None)

    def __init__(self, forward, backward, name=None):
        import torch

        self.torch, self.function = torch, None
        if _is_torch(forward):
            self.function, self.skipped = forward, 0 if self._new_style(forward) else 1  # ctx
            super().__init__(forward.forward, None, name or forward.__name__)
            self.forward = forward.apply
        else:
            super().__init__(_described(forward, torch) or forward, backward, name)

    def choose_outputs(self, most, axis=None, alone=None):
        super().choose_outputs(most, axis, alone)
        self.chosen = None

    def _new_style(self, function):
        """Whether its forward takes the inputs alone, and setup_context what is saved."""
        given, inherited = (getattr(f, "setup_context", None) for f in (function, self.torch.autograd.Function))
        return given is not inherited

    def fix(self, attrs):
        """Those of an autograd function stand in their places among the inputs, for apply takes nothing by name."""
        if self.function is None:
            return super().fix(attrs)
        names = list(inspect.signature(self.function.forward).parameters)[self.skipped :]
        for name in attrs:
            if name not in names:
                raise ValueError(f"check_kernel: attrs has {name!r}, the forward takes {', '.join(names)}")

        def forward(*x):
            rest, given = list(x), []
            for name in names:
                if name in attrs:
                    given.append(attrs[name])
                elif rest:
                    given.append(rest.pop(0))
                else:
                    break  # the rest has defaults
            return self.function.apply(*given, *rest)

        self.forward, self.required = forward, [name for name in self.required if name not in attrs]
        self.most_inputs -= len(attrs)
        return None

    def _integer(self, a):
        if isinstance(a, self.torch.Tensor):
            return a.detach().clone()
        return self.torch.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a

    def takes(self, attrs):
        return self.function is None and super().takes(attrs)

    def _given(self, function, attrs):
        return {} if self.function is not None else super()._given(function, attrs)

    def _seen(self, stored):
        return self.torch.from_numpy(stored).view(getattr(self.torch, self.type.name))

    def spread(self, value, like):
        return self._seen(self.type.stored(value)).expand(like.shape)

    def to_numpy(self, a, what):
        if not isinstance(a, self.torch.Tensor):
            raise KernelFault(f"{what} is a {type(a).__name__}, expected a tensor of PyTorch")
        if a.device.type != "cpu":
            raise KernelFault(f"{what} is on {a.device}, expected a tensor in this machine's memory")
        if a.layout is not self.torch.strided:
            raise KernelFault(f"{what} is sparse ({a.layout}), expected a dense tensor")
        name = str(a.dtype).removeprefix("torch.")
        if name not in TYPES:
            raise KernelFault(f"{what} has elements of type {a.dtype}, expected floats")
        return self._held((a.float() if name == "bfloat16" else a).numpy(force=True), name, what)

    def _leaves(self, x, needs=None):
        """Tensors of the same memory that autograd differentiates by, and the numbers of those that are asked for."""
        needs = [self.is_asked(i) for i in range(len(x))] if needs is None else needs
        leaves = [None if a is None else a.detach().requires_grad_(needs[i]) for i, a in enumerate(x)]
        return leaves, [i for i, a in enumerate(leaves) if a is not None and a.requires_grad]

    def record(self, x, attrs, needs=None):
        if self.backward is not None:
            return super().record(x, attrs)
        leaves, asked = self._leaves(x, needs)
        result = self._outputs(leaves, attrs)
        y = self._joined(result)

        def pull(dy):
            if not y.requires_grad:
                raise KernelFault("y has no gradient: the forward leaves the graph of autograd")
            call.raw = [None] * len(x)
            found = self._guarded("the backward", self._autograd, y, [leaves[i] for i in asked], dy)
            for i, g in zip(asked, found, strict=True):
                call.raw[i] = g
                if g is None:
                    self.absent.add(i)
            return [None if g is None else self._checked(g, f"d({self.input_name(i)})") for i, g in enumerate(call.raw)]

        call = Recorded(self._checked(y, "y"), pull, result[self.chosen[0]] if self.chosen else y)
        return call

    def value(self, x, attrs):
        if self.backward is not None:
            return super().value(x, attrs)
        with self.torch.no_grad():
            return self._checked(self._joined(self._outputs(x, attrs)), "y")

    def _outputs(self, leaves, attrs):
        """What the forward returns. Of several outputs those are chosen that floats are, and that autograd differentiates."""
        result = self._guarded(self.called, self.forward, *self._filled(leaves), **self._given(self.forward, attrs))
        if not isinstance(result, (tuple, list)):
            self.chosen = None
            return result
        if self.chosen is None:
            free = [None if a is None else a.detach().requires_grad_() for a in leaves]
            with self.torch.enable_grad():
                all_of = self._guarded(self.called, self.forward, *self._filled(free), **self._given(self.forward, attrs))
            tensors = [i for i, a in enumerate(all_of) if isinstance(a, self.torch.Tensor)]
            kept = [i for i in tensors if all_of[i].requires_grad]
            self.constant = {i for i in tensors if i not in kept}
            self.chosen = self._chosen(kept, all_of)
        return result

    def _joined(self, result):
        """y: the output, or those that are chosen of several, end to end."""
        if self.chosen is None:
            return result
        if len(self.chosen) == 1:
            return result[self.chosen[0]]
        if self.axis is not None:
            return self.torch.cat([result[i] for i in self.chosen], dim=self.axis)
        return self.torch.cat([result[i].reshape(-1) for i in self.chosen])

    def accumulated(self, x, attrs, cotangents, before):
        """The .grad of the inputs, which hold `before`, after a forward for each cotangent and one backward through all."""
        leaves, asked = self._leaves(x)
        for i in asked:
            leaves[i].grad = self.array(before[i])
        ys = [self._joined(self._outputs(leaves, attrs)) for _ in cotangents]
        self._guarded("the backward", self.torch.autograd.backward, ys, [self.array(u) for u in cotangents])
        return [self._checked(leaves[i].grad, f"gradient {i}") if i in asked else None for i in range(len(x))]

    def second(self, x, attrs, u, v):
        """The derivative of <gradients, v> by each input and by u. Errors: NotOffered."""
        leaves, asked = self._leaves(x)
        u = u.detach().requires_grad_()
        y = self._joined(self._outputs(leaves, attrs))
        try:
            first = self.torch.autograd.grad(y, [leaves[i] for i in asked], u, create_graph=True, allow_unused=True)
            terms = [(g * v[i]).sum() for i, g in zip(asked, first, strict=True) if g is not None and g.requires_grad]
            if not terms:
                raise NotOffered("none are offered: the backward leaves the graph of autograd")
            sum(terms).backward()  # not grad(): that would not come by what once_differentiable leaves in the graph
        except (RuntimeError, NotImplementedError, ValueError, TypeError) as error:
            raise NotOffered(f"none are offered: {str(error).strip().splitlines()[0][:200]}") from None
        of = [*((a if i in asked else None) for i, a in enumerate(leaves)), u]
        return [None if a is None else np.zeros(a.shape) if a.grad is None else a.grad.double().numpy(force=True) for a in of]

    def overwrite(self, a):
        with self.torch.no_grad():
            a.detach().mul_(0.5).add_(1)
        return True

    def shares(self, a, b):
        return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()

    def _autograd(self, y, wanted, dy):
        try:
            return self.torch.autograd.grad(y, wanted, dy, retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            said = re.search(r"invalid gradient at index (\d+) - got (\[.*?\]) but expected .* (\[.*?\])", str(error))
            if said is None or len(wanted) < len(self.required):
                raise
            raise KernelFault(f"d({self.input_name(int(said[1]))}) is {said[2]}, expected {said[3]}") from None


def _is_torch(function):
    torch = sys.modules.get("torch")
    return torch is not None and inspect.isclass(function) and issubclass(function, torch.autograd.Function)


def _is_jax(function):
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(function, (jax.custom_vjp, jax.custom_jvp))


_KERNELS = {"numpy": Kernel, "torch": TorchKernel, "jax": JaxKernel}


def _is_custom_op(function):
    """Whether it is an op of torch.library: what custom_op makes, or torch.ops.NAMESPACE.NAME."""
    return type(function).__module__ in ("torch._ops", "torch._library.custom_ops")


def _described(op, torch):
    """An op of torch.library as a function with its arguments by name; None for anything else."""
    if not _is_custom_op(op):
        return None
    overload = getattr(op, "_opoverload", None) or (op if hasattr(op, "_schema") else op.default)
    kinds = inspect.Parameter
    parameters = [
        kinds(
            a.name,
            kinds.KEYWORD_ONLY if a.kwarg_only else kinds.POSITIONAL_OR_KEYWORD,
            default=a.default_value if a.has_default_value() else kinds.empty,
        )
        for a in overload._schema.arguments
    ]

    def call(*x, **attrs):
        return overload(*x, **attrs)

    call.__name__, call.__signature__ = overload._schema.name, inspect.Signature(parameters)
    if (written := getattr(op, "_init_fn", None)) is not None:
        call.__wrapped__ = written  # where its source stands
    return call


def kernel_of(forward, backward, framework, name=None, signature=None, outputs=None):
    """The kernel that was given. Errors: TypeError, ValueError for what is none."""
    kernel = _kernel_of(forward, backward, framework, name, signature)
    if outputs is None:
        return kernel
    names = outputs.replace(",", " ").split() if isinstance(outputs, str) else list(outputs)
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"check_kernel: outputs is {outputs!r}, expected the names of the outputs, ['y', 'r']")
    if signature is not None and names != (kernel.output_names or [kernel.y.name]):
        written = ", ".join(kernel.output_names or [kernel.y.name])
        raise ValueError(f"check_kernel: outputs is {outputs!r}, and the signature has a cotangent for {written}")
    kernel.output_names = names if len(names) > 1 else []
    return kernel


def _kernel_of(forward, backward, framework, name, signature):
    if getattr(forward, "__name__", "") == "apply" and _is_torch(getattr(forward, "__self__", None)):
        forward = forward.__self__  # MyFunction.apply
    if signature is not None:
        return CKernel(forward, backward, signature, name)
    if is_c_function(forward) or type(forward).__name__ == "PyCapsule":
        raise TypeError("check_kernel: the forward is a C function; signature= has to say what it reads and writes")
    if not callable(forward):
        raise TypeError(f"check_kernel: the forward is a {type(forward).__name__}, expected a function")
    if backward is not None and not callable(backward):
        raise TypeError(f"check_kernel: the backward is a {type(backward).__name__}, expected a function or None")
    found = "torch" if _is_torch(forward) or _is_custom_op(forward) else "jax" if _is_jax(forward) else None
    if found and backward is not None:
        raise ValueError(f"check_kernel: {getattr(forward, '__name__', 'it')} has a backward of its own; leave backward out")
    if framework is not None and framework not in _KERNELS:
        raise ValueError(f"check_kernel: framework is {framework!r}, expected one of {', '.join(_KERNELS)}")
    return _KERNELS[framework or found or "numpy"](forward, backward, name)
