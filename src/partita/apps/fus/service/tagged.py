"""Sites by several tags, newest first: read from the index of tags alone, in stretches that skip what cannot match.

Site ids sort by the time they were created, so each tag has a list of ids from the newest to the oldest. The ids on all
lists are found by letting each list skip ahead to where the others are; the ids on any list, by merging the lists.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Literal

from partita.apps.fus import schema
from partita.apps.fus.schema import SiteTag, TagTotal
from partita.store.store import AsyncStore

Mode = Literal["and", "or"]

# A read of up to 4 KB costs the same: about 32 entries of the index.
_FIRST_STRETCH = 32
_LONGEST_STRETCH = 512
_OFTEN = 8


async def site_ids(store: AsyncStore, tags: Sequence[str], mode: Mode, after: str | None = None) -> AsyncIterator[str]:
    """Ids of the sites with all (or any) of the tags, newest first, each once; if a site is given, those after it."""
    if mode == "or" or len(tags) == 1:
        lists = [_Tagged(store, tag, after) for tag in tags]
        async for site_id in _on_any(lists):
            yield site_id
        return
    lists = [_Tagged(store, tag, after) for tag in await _rarest_first(store, tags)]
    async for site_id in _on_all(lists):
        yield site_id


async def totals(store: AsyncStore, tags: Sequence[str]) -> dict[str, int]:
    """How many sites have each tag."""
    counted = await store.batch_get([TagTotal.key(TagTotal.tag(tag)) for tag in tags])
    return {tag: 0 if total is None else max(total.count, 0) for tag, total in zip(tags, counted, strict=True)}


async def _rarest_first(store: AsyncStore, tags: Sequence[str]) -> list[str]:
    counts = await totals(store, tags)
    return sorted(tags, key=lambda tag: (counts[tag], tag))


async def _on_all(lists: Sequence[_Tagged]) -> AsyncIterator[str]:
    bound: str | None = None
    while True:
        candidate = await lists[0].newest(bound)
        if candidate is None:
            return
        for other in lists[1:]:
            site_id = await other.newest(candidate)
            if site_id is None:
                return
            if site_id != candidate:
                bound = site_id
                break
        else:
            yield candidate
            lists[0].drop(candidate)
            bound = None


async def _on_any(lists: Sequence[_Tagged]) -> AsyncIterator[str]:
    while True:
        heads = await asyncio.gather(*(each.newest(None) for each in lists))
        newest = max((head for head in heads if head is not None), default=None)
        if newest is None:
            return
        yield newest
        for each in lists:
            each.drop(newest)


class _Tagged:
    """The sites of one tag, newest first, read a stretch at a time."""

    def __init__(self, store: AsyncStore, tag: str, after: str | None) -> None:
        self._store = store
        self._tag = tag
        self._ids: deque[str] = deque()
        self._before = after
        """Where the next stretch begins."""
        self._ended = False
        self._stretch = _FIRST_STRETCH
        self._looks = 0
        """How often it was asked since the last read: once if most of it is skipped, often if it is walked through."""

    async def newest(self, bound: str | None) -> str | None:
        """The newest that is left and not newer than the bound; newer ones are dropped for good."""
        while bound is not None and self._ids and self._ids[0] > bound:
            self._ids.popleft()
        while not self._ids and not self._ended:
            await self._read(bound)
        self._looks += 1
        return self._ids[0] if self._ids else None

    def drop(self, site_id: str) -> None:
        """Go on after this one."""
        if self._ids and self._ids[0] == site_id:
            self._ids.popleft()

    async def _read(self, bound: str | None) -> None:
        query = schema.newest_with_tag(self._tag)
        if bound is not None and (self._before is None or bound < self._before):
            query = query.at_most(SiteTag.site_id(bound))
        elif self._before is not None:
            query = query.before(SiteTag.site_id(self._before))
        often = self._looks > _OFTEN
        self._stretch = min(self._stretch * 2, _LONGEST_STRETCH) if often else _FIRST_STRETCH
        page = await self._store.page(query, limit=self._stretch)
        self._ids.extend(entry.site_id for entry in page)
        self._ended = page.next_cursor is None
        self._looks = 0
        if page.items:
            self._before = page.items[-1].site_id
