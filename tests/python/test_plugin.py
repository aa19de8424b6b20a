"""The pytest plugin: one test for each type, contract and sample, with ids to choose by, and a seed."""

import pytest
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


@pytest.mark.parametrize("held_to", ["shapes=[(3, 5)]", "like='tanh'"])
def test_further_sizes_are_a_test(tmp_path, held_to):
    (tmp_path / "test_mine.py").write_text(
        "import numpy as np\nimport gradproof as gp\n\n"
        f"@gp.testing.kernel({held_to}, dtype='float64')\n"
        "def test_mine():\n    return np.tanh, lambda dy, x: dy * (1 - np.tanh(x) ** 2) * (x.size < 60)\n"
    )
    done = run_python("-m", "pytest", "-p", "no:cacheprovider", "-q", cwd=tmp_path)
    assert "FAILED test_mine.py::test_mine[float64-gradient-further_sizes]" in done.stdout, done.stdout
    assert "1 failed" in done.stdout, done.stdout


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


MISTAKES = """
import gradproof as gp
import pytest


def twice(k=2):
    return lambda x: x * k, lambda dy, x: dy * k


@gp.testing.kernel(shapez=[(3, 5)])
def test_argument():
    return twice()


@gp.testing.kernel(shapes=[(3, 5)])
def test_body():
    return no_such_name


@gp.testing.kernel()
def test_nothing_given():
    return twice()


@gp.testing.kernel(shapes=[(3, 5)])
def test_nothing_returned():
    pass


@gp.testing.kernel(shapes=[(3, 5)])
def test_skipped():
    pytest.importorskip("no_such_module")


@gp.testing.kernel(shapes=[(3, 5)], dtype="float65")
def test_type():
    return twice()


@gp.testing.kernel(shapes=[(3, 5)], dtype="float64", vary=False)
def test_good():
    return twice()


def test_plain():
    pass
"""

WAYS = """
import gradproof as gp
import numpy as np
import pytest


@pytest.fixture
def factor():
    return 2


@gp.testing.kernel(shapes=[(3, 5)], dtype="float64", vary=False)
def test_fixture(factor, request):
    assert request.node.name.startswith("test_fixture[")
    return lambda x: x * factor, lambda dy, x: dy * factor


@pytest.mark.parametrize("k", [2, 3])
@gp.testing.kernel(shapes=[(3, 5)], dtype="float64", vary=False)
def test_over(k):
    return lambda x: x * k, lambda dy, x: dy * 2


@gp.testing.kernel(shapes=[(3, 5)], dtype="float64", vary=False)
@pytest.mark.parametrize("k", [2])
def test_under(k):
    return lambda x: x * k, lambda dy, x: dy * k


class TestClass:
    name = "tanh"

    @gp.testing.kernel(like="tanh", dtype="float64")
    def test_method(self, factor):
        return getattr(np, self.name), lambda dy, x: dy * (1 - np.tanh(x) ** 2)
"""


def run_file(tmp_path, text, *arguments):
    (tmp_path / "test_it.py").write_text(text)
    return run_python("-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments, cwd=tmp_path)


def test_one_mistake_fails_one_test_and_the_others_run(tmp_path):
    out = run_file(tmp_path, MISTAKES).stdout
    failed = {line.split("::")[1].split("[")[0] for line in out.split("\n") if line.startswith("FAILED")}
    assert failed == {"test_argument", "test_body", "test_nothing_given", "test_nothing_returned", "test_type"}, out
    assert "gradproof.testing.kernel has no argument 'shapez', did you mean shapes?" in out, out
    assert "NameError: name 'no_such_name' is not defined" in out and "testing.py" not in out, out
    assert "ValueError: check_kernel: give like=, proof=, or the shapes" in out, out
    assert "test_nothing_returned returns nothing, expected the kernel" in out, out
    assert "dtype is float65" in out and "5 failed" in out and "passed" in out, out


def test_fixtures_parameters_and_methods(tmp_path):
    out = run_file(tmp_path, WAYS, "-vv").stdout
    passed = [line for line in out.split("\n") if "gradient" in line and "draw_1" in line and "PASSED" in line]
    assert len(passed) == 3, out
    for name, part in (("test_fixture", ""), ("test_over", "2"), ("test_under", "2")):
        assert any(f"::{name}[" in line and part in line.split("draw_1")[1] for line in passed), (name, out)
    assert "TestClass::test_method[float64-gradient-matrix] PASSED" in out, out
    failed = [line for line in out.split("\n") if line.startswith("FAILED")]
    assert failed and all("test_over[" in line and "3" in line and "gradient" in line for line in failed), out


def test_a_failure_holds_what_belongs_to_it_and_no_more(tmp_path):
    done = run(tmp_path, "-q", "-k", "test_wrong")
    parts = done.stdout.split("again by:")
    for draw in ("draw 1", "draw 2"):
        one = next(p for p in parts if f'gradient, sample "{draw}": wrong:' in p)
        assert "worst at d(x)" in one and "linear" not in one and "also on" not in one and "hidden" not in one, one
    reports = done.stdout.split("short test summary info")[0]  # the summary says them again where CI is set
    worst = {line for line in reports.split("\n") if "worst at" in line}
    assert len(worst) == reports.count("worst at"), reports  # each with numbers of its own
