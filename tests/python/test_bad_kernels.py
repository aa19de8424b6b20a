"""Kernels and arguments that are not what they should be: a report or one clear error, never a crash or a hang."""

import os
import threading
import time
import warnings

import gradproof as gp
import numpy as np
import pytest
from shared import growth, run_interrupted, softmax, softmax_back, tanh_back


def report_on(forward=np.tanh, backward=tanh_back, **more):
    report = gp.check_kernel(forward, backward, **({"like": "tanh", "name": "mine"} | more))
    assert not report
    return str(report)


def raising(*_):
    raise RuntimeError("out of cheese")


def test_what_the_forward_raises_is_shown_with_its_place():
    text = report_on(raising)
    assert "the forward raised RuntimeError: out of cheese" in text
    assert "test_bad_kernels.py" in text and 'raise RuntimeError("out of cheese")' in text


def test_what_the_backward_raises_is_shown():
    assert "the backward raised RuntimeError: out of cheese" in report_on(backward=raising)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), MemoryError(), RecursionError("deep")])
def test_even_this_is_a_finding(error):
    def forward(x):
        raise error

    assert f"the forward raised {type(error).__name__}" in report_on(forward)


def test_a_recursion_without_end():
    def forward(x):
        return forward(x)

    assert "RecursionError" in report_on(forward)


WRONG_RESULTS = {
    "another shape": (lambda x: np.tanh(x)[..., None], tanh_back, "y is ["),
    "a list": (lambda x: [1.0], tanh_back, "y is a list, expected an array of NumPy"),
    "nothing": (lambda x: None, tanh_back, "y is a NoneType, expected an array"),
    "integers": (lambda x: np.zeros(x.shape, int), tanh_back, "y has elements of type int64, expected floats"),
    "complex numbers": (lambda x: np.tanh(x) + 0j, tanh_back, "y has elements of type complex128, expected floats"),
    "texts": (lambda x: np.array(["a"]), tanh_back, "y has elements of type <U1"),
    "a generator": (lambda x: (v for v in x), tanh_back, "y is a generator, expected an array"),
    "two gradients": (np.tanh, lambda dy, x: (dy, dy), "the backward returns 2 gradients, expected 1"),
    "no gradient": (np.tanh, lambda dy, x: None, "d(x) is absent by the kernel and there by the page of tanh"),
    "a gradient of another shape": (np.tanh, lambda dy, x: dy.sum(), "d(x) is [], expected ["),
    "NaN": (np.tanh, lambda dy, x: np.full_like(x, np.nan), "d(x) is nan by the kernel"),
}


@pytest.mark.parametrize("forward, backward, says", WRONG_RESULTS.values(), ids=WRONG_RESULTS)
def test_a_wrong_result_is_said_in_one_sentence(forward, backward, says):
    assert says in report_on(forward, backward)


@pytest.mark.parametrize("wait", ["while True: pass", "time.sleep(1000)"])
def test_a_call_that_never_returns_is_left(wait):
    code = compile(wait, "<kernel>", "exec")
    text = report_on(lambda x: exec(code, {"time": time}), time_limit=0.3)
    assert "the forward did not return within 0.3 s" in text


def test_a_loop_without_end_is_ended_and_not_only_left():
    def threads():
        return [t for t in threading.enumerate() if t.name.startswith("gradproof")]

    before = len(threads())

    def forward(x):
        while True:
            pass

    report_on(forward, time_limit=0.2)
    began = time.monotonic()
    while len(threads()) > before and time.monotonic() < began + 30:
        time.sleep(0.05)
    assert len(threads()) == before


def test_a_kernel_that_forks_leaves_no_second_program():
    def forward(x):
        if os.fork() == 0:
            return np.tanh(x)
        os.wait()
        return np.tanh(x)

    assert gp.check_kernel(forward, tanh_back, samples=[(np.ones(3),)], dtype="float64")


def test_a_view_of_the_input_is_a_result():
    assert gp.check_kernel(lambda x: x.T, lambda dy, x: dy.T, reference=lambda x: x.T, shapes=[(3, 5)])
    assert gp.check_kernel(lambda x: x, lambda dy, x: dy, reference=lambda x: x, shapes=[(3, 5)])


