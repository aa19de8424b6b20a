"""C functions by pointers, capsules and addresses; and ops of torch.library."""

import ctypes
import shutil
import subprocess

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, run_python

if not (COMPILER := shutil.which("gcc")):
    pytest.skip("gcc is not installed", allow_module_level=True)

SOURCE = """
#include <math.h>
#ifndef PATH
#define PATH 1
#endif
void rms_norm(const T* x, const T* gain, T* y, T* r, T eps, long rows, long n) {
    for (long i = 0; i < rows; ++i) {
        T sum = 0;
        for (long j = 0; j < n; ++j) sum += x[i * n + j] * x[i * n + j];
        r[i] = 1 / sqrt(sum / n + eps);
        for (long j = 0; j < n; ++j) y[i * n + j] = gain[j] * x[i * n + j] * r[i];
    }
}
void rms_norm_backward(const T* x, const T* gain, const T* r, const T* dy, T* dx, T* dgain, long rows, long n) {
    for (long i = 0; i < rows; ++i) {
        T mean = 0;
        for (long j = 0; j < n; ++j) mean += dy[i * n + j] * gain[j] * x[i * n + j] * r[i] / n;
        for (long j = 0; j < n; ++j) {
            dx[i * n + j] ADDS r[i] * (dy[i * n + j] * gain[j] - PATH * x[i * n + j] * r[i] * mean);
            dgain[j] += dy[i * n + j] * x[i * n + j] * r[i];
        }
    }
}
int refuses(const T* x, T* y, long n) { return n > 3 ? 7 : 0; }
void cube(const T* x, T* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i]; }
void cube_backward(const T* x, const T* dy, T* dx, long n) { for (long i = 0; i < n; ++i) dx[i] = 3 * x[i] * x[i] * dy[i]; }
void cube_all_but_one(const T* x, const T* dy, T* dx, long n) { cube_backward(x, dy, dx, n - 1); }
void cube_one_too_many(const T* x, const T* dy, T* dx, long n) { cube_backward(x, dy, dx, n); dx[n] = 1; }
void cube_writes(const T* x, const T* dy, T* dx, long n) { cube_backward(x, dy, dx, n); ((T*)dy)[0] = 1; }
void cube_crashes(const T* x, const T* dy, T* dx, long n) { *(volatile long*)n = 1; }  // n taken for a pointer
void forever(const T* x, T* y, long n) { for (volatile long i = 0; i < 1; ) {} }
"""
RMS = """
void rms_norm(const float* x[*rows, n], const float* gain[n], float* y[*rows, n], float* r[*rows], float eps, long rows, long n);
void rms_norm_backward(const float* x, const float* gain, const float* r, const float* dy, float* dx, float* dgain,
                       long rows, long n);
"""


def cube(backward="cube_backward", forward="void cube(const double* x[*n], double* y[*n], long n)"):
    return f"{forward}; void {backward}(const double* x, const double* dy, double* dx, long n);"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("c")
    (folder / "kernels.c").write_text(SOURCE)

    def build(name, *flags):
        path = folder / f"{name}.so"
        if not path.exists():
            command = [COMPILER, "-shared", "-fPIC", "-O1", *flags, "-o", path, folder / "kernels.c", "-lm"]
            subprocess.run(command, check=True)
        return ctypes.CDLL(str(path))

    return build


@pytest.fixture
def rows(compiled):
    return compiled("float", "-DT=float", "-DADDS=+=")


@pytest.fixture
def cubes(compiled):
    return compiled("double", "-DT=double", "-DADDS==")


def test_a_right_kernel_is_right(rows):
    report = gp.check_kernel(rows.rms_norm, rows.rms_norm_backward, like="rms_norm", signature=RMS)
    assert report and report.to_dict()["types"] == ["float32"], str(report)
    assert "note: d(x) is added to what stands there" in str(report)
    samples = [s["sample"] for s in contract(report, "gradient")["samples"]]
    assert any("eps" in s for s in samples), samples  # which is an attribute of the page, and a number of the signature


