"""Answers that other threads give, brought to the loop's thread with as few wake-ups as can be."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Completions:
    """Runs what is posted on the loop's thread, in the order it was posted."""

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
            # The loop is closed: the door is gone, and with it everyone who waited for this answer.
            self._posted.clear()

    def _drain(self) -> None:
        # Before the first one is taken: whatever is posted from here on wakes the loop again, so none is left behind.
        self._awake = False
        posted = self._posted
        try:
            while posted:
                posted.popleft()()
        finally:
            # One that fails is the loop's to report; those behind it are still to be delivered.
            if posted:
                self._loop.call_soon(self._drain)
