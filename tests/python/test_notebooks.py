"""The notebooks run, and show what is stored in them."""

import copy
import importlib.machinery
import importlib.util
import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = pathlib.Path(__file__).parents[2] / "tools/python/notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def runner():
    loader = importlib.machinery.SourceFileLoader("run_notebooks", str(NOTEBOOKS / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


run = runner()


def test_there_are_three():
    assert [p.stem for p in PATHS] == ["learn_the_backward_of_attention", "try_an_op", "verify_a_derivation"]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_fresh_run_shows_what_is_stored(path):
    pytest.importorskip("matplotlib")
    if path.stem == "try_an_op":
        pytest.importorskip("torch")
    told = run.differences(nbformat.read(path, as_version=4), run.executed(path))
    assert not told, "tools/python/notebooks/run --record, and read the diff:\n" + "\n".join(told)


def test_what_differs_is_found():
    stored = nbformat.read(PATHS[0], as_version=4)
    shown = next(i for i, c in enumerate(stored.cells) if c.get("outputs") and "varies" not in c.metadata.get("tags", []))
    varies = next(i for i, c in enumerate(stored.cells) if "varies" in c.metadata.get("tags", []))
    assert run.differences(stored, copy.deepcopy(stored)) == []
    for i in (shown, varies):
        other = copy.deepcopy(stored)
        other.cells[i].outputs = []
        assert len(run.differences(stored, other)) == 1, i
    other = copy.deepcopy(stored)
    data = other.cells[shown].outputs[0]["data"]
    data["text/plain"] += " "
    assert f"cell {shown + 1} holds" in run.differences(stored, other)[0]
    other = copy.deepcopy(stored)
    other.cells[varies].outputs[0]["data"]["text/plain"] += " "
    assert run.differences(stored, other) == []
