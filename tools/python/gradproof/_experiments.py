"""What teaching documents claim about attention, measured: the experiments of `gradproof experiment`."""

import os
from html import escape
from typing import Any

from . import _core, _threads
from ._html import folded, table

_COLOUR = {"held": "#1a7f37", "did not hold": "#cf222e", "cannot tell": "#9a6700"}


class ExperimentResult:
    """The findings, tables and figures of an experiment; str() is what the program prints, a notebook shows the findings."""

    def __init__(self, found, seed, quick):
        self._text, self._files = found.pop("text"), found.pop("files")
        self._data = {**found, "seed": seed, "quick": quick}

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Dictionaries with claim, quantity, measured, error, low, high, held and verdict."""
        return self._data["findings"]

    @property
    def tables(self) -> list[dict[str, Any]]:
        """Dictionaries with name, title, columns and rows."""
        return self._data["tables"]

    @property
    def figures(self) -> dict[str, str]:
        """SVG by name."""
        return {name.removesuffix(".svg"): text for name, text in self._files.items() if name.endswith(".svg")}

    def save(self, folder: str | os.PathLike) -> None:
        """Writes the files of `gradproof experiment NAME --out`: tables (CSV), figures (SVG), and index.html."""
        for name, text in self._files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `gradproof experiment NAME --json`, without its time and folder."""
        return self._data

    def __str__(self):
        return self._text

    def __repr__(self):
        held = sum(f["held"] for f in self.findings)
        return f"<experiment {self._data['experiment']}: {held} of {len(self.findings)} claims held>"

    def _repr_html_(self):
        rows = [
            (
                f'<b style="color:{_COLOUR[f["verdict"]]}">{f["verdict"]}</b>',
                escape(f["claim"]),
                escape(f["quantity"]),
                f"{f['measured']:.3g}" if f["measured"] is not None else "",
            )
            for f in self.findings
        ]
        return f"<div><b>{escape(self._data['title'])}</b>{table(rows)}{folded('tables', self._text)}</div>"


def experiments() -> list[dict[str, Any]]:
    """Dictionaries with schema, number, experiment (the name), title and setting: what is done and measured."""
    return _core.experiments()


def run_experiment(name: str, *, seed: int = 42, quick: bool = False) -> ExperimentResult:
    """Runs an experiment: seconds to minutes. The same seed gives the same numbers, except for times and memory.

    quick  fewer repeats and shorter runs
    Errors: ValueError for a name that experiments() does not list.
    """
    return ExperimentResult(_threads.call(_core.run_experiment, name, seed, quick), seed, quick)
