"""The contracts beyond value and gradient: each is broken by a planted bug, and by no right kernel of the other tests."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, softmax, softmax_back, tanh_back


def writes_to_its_input(x):
    y = softmax(x)
    x -= x.max(-1, keepdims=True)
    return y


def writes_to_the_cotangent(dy, x):
    y = softmax(x)
    dy *= y
    return dy - y * dy.sum(-1, keepdims=True)


def test_a_forward_that_writes_to_its_input():
    report = gp.check_kernel(writes_to_its_input, softmax_back, shapes=[(3, 5)])
    assert "unchanged" in broken(report) and "the forward writes to its input x" in str(report)


def test_a_backward_that_writes_to_the_cotangent():
    report = gp.check_kernel(softmax, writes_to_the_cotangent, like="softmax")
    assert "unchanged" in broken(report) and "writes to the cotangent" in str(report)


def test_a_backward_that_writes_to_the_input():
    def backward(dy, x):
        dx = tanh_back(dy, x)
        x[...] = 0
        return dx

    report = gp.check_kernel(np.tanh, backward, samples=[(np.ones(3),)], reference=np.tanh)
    assert "unchanged" in broken(report) and "the backward writes to the input x" in str(report)


def test_state_between_calls():
    kept = {}

    def forward(x):
        kept["y"] = softmax(x)
        return kept["y"].copy()

    def backward(dy, x):
        y = kept["y"]
        return y * (dy - (dy * y).sum(-1, keepdims=True))

    report = gp.check_kernel(forward, backward, like="softmax")
    assert broken(report) == ["independent"] and "something is kept between calls" in str(report)


def test_a_backward_that_consumes_what_was_saved():
    def forward(x):
        y = softmax(x)
        return y, y.copy()

    def backward(dy, y):
        dx = y * (dy - (dy * y).sum(-1, keepdims=True))
        y[...] = 0
        return dx

    report = gp.check_kernel(forward, backward, like="softmax")
    assert "independent" in broken(report) and "a second time" in str(report)


def test_random_results():
    random = np.random.default_rng(1)

    def backward(dy, x):
        return softmax_back(dy, x) * (1 + 1e-12 * random.standard_normal())

    assert "deterministic" in broken(gp.check_kernel(softmax, backward, like="softmax", dtype="float64"))


def test_a_random_value():
    random = np.random.default_rng(1)

    def forward(x):
        return np.tanh(x) * (1 + 1e-13 * random.standard_normal())

    report = gp.check_kernel(forward, tanh_back, like="tanh", dtype="float64")
    assert "y has other bits the second time" in contract(report, "deterministic")["told"], str(report)


def test_a_backward_that_cuts_the_cotangent():
    report = gp.check_kernel(softmax, lambda dy, x: softmax_back(np.maximum(dy, 0), x), like="softmax")
    assert {"gradient", "linear"} <= set(broken(report)), str(report)


def test_a_backward_that_adds_something_of_its_own():
    report = gp.check_kernel(softmax, lambda dy, x: softmax_back(dy, x) + 1e-3, like="softmax")
    assert "d(x) is not 0 for a cotangent of zeros" in contract(report, "linear")["told"]


@pytest.mark.parametrize(
    "backward, factor",
    [
        (lambda dy, x: tanh_back(np.clip(dy, -5, 5), x), 16384),
        (lambda dy, x: tanh_back(np.clip(dy, -100, 100), x), 16384),
        (lambda dy, x: np.clip(tanh_back(dy, x), -5, 5), 16384),
        (lambda dy, x: tanh_back(dy * min(1, 20 / max(np.linalg.norm(dy), 1)), x), 16384),
        (lambda dy, x: tanh_back(np.where(abs(dy) < 1e-6, 0, dy), x), 2.0**-24),
    ],
)
@pytest.mark.parametrize("held_to", [{"shapes": [(3, 5)]}, {"like": "tanh"}])
def test_large_and_tiny_cotangents(backward, factor, held_to):
    report = gp.check_kernel(np.tanh, backward, **held_to)
    assert "linear" in broken(report), str(report)
    said = f"not linear in the cotangent: d(x) of {factor:g} u is not {factor:g} times that of u"
    assert said in contract(report, "linear")["told"], str(report)


def test_a_slower_path_for_strided_arrays_that_is_a_little_off():
    def forward(x):
        return np.tanh(x) * (1 if x.flags.c_contiguous else 1 + 1e-9)

    report = gp.check_kernel(forward, tanh_back, like="tanh", dtype="float64")
    assert broken(report) == ["layout"], str(report)


LAYOUTS = {
    "columns first": lambda a: a.flags.f_contiguous and not a.flags.c_contiguous,
    "every second element": lambda a: a.strides[-1] == 2 * a.itemsize,
    "reversed": lambda a: a.strides[-1] < 0,
    "read only": lambda a: not a.flags.writeable,
    "strides of 0": lambda a: 0 in a.strides,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_backward_that_is_off_for_one_layout_alone(name):
    def backward(dy, x):
        return tanh_back(dy, x) * (1.001 if LAYOUTS[name](dy) else 1)

    report = gp.check_kernel(np.tanh, backward, shapes=[(3, 5)], dtype="float64")
    assert broken(report) == ["layout"] and name in contract(report, "layout")["told"], str(report)


def test_a_kernel_that_takes_memory_for_rows():
    def flat(x):
        """The elements as they lie in memory, strides ignored."""
        base = np.lib.stride_tricks.as_strided(x, x.shape, np.empty(x.shape, x.dtype).strides)
        return np.array(base)

    report = gp.check_kernel(lambda x: np.tanh(flat(x)), tanh_back, shapes=[(3, 5)])
    assert "layout" in broken(report) and "columns first" in str(report)


def test_a_kernel_that_reads_behind_its_input():
    def forward(x):
        behind = np.lib.stride_tricks.as_strided(x.reshape(-1), (x.size + 1,), (x.itemsize,))
        return np.tanh(x) + 0 * behind[-1] * (x[..., :1] < 1e9)

    report = gp.check_kernel(forward, tanh_back, like="tanh", dtype="float64")
    assert "in bounds" in broken(report), str(report)


def test_a_kernel_that_writes_behind_its_input():
    def forward(x):
        np.lib.stride_tricks.as_strided(x, (x.size + 1,), (x.itemsize,))[-1] = 7
        return np.tanh(x)

    report = gp.check_kernel(forward, tanh_back, samples=[(np.ones(5),)], dtype="float64")
    assert "in bounds" in broken(report), str(report)