def test_empty_arrays_and_numbers():
    assert gp.check_kernel(np.tanh, tanh_back, shapes=[()])
    assert gp.check_kernel(np.tanh, tanh_back, shapes=[(0, 3)]).verdict == "cannot tell"


WRONG_USE = {
    "no function": (lambda: gp.check_kernel(3, tanh_back, like="tanh"), TypeError, "the forward is a int"),
    "no backward": (lambda: gp.check_kernel(np.tanh, like="tanh"), ValueError, "the backward is missing"),
    "an unknown op": (lambda: gp.check_kernel(np.tanh, tanh_back, like="tahn"), ValueError, "did you mean tanh"),
    "nothing to hold it to": (lambda: gp.check_kernel(np.tanh, tanh_back), ValueError, "give like=, proof=, or the shapes"),
    "two things": (lambda: gp.check_kernel(np.tanh, tanh_back, like="tanh", proof="gelu"), ValueError, "not like and proof"),
    "a wrong type": (
        lambda: gp.check_kernel(np.tanh, tanh_back, like="tanh", dtype="complex64"),
        ValueError,
        "dtype is complex64, expected some of float64, float32, float16, bfloat16",
    ),
    "a wrong framework": (
        lambda: gp.check_kernel(np.tanh, tanh_back, framework="tf"),
        ValueError,
        "expected one of numpy, torch, jax",
    ),
    "no type": (
        lambda: gp.check_kernel(np.tanh, tanh_back, like="tanh", dtype="float65"),
        ValueError,
        "dtype is float65, expected some of",
    ),
    "a shape too many": (
        lambda: gp.check_kernel(softmax, softmax_back, shapes=[(3, 5), (5,)]),
        ValueError,
        "shapes has 2 shapes, and the forward takes x",
    ),
    "a shape too few": (
        lambda: gp.check_kernel(lambda x, gain: x * gain, tanh_back, shapes=[(3, 5)]),
        ValueError,
        "shapes has 1 shape, and the forward takes x, gain",
    ),
    "shapes in letters": (lambda: gp.check_kernel(np.tanh, tanh_back, shapes="ab"), ValueError, "shapes is 'ab', expected"),
    "sizes that are none": (lambda: gp.check_kernel(np.tanh, tanh_back, shapes=[(3.5,)]), ValueError, "shapes is [(3.5,)], "),
    "an array for samples": (
        lambda: gp.check_kernel(np.tanh, tanh_back, samples=np.ones((3, 4))),
        TypeError,
        "samples is a ndarray, expected a list of samples, each a tuple of the inputs: samples=[(x, gain)]",
    ),
    "an array for a sample": (
        lambda: gp.check_kernel(np.tanh, tanh_back, samples=[np.ones((3, 4))]),
        TypeError,
        "samples holds a ndarray, expected a list of samples, each a tuple of the inputs",
    ),
    "a sample with an input too many": (
        lambda: gp.check_kernel(softmax, softmax_back, samples=[(np.ones(3), np.ones(3))]),
        ValueError,
        "sample 1 has 2 inputs, and the forward takes x",
    ),
    "a reference that raises": (
        lambda: gp.check_kernel(softmax, softmax_back, reference=lambda x: x @ x, shapes=[(3, 5)]),
        ValueError,
        "check_kernel: the reference raised ValueError: matmul",
    ),
    "a shape that is none": (lambda: gp.check_kernel(np.tanh, tanh_back, shapes=[3]), ValueError, "a shape for each input"),
    "an unknown input": (lambda: gp.check_kernel(np.tanh, tanh_back, like="tanh", wrt="z"), ValueError, "wrt has 'z'"),
    "an attribute without an op": (
        lambda: gp.check_kernel(softmax, softmax_back, shapes=[(3,)], attrs={"a": 1}),
        ValueError,
        "attrs has 'a', which the kernel does not take by name",
    ),
    "an unknown attribute": (
        lambda: gp.check_kernel(np.tanh, tanh_back, like="softmax", attrs={"axs": 1}),
        ValueError,
        "did you mean axis",
    ),
    "complex numbers": (
        lambda: gp.check_kernel(np.tanh, tanh_back, samples=[(np.ones(3) + 0j,)]),
        TypeError,
        "sample 1, input 1, has elements of type complex128, expected floats",
    ),
    "a list of complex numbers": (
        lambda: gp.check_kernel(np.tanh, tanh_back, samples=[([1j],)]),
        TypeError,
        "sample 1, input 1, has elements of type complex128, expected floats",
    ),
    "integers": (
        lambda: gp.check_kernel(softmax, softmax_back, samples=[(np.arange(3),)]),
        ValueError,
        "sample 1 holds integers alone, which have no gradient",
    ),
    "another device": (
        lambda: gp.check_kernel(np.tanh, tanh_back, samples=[(type("Tensor", (), {"device": "cuda:0"})(),)]),
        TypeError,
        "sample 1, input 1, is on cuda:0, expected an array in this machine's memory",
    ),
    "three outputs": (
        lambda: gp.check_kernel(lambda x: (x, x, x), tanh_back, like="tanh"),
        ValueError,
        "the forward returns 3 values, expected y, or (y, saved)",
    ),
    "a proof that is none": (lambda: gp.check_kernel(np.tanh, tanh_back, proof="x y z"), ValueError, "expected title"),
}


