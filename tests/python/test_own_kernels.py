"""Kernels of one's own, held to shapes or a trusted function: what is asked of them is fair, and what is said helps."""

import os
import pty
import subprocess
import sys

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, run_python, softmax, tanh_back


def not_asked(report):
    return "\n".join(report.to_dict()["not_asked"])


class TestValuesOutOfRange:
    """An exponential of a sum: at values times 30 it is infinite in float32, and with a larger sum in float64."""

    @staticmethod
    def forward(x):
        return np.exp(4 * x).cumsum(-1)

    @staticmethod
    def backward(dy, x, factor=4):
        return factor * np.exp(4 * x) * np.flip(np.flip(dy, -1).cumsum(-1), -1)

    @pytest.mark.parametrize("how", [{}, {"reference": lambda x: np.exp(4 * x).cumsum(-1)}], ids=["itself", "reference"])
    def test_they_are_left_out_and_told(self, how):
        report = gp.check_kernel(self.forward, self.backward, shapes=[(3, 5)], **how)
        assert report, str(report)
        what = "gradient" if not how else "y"
        assert f"values times 30: the true {what} is not finite, or too large for float64 and float32; domain=" in not_asked(
            report
        )
        report = gp.check_kernel(self.forward, lambda dy, x: self.backward(dy, x, 2), shapes=[(3, 5)], **how)
        assert broken(report) == ["gradient"] and "claimed = 1/2 * true" in str(report), str(report)

    def test_a_draw_on_which_nothing_is_finite(self):
        report = gp.check_kernel(np.log, lambda dy, x: dy / x, shapes=[(3, 5)])
        assert report.verdict == "cannot tell" and "draw 1: the true y is not finite; domain=" in not_asked(report), str(report)

    def test_a_value_wrong_there_alone_hides_no_gradient(self):
        def forward(x):
            e = np.exp(2 * x)
            return (e - 1) / (e + 1)

        report = gp.check_kernel(forward, lambda dy, x: tanh_back(dy, x) / 2, shapes=[(30, 50)], reference=np.tanh)
        assert broken(report) == ["value", "gradient"] and "claimed = 1/2 * true" in str(report), str(report)
        assert "only there: domain=, vary=False or samples= choose other values" in str(report)


class TestFloat32Alone:
    def test_differences_are_taken_in_double(self):
        report = gp.check_kernel(np.tanh, tanh_back, shapes=[(3, 5)], dtype="float32")
        assert report and report.to_dict()["entries"] > 50, str(report)
        report = gp.check_kernel(np.tanh, lambda dy, x: x.dtype.type(1.001) * tanh_back(dy, x), shapes=[(3, 5)], dtype="float32")
        assert broken(report) == ["gradient"], str(report)

    def test_a_kernel_that_has_no_double(self):
        def forward(x):
            return np.tanh(x.astype(np.float32))

        report = gp.check_kernel(forward, tanh_back, shapes=[(3, 5)], dtype="float32")
        assert report and "is held to differences along two directions" in str(report), str(report)
        report = gp.check_kernel(forward, lambda dy, x: 1.1 * tanh_back(dy, x), shapes=[(3, 5)], dtype="float32")
        assert broken(report) == ["gradient"] and "along one direction d(x) gives" in str(report), str(report)


class TestComputedInFloat32:
    why = 'computed in float32 where the inputs are float64; if on purpose, say dtype="float32"'

    def test_it_is_the_reason(self):
        report = gp.check_kernel(np.tanh, lambda dy, x: tanh_back(dy, x).astype(np.float32), shapes=[(3, 5)])
        text = str(report)
        assert "why: d(x): " + self.why in text and "entries are off" not in text, text
        claimed, true = next(line for line in text.split("\n") if "worst at" in line).split("claimed ")[1].split(", true ")
        assert claimed != true, text

    def test_within_results_of_float64(self):
        def backward(dy, x):
            return tanh_back(dy, x).astype(np.float32).astype(x.dtype)

        assert "why: d(x): computed in float32: each entry is one that float32 holds" in str(
            gp.check_kernel(np.tanh, backward, shapes=[(3, 5)])
        )

    def test_it_is_no_reason_for_another_bug(self):
        report = gp.check_kernel(np.tanh, lambda dy, x: 2 * tanh_back(dy, x), shapes=[(3, 5)])
        assert "computed in float32" not in str(report) and "claimed = 2 * true" in str(report), str(report)
        report = gp.check_kernel(np.tanh, lambda dy, x: (2 * tanh_back(dy, x)).astype(np.float32), shapes=[(3, 5)])
        assert "why: d(x): computed" not in str(report) and "claimed = 2 * true" in str(report), str(report)


