"""Sizes beyond those given, large arrays, the limit of a whole check, C in float, and slips in the lines of a derivation."""

import ctypes
import shutil
import subprocess
import time

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, softmax, softmax_back, tanh_back


def blocks_of(n, f):
    """f, which forgets what lies behind the last whole block of n columns, where there is more than one."""

    def wrong(*arrays):
        out = f(*arrays)
        if out.shape[-1] > n:
            out[..., out.shape[-1] // n * n :] = 0
        return out

    return wrong


class TestFurtherSizes:
    SHAPES = {"shapes": [(3, 5)]}

    def test_which_were_tried_is_said(self):
        report = gp.check_kernel(np.tanh, tanh_back, **self.SHAPES)
        assert report and "note: further sizes, along two directions each: 33, 65, 257 for 3 and for 5; all sizes 1" in str(
            report
        )
        assert "further sizes" not in str(gp.check_kernel(np.tanh, tanh_back, vary=False, **self.SHAPES))

    @pytest.mark.parametrize("n, sample", [(32, "5 as 33"), (64, "5 as 65"), (256, "5 as 257")])
    def test_the_end_of_a_block(self, n, sample):
        report = gp.check_kernel(np.tanh, blocks_of(n, tanh_back), **self.SHAPES)
        assert broken(report) == ["gradient"] and f'sample "{sample}"' in str(report), str(report)
        assert f"why: d(x): it is off only along axis 1 at {n}, of 0 to {n}" in str(report), str(report)
        report = gp.check_kernel(blocks_of(n, np.tanh), tanh_back, reference=np.tanh, **self.SHAPES)
        assert broken(report) == ["value"] and f'sample "{sample}"' in str(report), str(report)

    def test_size_1(self):
        report = gp.check_kernel(np.tanh, lambda dy, x: tanh_back(dy, x) * (x.size > 1), **self.SHAPES)
        assert broken(report) == ["gradient"] and 'sample "all sizes 1"' in str(report), str(report)

    def test_kinks_are_no_fault(self):
        assert gp.check_kernel(lambda x: np.maximum(x, 0), lambda dy, x: dy * (x > 0), **self.SHAPES)

        def sort_back(dy, x):
            return np.take_along_axis(dy, np.argsort(np.argsort(x, -1), -1), -1)

        assert gp.check_kernel(lambda x: np.sort(x, -1), sort_back, **self.SHAPES)

    def test_a_kernel_that_takes_no_others(self):
        report = gp.check_kernel(lambda x: np.tanh(x.reshape(3, 5)), tanh_back, **self.SHAPES)
        assert report and "7 samples: further sizes, 33, 65, 257 for 3 and for 5; all sizes 1: the forward raised" in str(report)
        assert not report.to_dict()["tracebacks"]


def heads(q, k, v):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) @ v


def few_keys_back(dy, q, k, v, most_keys=1 << 30):
    a = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
    da = dy @ np.swapaxes(v, -1, -2)
    ds = a * (da - (da * a).sum(-1, keepdims=True)) / np.sqrt(q.shape[-1])
    dv = np.swapaxes(a, -1, -2) @ dy * (k.shape[-2] <= most_keys)
    return ds @ k, np.swapaxes(ds, -1, -2) @ q, dv


class TestFurtherSizesOfPagesAndDerivations:
    def held(self, forward, backward, **to):
        report = gp.check_kernel(forward, backward, **to)
        return str(report) if report else f"{report.verdict}: {broken(report)}"

    def test_a_page(self):
        text = self.held(softmax, softmax_back, like="softmax")
        assert "note: further sizes: 33, 65, 257, 1025 for" in text, text
        assert "further sizes" not in self.held(softmax, softmax_back, like="softmax", vary=False)
        for n in (8, 32, 256):
            assert self.held(softmax, blocks_of(n, softmax_back), like="softmax") == "wrong: ['gradient']"
        assert self.held(blocks_of(32, softmax), softmax_back, like="softmax") == "wrong: ['value']"

    def test_a_sum_over_rows(self):
        def norm(x, gain):
            return gain * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)

        def back(dy, x, gain, most=1 << 30):
            r = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
            dh = dy * gain
            dgain = (dy * x * r).reshape(-1, x.shape[-1])[:most].sum(0)
            return r * dh - x * r**3 * (dh * x).mean(-1, keepdims=True), dgain

        assert "further sizes" in self.held(norm, back, like="rms_norm")
        for most in (8, 64):
            assert self.held(norm, lambda dy, x, gain: back(dy, x, gain, most), like="rms_norm") == "wrong: ['gradient']"  # noqa: B023

    def test_a_scan(self):
        def back(dy, x, most=1 << 30):
            return np.flip(np.cumsum(np.flip(dy, -1), -1), -1) if x.shape[-1] < most else dy

        def forward(x):
            return np.cumsum(x, -1)

        assert "further sizes" in self.held(forward, lambda dy, x: back(dy, x), like="cumsum")
        assert self.held(forward, lambda dy, x: back(dy, x, 300), like="cumsum") == "wrong: ['gradient']"

    def test_a_derivation(self):
        text = self.held(softmax, softmax_back, proof="softmax_rows")
        assert "note: further sizes: 33, 65, 257 for" in text, text
        assert self.held(softmax, blocks_of(32, softmax_back), proof="softmax_rows") == "wrong: ['gradient']"
        assert "further sizes" in self.held(heads, lambda dy, q, k, v: few_keys_back(dy, q, k, v), proof="attention")
        wrong = self.held(heads, lambda dy, q, k, v: few_keys_back(dy, q, k, v, 16), proof="attention")
        assert wrong == "wrong: ['gradient']"

    def test_a_kernel_that_takes_no_others(self):
        def forward(x):
            if x.size > 30:
                raise ValueError("too long")
            return softmax(x)

        report = gp.check_kernel(forward, softmax_back, like="softmax")
        assert report and "further sizes, 33" in str(report) and "the forward raised ValueError: too long" in str(report)
        assert not report.to_dict()["tracebacks"]


