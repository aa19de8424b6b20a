"""Kernels with several outputs in NumPy and C, and derivations that say what each of them is."""

import ctypes
import shutil
import subprocess

import gradproof as gp
import numpy as np
import pytest
from shared import broken

SHAPES = {"shapes": [(4, 8), (8,)]}
PROOF = """
dims m n
input x [m, n], gain [n]
forward
  r = (mean(x^2, axis=1) + 0.00001)^(-1/2)
  y[i,j] = x[i,j] r[i] gain[j]
"""


def norm(x, gain):
    r = 1 / np.sqrt((x**2).mean(-1) + 1e-5)
    return x * r[..., None] * gain, r


def norm_back(dy, dr, x, gain, of_r=1.0):
    r = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
    h, dh = x * r, dy * gain
    dx = r * (dh - h * (dh * h).mean(-1, keepdims=True)) - of_r * dr[..., None] * r**3 * x / x.shape[-1]
    return dx, (dy * h).reshape(-1, x.shape[-1]).sum(0)


def twice(dy, dr, x, gain):
    return norm_back(dy, dr, x, gain, of_r=2.0)


class TestOfNumPy:
    def test_by_differences_all_are_judged(self):
        report = gp.check_kernel(norm, norm_back, outputs=["y", "r"], **SHAPES)
        assert report and "note: the outputs are y [4, 8], r [4], end to end" in str(report), str(report)
        report = gp.check_kernel(norm, twice, outputs="y, r", **SHAPES)
        assert broken(report) == ["gradient"], str(report)
        assert "why: d(x): right through y, wrong through r: claimed = 2 * true" in str(report), str(report)

    def test_what_is_saved_comes_behind_them(self):
        def saving(x, gain):
            return *norm(x, gain), (x.copy(), gain.copy())

        report = gp.check_kernel(saving, lambda dy, dr, saved: norm_back(dy, dr, *saved), outputs=["y", "r"], **SHAPES)
        assert report and "right       saved tensors" in str(report), str(report)

    def test_a_trusted_function_may_have_all_or_the_first(self):
        assert gp.check_kernel(norm, norm_back, outputs=["y", "r"], reference=norm, **SHAPES)
        report = gp.check_kernel(lambda x, g: (norm(x, g)[0], -norm(x, g)[1]), norm_back, outputs="y r", reference=norm, **SHAPES)
        assert broken(report) == ["value"], str(report)
        first = gp.check_kernel(norm, twice, outputs="y r", reference=lambda x, g: norm(x, g)[0], **SHAPES)
        assert broken(first) == ["gradient"] and "through r the gradient is held to differences" in str(first), str(first)

    def test_a_page_has_the_first(self):
        report = gp.check_kernel(norm, norm_back, outputs=["y", "r"], like="rms_norm", attrs={"eps": 1e-5})
        assert report and "the page of rms_norm has only y: through r" in str(report), str(report)
        report = gp.check_kernel(norm, twice, outputs=["y", "r"], like="rms_norm", attrs={"eps": 1e-5})
        assert broken(report) == ["gradient"], str(report)

    def test_a_derivation_says_what_each_is(self):
        assert gp.check_kernel(norm, norm_back, outputs=["y", "r"], proof=PROOF)
        report = gp.check_kernel(norm, twice, outputs=["y", "r"], proof=PROOF)
        assert broken(report) == ["gradient"], str(report)
        assert 'sample "draw 1": through r: the backward is at fault: d(x)' in str(report), str(report)
        assert "why: d(x): claimed = 2 * true" in str(report), str(report)
        report = gp.check_kernel(lambda x, g: (norm(x, g)[0], 2 * norm(x, g)[1]), norm_back, outputs="y r", proof=PROOF)
        assert "r of the kernel (claimed) is not that of" in str(report) and "why: r: claimed = 2 * true" in str(report), str(
            report
        )

    @pytest.mark.parametrize(
        "how, says",
        [
            ({"outputs": "y z", "proof": PROOF}, "outputs has 'z', the derivation computes r, y"),
            ({"outputs": ["y", "y"], "proof": PROOF}, "expected the names of the outputs"),
            ({"outputs": [], "proof": PROOF}, "expected the names of the outputs"),
        ],
        ids=str,
    )
    def test_wrong_names(self, how, says):
        with pytest.raises(ValueError) as raised:
            gp.check_kernel(norm, norm_back, **how)
        assert says in str(raised.value)

    def test_another_number_of_outputs(self):
        report = gp.check_kernel(lambda x, g: norm(x, g)[0], norm_back, outputs=["y", "r"], **SHAPES)
        assert not report and "the forward returns a ndarray, expected y, r, and at most what is saved" in str(report), str(
            report
        )

    def test_an_output_that_is_no_array(self):
        report = gp.check_kernel(lambda x, g: (norm(x, g)[0], None), norm_back, outputs=["y", "r"], **SHAPES)
        assert not report and "r is a NoneType, expected an array" in str(report), str(report)


