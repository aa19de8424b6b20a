"""Small models of attention: trained, asked for text, looked into. The same runs as those of `gradproof train`."""

import codecs
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core, _progress, _threads

Report = dict[str, Any]
Callback = Callable[[Report], object]


class Training:
    """A model, its optimiser, and the data that it is trained on.

    run = gp.Training(model="block", seed=7)                 # the expressions, such as Max(1,6,2)
    run = gp.Training(task="text", data="book.txt", steps=3000)
    run.train()

    The options are those of `gradproof help train`, with _ for -: model, epochs, batch, lr, seed, dtype, optimiser, ...;
    for a text data, steps, context, layers, heads, width, ... The same options give the same bits as the program.
    Errors: ValueError for an option that is unknown or out of range; OSError for a text that cannot be read.
    """

    def __init__(self, *, task: str | None = None, **options: Any):
        kind = task if task is not None else "text" if "data" in options else "expressions"
        options = {name: os.fspath(value) if name == "data" else value for name, value in options.items()}
        self._set(_core.make_run(kind, options), None)

    def _set(self, run, folder):
        self._run, self._folder = run, folder

    @classmethod
    def load(cls, folder: str | os.PathLike, **options: Any) -> "Training":
        """The run that save() or `gradproof train` left in a folder. It goes on to the same bits as if it had never stopped.

        options  epochs or steps to go further, counted from the start; `data` where the text lies elsewhere
        Errors: OSError for a folder without a whole checkpoint; ValueError for an option that cannot change.
        """
        run = cls.__new__(cls)
        run._set(_core.load_run(os.fspath(folder), options), os.path.realpath(folder))
        return run

    def train(
        self,
        *,
        on_step: Callback | None = None,
        on_interval: Callback | None = None,
        progress: bool | None = None,
        until: int | None = None,
    ) -> Report:
        """Trains to the end, or to the step `until`, and returns how it went: end, steps, seconds, loss, val_loss, val_accuracy.

        on_step      called after each step with step, loss, gradient_norm and lr
        on_interval  called at the end of each epoch, or of `interval` steps, with what ``history`` keeps
        progress     a bar; by default on a terminal where tqdm is installed
        Ctrl-C, and what a callback raises, end it between two steps; train() goes on from there.
        Errors: FloatingPointError where the loss is not finite, with the first tensor that is not.
        """
        bar = _progress.make(progress, self.steps_total, self.steps_done)
        try:
            report = _threads.call(
                self._run.train,
                _both(bar.on_step, on_step),
                _both(bar.on_interval, on_interval),
                until,
            )
        finally:
            bar.close()
        if report["end"] == "diverged":
            raise FloatingPointError(
                f"train: step {self.steps_done + 1}: the loss is {report['loss']}; "
                f"first tensor that is not finite: {report['first_bad']}"
            )
        return report

    def step(self) -> Report:
        """One step: its step, loss, gradient_norm and lr. A step whose loss is not finite changes nothing."""
        return self._run.step()

    def evaluate(self) -> tuple[float, float]:
        """Loss in nats and accuracy on what is held out; of a text, on a few windows of it."""
        return self._run.evaluate()

    def held_out_bits(self) -> float:
        """Bits a character over all of the held-out text."""
        return _threads.call(self._run.held_out_bits)

    def attention(self, text: str) -> list[np.ndarray]:
        """The weights of each layer, [heads, queries, keys], for an expression or a text."""
        return _threads.call(self._run.attention, text)

    def tokens(self, text: str) -> list[str]:
        """What the queries and keys of attention() are."""
        return _core.token_texts(text) if self.task == "expressions" else list(text)

    def probabilities(self, expression: str) -> np.ndarray:
        """What the model gives to each digit as the value of an expression."""
        return self._run.probabilities(expression)

    def generate(self, prompt: str, **how: Any) -> str:
        """As gp.generate, with the model as it is now."""
        return generate(self, prompt, **how)

    def parameters(self) -> dict[str, np.ndarray]:
        """Copies by name."""
        return self._run.parameters()

    def gradients(self) -> dict[str, float]:
        """The norm of each parameter's gradient at the last step, before clipping; empty after an evaluation."""
        return self._run.gradients()

    def save(self, folder: str | os.PathLike, *, overwrite: bool = False) -> None:
        """Writes a checkpoint, as the program does; `gradproof train --resume` and `generate` read it.

        Errors: ValueError where the folder holds another run and `overwrite` is not set; OSError where it cannot be written.
        """
        path = os.path.realpath(folder)
        if path != self._folder and not overwrite and _core.has_checkpoint(path):
            raise ValueError(f"save: {os.fspath(folder)} holds another run; overwrite=True replaces it")
        os.makedirs(path, exist_ok=True)
        self._run.save(path)
        self._folder = path

    @property
    def task(self) -> str:
        """expressions or text"""
        return self._run.task

    @property
    def options(self) -> Report:
        """All options by name."""
        return self._run.options()

    @property
    def history(self) -> list[Report]:
        """What on_interval was called with: epoch, step, loss, val_loss, val_accuracy, gradients, warnings and more."""
        return self._run.history()

    @property
    def steps_done(self) -> int:
        return self._run.steps_done

    @property
    def steps_total(self) -> int:
        return self._run.steps_total

    @property
    def parameter_count(self) -> int:
        return self._run.parameter_count

    def __repr__(self):
        kind = self.options["model"] if self.task == "expressions" else "text"
        return f"<Training of {kind}: {self.steps_done} of {self.steps_total} steps, {self.parameter_count} parameters>"


