"""Training and generating: the runs of the program, to the bit, with callbacks and Ctrl-C."""

import csv
import json
import pathlib
import re
import threading
import time

import gradproof as gp
import numpy as np
import pytest
from program import program
from shared import run_interrupted, run_python

QUICK = {"model": "block", "epochs": 2, "seed": 7}
TINY = {"steps": 12, "layers": 1, "heads": 2, "width": 16, "context": 16, "batch": 4, "interval": 5}
PROSE = "".join(f"the cat sat on mat {i}, and the dog, née Élan, sat on log {i * i}.\n" for i in range(60))


def model_of(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture
def prose(tmp_path):
    path = tmp_path / "prose.txt"
    path.write_text(PROSE, encoding="utf-8")
    return path


@pytest.mark.parametrize("model", ["single-head", "multi-head", "block"])
def test_a_run_ends_with_the_bits_of_the_program(tmp_path, model):
    run = gp.train(model=model, epochs=2, seed=7, out=tmp_path / "mine")
    program("train", "--model", model, "--epochs", 2, "--seed", 7, "--out", tmp_path / "theirs")
    assert model_of(tmp_path / "mine") == model_of(tmp_path / "theirs")
    with open(tmp_path / "theirs/loss.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(run.history) == 2
    for row, interval in zip(rows, run.history, strict=True):
        for name in set(row) - {"ms_per_step"}:
            assert float(row[name]) == interval[name], name


def test_options_reach_the_run(tmp_path):
    options = {"epochs": 1, "batch": 32, "lr": 1e-2, "optimiser": "sgd", "momentum": 0.5, "clip": 0, "dtype": "f64"}
    gp.train(**options, out=tmp_path / "mine")
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    program("train", "--model", "single-head", *flags, "--out", tmp_path / "theirs")
    assert model_of(tmp_path / "mine") == model_of(tmp_path / "theirs")


@pytest.mark.parametrize("symbols", ["characters", "bytes"])
def test_a_language_model_ends_with_the_bits_of_the_program_and_writes_its_text(tmp_path, prose, symbols):
    run = gp.train(data=prose, symbols=symbols, **TINY, out=tmp_path / "mine")
    flags = [word for name, value in TINY.items() for word in (f"--{name}", value)]
    theirs = tmp_path / "theirs"
    done = program("train", "--task", "text", "--data", prose, "--symbols", symbols, *flags, "--out", theirs, "--json")
    assert model_of(tmp_path / "mine") == model_of(theirs)
    assert run.held_out_bits() == json.loads(done.splitlines()[-1])["bits_per_character"]
    how = ["--checkpoint", theirs, "--prompt", "the cat", "--tokens", 40, "--seed", 3]
    text = program("generate", *how).removeprefix("the cat")[:-1]
    heard = []
    for source in (run, theirs):
        assert gp.generate(source, "the cat", tokens=40, seed=3, on_symbol=heard.append) == text
    assert "".join(heard[: len(heard) // 2]) == text


def test_a_model_of_expressions_answers_as_the_program(tmp_path):
    run = gp.train(**QUICK, out=tmp_path)
    for seed in (1, 2, 3):
        how = ["--checkpoint", tmp_path, "--prompt", "First(4,9,2)", "--temperature", 3, "--seed", seed, "--json"]
        theirs = json.loads(program("generate", *how))
        assert run.generate("First(4,9,2)", temperature=3, seed=seed) == theirs["text"]
        assert run.probabilities("First(4,9,2)").tolist() == theirs["probabilities"]


def test_a_run_that_was_stopped_and_loaded_goes_on_to_the_same_bits(tmp_path):
    gp.train(**QUICK, out=tmp_path / "whole")
    run = gp.Training(**QUICK)
    report = run.train(until=50)
    assert report["steps"] == run.steps_done == 50
    run.save(tmp_path / "half")
    again = gp.Training.load(tmp_path / "half")
    assert again.steps_done == 50 and again.options == run.options
    again.train()
    again.save(tmp_path / "half")
    assert model_of(tmp_path / "half") == model_of(tmp_path / "whole")


def test_callbacks_are_told_each_step_and_each_interval():
    steps, intervals = [], []
    run = gp.train(**QUICK, on_step=steps.append, on_interval=intervals.append)
    assert [s["step"] for s in steps] == list(range(1, run.steps_total + 1))
    assert intervals == run.history
    half = len(steps) // 2
    assert np.isclose(np.mean([s["loss"] for s in steps[:half]]), intervals[0]["loss"], rtol=1e-12)
    assert set(intervals[0]["gradients"]) == set(run.parameters())


@pytest.mark.parametrize("callback", ["on_step", "on_interval"])
def test_what_a_callback_raises_ends_the_run_between_two_steps(tmp_path, callback):
    run = gp.Training(**QUICK)

    def breaks(report):
        if report["step"] == 38:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run.train(**{callback: breaks})
    assert run.steps_done == 38 and len(run.history) == 1
    run.train()
    run.save(tmp_path / "mine")
    whole = gp.train(**QUICK, out=tmp_path / "whole")
    assert model_of(tmp_path / "mine") == model_of(tmp_path / "whole")
    assert [h["loss"] for h in run.history] == [h["loss"] for h in whole.history]


def test_a_callback_may_ask_the_run_but_not_train_it():
    run, seen = gp.Training(**QUICK), []
    run.train(on_interval=lambda r: seen.append(next(iter(run.parameters().values()))))
    assert len(seen) == 2 and not np.array_equal(*seen)
    with pytest.raises(ValueError, match="the run trains already"):
        run = gp.Training(**QUICK)
        run.train(on_interval=lambda r: run._run.train(None, None, None, gp._core.Stop()))


INTERRUPTED = """
import os, signal, threading, time, gradproof as gp
run = gp.Training(model="block", epochs=100000)
def press():
    os.kill(os.getpid(), signal.SIGINT)
def at(report):
    if report["step"] == 20:
        press()
for how in ({"on_step": at}, {}):
    if not how:
        threading.Timer(0.5, press).start()
    try:
        run.train(**how)
    except KeyboardInterrupt:
        done = run.steps_done
        time.sleep(0.3)
        print("stopped", 20 <= done == run.steps_done)
run.train(until=run.steps_done + 1)
print("goes on")
"""


def test_ctrl_c_ends_a_run_which_can_go_on():
    done = run_interrupted(INTERRUPTED, timeout=60)
    assert done.stdout.splitlines() == ["stopped True", "stopped True", "goes on"], done.stderr
    assert done.stderr == ""


def test_ctrl_c_ends_text_and_experiments(tmp_path, prose):
    gp.train(data=prose, **TINY, out=tmp_path / "run")
    for call in (
        f"gp.generate({str(tmp_path / 'run')!r}, 'the', tokens=10_000_000)",
        "gp.run_experiment('ablations')",
        f"gp.train(data={str(prose)!r}, steps=10**9, width=256, context=256)",
    ):
        code = f"""
import gradproof as gp, os, signal, threading
threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("stopped")
"""
        done = run_interrupted(code, timeout=60)
        assert done.stdout == "stopped\n", (call, done.stderr)


@pytest.mark.parametrize("call", ["train", "evaluate", "experiment"])
def test_other_threads_go_on_during_one_call_of_the_library(prose, call):
    long = {**TINY, "context": 256, "width": 128, "batch": 64}
    run = gp.Training(data=prose, **long) if call == "evaluate" else gp.Training(model="block", epochs=15)
    work = {"train": run.train, "evaluate": run.evaluate, "experiment": lambda: gp.run_experiment("variance", quick=True)}[call]
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(call)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    work()
    during = len(ticks) - before
    ended.set()
    thread.join()
    assert during >= 20


def test_a_loss_that_is_not_finite_is_an_error_that_names_the_tensor():
    with pytest.raises(FloatingPointError, match=r"step \d+: the loss is \S+; first tensor that is not finite: \w+"):
        gp.train(model="single-head", epochs=2, lr=1e30, clip=0)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"epoch": 3}, "this task has no option epoch; did you mean epochs"),
        ({"epochs": 0}, "epochs is 0, expected at least 1"),
        ({"epochs": 2.5}, "epochs is 2.5, expected a whole number"),
        ({"seed": -1}, "seed is -1, expected a whole number from 0"),
        ({"lr": "fast"}, "lr is 'fast', expected a number"),
        ({"lr": float("nan")}, "lr is nan, expected a positive finite number"),
        ({"model": "blok"}, "model is 'blok', expected one of single-head, multi-head, block; did you mean block"),
        ({"task": "speech"}, "task is speech, expected expressions or text"),
        ({"momentum": 0.9}, "momentum goes with sgd, and the optimiser is adamw"),
        ({"data": "book.txt", "epochs": 3}, "this task has no option epochs"),
        ({"task": "text"}, "no text is named"),
    ],
)
def test_an_option_that_cannot_be_is_told_in_a_line(options, message):
    with pytest.raises(ValueError) as caught:
        gp.Training(**options)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_folders_are_guarded(tmp_path):
    run = gp.train(epochs=1, out=tmp_path)
    run.save(tmp_path)  # its own
    with pytest.raises(ValueError, match="holds another run; overwrite=True"):
        gp.train(epochs=1, out=tmp_path)
    with pytest.raises(ValueError, match="holds another run; overwrite=True"):
        gp.Training(epochs=1).save(tmp_path)
    with pytest.raises(ValueError, match="batch differs from the checkpoint: batch is 3, .* with 64"):
        gp.Training.load(tmp_path, batch=3)
    with pytest.raises(OSError, match="nowhere"):
        gp.Training.load(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="tokens is 2: a model of expressions answers with one digit"):
        gp.generate(tmp_path, "Max(1,6,2)", tokens=2)
    with pytest.raises(ValueError, match="the run is of the task expressions"):
        run.held_out_bits()


