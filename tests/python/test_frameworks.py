"""Kernels of PyTorch and JAX: autograd functions, custom derivatives, and the frameworks' own functions as black boxes."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken


class TestTorch:
    torch = pytest.importorskip("torch")

    class Tanh(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.tanh()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, dy):
            (y,) = ctx.saved_tensors
            return dy * (1 - y * y)

    class NewStyle(Tanh):
        @staticmethod
        def forward(x):
            return x.tanh()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        def backward(ctx, dy):
            a, b = ctx.saved_tensors
            if not ctx.needs_input_grad[0]:
                return None, 2 * a.T @ dy  # the bug: only where b alone is asked for
            return dy @ b.T, a.T @ dy

    @pytest.mark.parametrize("function", [Tanh, NewStyle])
    def test_an_autograd_function(self, function):
        report = gp.check_kernel(function, like="tanh")
        assert report, str(report)
        assert report.to_dict()["framework"] == "torch"

    def test_a_gradient_that_depends_on_what_is_asked_for(self):
        report = gp.check_kernel(self.Product, shapes=[(3, 4), (4, 5)])
        assert broken(report) == ["needed"] and "d(b) is another one where only it is asked for" in str(report), str(report)

    def test_forward_and_backward_on_tensors(self):
        report = gp.check_kernel(lambda x: x.tanh(), lambda dy, x: dy * (1 - x.tanh()), like="tanh", framework="torch")
        assert broken(report) == ["gradient"], str(report)

    def test_a_cotangent_that_is_written_to(self):
        def backward(dy, x):
            dy.mul_(1 - x.tanh() ** 2)
            return dy

        report = gp.check_kernel(lambda x: x.tanh(), backward, like="tanh", framework="torch")
        assert "unchanged" in broken(report) and "writes to the cotangent" in str(report)

    def test_the_reference_is_differentiated(self):
        torch = self.torch
        report = gp.check_kernel(self.Tanh, reference=torch.tanh, shapes=[(3, 5)])
        assert report, str(report)
        assert broken(gp.check_kernel(self.Tanh, reference=torch.sigmoid, shapes=[(3, 5)])) == ["value"]

    def test_a_graph_that_is_left(self):
        report = gp.check_kernel(lambda x: self.torch.from_numpy(np.tanh(x.detach().numpy())), like="tanh", framework="torch")
        assert "the forward leaves the graph of autograd" in str(report)

    def test_types_that_are_refused(self):
        report = gp.check_kernel(lambda x: x.tanh().to(self.torch.complex64), like="tanh", framework="torch")
        assert "y has elements of type torch.complex64, expected floats" in str(report)
        report = gp.check_kernel(lambda x: x.tanh().to("meta"), like="tanh", framework="torch")
        assert "y is on meta, expected a tensor in this machine's memory" in str(report)

    def test_half_precision_is_noted(self):
        report = gp.check_kernel(lambda x: x.to(self.torch.bfloat16).tanh(), like="tanh", framework="torch")
        assert not report and "note: y is bfloat16 where the inputs are float64" in str(report)

    def test_a_function_with_a_backward_of_its_own_takes_no_other(self):
        with pytest.raises(ValueError, match="has a backward of its own"):
            gp.check_kernel(self.Tanh, lambda dy, x: dy, like="tanh")

    own = {
        "softmax": (lambda x: TestTorch.torch.softmax(x, -1), "softmax"),
        "log_softmax": (lambda x: TestTorch.torch.log_softmax(x, -1), "log_softmax"),
        "gelu": (lambda x: TestTorch.torch.nn.functional.gelu(x), "gelu"),
        "relu": (lambda x: TestTorch.torch.relu(x), "relu"),
        "abs": (lambda x: TestTorch.torch.abs(x), "abs"),
        "silu": (lambda x: TestTorch.torch.nn.functional.silu(x), "silu"),
        "matmul": (lambda a, b: TestTorch.torch.matmul(a, b), "matmul"),
        "attention": (
            lambda q, k, v: TestTorch.torch.nn.functional.scaled_dot_product_attention(q, k, v),
            "attention",
            "grouped",
        ),
    }

    @pytest.mark.parametrize("case", own.values(), ids=own)
    def test_its_own_functions_are_right(self, case):
        function, like, *without = case
        report = gp.check_kernel(function, like=like, framework="torch", without=without)
        assert report, str(report)


class TestJax:
    jax = pytest.importorskip("jax")

    def squared(self, factor):
        @self.jax.custom_vjp
        def square(x):
            return x * x

        square.defvjp(lambda x: (x * x, x), lambda x, dy: (factor * x * dy,))
        return square

    def test_a_custom_vjp(self):
        assert gp.check_kernel(self.squared(2), shapes=[(3, 5)])
        report = gp.check_kernel(self.squared(2.01), shapes=[(3, 5)])
        assert broken(report) == ["gradient"], str(report)

    def test_a_custom_jvp(self):
        jax = self.jax

        @jax.custom_jvp
        def sine(x):
            return jax.numpy.sin(x)

        sine.defjvp(lambda x, t: (jax.numpy.sin(x[0]), -jax.numpy.cos(x[0]) * t[0]))
        report = gp.check_kernel(sine, shapes=[(4,)])
        assert broken(report) == ["gradient"] and "claimed = -true" in str(report), str(report)

    def test_double_precision_ends_with_the_call(self):
        assert gp.check_kernel(self.squared(2), shapes=[(3, 5)], dtype="float64")
        assert self.jax.numpy.zeros(3).dtype == np.float32

    def test_what_cannot_be_asked_is_said(self):
        text = str(gp.check_kernel(self.squared(2), shapes=[(3, 5)]))
        assert "arrays of JAX cannot be written to" in text and "arrays of JAX have one layout" in text

    own = {
        "softmax": (lambda x: TestJax.jax.nn.softmax(x), "softmax"),
        "gelu": (lambda x: TestJax.jax.nn.gelu(x, approximate=False), "gelu"),
        "logsumexp": (lambda x: TestJax.jax.nn.logsumexp(x), "logsumexp"),
        "silu": (lambda x: TestJax.jax.nn.silu(x), "silu"),
    }

    @pytest.mark.parametrize("function, like", own.values(), ids=own)
    def test_its_own_functions_are_right(self, function, like):
        assert (report := gp.check_kernel(function, like=like, framework="jax", name=like)), str(report)


def test_a_c_function_by_ctypes(tmp_path):
    import ctypes
    import shutil
    import subprocess

    if not (compiler := shutil.which("gcc")):
        pytest.skip("gcc is not installed")
    (tmp_path / "cube.c").write_text(
        "void cube(const double* x, double* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i]; }\n"
        "void cube_back(const double* dy, const double* x, double* dx, long n) "
        "{ for (long i = 0; i < n; ++i) dx[i] = 3 * x[i] * dy[i]; }\n"  # the bug: x is not squared
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "cube.so", "cube.c"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "cube.so"))
    row = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
    library.cube.argtypes = [row, row, ctypes.c_long]
    library.cube_back.argtypes = [row, row, row, ctypes.c_long]

    def forward(x):
        y = np.empty(x.shape)
        library.cube(np.ascontiguousarray(x), y, x.size)
        return y

    def backward(dy, x):
        dx = np.empty(x.shape)
        library.cube_back(np.ascontiguousarray(dy), np.ascontiguousarray(x), dx, x.size)
        return dx

    report = gp.check_kernel(forward, backward, shapes=[(3, 5)], dtype="float64")
    assert broken(report) == ["gradient"], str(report)
