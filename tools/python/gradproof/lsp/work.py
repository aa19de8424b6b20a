"""Calls of the library in threads, so that the server answers meanwhile: each ends when it is told to, or after its time."""

import asyncio
from collections.abc import Callable
from typing import Any

from .. import _core


class TooLong(Exception):
    """A call that took longer than it may."""


class Work:
    """The calls about one text. After end() all of them end soon, and no more begin."""

    def __init__(self, turns: asyncio.Semaphore):
        self._turns, self._running, self._ended = turns, set[_core.Stop](), False

    def end(self) -> None:
        self._ended = True
        for stop in self._running:
            stop.set()

    async def call(self, limit: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function of the library, which takes the flag that ends it last; the seconds count from its turn on.

        Errors: TooLong; asyncio.CancelledError after end(); what the function throws.
        """
        async with self._turns:
            if self._ended:
                raise asyncio.CancelledError
            stop, late = _core.Stop(), asyncio.Event()

            def end_late():
                late.set()
                stop.set()

            timer = asyncio.get_running_loop().call_later(limit, end_late)
            self._running.add(stop)
            try:
                return await asyncio.to_thread(function, *arguments, stop)
            except _core.Stopped:
                if late.is_set():
                    raise TooLong(f"it took longer than {limit:g} seconds") from None
                raise asyncio.CancelledError from None
            finally:
                stop.set()
                timer.cancel()
                self._running.discard(stop)
