"""The page's board in a notebook: the numbers of a derivation, forward and back, each entry opened by a click."""

import json
import os
import pathlib
import shutil
import sys
from html import escape

from . import _source

_START = '<script type="application/json" id="start">'  # what lies in it is where the page opens
_NAME = "gradproof/gradproof.html"


def _places():
    """Where a page may be: that of $GRADPROOF_PAGE, of this environment, of the program, of the system."""
    if told := os.environ.get("GRADPROOF_PAGE"):
        return [pathlib.Path(told)]
    out = [pathlib.Path(sys.prefix) / "share" / _NAME]
    if program := shutil.which("gradproof"):
        folder = pathlib.Path(program).resolve().parent
        out += [folder.parent / "share" / _NAME, folder.parent / "web/gradproof.html"]
    return [*out, pathlib.Path("/usr/local/share") / _NAME, pathlib.Path("/usr/share") / _NAME]


class Board:
    """What board() returns; a notebook shows it, ``save(path)`` writes it as a file that a browser opens."""

    def __init__(self, title, page, height):
        self._title, self._page, self._height = title, page, height

    def __bool__(self):
        return self._page is not None

    def __repr__(self):
        if self._page is None:
            return "The page is not built on this machine (tools/web/build builds it), so there is no board to show."
        return f"<board of {self._title}: a notebook shows it, save(path) writes it>"

    def _repr_html_(self):
        if self._page is None:
            return f"<p>{escape(repr(self))}</p>"
        frame = f'width="100%" height="{self._height}" style="border: 1px solid #8884" title="board of {escape(self._title)}"'
        return f'<iframe srcdoc="{escape(self._page)}" {frame}></iframe>'

    def save(self, path: str | os.PathLike) -> None:
        """Errors: FileNotFoundError where the page is not built."""
        if self._page is None:
            raise FileNotFoundError(f"board: {self!r}")
        pathlib.Path(path).write_text(self._page, encoding="utf-8")


def board(source: str | os.PathLike = "attention", *, height: int = 720) -> Board:
    """The board of the page, opened at a derivation: each entry with the products that are summed into it.

    source  a text in the notation, a .proof file, or the name of a derivation of the library
    The page is looked for at $GRADPROOF_PAGE, then in share/gradproof of this environment, of the program and of the system.
    Where it is not, the result is false, and shown as a sentence. Errors: ValueError for a text of another kind.
    """
    found = _source.find(source, ".proof", "board")
    if not found.name.endswith(".proof"):
        raise ValueError(f"board: {found.name} is not in the notation; gp.derive({found.name!r}).notation() writes it so")
    place = next((p for p in _places() if p.is_file()), None)
    page = place.read_text(encoding="utf-8") if place else None
    if page is not None and _START not in page:
        raise ValueError(f"board: {place} is of another version, or no page; tools/web/build makes it")
    if page is not None:
        start = json.dumps({"view": "board", "text": found.text}).replace("<", "\\u003c")
        page = page.replace(_START, _START + start, 1)
    return Board(found.name, page, height)
