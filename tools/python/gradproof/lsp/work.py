"""Calls of the library in threads, so that the server answers meanwhile: each ends when its caller does, or after its time."""

import asyncio
from collections.abc import Callable
from typing import Any

from .. import _core


class TooLong(Exception):
    """A call that took longer than it may."""


class Turns:
    """As many calls at a time as there are turns; the others wait."""

    def __init__(self, turns: int):
        self._turns = asyncio.Semaphore(turns)

    async def call(self, limit: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function of the library, which takes the flag that ends it last; the seconds count from its turn on.

        The function ends soon after its caller is cancelled. Errors: TooLong; what the function throws.
        """
        async with self._turns:
            stop, late = _core.Stop(), asyncio.Event()

            def end_late():
                late.set()
                stop.set()

            timer = asyncio.get_running_loop().call_later(limit, end_late)
            try:
                return await asyncio.to_thread(function, *arguments, stop)
            except _core.Stopped:
                if late.is_set():
                    raise TooLong(f"it took longer than {limit:g} seconds") from None
                raise asyncio.CancelledError from None
            finally:
                stop.set()
                timer.cancel()
