"""Brings responses from other threads to the loop's thread, with few wake-ups."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Completions:
    """Runs posted callbacks on the loop's thread, in order."""

    __slots__ = ("_awake", "_loop", "_posted")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._posted: deque[Callable[[], None]] = deque()
        self._awake = False

    def post(self, deliver: Callable[[], None]) -> None:
        """Have `deliver` called on the loop's thread; a group of writes that commits together wakes the loop once."""
        self._posted.append(deliver)
        if self._awake:
            return
        self._awake = True
        try:
            self._loop.call_soon_threadsafe(self._drain)
        except RuntimeError:
            # The loop is closed: the server has stopped, and nobody waits for this response.
            self._posted.clear()

    def _drain(self) -> None:
        # Before the first is taken: callbacks posted from here on wake the loop again, so none is lost.
        self._awake = False
        posted = self._posted
        try:
            while posted:
                posted.popleft()()
        finally:
            # The loop reports one that fails; the next ones must still run.
            if posted:
                self._loop.call_soon(self._drain)
