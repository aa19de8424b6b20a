"""The files that are open: when each is checked, and what is published of it."""

import asyncio
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass

from lsprotocol import types

from . import diagnostics, files
from .document import Document
from .text import Text
from .work import TooLong, Turns


@dataclass
class Settings:
    """What the editor may set. Seconds that a check may take, and for which a text has to rest before it is checked."""

    time_limit: float = 60.0
    delay: float = 0.3


Publish = Callable[[str, int | None, list[types.Diagnostic]], None]


class OpenFiles:
    """`publish` shows the diagnostics of a URI; `checked` is called when verdicts are there."""

    def __init__(self, publish: Publish, checked: Callable[[], None]):
        self.settings = Settings()
        self._publish, self._checked = publish, checked
        self._open: dict[str, Document] = {}
        self._checks: dict[str, asyncio.Task] = {}
        self._shown: dict[str, diagnostics.Found] = {}
        self._long = Turns(max(1, (os.cpu_count() or 2) // 2))
        self._quick = Turns(4)

    def get(self, uri: str) -> Document | None:
        return self._open.get(uri)

    def set(self, uri: str, kind: str | None, version: int | None, text: Text) -> None:
        """Opens a file, or changes its text. What was asked of an older text ends; the new one is checked when it rests."""
        if kind is None:
            return
        self._renew(uri, kind, version, text)
        self._renew_those_that_take_in(uri)

    def close(self, uri: str) -> None:
        if document := self._open.pop(uri, None):
            document.end()
            self._checks.pop(uri).cancel()
            self._show(uri, {})
            self._renew_those_that_take_in(uri)

    def end(self) -> None:
        for uri in list(self._open):
            self._open.pop(uri).end()
            self._checks.pop(uri).cancel()

    def _renew(self, uri, kind, version, text):
        before = self._open.get(uri)
        document = Document(uri, kind, version, text, self._quick, self._long, self.settings.time_limit)
        if document.path and kind == "tex":
            document.beside = files.Beside(document.path, self._texts())
        if before:
            document.known = before.known
            before.end()
            self._checks.pop(uri).cancel()
        self._open[uri] = document
        self._checks[uri] = asyncio.create_task(self._check(document, 0 if before is None else self.settings.delay))

    def _renew_those_that_take_in(self, uri):
        path = files.path_of(uri)
        for other in list(self._open.values()):
            if path and other.uri != uri and other.beside and path.resolve() in other.beside.paths():
                self._renew(other.uri, other.kind, other.version, other.text)

    def _texts(self) -> dict[pathlib.Path, str]:
        """The texts in the editor, by their files."""
        found = ((files.path_of(d.uri), d.text.text) for d in self._open.values())
        return {path.resolve(): text for path, text in found if path}

    async def _check(self, document: Document, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            report = await document.check()
            found = diagnostics.of_report(document, report, await document.outline())
        except TooLong as error:
            found = diagnostics.of_failure(document, "not checked", str(error))
        except (OSError, ValueError, RuntimeError, MemoryError) as error:
            found = diagnostics.of_failure(document, "not read", str(error).partition("\n")[0] or type(error).__name__)
        if self._open.get(document.uri) is document:
            self._show(document.uri, found)
            self._checked()

    def _show(self, owner: str, found: diagnostics.Found) -> None:
        """A file shows what was found in it, whichever file was checked."""
        before = self._shown.pop(owner, {})
        if found:
            self._shown[owner] = found
        for uri in dict.fromkeys([*before, *found]):
            document = self._open.get(uri)
            every = [d for one in self._shown.values() for d in one.get(uri, [])]
            self._publish(uri, document.version if document else None, every)