class TestNamedCauses:
    """A slip in the backward of two outputs, and what the report calls it."""

    @staticmethod
    def forward(x, w):
        return np.sin(x) * w, np.cos(x)

    @staticmethod
    def back(da, db, x, w):
        return da * np.cos(x) * w - db * np.sin(x), da * np.sin(x)

    SLIPS = {
        "cotangents": (lambda b, da, db, x, w: b(db, da, x, w), "d(x): the cotangents of a and b are taken for each other"),
        "gradients": (lambda b, *given: b(*given)[::-1], "d(x): it is the gradient of w, handed to x"),
        "a factor": (
            lambda b, da, db, x, w: (da * np.cos(x) - db * np.sin(x), da * np.sin(x)),
            "d(x): right through b, wrong through a: the factor w is missing",
        ),
        "one is forgotten": (
            lambda b, da, db, x, w: b(da, 0 * db, x, w),
            "d(x): right through a, the cotangent of b is not used: claimed 0",
        ),
        "both doubled": (lambda b, *given: tuple(2 * g for g in b(*given)), "d(x): claimed = 2 * true"),
    }

    @pytest.mark.parametrize("slip, says", SLIPS.values(), ids=SLIPS)
    def test_it_is_named(self, slip, says):
        given = {"outputs": "a b", "shapes": [(3, 5), (3, 5)], "dtype": "float64", "vary": False}
        report = gp.check_kernel(self.forward, lambda *x: slip(self.back, *x), **given)
        assert broken(report) == ["gradient"] and f"why: {says}" in str(report), str(report)
        assert ("leave it out of outputs=" in str(report)) == ("is not used" in says), str(report)


class TestOfPyTorch:
    def test_an_output_without_a_gradient_is_held_by_its_value(self):
        torch = pytest.importorskip("torch")

        class Norm(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, gain):
                r = torch.rsqrt(x.pow(2).mean(-1) + 1e-5) * Norm.times
                ctx.save_for_backward(x, gain)
                ctx.mark_non_differentiable(r)
                return x * r[..., None] / Norm.times * gain, r

            @staticmethod
            def backward(ctx, dy, dr):
                x, gain = ctx.saved_tensors
                r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
                h, dh = x * r, dy * gain
                return r * (dh - h * (dh * h).mean(-1, keepdim=True)), (dy * h).sum(0)

        Norm.times = 1.0
        report = gp.check_kernel(Norm, outputs=["y", "r"], proof=PROOF, dtype="float64")
        assert report and "r has no gradient on purpose: its value alone is judged" in str(report), str(report)
        Norm.times = 1.5
        report = gp.check_kernel(Norm, outputs=["y", "r"], proof=PROOF, dtype="float64")
        assert broken(report) == ["value"] and "why: r: claimed = 1.5 * true" in str(report), str(report)


SOURCE = """
#include <math.h>
void norm(const double* x, const double* gain, double* y, double* r, long m, long n) {
    for (long i = 0; i < m; ++i) {
        double sum = 0;
        for (long j = 0; j < n; ++j) sum += x[i * n + j] * x[i * n + j];
        r[i] = 1 / sqrt(sum / n + 1e-5);
        for (long j = 0; j < n; ++j) y[i * n + j] = gain[j] * x[i * n + j] * r[i];
    }
}
void norm_back(const double* x, const double* gain, const double* r, const double* dy, const double* dr, double* dx,
               double* dgain, long m, long n) {
    for (long i = 0; i < m; ++i) {
        double mean = 0;
        for (long j = 0; j < n; ++j) mean += dy[i * n + j] * gain[j] * x[i * n + j] * r[i] / n;
        for (long j = 0; j < n; ++j) {
            dx[i * n + j] = r[i] * (dy[i * n + j] * gain[j] - x[i * n + j] * r[i] * mean)
                            - OF_R * dr[i] * r[i] * r[i] * r[i] * x[i * n + j] / n;
            dgain[j] += dy[i * n + j] * x[i * n + j] * r[i];
        }
    }
}
"""
SIGNATURE = """
void norm(const double* x[m, n], const double* gain[n], double* y[m, n], double* r[m], long m, long n);
void norm_back(const double* x, const double* gain, const double* r, const double* dy, const double* dr, double* dx,
               double* dgain, long m, long n);
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "norm.c").write_text(SOURCE)
    for name, flag in (("right", "1"), ("wrong", "2")):
        command = ["gcc", "-shared", "-fPIC", "-O1", f"-DOF_R={flag}", "-o", folder / f"{name}.so", folder / "norm.c", "-lm"]
        subprocess.run(command, check=True)
    return {name: ctypes.CDLL(str(folder / f"{name}.so")) for name in ("right", "wrong")}


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
class TestOfC:
    """The signature says which there are: those whose cotangents the backward reads."""

    @pytest.mark.parametrize(
        "how", [SHAPES, {"proof": PROOF}, {"reference": norm, **SHAPES}], ids=["shapes", "proof", "reference"]
    )
    def test_each_is_judged(self, libraries, how):
        right, wrong = libraries["right"], libraries["wrong"]
        report = gp.check_kernel(right.norm, right.norm_back, signature=SIGNATURE, **how)
        assert report, str(report)
        report = gp.check_kernel(wrong.norm, wrong.norm_back, signature=SIGNATURE, **how)
        assert broken(report) == ["gradient"] and "through r" in str(report) and "2 * true" in str(report), str(report)

    def test_names_that_are_not_those_of_the_signature(self, libraries):
        right = libraries["right"]
        with pytest.raises(ValueError, match="the signature has a cotangent for y, r"):
            gp.check_kernel(right.norm, right.norm_back, signature=SIGNATURE, outputs="y s", **SHAPES)
