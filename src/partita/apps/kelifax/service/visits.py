"""Counting visits: each person once in a while, and many visitors of one resource in one write."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable

from partita.dynamo.errors import DynamoError

_log = logging.getLogger(__name__)
AddViews = Callable[[str, int], Awaitable[None]]

AGAIN = 1800.0
"""Seconds after which the same visitor counts again: a reload is no second view."""
MOST_VISITORS = 20_000


class Visits:
    """Collects views for a moment and writes them together. A process that is killed loses that moment's views."""

    def __init__(
        self, add_views: AddViews, *, seconds: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._add_views = add_views
        self._seconds = seconds
        self._clock = clock
        self._views: Counter[str] = Counter()
        self._seen: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._waiting: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def count(self, slug: str, visitor: str | None) -> None:
        """Count a visitor of a resource, unless it is nobody or they were here a moment ago."""
        if visitor is None or self._was_here(slug, visitor):
            return
        self._views[slug] += 1
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_task(self._later(), name="kelifax views")

    async def finish(self) -> None:
        """Write the views that are still waiting, and see those to their end that are being written."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.gather(self._waiting, return_exceptions=True)
            self._waiting = None
        await self._write()

    def _was_here(self, slug: str, visitor: str) -> bool:
        now = self._clock()
        while self._seen and (len(self._seen) > MOST_VISITORS or now - next(iter(self._seen.values())) >= AGAIN):
            self._seen.popitem(last=False)
        if (slug, visitor) in self._seen:
            return True
        self._seen[slug, visitor] = now
        return False

    async def _later(self) -> None:
        await asyncio.sleep(self._seconds)
        self._waiting = None
        try:
            await self._write()
        except DynamoError as error:
            _log.warning("kelifax: views are not counted yet: %s", error)

    async def _write(self) -> None:
        async with self._writing:
            while self._views:
                slug, count = self._views.popitem()
                try:
                    await self._add_views(slug, count)
                except BaseException:
                    self._views[slug] += count  # the next visit tries again
                    raise
