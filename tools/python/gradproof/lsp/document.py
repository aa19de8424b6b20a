"""One text of an open file with what was found out about it. A change makes another; what was asked of the old one ends."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from .. import _core
from ..derivations import SEED
from . import files
from .text import Text
from .work import Turns

_QUICK = 10.0  # seconds for what an editor waits for


class Document:
    """A text of a file that is open. Each answer is found once, in a thread, and kept."""

    def __init__(self, uri: str, kind: str, version: int | None, text: Text, quick: Turns, long: Turns, limit: float):
        self.uri, self.kind, self.version, self.text = uri, kind, version, text
        self.name = files.name_of(uri, kind)
        self.path = files.path_of(uri)
        self.beside: files.Beside | None = None
        self.known: dict | None = None  # the last outline that could be read, maybe of an older text
        self.report: dict | None = None  # the verdicts, once they are there
        self._quick, self._long, self._limit = quick, long, limit
        self._kept: dict[Any, asyncio.Task] = {}
        self._ended = False

    def end(self) -> None:
        """Ends all that is asked about it."""
        self._ended = True
        for task in self._kept.values():
            task.cancel()

    async def _once(self, key: Any, begin: Callable[[], Coroutine]) -> Any:
        """What one caller waits for is not lost where it no longer does: the others still get it."""
        if self._ended:
            raise asyncio.CancelledError
        if key not in self._kept:
            self._kept[key] = asyncio.create_task(begin())
        return await asyncio.shield(self._kept[key])

    async def outline(self) -> dict | None:
        """Names with shapes, and the places of lines; None where the text as a whole cannot be read."""
        return await self._once("outline", self._outline)

    async def _outline(self):
        if not files.is_marked(self.kind, self.text.text) and self.kind != "tex":
            return None
        try:
            found = await self._quick.call(_QUICK, _core.outline, self.name, self.text.text, self.beside)
        except Exception:  # the check says what is wrong
            return None
        self.known = json.loads(found)
        return self.known

    async def check(self) -> dict | None:
        """The report; None for a text that does not say that it holds derivations. Errors: TooLong."""
        return await self._once("check", self._check)

    async def _check(self):
        if not files.is_marked(self.kind, self.text.text) and await self.outline() is None:
            return None
        self.report = await self.judged(self.text.text)
        return self.report

    async def judged(self, text: str) -> dict:
        """The report about this text in the place of its own. Errors: TooLong."""
        found = await self._long.call(self._limit, _core.check, self.name, text, self.beside, [], SEED, False, None)
        return json.loads(found["json"])

    async def derived(self, number: int) -> dict:
        """The gradients of one of its derivations, by the names of the values: {"S": {"notation", "rule"}}."""
        return await self._once(("derived", number), lambda: self._derived(number))

    async def _derived(self, number):
        try:
            return json.loads(await self._quick.call(_QUICK, _core.derived, self.name, self.text.text, self.beside, number))
        except Exception:  # a forward without a rule, or too long a one
            return {}

    async def repaired(self, key: Any, begin: Callable[[], Coroutine]) -> Any:
        """What begin() finds about the repair of a line, once."""
        return await self._once(("repair", key), begin)