class TestWhatHelps:
    def test_swapped_arguments(self):
        report = gp.check_kernel(np.tanh, lambda x, dy: tanh_back(dy, x), shapes=[(3, 5)])
        assert not report  # the names of np.tanh are not known

        def forward(x):
            return np.tanh(x)

        text = str(gp.check_kernel(forward, lambda x, dy: tanh_back(dy, x), shapes=[(3, 5)]))
        assert "hint: the backward is called as backward(dy, x), and its first argument is x" in text, text
        assert "hint:" not in str(gp.check_kernel(forward, lambda dy, x: 2 * tanh_back(dy, x), shapes=[(3, 5)]))

    def test_none_for_an_input(self):
        report = gp.check_kernel(lambda x, n: np.tanh(x) * n, lambda dy, x, n: (tanh_back(dy, x) * n, None), shapes=[(3,), (3,)])
        assert "the backward returns None for n; if that is on purpose, say wrt=['x']" in str(report), str(report)

    def test_another_default_of_an_attribute(self):
        def norm(x, gain, eps=1e-6):
            return gain * x / np.sqrt((x**2).mean(-1, keepdims=True) + eps)

        def back(dy, x, gain):
            return dy, dy

        for forward in (norm, lambda x, gain: norm(x, gain)):
            report = gp.check_kernel(forward, back, like="rms_norm")
            assert 'hint: y is that for eps=1e-06: say attrs={"eps": 1e-06}' in str(report), str(report)
        report = gp.check_kernel(lambda x, gain: 1.01 * norm(x, gain), back, like="rms_norm")
        assert "hint:" not in str(report), str(report)

    def test_terms_that_replace_one_another(self):
        ids = np.array([0, 2, 0, 1, 2, 2])

        def backward(dy, x):
            dx = np.zeros_like(x)
            dx[ids] = 2 * dy * x[ids]  # the bug: a row that is taken twice gets one gradient
            return dx

        report = gp.check_kernel(lambda x: x[ids] ** 2, backward, shapes=[(4, 3)], vary=False)
        assert "why: d(x): of the terms that add up in an entry only the last is there" in str(report), str(report)
        report = gp.check_kernel(lambda x: x[ids] ** 2, lambda dy, x: 0.9 * backward(dy, x), shapes=[(4, 3)], vary=False)
        assert "of the terms that add up" not in str(report), str(report)

    def test_how_many_entries_were_drawn(self):
        report = gp.check_kernel(np.tanh, lambda dy, x: 2 * tanh_back(dy, x), shapes=[(12, 20)])
        assert "96 of 96 entries off, drawn out of 240" in str(report), str(report)

    def test_many_numbers_are_drawn_once(self):
        report = gp.check_kernel(np.tanh, tanh_back, shapes=[(200, 101)], reference=np.tanh, dtype="float64")
        assert report and "draws 2 and 3: the inputs hold more than 20000 numbers" in not_asked(report), str(report)

    def test_what_a_left_out_sample_raised_is_one_line(self):
        def forward(x):
            a, b = np.split(x, 2, -1)
            return a * b

        def backward(dy, x):
            a, b = np.split(x, 2, -1)
            return np.concatenate([dy * b, dy * a], -1)

        report = gp.check_kernel(forward, backward, shapes=[(3, 4)])
        assert report and "Traceback" not in str(report), str(report)
        assert "4 as 1 (each size 4 made 1): the forward raised ValueError" in not_asked(report)

    def test_special_values_without_a_page(self):
        report = gp.check_kernel(np.tanh, tanh_back, shapes=[(3, 5)], conventions=True)
        assert contract(report, "special values")["told"] == "the page of an op says where they stand: like="

    def test_no_word_of_jax_for_numpy(self):
        assert "JAX" not in str(gp.check_kernel(np.tanh, tanh_back, shapes=[(3, 5)])).replace("PyTorch or JAX", "")

    def test_attributes_without_a_page(self):
        with pytest.raises(ValueError, match="attrs has 'eps', which the kernel does not take by name"):
            gp.check_kernel(softmax, tanh_back, shapes=[(3, 5)], attrs={"eps": 1e-3})


