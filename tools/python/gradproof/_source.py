"""What a caller gives as a derivation: a path, the text itself, or the name of one that comes with the library."""

import os
import pathlib

from . import _core

# How a file is read, by the end of its name.
KINDS = {
    ".proof": "proof",
    ".md": "md",
    ".markdown": "md",
    ".tex": "tex",
    ".latex": "tex",
    ".py": "py",
    ".ipynb": "ipynb",
}


def kind_of(name):
    """One of KINDS; None for other files."""
    return KINDS.get(pathlib.PurePath(name).suffix.lower())


class Source:
    """The name that reports show, the text, and how files beside it are read."""

    def __init__(self, name, text, folder=None):
        self.name, self.text, self.folder = name, text, folder

    def beside(self, name):
        """The text of a file that a LaTeX file takes in: from its own folder only, None where there is none."""
        root = pathlib.Path(self.folder).resolve()
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return None
        return _read(path)

    @property
    def reader(self):
        return self.beside if self.folder is not None else None


def _read(path):
    try:
        return pathlib.Path(path).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: it is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}") from None


def _of_file(path):
    path = pathlib.Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    return Source(str(path), _read(path), path.parent)


def find(what, ending, caller):
    """`what` as a Source. A text gets a name with this ending, which says how it is read.

    Errors: TypeError for what is neither text nor path; FileNotFoundError for the name of a file that is not there.
    """
    if isinstance(what, os.PathLike):
        return _of_file(what)
    if not isinstance(what, str):
        raise TypeError(f"{caller}: got a {type(what).__name__}, expected a text or a path")
    line = what.strip()
    if "\n" not in line and kind_of(line):
        return _of_file(line)
    if ending == ".proof" and line in _core.library_names():
        return Source(line + ".proof", _core.library_text(line))
    return Source("text" + ending, what)