@pytest.mark.parametrize("call, error, says", WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_is_one_error(call, error, says):
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


def test_a_pair_is_y_and_what_is_saved_and_the_report_says_so_where_that_may_be_the_mistake():
    said = "note: the forward returns a pair, y and what is saved: the backward is called as backward(dy, saved)"
    report = gp.check_kernel(lambda x: (softmax(x), x.sum()), lambda dy, x: softmax_back(dy, x), shapes=[(3, 5)])
    assert not report and said in str(report), str(report)
    report = gp.check_kernel(lambda x: (softmax(x), x), lambda dy, x: softmax_back(dy, x), shapes=[(3, 5)])
    assert report and "a pair" not in str(report), str(report)


def test_the_reason_is_about_the_gradient_whose_worst_entry_is_told_and_a_sample_is_named_once():
    report = gp.check_kernel(lambda a, b: a * b, lambda dy, a, b: (1.01 * dy * b, 5 * dy * a), shapes=[(3, 5), (3, 5)])
    text = str(report)
    assert "the backward is at fault: d(b) of the kernel" in text and "worst at d(b)" in text, text
    report = gp.check_kernel(lambda x: x * np.random.rand(), lambda dy, x: dy, shapes=[(3, 5)], vary=False)
    lines = [line for line in str(report).split("\n") if "also on" in line]
    assert lines and all(line.count('"draw 2"') <= 1 and '"draw 1"' not in line for line in lines), str(report)


def test_infinities_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gp.check_kernel(lambda x: 2 * x, lambda dy, x: dy * np.where(x > -9, np.inf, 2), shapes=[(3, 5)])


def test_ctrl_c_ends_a_long_call():
    program = """
import os, signal, threading, time
import numpy as np
import gradproof as gp
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
def slow(x):
    time.sleep(0.05)
    return np.tanh(x)
try:
    gp.check_kernel(slow, lambda dy, x: dy * (1 - np.tanh(x) ** 2), shapes=[(30, 50)])
    print("done")
except KeyboardInterrupt:
    print("ended")
"""
    done = run_interrupted(program, timeout=120)
    assert done.stdout == "ended\n", done.stderr


def test_other_threads_run_during_a_long_call():
    counted, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    gp.check_proof("transformer_block")
    stop.set()
    thread.join()
    assert counted[0] > 20


def test_reports_do_not_grow_memory():
    def round_of():
        for _ in range(20):
            gp.check_kernel(np.tanh, tanh_back, shapes=[(40, 50)], dtype="float64")

    assert growth(round_of) < 20_000


def test_without_any_sample_nothing_is_right():
    report = gp.check_kernel(np.tanh, tanh_back, like="tanh", without="")
    assert report.verdict == "cannot tell" and not report, str(report)
