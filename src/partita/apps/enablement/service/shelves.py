"""The shelves at the front of the library: what was used most this month, and what is new in what somebody follows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import moment_of
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Subscription
from partita.apps.enablement.service.library import Library
from partita.apps.enablement.service.summaries import Summaries
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize

LENGTH = 4
"""How much is on a shelf."""
FRESH = timedelta(hours=6)
_MOST_WISHES = 12
"""Of how many subscriptions and people new content is looked for."""
_NEW = 100
"""What is not among so many of the newest is not new."""


@dataclass(frozen=True, slots=True)
class OnShelves:
    """What is on the shelves, by id; it is read and checked with the rest of the page."""

    most_used: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.most_used, *self.followed)))


class Shelves:
    """Fills the shelves with few reads: what was used most is one small row, what is new comes from the search."""

    def __init__(self, kit: Kit, library: Library, summaries: Summaries) -> None:
        self._kit = kit
        self._store = kit.store
        self._library = library
        self._summaries = summaries

    async def of(self, viewer: Viewer) -> OnShelves:
        """The shelves of somebody."""
        authorize(viewer, Enablement.READ)
        used, followed = await asyncio.gather(self._most_used(), self._new_in_followed(viewer))
        return OnShelves(used, followed)

    async def _most_used(self) -> tuple[str, ...]:
        found = await self._store.get(schema.most_used())
        made = moment_of(found.made_at) if found is not None else None
        if made is None or self._kit.clock.now() - made > FRESH:
            await self._summaries.begin(30)
        return () if found is None else found.content_ids[:LENGTH]

    async def _new_in_followed(self, viewer: Viewer) -> tuple[str, ...]:
        subscriptions = await self._store.page(schema.subscriptions_of(viewer.id), limit=_MOST_WISHES)
        follows = await self._store.page(schema.followed_by(viewer.id), limit=_MOST_WISHES)
        wishes = [await self._filters(each) for each in subscriptions]
        wishes += [{"owner": each.followed_id} for each in follows if each.kind == "person"]
        items = {each.followed_id for each in follows if each.kind == "content"}
        if not wishes and not items:
            return ()
        newest = await self._library.newest(viewer, {}, _NEW)
        found = await asyncio.gather(
            *(self._library.newest(viewer, wish, 2 * LENGTH) for wish in wishes[:_MOST_WISHES])
        )
        own = set(await self._library.newest(viewer, {"owner": viewer.id}, _NEW))
        wanted = items.union(*found) - own
        return tuple(each for each in newest if each in wanted)[:LENGTH]

    async def _filters(self, wish: Subscription) -> Mapping[str, Any]:
        """What a subscription matches, as filters of the search."""
        one = {"suite": wish.product_suite, "concept": wish.product_concept}
        filters: dict[str, Any] = {name: value for name, value in one.items() if value and value != "*"}
        return filters | ({"tag": await self._library.spellings(wish.tags)} if wish.tags else {})