def test_a_path_that_is_forgotten_is_named(compiled):
    bad = compiled("bad", "-DT=float", "-DADDS=+=", "-DPATH=0")
    report = gp.check_kernel(bad.rms_norm, bad.rms_norm_backward, like="rms_norm", signature=RMS)
    assert broken(report) == ["gradient"] and "the path through the mean square of x" in str(report), str(report)


def test_a_derivation_or_a_trusted_function_will_do(cubes):
    report = gp.check_kernel(cubes.cube, cubes.cube_backward, reference=lambda x: x**3, shapes=[(3, 5)], signature=cube())
    assert report, str(report)
    assert gp.check_kernel(cubes.cube, cubes.cube_backward, shapes=[(3, 5)], signature=cube())
    report = gp.check_kernel(cubes.cube, cubes.cube_backward, reference=lambda x: x**2, shapes=[(3, 5)], signature=cube())
    assert broken(report) == ["value"], str(report)


def test_capsules_and_addresses(cubes):
    api = ctypes.pythonapi
    api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    forward, backward = (ctypes.cast(f, ctypes.c_void_p).value for f in (cubes.cube, cubes.cube_backward))
    assert gp.check_kernel(forward, backward, shapes=[(3, 5)], signature=cube())
    capsule = api.PyCapsule_New(forward, b"cube", None)
    assert gp.check_kernel(capsule, backward, shapes=[(3, 5)], signature=cube())