class TestLargeArrays:
    def test_a_gradient_is_held_along_directions(self):
        report = gp.check_kernel(np.tanh, tanh_back, shapes=[(1001, 1000)], dtype="float64")
        assert report and "is held to differences along two directions" in str(report), str(report)
        report = gp.check_kernel(np.tanh, lambda dy, x: 1.001 * tanh_back(dy, x), shapes=[(1001, 1000)], dtype="float64")
        assert 'sample "draw 1": the backward is at fault: along one direction d(x) gives' in str(report), str(report)

    def test_a_kink_is_no_fault(self):
        report = gp.check_kernel(lambda x: np.maximum(x, 0), lambda dy, x: dy * (x > 0), shapes=[(1001, 1000)], dtype="float64")
        assert report, str(report)

    def test_the_whole_check_has_a_limit(self):
        def slow(x):
            time.sleep(0.01)
            return np.tanh(x)

        began = time.monotonic()
        report = gp.check_kernel(slow, tanh_back, shapes=[(3, 5)], total_limit=1)
        assert time.monotonic() - began < 10 and report.verdict == "cannot tell", str(report)
        late = "not asked within 1 s; total_limit= gives more"
        assert f"draw 1: {late}" in str(report) and f"3 as 1: {late}" in str(report), str(report)
        assert contract(report, "linear")["told"] == late and contract(report, "value")["verdict"] != "wrong", str(report)


CUBES = """
void cube(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i]; }
void cube_back(const float* x, const float* dy, float* dx, long n) {
    for (long i = 0; i < n; ++i) dx[i] = 3 * x[i] * x[i] * dy[i];
}
void cube_off(const float* x, const float* dy, float* dx, long n) {
    for (long i = 0; i < n; ++i) dx[i] = 3.06f * x[i] * x[i] * dy[i];
}
void cube_last(const float* x, const float* dy, float* dx, long n) { cube_back(x, dy, dx, n); dx[n - 1] = 0; }
void relu(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0; }
void relu_back(const float* x, const float* dy, float* dx, long n) { for (long i = 0; i < n; ++i) dx[i] = x[i] > 0 ? dy[i] : 0; }
"""


@pytest.fixture(scope="module")
def cubes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("floats")
    (folder / "cubes.c").write_text(CUBES)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", folder / "cubes.so", folder / "cubes.c"], check=True)
    return ctypes.CDLL(str(folder / "cubes.so"))


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
class TestFloatsInC:
    @staticmethod
    def check(cubes, forward, backward):
        signature = (
            f"void {forward}(const float* x[*n], float* y[*n], long n);"
            f"void {backward}(const float* x, const float* dy, float* dx, long n);"
        )
        return gp.check_kernel(getattr(cubes, forward), getattr(cubes, backward), shapes=[(3, 5)], signature=signature)

    @pytest.mark.parametrize("forward, backward", [("cube", "cube_back"), ("relu", "relu_back")])
    def test_a_right_one_is_right(self, cubes, forward, backward):
        report = self.check(cubes, forward, backward)
        assert report and "is held to differences along two directions" in str(report), str(report)

    @pytest.mark.parametrize("backward", ["cube_off", "cube_last"])
    def test_a_wrong_one_is_found(self, cubes, backward):
        report = self.check(cubes, "cube", backward)
        assert broken(report) == ["gradient"] and "along one direction d(x) gives" in str(report), str(report)
        if backward == "cube_last":
            assert "it is off only along axis 1 at 4, of 0 to 4" in str(report), str(report)


