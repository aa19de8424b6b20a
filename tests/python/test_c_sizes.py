"""Signatures of C functions with sizes that no input has, and with integers that the forward saves."""

import ctypes
import shutil
import subprocess

import gradproof as gp
import numpy as np
import pytest
from shared import broken

POOL = """
#include <float.h>
void pool(const float* x, float* y, int* where, long rows, long n, long m, int window, int stride) {
    for (long r = 0; r < rows; ++r)
        for (long o = 0; o < m; ++o) {
            long at = o * stride;
            for (int i = 1; i < window; ++i)
                if (x[r * n + o * stride + i] > x[r * n + at]) at = o * stride + i;
            y[r * m + o] = x[r * n + at];
            where[r * m + o] = (int)at;
        }
}
void pool_backward(const float* dy, const int* where, float* dx, long rows, long n, long m) {
    for (long i = 0; i < rows * n; ++i) dx[i] = 0;
    for (long r = 0; r < rows; ++r)
        for (long o = 0; o < m; ++o) dx[r * n + where[r * m + o]] ADDS dy[r * m + o];
}
"""
BACKWARD = "void pool_backward(const float* dy, const int* where, float* dx, long rows, long n, long m);"


@pytest.fixture(scope="module")
def pools(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pool")
    (folder / "pool.c").write_text(POOL)
    out = {}
    for adds in ("+=", "="):
        path = folder / f"pool{len(adds)}.so"
        command = ["gcc", "-shared", "-fPIC", "-O1", f"-DADDS={adds}", "-o", path, folder / "pool.c"]
        subprocess.run(command, check=True)
        out[adds] = ctypes.CDLL(str(path))
    return out


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
class TestPoolingInC:
    @staticmethod
    def signature(m="m", m_is="long m = (n - window) / stride + 1", window="int window = 3", stride="int stride = 2"):
        forward = f"void pool(const float* x[*rows, n], float* y[*rows, {m}], int* where[*rows, {m}], long rows, long n, {m_is}"
        return f"{forward}, {window}, {stride}); {BACKWARD}"

    @staticmethod
    def check(pool, signature, **how):
        def trusted(x):
            m = (x.shape[-1] - 3) // 2 + 1
            return np.stack([x[..., 2 * o : 2 * o + 3].max(-1) for o in range(m)], -1)

        return gp.check_kernel(
            pool.pool, pool.pool_backward, signature=signature, reference=trusted, **({"shapes": [(4, 9)]} | how)
        )

    @pytest.mark.parametrize(
        "how",
        [
            {},
            {"m": "(n - window) / stride + 1"},
            {"m": "(n - 3) / 2 + 1"},
            {"m": "4", "m_is": "long m = 4"},
            {"m_is": "long m = 4"},
        ],
        ids=str,
    )
    def test_sizes_that_no_input_has(self, pools, how):
        constant = {"vary": False} if "4" in how.values() or "long m = 4" in how.values() else {}
        report = self.check(pools["+="], self.signature(**how), **constant)
        assert report, str(report)
        report = self.check(pools["="], self.signature(**how), **constant)
        assert broken(report) == ["gradient"], str(report)
        assert "why: d(x): of the terms that add up in an entry only the last is there: is it = for +=?" in str(report), str(
            report
        )

    def test_numbers_by_attrs(self, pools):
        signature = self.signature(window="int window", stride="int stride")
        assert self.check(pools["+="], signature, attrs={"window": 3, "stride": 2})
        with pytest.raises(ValueError, match="nothing says what window is; give it a value"):
            self.check(pools["+="], signature)
        with pytest.raises(ValueError, match="attrs has 'width', which is no number of the signature"):
            self.check(pools["+="], signature, attrs={"width": 3})

    @pytest.mark.parametrize(
        "change, says",
        [
            ({"m_is": "long m"}, "nothing says what the size m of y is; give it a value where it is an argument: long m = n / 2"),
            ({"m": "(n - 3) / 2 + 1", "m_is": "long m"}, "nothing says what m is; give it a value: m = 1, or m = n / 2"),
            ({"m": "n % 2"}, "the size 'n % 2' is not understood"),
            ({"m": "f(n)"}, "the size 'f(n)' is not understood"),
            ({"m": "n / 0"}, "the size n / 0 divides by 0"),
        ],
        ids=str,
    )
    def test_what_the_signature_leaves_out_is_no_verdict(self, pools, change, says):
        with pytest.raises(ValueError) as raised:
            self.check(pools["+="], self.signature(**change))
        assert says in str(raised.value)

    def test_integers_that_are_read(self, pools):
        signature = self.signature().replace("const float* x[*rows, n]", "const float* x[*rows, n], const int* ids[n]")
        with pytest.raises(ValueError, match="ids holds integers, which only what the forward saves may"):
            self.check(pools["+="], signature)
