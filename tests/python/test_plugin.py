"""The pytest plugin: one test for each type, contract and sample, with ids to choose by, and a seed."""

from shared import run_python

FILE = """
import numpy as np
import gradproof as gp


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


@gp.testing.kernel(like="softmax")
def test_right():
    return softmax, lambda dy, x: softmax(x) * (dy - (dy * softmax(x)).sum(-1, keepdims=True))


@gp.testing.kernel(shapes=[(3, 5)], dtype="float64")
def test_wrong():
    return softmax, lambda dy, x: softmax(x) * dy
"""


ONLY_SHAPES = """
import numpy as np
import gradproof as gp


@gp.testing.kernel(shapes=[(3, 4)])
def test_mine():
    return lambda x: np.exp(3 * x), lambda dy, x: 3 * dy * np.exp(3 * x)
"""


def run(tmp_path, *arguments):
    (tmp_path / "test_mine.py").write_text(FILE)
    return run_python("-m", "pytest", "-p", "no:cacheprovider", *arguments, cwd=tmp_path)


def test_each_contract_and_sample_is_a_test(tmp_path):
    done = run(tmp_path, "--collect-only", "-q")
    ids = done.stdout.split("\n")
    assert "test_mine.py::test_right[float32-gradient-rows]" in ids, done.stdout
    assert "test_mine.py::test_right[float64-linear]" in ids
    assert "test_mine.py::test_wrong[float64-gradient-draw_1]" in ids
    assert not any("test_wrong[float32" in i for i in ids)


def test_the_right_passes_and_the_wrong_says_why(tmp_path):
    done = run(tmp_path, "-q")
    assert "passed" in done.stdout and "test_right" not in done.stdout, done.stdout
    assert "FAILED test_mine.py::test_wrong[float64-gradient-draw_1]" in done.stdout
    assert "why: d(x)" in done.stdout and "again by: --gradproof-seed 20240613" in done.stdout
    assert "test_wrong[float64-linear]" not in done.stdout


def test_the_seed_and_the_choice_by_name(tmp_path):
    done = run(tmp_path, "-q", "--gradproof-seed", "7", "-k", "wrong and gradient and draw_2")
    assert "1 failed" in done.stdout and "again by: --gradproof-seed 7" in done.stdout
    assert run(tmp_path, "-q", "-k", "right and float32").returncode == 0


def test_one_held_to_shapes_alone_passes_in_float32_too(tmp_path):
    (tmp_path / "test_shapes.py").write_text(ONLY_SHAPES)
    done = run_python("-m", "pytest", "-p", "no:cacheprovider", "-v", "-rs", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "test_mine[float32-gradient-draw_1] PASSED" in done.stdout
    assert "test_mine[float32-gradient-values_times_30] SKIPPED" in done.stdout
    assert "values times 30: the true gradient is not finite, or too large for float32" in done.stdout, done.stdout
