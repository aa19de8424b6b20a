"""Matplotlib figures of attention, of gradients and of training. They need matplotlib, which the package does not install.

gp.pictures.attention(weights, tokens)                  # a panel a head: each row what that query attends to
gp.pictures.gradients({"dQ": dq, "dK": dk})             # zero is white, the sign is the colour
gp.pictures.curves({"right": losses})                   # over the steps, on a logarithmic axis
gp.pictures.training(run)                               # loss, accuracy, and the norm of each parameter's gradient
"""

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Arrays, detached, named

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .training import Training

_PANEL = 2.6  # inches


def _figure(columns, rows, width=_PANEL, height=_PANEL):
    """A figure that notebooks show, with its panels from left to right. Errors: ImportError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("gp.pictures: matplotlib is not there: pip install matplotlib") from None

    class Picture(Figure):
        def _repr_png_(self):
            out = io.BytesIO()
            self.savefig(out, format="png", dpi=80)
            return out.getvalue()

    picture = Picture(figsize=(columns * width + 0.6, rows * height + 0.4), layout="constrained")
    return picture, picture.subplots(rows, columns, squeeze=False).ravel()


def _grid(count, most):
    columns = min(count, most)
    return columns, math.ceil(count / columns)


def attention(
    weights: ArrayLike,
    tokens: Sequence[str] | None = None,
    *,
    keys: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    title: str = "",
) -> "Figure":
    """Attention weights as heatmaps, a panel for each head.

    weights  [queries, keys], [heads, queries, keys] or [1, heads, queries, keys], as of Training.attention
    tokens   the names of the queries; of the keys too, where `keys` is not given
    names    those of the panels, "head 0" and so on by default
    Errors: ValueError for other shapes and for too many or too few names; ImportError without matplotlib.
    """
    w = np.asarray(detached(weights), float)
    w = w[0] if w.ndim == 4 and w.shape[0] == 1 else w
    w = w[None] if w.ndim == 2 else w
    if w.ndim != 3 or 0 in w.shape:
        raise ValueError(f"attention: weights is {list(np.shape(weights))}, expected [heads, queries, keys]")
    keys = tokens if keys is None and w.shape[1] == w.shape[2] else keys
    names = names if names is not None else [f"head {i}" for i in range(len(w))] if len(w) > 1 else [""]
    for what, given, count in (("panels", names, w.shape[0]), ("queries", tokens, w.shape[1]), ("keys", keys, w.shape[2])):
        if given is not None and len(given) != count:
            raise ValueError(f"attention: got {len(given)} names for {count} {what}")
    figure, panels = _figure(*_grid(len(w), 4))
    for head, panel in enumerate(panels):
        if head >= len(w):
            panel.set_axis_off()
            continue
        image = panel.imshow(w[head], vmin=0, vmax=1, cmap="Blues")
        panel.set_title(names[head], fontsize=9)
        _name(panel, tokens, keys)
    figure.colorbar(image, ax=list(panels), label="weight", shrink=0.8)
    figure.suptitle(title)
    return figure


def _name(panel, rows, columns):
    panel.set_xlabel("key")
    panel.set_ylabel("query")
    if rows is not None:
        panel.set_yticks(range(len(rows)), rows, fontsize=8)
    if columns is not None:
        panel.set_xticks(range(len(columns)), columns, fontsize=8)


def gradients(arrays: Arrays, *, title: str = "") -> "Figure":
    """Arrays by name as heatmaps: zero is white, blue is negative, red positive; each has its own scale.

    Of more than two axes, all but the last are laid below each other. Errors: ValueError for no arrays; ImportError without
    matplotlib.
    """
    there = named(arrays, "gradients")
    if not there:
        raise ValueError("gradients: got no arrays")
    figure, panels = _figure(*_grid(len(there), 4), width=_PANEL * 1.2)
    for panel in panels[len(there) :]:
        panel.set_axis_off()
    for panel, (name, array) in zip(panels, there, strict=False):
        rows = np.asarray(detached(array), float)
        rows = rows.reshape(-1, rows.shape[-1]) if rows.ndim > 1 else rows.reshape(1, -1)
        finite = np.abs(rows[np.isfinite(rows)])
        most = finite.max(initial=0) or 1
        image = panel.imshow(rows, vmin=-most, vmax=most, cmap="RdBu_r", aspect="auto")
        panel.set_title(name, fontsize=9)
        panel.locator_params(axis="x", integer=True, min_n_ticks=1)
        panel.locator_params(axis="y", integer=True, min_n_ticks=1)
        if np.ndim(array) < 2:
            panel.set_yticks([])
        figure.colorbar(image, ax=panel)
    figure.suptitle(title)
    return figure


def training(run: "Training") -> "Figure":
    """The loss and accuracy of a run and the norm of each parameter's gradient, over its steps.

    Errors: ValueError for a run that has no report yet; ImportError without matplotlib.
    """
    history: list[dict[str, Any]] = run.history
    if not history:
        raise ValueError("training: the run has no report yet: train it first")
    figure, (losses, norms) = _figure(2, 1, width=_PANEL * 1.9)
    steps = [h["step"] for h in history]
    losses.semilogy(steps, [h["loss"] for h in history], label="loss, training")
    losses.semilogy(steps, [h["val_loss"] for h in history], label="loss, held out")
    losses.semilogy(steps, [1 - h["val_accuracy"] or np.nan for h in history], ":", label="share of wrong answers, held out")
    losses.legend(fontsize=7)
    for name in history[0]["gradients"]:
        norms.semilogy(steps, [h["gradients"][name] or np.nan for h in history], linewidth=1, label=name)
    norms.set_title("norm of each parameter's gradient", fontsize=9)
    norms.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
    for panel in (losses, norms):
        panel.set_xlabel("step")
    return figure


def curves(values: Arrays, *, axis: str = "loss", title: str = "") -> "Figure":
    """Numbers over steps by name, such as losses, on a logarithmic axis. Errors: ImportError without matplotlib."""
    figure, (panel,) = _figure(1, 1, width=_PANEL * 1.9)
    for name, numbers in named(values, "curves"):
        panel.semilogy(range(1, len(numbers) + 1), numbers, label=name)
    panel.set_xlabel("step")
    panel.set_ylabel(axis)
    panel.set_title(title, fontsize=9)
    panel.legend(fontsize=7)
    return figure
