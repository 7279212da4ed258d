"""Counting views: many visitors of one resource become one write, so that a popular page costs no more than others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

AddViews = Callable[[str, int], Awaitable[None]]


class Visits:
    """Collects views for a moment and writes them together. A process that is killed loses that moment's views."""

    def __init__(self, add_views: AddViews, *, seconds: float = 0.25) -> None:
        self._add_views = add_views
        self._seconds = seconds
        self._views: Counter[str] = Counter()
        self._waiting: asyncio.Task[None] | None = None

    def count(self, slug: str) -> None:
        """Count a visitor of a resource."""
        self._views[slug] += 1
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_task(self._later(), name="kelifax views")

    async def finish(self) -> None:
        """Write the views that are still waiting."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.gather(self._waiting, return_exceptions=True)
            self._waiting = None
        await self._write()

    async def _later(self) -> None:
        await asyncio.sleep(self._seconds)
        self._waiting = None
        await self._write()

    async def _write(self) -> None:
        views, self._views = self._views, Counter()
        for slug, count in views.items():
            await self._add_views(slug, count)
