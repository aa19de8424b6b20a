"""What is asked about after a call: gradients that add up, saved tensors, refusals, second derivatives. Each breaks for a bug."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, softmax, softmax_back, tanh_back

torch = pytest.importorskip("torch")


def told(report, name):
    row = contract(report, name)
    return row["verdict"], row["told"]


def function_of(forward, backward):
    """An autograd function of these two."""
    return type("Mine", (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def saves_output(ctx, x):
    y = x.tanh()
    ctx.save_for_backward(y)
    return y


def of_output(ctx, dy):
    (y,) = ctx.saved_tensors
    return dy * (1 - y * y)


RIGHT = function_of(saves_output, of_output)


def test_all_four_are_right_for_a_right_function():
    report = gp.check_kernel(RIGHT, like="tanh")
    assert report, str(report)
    for name in ("accumulation", "saved tensors", "second derivatives"):
        assert contract(report, name)["verdict"] == "right", str(report)


class TestAccumulation:
    def test_one_buffer_for_all_gradients(self):
        buffer = {}

        def backward(dy, x):
            out = buffer.setdefault((x.shape, x.dtype), np.empty(x.shape, x.dtype))
            out[...] = tanh_back(dy, x)
            return out

        report = gp.check_kernel(np.tanh, backward, shapes=[(3, 5)])
        assert broken(report) == ["accumulation"], str(report)
        assert "d(x) of a backward is overwritten by the next one" in told(report, "accumulation")[1]

    def test_one_buffer_in_one_graph(self):
        buffer = {}

        def backward(ctx, dy):
            out = buffer.setdefault((dy.shape, dy.dtype), torch.empty_like(dy))
            return out.copy_(of_output(ctx, dy))

        report = gp.check_kernel(function_of(saves_output, backward), shapes=[(3, 5)], dtype="float64")
        assert "accumulation" in broken(report), str(report)

    def test_a_backward_that_writes_to_grad_itself(self):
        def forward(ctx, x):
            ctx.x = x
            return saves_output(ctx, x)

        def backward(ctx, dy):
            if ctx.x.grad is not None:
                ctx.x.grad.zero_()
            return of_output(ctx, dy)

        report = gp.check_kernel(function_of(forward, backward), shapes=[(3, 5)], dtype="float64")
        assert broken(report) == ["accumulation"], str(report)
        assert "does not add up to the sum of both in .grad" in told(report, "accumulation")[1]

    def test_an_array_that_is_two_inputs(self):
        def backward(dy, a, b):
            if a is b:
                return 2 * dy * a, 2 * dy * a  # the bug: the sum of both, handed to each
            return dy * b, dy * a

        report = gp.check_kernel(lambda a, b: a * b, backward, shapes=[(3, 5), (3, 5)])
        assert broken(report) == ["accumulation"], str(report)
        assert "d(a) is another one where a and b are one array" in told(report, "accumulation")[1]

    def test_jax_is_not_asked(self):
        jax = pytest.importorskip("jax")
        report = gp.check_kernel(jax.numpy.tanh, like="tanh", framework="jax")
        assert told(report, "accumulation") == ("not asked", "arrays of JAX cannot be written to")


class TestSavedTensors:
    def test_an_input_kept_without_the_counter_of_versions(self):
        def forward(ctx, x):
            ctx.x = x.detach()
            return x.tanh()

        def backward(ctx, dy):
            return dy * (1 - ctx.x.tanh() ** 2)

        report = gp.check_kernel(function_of(forward, backward), shapes=[(3, 5)])
        assert "saved tensors" in broken(report), str(report)
        assert "save x by ctx.save_for_backward" in told(report, "saved tensors")[1]

    def test_y_kept_without_the_counter_of_versions(self):
        def forward(ctx, x):
            ctx.y = x.tanh()
            return ctx.y

        def backward(ctx, dy):
            return dy * (1 - ctx.y.detach() ** 2)

        report = gp.check_kernel(function_of(forward, backward), shapes=[(3, 5)], dtype="float32")
        assert broken(report) == ["saved tensors"], str(report)
        assert "once y is written to" in told(report, "saved tensors")[1]

    def test_what_the_counter_refuses_is_right(self):
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.tanh()

        def backward(ctx, dy):
            return dy * (1 - ctx.saved_tensors[0].tanh() ** 2)

        report = gp.check_kernel(function_of(forward, backward), shapes=[(3, 5)])
        assert report and told(report, "saved tensors")[0] == "right", str(report)
        assert "raised" not in str(report)

    def test_arrays_of_numpy_that_are_kept_are_told(self):
        def back(dy, saved):
            return softmax_back(dy, saved)

        report = gp.check_kernel(lambda x: (softmax(x), x), back, shapes=[(3, 5)])
        assert report, str(report)
        assert told(report, "saved tensors") == (
            "told",
            "what is saved lies in the memory of x: who writes to x before the backward changes d(x)",
        )
        report = gp.check_kernel(lambda x: (softmax(x), x.copy()), back, shapes=[(3, 5)])
        assert told(report, "saved tensors")[0] == "right"

    def test_a_view_of_an_input_is_noted(self):
        report = gp.check_kernel(lambda x: (x.T, ()), lambda dy, _: dy.T, shapes=[(3, 5)])
        assert "note: y lies in the memory of x: who writes to one changes the other" in str(report)

    def test_a_backward_that_is_handed_the_inputs_is_not_asked(self):
        report = gp.check_kernel(np.tanh, tanh_back, shapes=[(3, 5)])
        assert told(report, "saved tensors")[0] == "not asked"


class TestRefusals:
    def test_what_the_page_refuses_and_the_kernel_takes_is_told(self):
        def norm(x, gain):
            return np.resize(gain, x.shape[-1]) * gp.ops.rms_norm(x, np.ones(x.shape[-1], x.dtype)).numpy()

        def back(dy, x, gain):
            return gp.vjp(gp.ops.rms_norm, [x, gain], dy, dtype=str(x.dtype))[1]

        report = gp.check_kernel(norm, back, like="rms_norm")
        verdict, text = told(report, "refusals")
        assert report and verdict == "told" and "refused by the page, and taken by the kernel" in text, str(report)
        report = gp.check_kernel(norm, back, like="rms_norm", conventions=True, without="one")
        assert "refusals" in broken(report), str(report)

    def test_what_is_refused_is_right(self):
        def norm(x, gain):
            if gain.shape != x.shape[-1:]:
                raise ValueError("gain has another size than the rows of x")
            return gain * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)

        def back(dy, x, gain):
            return gp.vjp(gp.ops.rms_norm, [x, gain], dy, dtype=str(x.dtype))[1]

        report = gp.check_kernel(norm, back, like="rms_norm")
        assert report and told(report, "refusals")[0] == "right", str(report)
        assert "raised" not in str(report)

    def test_a_trusted_function_says_what_is_refused(self):
        def product(a, b):
            return a[:, : b.shape[0]] @ b[: a.shape[1]]

        def back(dy, a, b):
            return dy @ b.T, a.T @ dy

        report = gp.check_kernel(product, back, reference=lambda a, b: a @ b, shapes=[(3, 4), (4, 5)])
        assert told(report, "refusals") == (
            "told",
            "axis 1 of a too long by one, inputs [3, 5], [4, 5]: refused by <lambda>, and taken by the kernel",
        )
        report = gp.check_kernel(lambda a, b: a @ b, back, reference=lambda a, b: a @ b, shapes=[(3, 4), (4, 5)])
        assert told(report, "refusals")[0] == "right", str(report)

    def test_nothing_to_ask_without_a_page(self):
        report = gp.check_kernel(np.tanh, tanh_back, shapes=[(3,)])
        assert told(report, "refusals") == ("not asked", "nothing says which calls have to be refused")


def keeps_slope(ctx, x):
    y = x.tanh()
    ctx.save_for_backward(1 - y * y)  # a constant to autograd: the second derivative lacks what it has
    return y


def of_slope(ctx, dy):
    return dy * ctx.saved_tensors[0]


class TestSecondDerivatives:
    @pytest.mark.parametrize("how", [{"like": "tanh"}, {"shapes": [(3, 5)]}], ids=["a page", "differences"])
    def test_something_kept_that_depends_on_the_input(self, how):
        report = gp.check_kernel(function_of(keeps_slope, of_slope), **how)
        assert broken(report) == ["second derivatives"], str(report)
        assert "differentiated once more by x" in told(report, "second derivatives")[1]

    def test_once_differentiable_is_told(self):
        once = torch.autograd.function.once_differentiable
        report = gp.check_kernel(function_of(keeps_slope, once(of_slope)), like="tanh")
        verdict, text = told(report, "second derivatives")
        assert report and verdict == "told" and "marked with @once_differentiable" in text, str(report)

    def test_a_backward_outside_of_the_graph_is_told(self):
        def backward(ctx, dy):
            return torch.from_numpy((dy * ctx.saved_tensors[0]).detach().numpy())

        report = gp.check_kernel(function_of(keeps_slope, backward), like="tanh")
        assert report and told(report, "second derivatives")[0] == "told", str(report)

    @pytest.mark.parametrize("name", ["softmax", "sigmoid", "relu", "log_softmax"])
    def test_functions_of_pytorch_are_right(self, name):
        f = {"softmax": lambda x: torch.softmax(x, -1), "log_softmax": lambda x: torch.log_softmax(x, -1)}.get(name)
        report = gp.check_kernel(f or getattr(torch, name), like=name, framework="torch")
        assert report and told(report, "second derivatives")[0] == "right", str(report)

    def test_a_custom_vjp_of_jax(self):
        jax = pytest.importorskip("jax")

        def tanh(hide):
            @jax.custom_vjp
            def f(x):
                return jax.numpy.tanh(x)

            f.defvjp(lambda x: (f(x), hide(jax.numpy.tanh(x))), lambda y, dy: (dy * (1 - y * y),))
            return f

        report = gp.check_kernel(tanh(lambda y: y), like="tanh")
        assert report and told(report, "second derivatives")[0] == "right", str(report)
        report = gp.check_kernel(tanh(jax.lax.stop_gradient), like="tanh")
        assert broken(report) == ["second derivatives"], str(report)

    def test_functions_of_numpy_have_none(self):
        report = gp.check_kernel(np.tanh, tanh_back, like="tanh")
        assert told(report, "second derivatives")[0] == "not asked"
