"""The lines of a report beside their places in the text, and what they say of themselves."""

from dataclasses import dataclass
from typing import Any

from .document import Document
from .text import Text


@dataclass
class Line:
    """A line that is judged. `number` is that of its derivation in the text, `place` what the outline knows of it."""

    report: dict[str, Any]
    place: dict[str, Any]
    number: int

    @property
    def verdict(self) -> str:
        return self.report["verdict"]

    def bounds(self, text: Text) -> tuple[int, int]:
        return text.bounds(self.report["span"])


def _key(span):
    return span.get("in", ""), span["utf16_offset"], span["utf16_length"]


def lines_of(report: dict | None, outline: dict | None) -> list[Line]:
    """Those of the report, in its order."""
    places: dict[Any, list] = {}
    for number, proof in enumerate((outline or {}).get("proofs", [])):
        for place in proof["lines"]:
            places.setdefault(_key(place["span"]), []).append((place, number))
    found = []
    for line in (report or {}).get("lines", []):
        of_span = places.get(_key(line["span"]), [])
        place, number = of_span.pop(0) if of_span else ({}, 0)
        found.append(Line(line, place, number))
    return found


def lines_of_document(document: Document, outline: dict | None) -> list[Line]:
    """Those that stand in the file itself; none while it is being checked."""
    return [line for line in lines_of(document.report, outline) if "in" not in line.report["span"]]


def repair_of(line: dict) -> str:
    """The right side that the report gives; "" where it gives none."""
    return line.get("diagnosis", {}).get("repair", "")


def _number(x):
    return x if isinstance(x, str) else f"{x:.6g}"


def worst_of(line: dict) -> str:
    worst = line.get("worst")
    if not worst:
        return ""
    index = ",".join(str(i) for i in worst["index"])
    return f"worst at [{index}]: claimed {_number(worst['claimed'])}, true {_number(worst['true'])}"


def reasons(line: dict) -> list[str]:
    """Why it is not right, what would be, and where the numbers differ most."""
    out = [line.get("diagnosis", {}).get("text", ""), line.get("reason", ""), line.get("read_as", "")]
    if repair := repair_of(line):
        out.append(f"write  {repair}")
    elif line.get("derived"):
        out.append(f"right is  {line['derived']}")
    return [text for text in [*out, worst_of(line)] if text]


def certainty(line: dict) -> str:
    """How far a right line is known to be: "proved, error < 2^-116", or by how much it was off."""
    if line["verdict"] != "right":
        return ""
    if "proof" in line:
        return f"proved, error < 2^{line['proof']['error_log2']:.0f}"
    return "exact" if line.get("error") == 0 else f"not proved; largest difference {_number(line.get('error', 0))}"
