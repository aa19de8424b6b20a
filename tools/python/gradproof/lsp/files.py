"""Which files hold derivations, under which name the library reads them, and the files that a LaTeX file takes in."""

import pathlib
import re
from urllib.parse import unquote, urlparse

from pygls.uris import from_fs_path, to_fs_path

from .._source import Source
from .._source import kind_of as kind_of_file

_LANGUAGES = {"gradproof": "proof", "proof": "proof", "markdown": "md", "tex": "tex", "latex": "tex", "python": "py"}
_MARKS = {
    "proof": re.compile(r"\S"),
    "md": re.compile(r"(```|~~~)[^\n]*proof", re.IGNORECASE),
    "tex": re.compile(r"%\s*gradproof:"),
    "py": re.compile(r"#\s*gradproof:"),
}


def path_of(uri: str) -> pathlib.Path | None:
    """The file of a URI; None where it is none, as of a text that was not saved yet."""
    path = to_fs_path(uri) if urlparse(uri).scheme == "file" else None
    return pathlib.Path(path) if path else None


def uri_of(path: pathlib.Path) -> str:
    return from_fs_path(str(path)) or path.as_uri()


def kind_of(uri: str, language: str | None) -> str | None:
    """proof, md, tex or py, by the end of the name, else by the language that the editor names; None for other files."""
    name = pathlib.PurePosixPath(unquote(urlparse(uri).path))
    kind = kind_of_file(name) if name.suffix else _LANGUAGES.get(language or "")
    return kind if kind in _MARKS else None


def name_of(uri: str, kind: str) -> str:
    """A name with which the library knows how to read it."""
    stem = pathlib.PurePosixPath(unquote(urlparse(uri).path)).stem or "text"
    return f"{stem}.{kind}"


def is_marked(kind: str, text: str) -> bool:
    """Whether the text says that it holds derivations. One in LaTeX without such a comment may still state its shapes."""
    return _MARKS[kind].search(text) is not None


class Beside:
    """Reads what a LaTeX file takes in: from its own folder, and of a file that is open the text in the editor."""

    def __init__(self, main: pathlib.Path, opened: dict[pathlib.Path, str]):
        self.texts: dict[str, str] = {}
        self._main, self._source, self._opened = main, Source(str(main), "", main.parent), opened

    def __call__(self, name: str) -> str | None:
        text = self._source.beside(name)
        if text is not None:
            text = self.texts[name] = self._opened.get(self.path(name), text)
        return text

    def path(self, name: str) -> pathlib.Path:
        return (self._main.parent / name).resolve()

    def paths(self) -> set[pathlib.Path]:
        """Of the files that were read."""
        return {self.path(name) for name in list(self.texts)}