def test_a_bar_counts_the_steps(capsys):
    pytest.importorskip("tqdm")
    run = gp.train(model="single-head", epochs=2, progress=True)
    told = capsys.readouterr().err
    assert f"{run.steps_total}/{run.steps_total}" in told and "validation loss" in told


def test_without_tqdm_progress_is_a_line_an_interval():
    code = """
import sys
sys.modules["tqdm"] = None
import importlib.util, gradproof as gp
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "tqdm" else found(name, *rest)
gp.train(model="single-head", epochs=2, progress=True)
"""
    done = run_python("-c", code)
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["step 38 of 76", "step 76 of 76"]


def test_attention_has_a_row_for_each_token(prose):
    run = gp.train(**QUICK)
    (weights,) = run.attention("Max(1,6,2)")
    assert weights.shape == (4, 8, 8) and run.tokens("Max(1,6,2)") == ["Max", "(", "1", ",", "6", ",", "2", ")"]
    assert np.allclose(weights.sum(-1), 1)
    text = gp.train(data=prose, **TINY)
    (weights,) = text.attention("the cat")
    assert weights.shape == (2, 7, 7) and np.all(np.triu(weights[0], 1) == 0)


def test_the_lines_of_the_readme_run(tmp_path):
    readme = (pathlib.Path(__file__).parents[2] / "tools/python/README.md").read_text()
    code = re.search(r"## Training, text, experiments.*?```python\n(.*?)```", readme, re.DOTALL)[1]
    (tmp_path / "book.txt").write_text(PROSE)
    done = run_python("-c", "import gradproof as gp\n" + code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