ATTENTION = """
dims n m d e
input Q [n, d], K [m, d], V [m, e]
forward
  S = Q K^T / sqrt(d)
  A = softmax(S)
  O = A V
"""


def weights(q, k):
    s = q @ k.T / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention_back(row_sum):
    def backward(do, q, k, v):
        a, da = weights(q, k), do @ v.T
        ds = a * (da - row_sum * (da * a).sum(-1, keepdims=True)) / np.sqrt(q.shape[-1])
        return ds @ k, ds.T @ q, a.T @ do

    return backward


class TestSlipsBeforeAGradient:
    @staticmethod
    def check(row_sum, proof=ATTENTION):
        return gp.check_kernel(lambda q, k, v: weights(q, k) @ v, attention_back(row_sum), proof=proof, dtype="float64")

    def test_a_right_kernel_has_none(self):
        assert self.check(1)

    @pytest.mark.parametrize(
        "row_sum, says",
        [
            (0, "it follows from a slip before it, the term - rowsum(∂L/∂A ⊙ A) is missing: ∂L/∂S = A ⊙ (∂L/∂A)"),
            (-1, "it follows from a slip before it, the sign of rowsum(∂L/∂A ⊙ A) is wrong: ∂L/∂S = A ⊙ (∂L/∂A + rowsum("),
        ],
    )
    def test_it_is_told_on_the_arrays_of_the_kernel(self, row_sum, says):
        report = self.check(row_sum)
        assert broken(report) == ["gradient"], str(report)
        assert f"why: d(Q): {says}" in str(report) and f"why: d(K): {says}" in str(report), str(report)

    def test_a_wrong_line_of_the_derivation_that_the_kernel_follows(self):
        report = self.check(0, ATTENTION + "claim\n  dA = dO V^T\n  dS = A ⊙ dA\n")
        says = "the kernel follows line 10 of the derivation, which is wrong: dS = A ⊙ dA"
        assert f"why: d(Q): {says}" in str(report) and f"why: d(K): {says}" in str(report), str(report)


class TestHostileKernels:
    def test_random_numbers_are_told_once(self):
        random = np.random.default_rng(0)

        def dropout(x):
            mask = random.random(x.shape) > 0.5
            return x * mask, mask

        report = gp.check_kernel(dropout, lambda dy, mask: dy * mask, shapes=[(3, 5)])
        assert broken(report) == ["deterministic"], str(report)
        assert contract(report, "linear")["told"] == "not judged, for the same call gives other numbers each time"

    def test_a_scalar_in_bfloat16(self):
        pytest.importorskip("ml_dtypes")
        assert gp.check_kernel(np.tanh, tanh_back, like="tanh", dtype="bfloat16")

    @staticmethod
    def of(forward, backward=None, save=None):
        torch = pytest.importorskip("torch")

        class Tanh(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = forward(x)
                (save or (lambda ctx, x, y: ctx.save_for_backward(x)))(ctx, x, y)
                return y

            @staticmethod
            def backward(ctx, dy):
                dx = dy * (1 - torch.tanh(ctx.saved_tensors[0]) ** 2)
                return backward(dx) if backward else dx

        return Tanh

    def test_sparse_tensors(self):
        torch = pytest.importorskip("torch")
        report = gp.check_kernel(self.of(lambda x: torch.tanh(x).to_sparse()), shapes=[(3, 5)])
        assert broken(report) == ["value"] and "y is sparse (torch.sparse_coo), expected a dense tensor" in str(report), str(
            report
        )
        report = gp.check_kernel(self.of(torch.tanh, lambda dx: dx.to_sparse()), shapes=[(3, 5)])
        assert broken(report) == ["gradient"] and "d(x) is sparse" in str(report), str(report)

    def test_a_forward_that_writes_to_its_input_and_says_so(self):
        def save(ctx, x, y):
            ctx.mark_dirty(x)
            ctx.save_for_backward(y)

        report = gp.check_kernel(self.of(lambda x: x.tanh_(), save=save), shapes=[(3, 5)])
        assert not report and "a leaf Variable that requires grad has been used in an in-place operation" in str(report), str(
            report
        )

    def test_a_view_that_pytorch_guards_is_no_fault(self):
        torch = pytest.importorskip("torch")

        class Same(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.t()

            @staticmethod
            def backward(ctx, dy):
                return dy.t()

        assert gp.check_kernel(Same, shapes=[(3, 5)])

    def test_a_graph_that_is_left_is_a_fault_of_the_gradient(self):
        torch = pytest.importorskip("torch")
        report = gp.check_kernel(lambda x: torch.tanh(x.detach()), framework="torch", shapes=[(3, 5)])
        assert broken(report) == ["gradient"] and "the forward leaves the graph of autograd" in str(report), str(report)
