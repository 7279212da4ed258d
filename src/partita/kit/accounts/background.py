"""Mail with links, sent after the answer: neither the answer nor its time tells whether there is an account."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from partita.kit.problems import Problem

_log = logging.getLogger(__name__)


class Background:
    """Work that nobody waits for, but for whoever closes the store."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, what: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin it; an error is logged as `what` was not sent."""
        task = asyncio.create_task(_quietly(what, work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def finish(self) -> None:
        """Wait for all of it."""
        while self._running:
            await asyncio.gather(*self._running)


async def _quietly(what: str, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Problem as problem:
        _log.warning("%s was not sent: %s", what, problem.detail)
    except Exception:
        _log.exception("%s was not sent", what)