def _both(first, second):
    """One callback that calls both, those that there are."""
    there = [f for f in (first, second) if f is not None]

    def call(report):
        for f in there:
            f(report)

    return call if there else None


def train(
    *,
    out: str | os.PathLike | None = None,
    overwrite: bool = False,
    on_step: Callback | None = None,
    on_interval: Callback | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Training:
    """Makes a run, trains it to its end and returns it; options as of Training.

    run = gp.train(model="block", out="runs/block")          # the checkpoint that `gradproof train --model block` leaves

    out  a folder for the checkpoint, written at the end, and where Ctrl-C or a callback ends the run
    """
    run = Training(**options)
    if out is not None and not overwrite and _core.has_checkpoint(os.path.realpath(out)):
        raise ValueError(f"train: {os.fspath(out)} holds another run; overwrite=True replaces it")
    try:
        run.train(on_step=on_step, on_interval=on_interval, progress=progress)
    finally:
        if out is not None and run.steps_done > 0:
            run.save(out, overwrite=True)
    return run


def generate(
    source: "Training | str | os.PathLike",
    prompt: str,
    *,
    tokens: int | None = None,
    temperature: float = 0.8,
    top_k: int = 0,
    seed: int = 42,
    on_symbol: Callable[[str], object] | None = None,
) -> str:
    """Continues a prompt by a trained language model, a symbol at a time; or answers an expression with a digit.

    source       a Training, or a folder with a checkpoint
    tokens       symbols to draw [400; 1 for an expression]
    temperature  scores are divided by it; 0 takes the likeliest symbol
    top_k        draws from the k likeliest only; 0: from all
    on_symbol    called with each symbol as it is drawn
    Errors: ValueError for a prompt with symbols that the text did not hold, or that is no expression; OSError for no checkpoint.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")  # where a symbol is a byte, a character may take several
    drawn = []

    def take(symbol):
        text = decoder.decode(symbol)
        drawn.append(text)
        if on_symbol is not None and text:
            on_symbol(text)

    how = (prompt, tokens, float(temperature), top_k, seed, take)
    if isinstance(source, Training):
        _threads.call(_core.generate_with, source._run, *how)
    else:
        _threads.call(_core.generate_from, os.fspath(source), *how)
    return "".join(drawn) + decoder.decode(b"", True)
