"""What a release promises: files of earlier ones are read, what is printed says its schema, the version stands in one place."""

import json
import pathlib
import re
import shutil

import gradproof as gp
import numpy as np
import pytest
from program import program

ROOT = pathlib.Path(__file__).parents[2]
RECORDED = sorted((ROOT / "tests/data").glob("release-*"))  # what a program of that release wrote


@pytest.fixture(params=RECORDED, ids=lambda p: p.name)
def recorded(request, tmp_path):
    """A copy, since a run that goes on writes."""
    return pathlib.Path(shutil.copytree(request.param, tmp_path / "recorded"))


def test_there_are_samples():
    assert [p.name for p in RECORDED] == ["release-0.1.0"]


def test_a_run_on_expressions_is_read_and_goes_on(recorded):
    run = gp.Training.load(recorded / "expressions", epochs=2)
    assert run.steps_done == 38 and run.options["model"] == "single-head"
    assert run.generate("Max(1,6,2)") in "0123456789"
    run.train()
    program("train", "--resume", recorded / "expressions", "--epochs", 2)
    assert (recorded / "expressions/loss.csv").read_text().count("\n") == 3  # its rows and the new one


def test_a_run_on_a_text_is_read_and_goes_on(recorded):
    assert len(gp.generate(recorded / "text", "the cat", tokens=5)) == 5
    run = gp.Training.load(recorded / "text", data=str(recorded / "prose.txt"), steps=6)
    assert run.steps_done == 4
    run.train()
    assert run.steps_done == 6


def test_arrays_derivations_and_progress_are_read(recorded):
    for name in ("arrays.npz", "arrays.safetensors"):
        arrays = gp.load(recorded / name)
        assert {n: a.shape for n, a in arrays.items()} == {"Q": (5, 2), "K": (8, 2), "V": (8, 3)}
        assert arrays["K"].dtype == np.float32 and np.isclose(arrays["Q"][0, 0], 0.345584192064786)
    assert [line["verdict"] for line in gp.check_proof(recorded / "attention.proof").to_dict()["lines"]].count("wrong") == 3
    program("exercise", "check", "7", "dO V", "--progress", recorded / "exercises", expect=1)
    listed = json.loads(program("exercise", "list", "--json", "--progress", recorded / "exercises"))
    assert next(e for e in listed["exercises"] if e["name"] == "weights")["progress"] == {"right": True, "tries": 2}


# A number changes only where a program that read the object would read it wrongly; CHANGELOG.md says so then.
SCHEMAS = {
    "check --proof attention --json": 1,
    "check --op exp --json": 2,
    "derive --proof attention --json": 1,
    "explain --proof attention --json": 1,
    "exercise list --json": 1,
    "exercise show weights --json": 1,
    "experiment list --json": 1,
    "ops exp --json": 1,
    "proofs --json": 1,
    "replay --json": 1,
}


@pytest.mark.parametrize("command", SCHEMAS)
def test_what_a_command_prints_says_its_schema(command):
    printed, objects = program(*command.split()).strip(), []
    while printed:
        found, end = json.JSONDecoder().raw_decode(printed)
        objects.append(found)
        printed = printed[end:].strip()
    assert objects and {o["schema"] for o in objects} == {SCHEMAS[command]}


def test_each_event_of_a_training_run_says_its_schema(tmp_path):
    printed = program("train", "--model", "multi-head", "--epochs", 1, "--json", "--out", tmp_path / "run")
    events = [json.loads(line) for line in printed.splitlines()]
    assert {e["event"] for e in events} == {"start", "interval", "done"} and {e["schema"] for e in events} == {1}


def test_the_version_is_that_of_the_header_everywhere():
    header = (ROOT / "core/version.hpp").read_text()
    version = ".".join(re.search(rf"kVersion{part} = (\d+)", header)[1] for part in ("Major", "Minor", "Patch"))
    assert gp.__version__ == version and version in program("--version")
    changes = (ROOT / "tools/release/CHANGELOG.md").read_text()
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == version