class TestEmptyArrays:
    @staticmethod
    def forward(x, gain):
        return x * gain

    @staticmethod
    def backward(dy, x, gain, there=0.0):
        return dy * gain, (dy * x).sum(0) + there

    def test_zeros_are_right(self):
        report = gp.check_kernel(self.forward, self.backward, shapes=[(0, 4), (4,)])
        assert report and report.to_dict()["entries"] == 12, str(report)

    def test_anything_else_is_wrong(self):
        for reference in ({}, {"reference": self.forward}):
            bad = gp.check_kernel(
                self.forward, lambda *x: self.backward(*x, there=np.nan), shapes=[(0, 4), (4,)], vary=False, **reference
            )
            assert broken(bad) == ["gradient"], str(bad)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_without_a_reference(dtype):
    """Sums over 30 rows whose terms cancel are off by some roundings of the terms."""
    torch = pytest.importorskip("torch")

    class Norm(torch.autograd.Function):
        factor = 1.0

        @staticmethod
        def forward(ctx, x, gain, p):
            r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
            ctx.save_for_backward(x, gain, r, p)
            return Norm.turn(x * r * gain, p, 1)

        @staticmethod
        def turn(x, p, sign):
            a, b = x.chunk(2, dim=-1)
            cos, sin = p[:, None].cos(), sign * p[:, None].sin()
            return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

        @staticmethod
        def backward(ctx, dy):
            x, gain, r, p = ctx.saved_tensors
            dn, h = Norm.turn(dy, p, -1), x * r
            dh = dn * gain
            dx = r * (dh - h * (dh * h).mean(-1, keepdim=True))
            return dx * Norm.factor, (dn * h).reshape(-1, x.shape[-1]).sum(0), None

    how = {"shapes": [(2, 3, 5, 8), (8,), (5,)], "wrt": ["x", "gain"], "dtype": dtype}
    reports = [gp.check_kernel(Norm, seed=seed, **how) for seed in range(8, 12)]
    assert all(reports), str(next(r for r in reports if not r))
    Norm.factor = 1.03 if dtype == "float16" else 1.2
    assert not any(gp.check_kernel(Norm, seed=seed, **how) for seed in range(2))


class TestSecondDerivatives:
    torch = pytest.importorskip("torch")

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.save_for_backward(2 * x, n)
            return x * x + 0 * n

        @staticmethod
        def backward(ctx, dy):
            return dy * ctx.saved_tensors[0], None

    def test_the_last_line_says_that_the_first_are_right(self):
        report = gp.check_kernel(self.Square, shapes=[(3,), (3,)], wrt="x")
        assert broken(report) == ["second derivatives"], str(report)
        assert "value and gradient are right, and the gradient is not to be differentiated once more" in str(report)

    def test_declared_straight_through_they_are_not_asked_and_it_is_said(self):
        report = gp.check_kernel(self.Square, shapes=[(3,), (3,)], straight_through="n")
        told = contract(report, "second derivatives")["told"]
        assert told == "not judged, for straight_through= says that a gradient is not that of the forward", str(report)


def test_a_long_check_says_so_on_a_terminal(tmp_path):
    program = tmp_path / "slow.py"
    program.write_text(
        "import time\nimport numpy as np\nimport gradproof as gp\nfrom gradproof import _progress\n"
        "_progress.Line.AFTER = 1\n"
        "def slow(x):\n    time.sleep(0.01)\n    return np.tanh(x)\n"
        "gp.check_kernel(slow, lambda dy, x: dy * (1 - np.tanh(x) ** 2), shapes=[(3, 5)])\n"
    )
    parent, child = pty.openpty()
    done = subprocess.run([sys.executable, str(program)], stderr=child, stdout=subprocess.PIPE, check=True)
    os.close(child)
    shown = os.read(parent, 10000).decode()
    os.close(parent)
    assert "calls of the kernel" in shown and done.stdout == b"", shown
    quiet = run_python(str(program))
    assert quiet.stderr == "", quiet.stderr