BROKEN = {
    "cube_all_but_one": ("gradient", "the backward is at fault"),
    "cube_one_too_many": ("gradient", "the backward writes outside of dx"),
    "cube_writes": ("unchanged", "the backward writes to the cotangent"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_bugs_of_pointers(cubes, name):
    report = gp.check_kernel(cubes.cube, getattr(cubes, name), shapes=[(3, 5)], signature=cube(name))
    contract_of, says = BROKEN[name]
    assert contract_of in broken(report) and says in contract(report, contract_of)["told"], str(report)


def test_entries_that_are_not_written_are_seen_where_they_are_0(cubes):
    zeros = [(np.array([1.0, 2.0, 0.0]),)]  # the gradient of the last entry is 0: nothing is off but what stood there before
    report = gp.check_kernel(cubes.cube, cubes.cube_all_but_one, samples=zeros, signature=cube("cube_all_but_one"))
    assert broken(report) == ["accumulation"] and "neither overwritten nor added to" in str(report), str(report)


def test_a_code_that_is_returned(cubes):
    signature = cube(forward="int refuses(const double* x[*n], double* y[*n], long n)")
    report = gp.check_kernel(cubes.refuses, cubes.cube_backward, samples=[(np.ones(5),)], signature=signature)
    assert "the forward returned 7, expected 0" in str(report), str(report)


NEVER_RETURNS = """
import ctypes, os, sys, gradproof as gp
lib = ctypes.CDLL(sys.argv[1])
report = gp.check_kernel(lib.forever, lib.cube_backward, shapes=[(3,)], signature=sys.argv[2], time_limit=0.3)
assert "the forward did not return within 0.3 s" in str(report), str(report)
print("left", flush=True)
os._exit(0)
"""


def test_a_function_that_never_returns_is_left(cubes):
    """In a process of its own, where its thread runs on."""
    signature = cube(forward="void forever(const double* x[*n], double* y[*n], long n)")
    done = run_python("-c", NEVER_RETURNS, cubes._name, signature, timeout=60)
    assert done.stdout == "left\n", done.stderr


WRONG = {
    "one function": ("void f(const double* x[n], double* y[n], long n)", "got 1 functions, expected two"),
    "another type": ("void f(char* x); void g(char* x)", "'char* x' is not understood, expected `const float* x[n, m]`"),
    "no function": ("f; g", "'f' is not understood, expected `void name("),
    "no sizes": (cube(forward="void cube(const double* x, double* y, long n)"), "the sizes of x are not said: x[n]"),
    "an unknown number": (
        cube(forward="void cube(const double* x[*n], double* y[*n], long m)"),
        "nothing says what m is; give it a value: m = 1",
    ),
    "an unknown size": (
        cube(forward="void cube(const double* x[*n], double* y[m], long n)"),
        "nothing says what the size m of y is",
    ),
    "an unknown array": (cube().replace("double* dx", "double* dz"), "dz of the backward is not known, expected one of dx"),
}


@pytest.mark.parametrize("signature, says", WRONG.values(), ids=WRONG)
def test_a_wrong_signature_is_one_error(cubes, signature, says):
    with pytest.raises(ValueError) as raised:
        gp.check_kernel(cubes.cube, cubes.cube_backward, shapes=[(3, 5)], signature=signature)
    assert says in str(raised.value)


def test_other_wrong_use(cubes):
    with pytest.raises(TypeError, match="the forward is a C function; signature= has to say"):
        gp.check_kernel(cubes.cube, cubes.cube_backward, shapes=[(3,)])
    with pytest.raises(TypeError, match="the backward is a function, expected a function of ctypes, a capsule or an address"):
        gp.check_kernel(cubes.cube, lambda dy, x: dy, shapes=[(3,)], signature=cube())
    with pytest.raises(ValueError, match="dtype is float32, and the signature says float64"):
        gp.check_kernel(cubes.cube, cubes.cube_backward, shapes=[(3,)], signature=cube(), dtype="float32")


def test_shapes_that_the_signature_does_not_have(rows):
    signature = RMS.replace("*rows", "rows")
    report = gp.check_kernel(rows.rms_norm, rows.rms_norm_backward, like="rms_norm", signature=signature)
    assert report and "samples: the signature has x[rows, n]: other shapes" in str(report), str(report)


class TestOpsOfTorch:
    torch = pytest.importorskip("torch")

    def op(self, name, factor=1.0, registered=True):
        torch = self.torch

        @torch.library.custom_op(f"gradproof_tests::{name}", mutates_args=())
        def tanh(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
            return torch.tanh(x) * scale

        def set_up(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.scale = inputs[1]

        def backward(ctx, dy):
            return factor * ctx.scale * dy * (1 - torch.tanh(ctx.saved_tensors[0]) ** 2), None

        if registered:
            tanh.register_autograd(backward, setup_context=set_up)
        return tanh

    def test_a_custom_op(self):
        report = gp.check_kernel(self.op("right"), like="tanh")
        assert report and report.to_dict()["framework"] == "torch", str(report)
        assert str(report).startswith("gradproof_tests::right (test_c_functions.py:")
        report = gp.check_kernel(self.op("wrong", 1.001), like="tanh")
        assert broken(report) == ["gradient"], str(report)

    def test_an_op_by_its_name(self):
        self.op("named", 1.001)
        for op in (self.torch.ops.gradproof_tests.named, self.torch.ops.gradproof_tests.named.default):
            assert broken(gp.check_kernel(op, like="tanh")) == ["gradient"]

    def test_an_op_without_a_gradient(self):
        report = gp.check_kernel(self.op("bare", registered=False), like="tanh")
        assert not report and "gradient" in broken(report), str(report)


def test_a_call_that_crashes_is_a_finding_and_ends_nothing(cubes):
    report = gp.check_kernel(cubes.cube, cubes.cube_crashes, shapes=[(3,)], signature=cube("cube_crashes"))
    assert "gradient" in broken(report), str(report)
    assert "the backward crashes with SIGSEGV (it was tried in a process of its own)" in str(report), str(report)
    assert "in the signature, in its place and with its type? There are 4, 3 of them pointers" in str(report), str(report)
