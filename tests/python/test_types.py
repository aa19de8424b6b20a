"""What editors and type checkers know of the package: annotations, and stubs of the ops, written from the registry."""

import inspect
import pathlib

import gradproof as gp
import pytest
from shared import run_python

PACKAGE = pathlib.Path(__file__).parents[2] / "tools/python"


def test_the_stubs_of_the_ops_are_those_of_the_registry():
    done = run_python(PACKAGE / "make_stubs", "--print")
    assert done.stdout == (PACKAGE / "gradproof/ops.pyi").read_text(), "run tools/python/make_stubs"


@pytest.mark.parametrize("name", [n for n in gp.__all__ if inspect.isfunction(getattr(gp, n))])
def test_every_function_is_annotated_and_documented(name):
    function = getattr(gp, name)
    signature = inspect.signature(function)
    assert function.__doc__ and signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values())


def test_a_type_checker_sees_wrong_arguments(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "client.py").write_text(
        "import numpy as np\n"
        "import gradproof as gp\n"
        'report = gp.check_proof("attention")\n'
        "reveal_type(report)\n"
        "gp.check_proof(3)\n"
        "gp.ops.softmax(np.ones(3), axs=0)\n"
        "reveal_type(gp.ops.softmax(np.ones(3), axis=0))\n"
    )
    done = run_python("-m", "mypy", "client.py", cwd=tmp_path)
    assert 'client.py:4: note: Revealed type is "gradproof._report.Report"' in done.stdout, done.stdout + done.stderr
    assert "client.py:5: error: Argument 1" in done.stdout
    assert 'client.py:6: error: Unexpected keyword argument "axs"' in done.stdout
    assert 'client.py:7: note: Revealed type is "gradproof.tensor.Tensor"' in done.stdout
