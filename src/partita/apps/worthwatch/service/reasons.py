"""Why people put a title on lists: the live lists that it is on, and the notes beside it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import ContentType, Follow, User, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.lists import Lists, seen_by_everybody
from partita.apps.worthwatch.service.people import People
from partita.kit.kit import Kit
from partita.kit.lists import find, follow_page
from partita.kit.permissions import Viewer
from partita.table import Page

_MOST_STEPS = 5
"""A title that was merged again and again is followed so far."""
_LOOKED_AT = 12
_LISTS = 6
_NOTES = 3


@dataclass(frozen=True, slots=True)
class OnList:
    """A live list with a title, and its place there."""

    item: WatchlistItem
    watchlist: Watchlist
    curator: User | None


@dataclass(frozen=True, slots=True)
class Why:
    """What a title's page says of lists."""

    notes: tuple[OnList, ...]
    lists: tuple[OnList, ...]
    more: bool
    """Whether it is on other live lists too."""


class Reasons:
    """The lists that titles are on, for everybody: private and hidden ones are never among them."""

    def __init__(self, kit: Kit, people: People, lists: Lists) -> None:
        self._store = kit.store
        self._people = people
        self._lists = lists

    async def on_lists(
        self, content_type: ContentType, content_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[OnList]:
        """Live lists with a title, published last first."""
        query = schema.live_items_with(content_type, content_id)
        return await follow_page(self._store, query, self._visible, limit=limit, after=cursor)

    async def why(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Why:
        """Three notes, of curators whom the viewer follows first, and some lists. It reads as much for a title on ten
        lists as for one on ten thousand."""
        page = await self._store.page(schema.live_items_with(content_type, content_id), limit=_LOOKED_AT)
        noted_first = sorted(page.items, key=lambda item: not item.curator_note)
        found = await self._visible(noted_first[:_LISTS])
        followed = await self._followed(viewer, found)
        noted = [each for each in found if each.item.curator_note]
        noted.sort(key=lambda each: each.watchlist.curator_id not in followed)
        more = page.next_cursor is not None or len(page.items) > _LISTS
        return Why(tuple(_one_each(noted)[:_NOTES]), tuple(found), more)

    async def merged_into(self, content_type: ContentType, content_id: str) -> Ref | None:
        """Where a title went that was merged into another one; None if it was not."""
        went: str | None = None
        for _ in range(_MOST_STEPS):
            merged = await find(self._store, schema.merged, content_type, went or content_id)
            if merged is None or merged.into == content_id:
                break
            went = merged.into
        return None if went is None else (content_type, went)

    async def _visible(self, items: Sequence[WatchlistItem]) -> list[OnList]:
        lists = await self._lists.by_id(item.watchlist_id for item in items)
        curators = await self._people.by_id(each.curator_id for each in lists.values())
        found = []
        for item in items:
            watchlist = lists.get(item.watchlist_id)
            if watchlist is None or not watchlist.live:
                continue
            curator = curators.get(watchlist.curator_id)
            if seen_by_everybody(watchlist, curator):
                found.append(OnList(item, watchlist, curator))
        return found

    async def _followed(self, viewer: Viewer, found: Sequence[OnList]) -> set[str]:
        curators = {each.watchlist.curator_id for each in found}
        if not viewer.signed_in or len(curators) < 2:
            return set()
        keys = [Follow.key(Follow.user_id(viewer.id), Follow.curator(curator)) for curator in sorted(curators)]
        return {follow.curator for follow in await self._store.batch_get(keys) if follow is not None}


def _one_each(noted: Sequence[OnList]) -> list[OnList]:
    """One note of each curator, then the others."""
    first: dict[str, OnList] = {}
    for each in noted:
        first.setdefault(each.watchlist.curator_id, each)
    return [*first.values(), *(each for each in noted if first[each.watchlist.curator_id] is not each)]
