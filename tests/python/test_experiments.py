"""Experiments: those of the program, with its numbers."""

import json

import gradproof as gp
import pytest
from program import program


def test_the_same_are_listed_as_by_the_program():
    theirs = [json.loads(line) for line in program("experiment", "list", "--json").splitlines()]
    assert gp.experiments() == theirs and len(theirs) >= 22


def test_a_result_is_that_of_the_program(tmp_path):
    mine = gp.run_experiment("variance", seed=5, quick=True)
    printed = program("experiment", "variance", "--seed", 5, "--quick", "--json", "--out", tmp_path / "theirs")
    theirs = json.loads(printed)
    assert theirs.pop("seconds") > 0 and theirs.pop("out")
    assert json.loads(json.dumps(mine.to_dict(), allow_nan=False)) == theirs
    mine.save(tmp_path / "mine")
    names = {p.name for p in (tmp_path / "theirs").iterdir()}
    assert names == {p.name for p in (tmp_path / "mine").iterdir()} and "index.html" in names
    for name in names:
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    assert mine.figures["variance"].startswith("<svg") or "<svg" in mine.figures["variance"]
    assert str(mine).startswith("3. Variance") and "5 of 5 claims held" in repr(mine)
    assert mine._repr_html_().count(">held</b>") == 5


def test_a_name_that_is_not_known_is_told_with_the_nearest():
    with pytest.raises(ValueError, match="no experiment named varianze; did you mean variance"):
        gp.run_experiment("varianze")
