"""Kernels with several outputs; and kernels of JAX, which are compiled where that gives the same."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken


class TestSeveralOutputs:
    def test_of_numpy_they_are_refused_in_one_line(self):
        with pytest.raises(ValueError, match=r"the forward returns 2 values, expected y, or \(y, saved\)"):
            gp.check_kernel(lambda x: (np.sin(x), np.cos(x)), lambda da, db, x: da * np.cos(x) - db * np.sin(x), shapes=[(3, 4)])
        with pytest.raises(ValueError, match="a function around each half that returns one of them"):
            gp.check_kernel(lambda x: (x, x, x), lambda dy, x: dy, like="tanh")

    @staticmethod
    def norm(forgets=False, is_marked=False):
        torch = pytest.importorskip("torch")

        class Norm(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, gain):
                r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
                ctx.save_for_backward(x, gain)
                if is_marked:
                    ctx.mark_non_differentiable(r)
                return x * r * gain, r

            @staticmethod
            def backward(ctx, dy, dr):
                x, gain = ctx.saved_tensors
                r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
                h, dh = x * r, dy * gain
                dx = r * (dh - h * (dh * h).mean(-1, keepdim=True))
                if not forgets and not is_marked:
                    dx = dx - dr * r**3 * x / x.shape[-1]
                return dx, (dy * h).reshape(-1, x.shape[-1]).sum(0)

        return Norm

    def test_of_pytorch_they_are_one_end_to_end(self):
        report = gp.check_kernel(self.norm(), shapes=[(4, 8), (8,)])
        assert report and "note: y is output 1 [4, 8], output 2 [4, 1], end to end" in str(report), str(report)
        report = gp.check_kernel(self.norm(forgets=True), shapes=[(4, 8), (8,)])
        assert "gradient" in broken(report), str(report)

    def test_of_pytorch_one_that_is_not_differentiable(self):
        report = gp.check_kernel(self.norm(is_marked=True), shapes=[(4, 8), (8,)])
        assert report and "note: of 2 outputs only output 1 [4, 8] is judged" in str(report), str(report)

    def test_a_page_has_one(self):
        report = gp.check_kernel(self.norm(), like="rms_norm", attrs={"eps": 1e-5})
        assert report and "of 2 outputs only output 1" in str(report), str(report)

    def test_a_trusted_function_may_have_as_many_or_one(self):
        torch = pytest.importorskip("torch")

        def both(x, gain):
            r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
            return x * r * gain, r

        assert gp.check_kernel(self.norm(), reference=both, shapes=[(4, 8), (8,)])
        assert not gp.check_kernel(self.norm(forgets=True), reference=both, shapes=[(4, 8), (8,)])
        assert gp.check_kernel(self.norm(forgets=True), reference=lambda x, gain: both(x, gain)[0], shapes=[(4, 8), (8,)])

    def test_of_jax(self):
        jax = pytest.importorskip("jax")
        jnp = jax.numpy

        def make(factor):
            @jax.custom_vjp
            def both(x):
                return jnp.sin(x), jnp.cos(x)

            both.defvjp(lambda x: (both(x), x), lambda x, u: (u[0] * jnp.cos(x) - factor * u[1] * jnp.sin(x),))
            return both

        assert (report := gp.check_kernel(make(1), shapes=[(3, 4)])), str(report)
        assert "gradient" in broken(gp.check_kernel(make(2), shapes=[(3, 4)]))


class TestJaxIsCompiled:
    jax = pytest.importorskip("jax")

    def test_the_forward_runs_in_python_a_few_times(self):
        ran = [0]

        def forward(x):
            ran[0] += 1
            return self.jax.numpy.tanh(x)

        report = gp.check_kernel(forward, framework="jax", shapes=[(3, 5)], dtype="float64")
        assert report, str(report)
        assert ran[0] < 300, ran  # differences alone call it 600 times

    def test_one_that_cannot_be_traced(self):
        jnp = self.jax.numpy

        @self.jax.custom_vjp
        def forward(x):
            return jnp.tanh(x) if float(x.sum()) > -1e9 else x

        forward.defvjp(lambda x: (forward(x), x), lambda x, dy: (dy * (1 - jnp.tanh(x) ** 2),))
        report = gp.check_kernel(forward, shapes=[(2, 3)], dtype="float64", vary=False)
        assert report, str(report)

    def test_one_that_is_no_function_of_its_input(self):
        random = np.random.default_rng(0)
        report = gp.check_kernel(lambda x: x * random.random(), framework="jax", shapes=[(2, 3)], vary=False)
        assert "deterministic" in broken(report), str(report)
