"""Kernels with several outputs; and kernels of JAX, which are compiled where that gives the same."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken


class TestSeveralOutputs:
    def test_of_numpy_they_are_refused_in_one_line(self):
        with pytest.raises(ValueError, match=r"the forward returns 2 values, expected y, or \(y, saved\)"):
            gp.check_kernel(lambda x: (np.sin(x), np.cos(x)), lambda da, db, x: da * np.cos(x) - db * np.sin(x), shapes=[(3, 4)])
        with pytest.raises(ValueError, match=r"several outputs need names, outputs=\['y', 'r'\]"):
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

    REST = "has only output 1: through output 2 the gradient is held to differences of the kernel's own forward"
    UNUSED = "why: d(x): right through output 1, the cotangent of output 2 is not used: claimed 0"

    def test_a_page_has_one_and_the_rest_is_judged_by_differences(self):
        report = gp.check_kernel(self.norm(), like="rms_norm", attrs={"eps": 1e-5})
        assert report and f"the page of rms_norm {self.REST}" in str(report), str(report)
        report = gp.check_kernel(self.norm(forgets=True), like="rms_norm", attrs={"eps": 1e-5})
        assert broken(report) == ["gradient"], str(report)
        assert "(true), as double, through all outputs, output 2 too" in str(report) and self.UNUSED in str(report), str(report)
        assert "hint: if an output has no gradient on purpose: ctx.mark_non_differentiable(it)" in str(report), str(report)
        declared = gp.check_kernel(self.norm(), like="rms_norm", attrs={"eps": 1e-5}, straight_through=lambda x, gain: x * gain)
        assert "through output 2 is not judged, for straight_through= says nothing of it" in str(declared), str(declared)

    NORM = """
        dims m n
        input x [m, n], gain [n]
        forward
          r = (mean(x^2, axis=1) + 0.00001)^(-1/2)
          y[i,j] = x[i,j] r[i] gain[j]
        """

    @pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
    def test_a_derivation_of_the_first_leaves_the_rest_to_differences(self, dtype):
        report = gp.check_kernel(self.norm(), proof=self.NORM, dtype=dtype)
        assert report and f"the derivation text.proof {self.REST}" in str(report), str(report)
        report = gp.check_kernel(self.norm(forgets=True), proof=self.NORM, dtype=dtype)
        assert broken(report) == ["gradient"] and self.UNUSED in str(report), str(report)

    def test_a_derivation_may_end_with_all_of_them(self):
        both = self.NORM + "  s = (mean(x^2, axis=1, keep=true) + 0.00001)^(-1/2)\n          out = concat(y, s, axis=1)\n"
        report = gp.check_kernel(self.norm(), proof=both)
        assert report and "note: y is output 1 [" in str(report) and "put together along axis 1" in str(report), str(report)
        report = gp.check_kernel(self.norm(forgets=True), proof=both)
        assert broken(report) == ["gradient"] and self.UNUSED in str(report), str(report)

    def test_where_nothing_tells_the_rest_the_verdict_says_so(self):
        torch = pytest.importorskip("torch")

        class Float(torch.autograd.Function):  # whatever it is given
            @staticmethod
            def forward(ctx, x):
                x = x.float()
                y = torch.softmax(x, -1)
                ctx.save_for_backward(y)
                return y, torch.logsumexp(x, -1)

            @staticmethod
            def backward(ctx, dy, dlse):
                (y,) = ctx.saved_tensors
                return y * (dy - (dy * y).sum(-1, keepdim=True)) + dlse[..., None] * y

        report = gp.check_kernel(Float, like="softmax", dtype="float32")
        assert report.verdict == "cannot tell", str(report)
        assert "nothing tells the gradient through output 2:" in str(report), str(report)
        assert "Give a function that returns output 1 alone" in str(report), str(report)

    def test_which_of_them_a_gradient_is_wrong_through(self):
        torch = pytest.importorskip("torch")

        class Both(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return torch.sin(x), torch.cos(x).sum(-1)

            @staticmethod
            def backward(ctx, da, db):
                (x,) = ctx.saved_tensors
                return da * torch.cos(x) - x.shape[-1] * db[..., None] * torch.sin(x)

        report = gp.check_kernel(Both, shapes=[(3, 5)])
        assert "why: d(x): right through output 1, wrong through output 2: claimed = " in str(report), str(report)
        assert " * true" in str(report), str(report)

    def test_a_trusted_function_may_have_as_many_or_one(self):
        torch = pytest.importorskip("torch")

        def both(x, gain):
            r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
            return x * r * gain, r

        assert gp.check_kernel(self.norm(), reference=both, shapes=[(4, 8), (8,)])
        assert not gp.check_kernel(self.norm(forgets=True), reference=both, shapes=[(4, 8), (8,)])
        first = {"reference": lambda x, gain: both(x, gain)[0], "shapes": [(4, 8), (8,)]}
        assert gp.check_kernel(self.norm(), **first)
        report = gp.check_kernel(self.norm(forgets=True), **first)
        assert broken(report) == ["gradient"] and self.UNUSED in str(report), str(report)

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
        report = gp.check_kernel(make(2), shapes=[(3, 4)])
        why = "why: d(x): right through output 1, wrong through output 2: claimed = 2 * true"
        assert "gradient" in broken(report) and why in str(report), str(report)

    def test_of_jax_the_second_is_judged_where_a_page_has_one(self):
        jax = pytest.importorskip("jax")

        @jax.custom_vjp
        def f(x):
            return jax.nn.softmax(x), jax.nn.logsumexp(x, -1)

        f.defvjp(lambda x: (f(x), jax.nn.softmax(x)), lambda y, d: (y * (d[0] - (d[0] * y).sum(-1, keepdims=True)),))
        report = gp.check_kernel(f, like="softmax")
        assert broken(report) == ["gradient"] and self.UNUSED in str(report), str(report)
        assert gp.check_kernel(lambda x: f(x)[0], framework="jax", like="softmax")


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
