"""How a kernel is called in JAX: compiled, where that gives the same, and what JAX says of it in a sentence."""

import contextlib
import inspect
import re

import numpy as np

from ._kernel import Kernel, KernelFault, Recorded
from ._second import NotOffered

UNITS = 256  # of rounding of the largest entry that what is compiled may differ by
OTHER_VALUE = (
    "y is another one where it is differentiated: the rule of defvjp or defjvp computes {} where the function computes {}; "
    "both have to be the same"
)
NOT_LINEAR = "the backward cannot be had of a rule of defjvp that is not linear in the tangent"
AFFINE = "the tangent of y is not 0 for tangents of zeros: the rule of defjvp is not linear in them"
LEAKED = "{} uses what was kept outside of what the rules return and are given: a tracer of another trace"
FLOAT32_ALONE = 'float64 is asked under jax_enable_x64, which is off here: of a kernel for float32 alone say dtype="float32"'
NOT_DIFFERENTIATED = (
    "check_kernel: {0} stands in nondiff_argnums, and JAX does not differentiate by it: attrs={{'{0}': ...}} gives it a value"
)


class JaxKernel(Kernel):
    """A function of JAX; without a backward, what jax.vjp makes of it, and so its custom_vjp or custom_jvp where it has one.

    In float64 it is called under jax_enable_x64, in other types as its author has that.
    """

    framework = "jax"
    layouts = memory = ()
    writes_can_be_seen = False
    has_backward = True
    is_differentiated = property(lambda self: self.backward is None)

    def __init__(self, forward, backward, name=None):
        import jax

        self.jax, self.is_eager, self.is_wide = jax, False, bool(jax.config.jax_enable_x64)
        super().__init__(forward, backward, name)
        names = list(inspect.signature(forward).parameters) if hasattr(forward, "nondiff_argnums") else []
        self.not_differentiated = [names[i] for i in getattr(forward, "nondiff_argnums", ()) if i < len(names)]

    def choose_outputs(self, most, axis=None, alone=None):
        super().choose_outputs(most, axis, alone)
        self.compiled = {}

    def _integer(self, a):
        return self.jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a

    def _bits(self, a):
        """Of integers, and of a key of random numbers."""
        is_key = str(getattr(a, "dtype", "")).startswith("key<")
        return np.asarray(self.jax.random.key_data(a) if is_key else a).tobytes()

    def shapes(self, x, attrs):
        with self._wide():
            return super().shapes(x, attrs)

    def _wide(self):
        is_wide = self.is_wide or self.type.name == "float64"
        enable = getattr(self.jax, "enable_x64", None)
        return self.jax.experimental.enable_x64(is_wide) if enable is None else enable(is_wide)

    def array(self, x):
        with self._wide():
            return self.jax.numpy.asarray(np.array(x, self.type.held)).astype(self.type.name)

    @staticmethod
    def _fresh(x):
        """Copies, for a function that may take their memory for its own: donate_argnums."""
        return [None if a is None else a.copy() for a in x]

    def to_numpy(self, a, what):
        if not isinstance(a, self.jax.Array):
            raise KernelFault(f"{what} is a {type(a).__name__}, expected an array of JAX")
        return self._held(np.asarray(a), str(a.dtype), what)

    def record(self, x, attrs):
        if self.backward is not None:
            with self._wide():
                call = super().record(x, attrs)
            return Recorded(call.y, lambda dy: self._widely(call.pull, dy), call.raw_y, call.is_handed)
        self._expect_differentiated(x)
        function, fast = self._function(attrs), None if self.is_eager else self._fast(x, attrs)
        with self._wide():
            if fast is not None:
                y = self._guarded(self.called, fast[0], *x)
            else:
                y, back = self._guarded(self.called, self.jax.vjp, function, *self._fresh(x))
            value = self._checked(y, "y")

        def pull(dy):
            dy = dy.astype(y.dtype)
            if fast is None:
                return self._gradients(list(self._pulled(function, x, back, dy)), x)
            ruled, found = self._pulled(function, x, fast[1], x, dy)
            if not self._is_near(ruled, y):
                self._expect_one_value(function, x)
            return self._gradients(list(found), x)

        return Recorded(value, lambda dy: self._widely(pull, dy), y)

    def _expect_differentiated(self, x):
        """Errors: ValueError where an input is one by which JAX does not differentiate."""
        for name in self.not_differentiated:
            i = self.required.index(name) if name in self.required else len(x)
            if i < len(x) and x[i] is not None:
                raise self.wrong_use(NOT_DIFFERENTIATED.format(name))

    def _pulled(self, function, x, back, *arguments):
        try:
            return self._guarded("the backward", back, *arguments)
        except KernelFault:
            if self._is_curved(function, x):
                raise KernelFault(NOT_LINEAR) from None
            raise

    def second(self, x, attrs, u, v):
        """The derivative of <gradients, v> by each input and by u. Errors: NotOffered."""
        function = self._function(attrs)

        def gradients(*x_and_u):
            return self.jax.vjp(function, *x_and_u[:-1])[1](x_and_u[-1])

        with self._wide():
            try:
                found = self.jax.vjp(gradients, *x, u)[1](tuple(v))
            except Exception as error:
                raise NotOffered(f"none are offered: {str(error).strip().splitlines()[0][:200]}") from None
        return [None if a is None else np.asarray(a) for a in found]

    def unlike_tangent(self, x, attrs):
        """What is wrong with forward mode beyond what the backward shows; "" where nothing is, or there is none."""
        if self.backward is not None:
            return ""
        with self._wide():
            of_zeros = self._tangent(self._function(attrs), x, 0.0)
        return AFFINE if of_zeros is not None and np.any(of_zeros != 0) and not np.any(np.isnan(of_zeros)) else ""

    def _is_curved(self, function, x):
        """Whether tangents are no linear function."""
        one, two, back = (self._tangent(function, x, times) for times in (1.0, 2.0, -1.0))
        if one is None or two is None or back is None:
            return False
        return not (self._is_near(two, 2 * one) and self._is_near(back, -one))

    def _tangent(self, function, x, times):
        """Of y, where those of the inputs are this often 0.5, 1, 1.5, ...; None where there is none."""
        v = [None if a is None else (times * (np.arange(a.size).reshape(a.shape) + 1) / 2) for a in x]
        v = [None if a is None else self.jax.numpy.asarray(a).astype(b.dtype) for a, b in zip(v, x, strict=True)]
        try:
            return _floats(self.jax.jvp(function, tuple(self._fresh(x)), tuple(v))[1])
        except Exception:
            return None

    def _function(self, attrs):
        """y of the inputs: the output, or those of several that are floats, end to end."""
        given = self._given(self.forward, attrs)

        def function(*x):
            result = self.forward(*self._filled(x), **given)
            if not isinstance(result, (tuple, list)):
                return self._expected_array(result, "y")
            for i, a in enumerate(result):
                self._expected_array(a, self.output_name(i), may_be=type(None))
            floats = self.jax.numpy.floating
            of_floats = [i for i, a in enumerate(result) if a is not None and self.jax.numpy.issubdtype(a.dtype, floats)]
            kept = self._chosen(of_floats, result)
            if len(kept) == 1:
                return result[kept[0]]
            if self.axis is not None:
                return self.jax.numpy.concatenate([result[i] for i in kept], axis=self.axis)
            return self.jax.numpy.concatenate([result[i].reshape(-1) for i in kept])

        return function

    def _expected_array(self, a, what, may_be=()):
        if isinstance(a, (self.jax.Array, np.ndarray, np.generic, may_be)):
            return a
        raise KernelFault(f"{what} is a {type(a).__name__}, expected an array of JAX")

    def _fast(self, x, attrs):
        """Forward and backward compiled, where they give the same so: a call takes a hundredth of the time. Else None."""
        key = self.type.name, repr(sorted(attrs.items())), tuple((i, self._bits(a)) for i, a in self.integers.items())
        if key not in self.compiled:
            function = self._function(attrs)
            with self._wide():
                self._expect_one_value(function, x)
                self.compiled[key] = None
                with contextlib.suppress(KernelFault), self.trying():
                    self.compiled[key] = self._guarded(self.called, self._compile, function, x)
        return self.compiled[key]

    def _expect_one_value(self, function, x):
        """Errors: KernelFault where y is another one once it is differentiated, by a rule that does not compute the function."""
        y, again = (self._guarded(self.called, function, *self._fresh(x)) for _ in range(2))
        if not np.array_equal(y, again, equal_nan=True):
            return  # something in it is no function of x
        ruled = self._guarded(self.called, self.jax.vjp, function, *self._fresh(x))[0]
        if not self._is_near(ruled, y):
            ruled, y = _floats(ruled), _floats(y)
            worst = np.nanargmax(np.abs(ruled - y)) if ruled.shape == y.shape and not np.isnan(ruled - y).all() else None
            said = [f"an array {list(a.shape)}" if worst is None else f"{a.reshape(-1)[worst]:.6g}" for a in (ruled, y)]
            raise KernelFault(OTHER_VALUE.format(*said))

    def _compile(self, function, x):
        def gradients(x, dy):
            y, back = self.jax.vjp(function, *x)
            return y, back(dy)

        fast = self.jax.jit(function), self.jax.jit(gradients)
        y, again = function(*self._fresh(x)), function(*self._fresh(x))
        if not np.array_equal(y, again, equal_nan=True):
            return None  # something in it is no function of x
        found, compiled = (of(self._fresh(x), y)[1] for of in (gradients, fast[1]))
        pairs = [(y, fast[0](*x)), *zip(found, compiled, strict=True)]
        return fast if all(self._agree(*pair, UNITS * self.type.eps) for pair in pairs) else None

    def _is_near(self, a, b):
        """Whether two ways to compute an array may both be right."""
        return self._agree(a, b, self.type.eps**0.6)

    @staticmethod
    def _agree(a, b, most):
        """Whether two arrays differ by at most this part of the largest entry."""
        a, b = _floats(a), _floats(b)
        largest = np.abs(a[np.isfinite(a)]).max(initial=0)
        return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=most * largest, equal_nan=True)

    def value(self, x, attrs):
        with self._wide():
            if self.backward is None and (fast := self._fast(x, attrs)) is not None:
                return self._checked(self._guarded(self.called, fast[0], *x), "y")
        return super().value(x, attrs)

    def is_refused(self, x, attrs):
        with self._wide():
            return super().is_refused(x, attrs)

    def _widely(self, pull, dy):
        with self._wide():
            return pull(dy)

    def _said(self, what, error):
        text = str(error)
        if not self.is_wide and self.type.name == "float64" and "float32" in text:
            self.note(FLOAT32_ALONE)
        if found := re.search(r"at output\[(\d+)\].*?produced an output of \S+ (\S+) .*?to an input of \S+ (\S+?),? ", text):
            is_plain = isinstance(self.forward, self.jax.custom_vjp)
            of = f"d({self.input_name(int(found[1]))})" if is_plain else "the backward: a gradient"
            return f"{of} is {found[2]}, expected {found[3]}"
        if found := re.search(r"bwd output structure PyTreeDef\((.*)\) for primal input structure PyTreeDef\((.*)\)", text):
            return f"the backward returns {found[1]}, expected {found[2]}: a tuple with a gradient, *, for each input"
        if re.search(r"No constant handler for type.*Tracer", text):
            return LEAKED.format(what)
        if "Traceback (most recent call last):" in text:  # what a callback raised
            return f"{what} raised {text.strip().splitlines()[-1][:200]}"
        return super()._said(what, error)


def _floats(a):
    a = np.asarray(a)
    return a if np.iscomplexobj(a) else a.astype(float)
