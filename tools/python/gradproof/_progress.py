"""A bar of the steps of a training run: tqdm's where it is installed, else a line a report on stderr; a line of a long call."""

import importlib.util
import sys
import time


def make(wanted, total, done):
    """wanted: True, False, or None for a bar where there is a terminal and tqdm."""
    if wanted is None:
        wanted = sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None
    if not wanted:
        return _Nothing()
    if importlib.util.find_spec("tqdm") is None:
        return _Lines()
    return _Bar(total, done)


class _Nothing:
    on_step = on_interval = None

    def close(self):
        pass


class _Lines(_Nothing):
    def on_interval(self, report):
        print(f"step {report['step']} of {report['steps']}: {_told(report)}", file=sys.stderr, flush=True)


class _Bar(_Nothing):
    def __init__(self, total, done):
        from tqdm import tqdm

        self._bar = tqdm(total=total, initial=done, unit="step")

    def on_step(self, report):
        self._bar.update()

    def on_interval(self, report):
        self._bar.set_postfix_str(_told(report), refresh=False)

    def close(self):
        self._bar.close()


class Line:
    """On a terminal, after some seconds, one line that says how long a call has run and what it did; it goes when that ends."""

    AFTER = 3.0  # seconds

    def __init__(self, text):
        self.text, self.began, self.shown = text, time.monotonic(), 0

    def show(self, *numbers):
        seconds = int(time.monotonic() - self.began)
        if seconds <= max(self.shown, self.AFTER - 1) or not sys.stderr.isatty():
            return
        self.shown = seconds
        print("\r" + self.text.format(seconds, *numbers), end="", file=sys.stderr, flush=True)

    def close(self):
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _told(report):
    return f"loss {report['loss']:.3g}, validation loss {report['val_loss']:.3g}, accuracy {report['val_accuracy']:.1%}"
