"""Kernels with which other checkers have trouble: each gives a report that says what is the matter, or one error."""

import os

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, run_python, tanh_back

SHAPES = {"shapes": [(3, 5)]}


class TestStraightThrough:
    def test_undeclared_it_is_wrong(self):
        report = gp.check_kernel(np.round, lambda dy, x: dy, **SHAPES)
        assert "gradient" in broken(report), str(report)

    def test_declared_by_a_function(self):
        report = gp.check_kernel(np.round, lambda dy, x: dy, straight_through=lambda x: 1 * x, **SHAPES)
        assert report and "its gradient, declared straight-through, against that of another function" in str(report)
        report = gp.check_kernel(np.round, lambda dy, x: 2 * dy, straight_through=lambda x: 1 * x, **SHAPES)
        assert broken(report) == ["gradient"] and "claimed = 2 * true" in str(report), str(report)

    def test_the_value_is_still_held_to_what_is_known(self):
        how = SHAPES | {"reference": np.round, "straight_through": lambda x: 1 * x}
        assert gp.check_kernel(np.round, lambda dy, x: dy, **how)
        assert broken(gp.check_kernel(np.floor, lambda dy, x: dy, **how)) == ["value"]

    def test_declared_by_a_name(self):
        def forward(x, w):
            return np.round(x) * w

        def backward(dy, x, w, factor=1.0):
            return dy * w, factor * dy * np.round(x)

        how = {"shapes": [(3, 5), (3, 5)], "straight_through": "x"}
        report = gp.check_kernel(forward, backward, **how)
        assert report and "without the gradient by x, which is declared straight-through" in str(report), str(report)
        report = gp.check_kernel(forward, lambda *x: backward(*x, factor=1.1), **how)
        assert broken(report) == ["gradient"], str(report)
        with pytest.raises(ValueError, match="straight_through has 'z', the inputs are x, w"):
            gp.check_kernel(forward, backward, **(how | {"straight_through": "z"}))

    def test_of_pytorch(self):
        torch = pytest.importorskip("torch")

        class Clipped(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.sign()

            @staticmethod
            def backward(ctx, dy):
                return dy * (ctx.saved_tensors[0].abs() < 1)

        report = gp.check_kernel(Clipped, straight_through=lambda x: x.clamp(-1, 1), **SHAPES)
        assert report, str(report)
        assert contract(report, "second derivatives")["verdict"] == "not asked"
        report = gp.check_kernel(Clipped, straight_through=lambda x: x.clamp(-2, 2), **SHAPES)
        assert broken(report) == ["gradient"], str(report)


class TestDropout:
    @staticmethod
    def pair(generator):
        """Forward and backward that draw the mask from the generator of the call."""

        def forward(x):
            mask = generator().random(x.shape) < 0.5
            return 2 * x * mask, mask

        return forward, lambda dy, mask: 2 * dy * mask

    def test_without_a_seed(self):
        random = np.random.default_rng(0)
        report = gp.check_kernel(*self.pair(lambda: random), **SHAPES)
        assert not report and "y has other bits the second time" in contract(report, "deterministic")["told"], str(report)

    def test_with_a_seed(self):
        report = gp.check_kernel(*self.pair(lambda: np.random.default_rng(0)), **SHAPES)
        assert report, str(report)

    def test_a_backward_with_a_mask_of_its_own(self):
        forward, _ = self.pair(lambda: np.random.default_rng(0))
        back = self.pair(lambda: np.random.default_rng(1))[0]
        report = gp.check_kernel(forward, lambda dy, mask: back(dy)[0], **SHAPES)
        assert broken(report) == ["gradient"], str(report)


class TestWhatShowsInOnePlaceAlone:
    def test_ties(self):
        def forward(x):
            return x.max(-1)

        def backward(dy, x, power=-1):  # of a tie each entry gets its part, or more than all together
            tied = x == x.max(-1, keepdims=True)
            return dy[..., None] * tied * tied.sum(-1, keepdims=True, dtype=x.dtype) ** power

        how = {"like": "max", "attrs": {"axes": [-1]}, "without": "scalar"}
        report = gp.check_kernel(forward, backward, **how)
        assert report, str(report)
        report = gp.check_kernel(forward, lambda dy, x: backward(dy, x, 1), **how)
        assert broken(report) == ["gradient"] and "all axes, ties" in str(report), str(report)

    def test_negative_cotangents(self):
        report = gp.check_kernel(np.tanh, lambda dy, x: tanh_back(np.abs(dy), x), **SHAPES)
        assert {"gradient", "linear"} <= set(broken(report)), str(report)

    def test_large_values(self):
        def backward(dy, x):
            e = np.exp(2 * x)
            return dy * 4 * e / (e + 1) ** 2  # the derivative of tanh, which is NaN where e overflows

        report = gp.check_kernel(np.tanh, backward, like="tanh", dtype="float64")
        assert "d(x) is nan by the kernel" in contract(report, "gradient")["told"], str(report)

    def test_read_only_arrays(self):
        def forward(x):
            y = np.asarray(x)
            y += 0  # changes nothing, and is refused all the same where x may not be written to
            return np.tanh(y)

        report = gp.check_kernel(forward, tanh_back, **SHAPES)
        assert broken(report) == ["layout"] and "read-only" in contract(report, "layout")["told"], str(report)


class TestThingsThatAreNoKernel:
    def test_a_generator_function(self):
        def forward(x):
            yield np.tanh(x)

        assert "y is a generator, expected an array of NumPy" in str(gp.check_kernel(forward, tanh_back, **SHAPES))

    def test_a_coroutine(self):
        async def forward(x):
            return np.tanh(x)

        with pytest.warns(RuntimeWarning, match="never awaited"):
            text = str(gp.check_kernel(forward, tanh_back, **SHAPES))
        assert "y is a coroutine, expected an array of NumPy" in text

    def test_a_class(self):
        class Tanh:
            def __init__(self, x):
                self.x = x

        assert "y is a Tanh, expected an array of NumPy" in str(gp.check_kernel(Tanh, tanh_back, **SHAPES))

    @pytest.mark.parametrize("way", ["forward", "backward"])
    def test_what_is_raised_from_what_is_raised(self, way):
        def fails(*_):
            try:
                raise KeyError("first")
            except KeyError as error:
                raise OSError("second\nwith more lines") from error

        pair = (fails, tanh_back) if way == "forward" else (np.tanh, fails)
        report = gp.check_kernel(*pair, **SHAPES)
        assert f"the {way} raised OSError: second" in str(report) and "raise OSError" in str(report), str(report)

    def test_an_exception_without_a_text_or_with_a_broken_one(self):
        class Odd(Exception):
            def __str__(self):
                raise RuntimeError("no text")

        def fails(_):
            raise Odd

        report = gp.check_kernel(fails, tanh_back, **SHAPES)
        assert "the forward raised Odd" in str(report), str(report)

    def test_arrays_of_objects_and_records(self):
        for dtype in (object, [("a", float)], "datetime64[s]"):
            report = gp.check_kernel(lambda x, dtype=dtype: np.zeros(x.shape, dtype), tanh_back, **SHAPES)
            assert "y has elements of type" in str(report), str(report)

    def test_a_subclass_of_arrays(self):
        report = gp.check_kernel(lambda x: np.ma.masked_array(np.tanh(x), x > 0), tanh_back, **SHAPES)
        assert report, str(report)  # what is under the mask is compared too

    def test_a_backward_that_forks(self):
        def backward(dy, x):
            if os.fork() == 0:
                return dy
            os.wait()
            return tanh_back(dy, x)

        assert gp.check_kernel(np.tanh, backward, samples=[(np.ones(3),)], reference=np.tanh, dtype="float64")

    def test_threads_in_the_kernel(self):
        import concurrent.futures

        def forward(x):
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                return np.stack(list(pool.map(np.tanh, x)))

        assert gp.check_kernel(forward, tanh_back, **SHAPES)

    def test_it_asks_itself(self):
        def forward(x):
            assert gp.check_kernel(np.tanh, tanh_back, shapes=[(2,)], dtype="float64")
            return np.tanh(x)

        assert gp.check_kernel(forward, tanh_back, samples=[(np.ones(2),)], reference=np.tanh, dtype="float64")


def test_a_kernel_that_ends_the_interpreter_is_one_line():
    """os._exit cannot be caught; sys.exit is a finding."""
    program = "import sys, numpy as np, gradproof as gp\nprint(gp.check_kernel(lambda x: sys.exit(3), np.tanh, shapes=[(3,)]))"
    done = run_python("-c", program)
    assert done.returncode == 0 and "the forward raised SystemExit: 3" in done.stdout, done.stderr


def test_wrong_devices():
    torch = pytest.importorskip("torch")

    def backward(dy, x):
        return (dy * (1 - x.tanh() ** 2)).to("meta")

    report = gp.check_kernel(lambda x: x.tanh(), backward, framework="torch", **SHAPES)
    assert "d(x) is on meta, expected a tensor in this machine's memory" in str(report), str(report)
    with pytest.raises(TypeError, match="sample 1, input 1, is on meta"):
        gp.check_kernel(torch.tanh, samples=[(torch.ones(3, device="meta"),)], framework="torch")


def test_tensors_of_other_kinds():
    torch = pytest.importorskip("torch")
    for make in (lambda x: x.tanh().to_sparse(), lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8)):
        report = gp.check_kernel(make, lambda dy, x: dy, framework="torch", reference=torch.tanh, **SHAPES)
        assert not report and "y" in contract(report, "value")["told"], str(report)
