"""Kernels in float16 and bfloat16: held to the rounding of their type, in NumPy, PyTorch and JAX."""

import gradproof as gp
import numpy as np
import pytest
from gradproof._types import TYPES
from shared import broken, contract, softmax, softmax_back, tanh_back

HALVES = ["float16", "bfloat16"]


@pytest.mark.parametrize("dtype", HALVES)
def test_functions_of_numpy(dtype):
    pytest.importorskip("ml_dtypes")
    report = gp.check_kernel(softmax, softmax_back, like="softmax", dtype=dtype)
    assert report and report.to_dict()["types"] == [dtype], str(report)
    for name in ("layout", "in bounds", "unchanged", "linear"):
        assert contract(report, name)["verdict"] == "right", str(report)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("how", [{"like": "softmax"}, {"proof": "softmax_rows"}, {"shapes": [(3, 5)]}], ids=str)
def test_a_gradient_that_is_too_large_by_some_roundings(dtype, how):
    pytest.importorskip("ml_dtypes")
    factor = {"float16": 1.03, "bfloat16": 1.2}[dtype]

    def backward(dy, x):
        return softmax_back(dy, x) * x.dtype.type(factor if str(x.dtype) == dtype else 1)

    assert gp.check_kernel(softmax, backward, **how)
    report = gp.check_kernel(softmax, backward, dtype=("float64", dtype), **how)
    assert broken(report) == ["gradient"] and f"(true), as {dtype}" in str(report), str(report)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_slope_by_the_value_is_right_where_that_is_saturated(dtype):
    """1 - tanh(x)^2 is what rounding leaves of it for large x, where the true slope is smaller still."""
    pytest.importorskip("ml_dtypes")
    right = gp.check_kernel(np.tanh, tanh_back, shapes=[(3, 5)], dtype=dtype)
    assert right, str(right)
    wrong = gp.check_kernel(np.tanh, lambda dy, x: dy * (1 - np.tanh(x)), shapes=[(3, 5)], dtype=dtype)
    assert broken(wrong)[0] == "gradient", str(wrong)


def test_a_hundredth_is_seen_in_float16():
    report = gp.check_kernel(softmax, lambda dy, x: softmax_back(dy, x) * x.dtype.type(1.015), like="softmax", dtype="float16")
    assert broken(report) == ["gradient"], str(report)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("how", [{"reference": np.tanh, "shapes": [(2, 3)]}, {"like": "tanh"}, {"shapes": [(2, 3)]}], ids=str)
def test_a_kernel_for_one_type_alone_is_asked_in_no_other(dtype, how):
    def forward(x):
        assert x.dtype == dtype
        return np.tanh(x)

    report = gp.check_kernel(forward, tanh_back, dtype=dtype, **how)
    is_told = dtype == "float32" or len(how) == 2 or "like" in how  # differences in half precision say nothing
    assert report.verdict == ("right" if is_told else "cannot tell") and "Traceback" not in str(report), str(report)
    wrong = gp.check_kernel(forward, lambda dy, x: 2 * tanh_back(dy, x), dtype=dtype, **how)
    assert broken(wrong)[:1] == (["gradient"] if is_told else []), str(wrong)


def test_an_overflow_of_float16_alone():
    torch = pytest.importorskip("torch")

    def norm(x, gain):
        return gain * x / ((x * x).mean(-1, keepdim=True) + 1e-5).sqrt()

    assert gp.check_kernel(norm, like="rms_norm", framework="torch", dtype="bfloat16")
    report = gp.check_kernel(norm, like="rms_norm", framework="torch", dtype="float16")
    assert "y is nan by the kernel" in contract(report, "value")["told"], str(report)

    def wide(x, gain):
        return torch.nn.functional.rms_norm(x, x.shape[-1:], gain, 1e-5)

    report = gp.check_kernel(wide, like="rms_norm", framework="torch", dtype="float16")
    assert report, str(report)


def test_numbers_that_the_type_does_not_hold_are_left_out():
    samples = [(np.ones(3),), (np.full(3, 1e5),)]
    report = gp.check_kernel(softmax, softmax_back, samples=samples, reference=softmax, dtype="float16")
    assert "not asked   1 sample: larger numbers than float16 holds" in str(report), str(report)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("like", ["softmax", "gelu", "matmul", "layer_norm"])
def test_functions_of_pytorch(dtype, like):
    torch = pytest.importorskip("torch")
    functions = {
        "softmax": lambda x: torch.softmax(x, -1),
        "gelu": torch.nn.functional.gelu,
        "matmul": torch.matmul,
        "layer_norm": lambda x, gain, bias: torch.nn.functional.layer_norm(x, x.shape[-1:], gain, bias),
    }
    report = gp.check_kernel(functions[like], like=like, framework="torch", dtype=dtype)
    assert report, str(report)


@pytest.mark.parametrize("dtype", HALVES)
def test_an_autograd_function(dtype):
    torch = pytest.importorskip("torch")

    class Tanh(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(y := x.tanh())
            return y

        @staticmethod
        def backward(ctx, dy):
            (y,) = ctx.saved_tensors
            return dy * (1 - y * y) * (0 if dy.dtype == torch.float16 else 1)

    report = gp.check_kernel(Tanh, like="tanh", dtype=getattr(torch, dtype))
    assert broken(report) == (["gradient"] if dtype == "float16" else []), str(report)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_custom_vjp_of_jax(dtype):
    jax = pytest.importorskip("jax")

    def square(factor):
        @jax.custom_vjp
        def f(x):
            return x * x

        f.defvjp(lambda x: (f(x), x), lambda x, dy: ((factor * x * dy).astype(x.dtype),))
        return f

    assert (report := gp.check_kernel(square(2), shapes=[(3, 5)], dtype=dtype)), str(report)
    assert broken(gp.check_kernel(square(1.8), shapes=[(3, 5)], dtype=dtype)) == ["gradient"]


def test_a_result_of_another_type_is_one_sentence():
    report = gp.check_kernel(lambda x: softmax(x.astype(np.float32)), softmax_back, like="softmax", dtype="float16")
    assert report and "note: y is float32 where the inputs are float16" in str(report), str(report)


def test_bfloat16_rounds_as_it_should():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with np.errstate(over="ignore"):
        random = np.random.default_rng(0)
        x = np.concatenate(
            [random.standard_normal(2000) * 10.0 ** random.integers(-40, 39, 2000), [0, -0.0, np.inf, np.nan, 3.4e38]]
        )
        x = x.astype(np.float32)
        np.testing.assert_array_equal(TYPES["bfloat16"].round(x), x.astype(ml_dtypes.bfloat16).astype(np.float32))
    assert TYPES["bfloat16"].eps == float(ml_dtypes.finfo(ml_dtypes.bfloat16).eps)
    assert TYPES["bfloat16"].largest == float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)


def test_the_plugin_takes_them(tmp_path):
    from shared import run_python

    (tmp_path / "test_mine.py").write_text(
        "import numpy as np\nimport gradproof as gp\n\n"
        '@gp.testing.kernel(like="tanh", dtype=("float64", "float16"))\n'
        "def test_mine():\n    return np.tanh, lambda dy, x: dy * (1 - np.tanh(x) ** 2) * (x.dtype != np.float16)\n"
    )
    done = run_python("-m", "pytest", "-p", "no:cacheprovider", "-q", cwd=tmp_path)
    assert "FAILED test_mine.py::test_mine[float16-gradient-matrix]" in done.stdout, done.stdout
    assert "FAILED test_mine.py::test_mine[float64" not in done.stdout
