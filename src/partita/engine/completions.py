"""Brings responses from other threads to the loop's thread, with few wake-ups."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress


class Completions:
    """Runs posted callbacks on the loop's thread, in order."""

    __slots__ = ("_awake", "_posted", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._posted: deque[Callable[[], None]] = deque()
        self._awake = False

    def post(self, deliver: Callable[[], None]) -> None:
        """Have `deliver` called on the loop's thread; a group of writes that commits together wakes the loop once."""
        self._posted.append(deliver)
        try:
            if self._awake:
                return
            self._awake = True
            self.loop.call_soon_threadsafe(self._drain)
        except RuntimeError:
            # The loop is closed: the server has stopped, and nobody waits for this response.
            self._awake = False
            self._posted.clear()
        except BaseException:
            # Ctrl-C, in the thread that writes for this loop too: whoever waits there must still get the response.
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._drain)
            raise

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
                self.loop.call_soon(self._drain)


class Loops:
    """The completions of the loop that runs in a thread."""

    def __init__(self) -> None:
        self._last = threading.local()

    def of(self, loop: asyncio.AbstractEventLoop) -> Completions:
        """Those of this thread's running loop; made once for each loop."""
        completions: Completions | None = getattr(self._last, "completions", None)
        if completions is None or completions.loop is not loop:
            completions = self._last.completions = Completions(loop)
        return completions
