"""Counting views: many visitors of one resource become one write, so that a popular page costs no more than others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

Count = Callable[[str, int], Awaitable[None]]


class Visits:
    """Collects views for a moment and adds them together. A process that is killed loses that moment's views."""

    def __init__(self, count: Count, *, seconds: float = 0.25) -> None:
        self._count = count
        self._seconds = seconds
        self._seen: Counter[str] = Counter()
        self._waiting: asyncio.Task[None] | None = None

    def seen(self, slug: str) -> None:
        """A visitor has seen a resource."""
        self._seen[slug] += 1
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_task(self._later(), name="kelifax views")

    async def finish(self) -> None:
        """Count what is still waiting."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.gather(self._waiting, return_exceptions=True)
            self._waiting = None
        await self._add()

    async def _later(self) -> None:
        await asyncio.sleep(self._seconds)
        self._waiting = None
        await self._add()

    async def _add(self) -> None:
        seen, self._seen = self._seen, Counter()
        for slug, count in seen.items():
            await self._count(slug, count)
