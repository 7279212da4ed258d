"""What somebody has done with titles, read: marks for grids, and the shelves Seen, To watch, Not for me."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import ContentType, Mine, Queued, User, Watchlist
from partita.apps.worthwatch.service.labels import Ref, Title, ref_of
from partita.apps.worthwatch.service.lists import Lists, seen_by_everybody
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.titles import Titles
from partita.kit.kit import Kit
from partita.kit.lists import follow_page
from partita.kit.permissions import Viewer
from partita.table import KeyPartError, Page, Query

MOST_SORTED = 500
"""So many of To watch are sorted or drawn from: the newest."""
_ONE_BY_ONE = 100
"""Up to so many titles each mark is read by its key."""
_MARKS_FOR_A_TITLE = 4
"""Beyond, so many marks are read in a row for each title: that costs a fifth of reading one by its key, and is all that
most people have."""


@dataclass(frozen=True, slots=True)
class MarkedTitle:
    """A mark with its title; None if that is gone."""

    mine: Mine
    title: Title | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A title to watch, and the list that gave the idea, as far as the viewer may see it."""

    place: Queued
    from_list: Watchlist | None
    curator: User | None


class Shelves:
    """One person's marks; nobody else reads them."""

    def __init__(self, kit: Kit, people: People, titles: Titles, lists: Lists) -> None:
        self._store = kit.store
        self._people = people
        self._titles = titles
        self._lists = lists

    async def mine(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Mine | None:
        """What the viewer has done with a title; None if nothing, or nobody is signed in."""
        ref = content_type, content_id
        return (await self.among(viewer, (ref,))).get(ref)

    async def among(self, viewer: Viewer, refs: Iterable[Ref]) -> dict[Ref, Mine]:
        """What the viewer has done with the titles of a page or a list; those left alone are left out."""
        wanted = tuple(dict.fromkeys(refs))
        if not viewer.signed_in or not wanted:
            return {}
        if len(wanted) <= _ONE_BY_ONE:
            return await self._by_key(viewer, wanted)
        page = await self._store.page(schema.all_mine(viewer.id), limit=_MARKS_FOR_A_TITLE * len(wanted))
        marks = {ref_of(mine): mine for mine in page}
        among = {ref: marks[ref] for ref in wanted if ref in marks}
        if page.next_cursor is None:
            return among
        last = max(map(_sort_key, marks))
        return among | await self._by_key(viewer, [ref for ref in wanted if _sort_key(ref) > last])

    async def _by_key(self, viewer: Viewer, refs: Sequence[Ref]) -> dict[Ref, Mine]:
        keys = schema.mine_among(viewer.id, tuple(filter(_possible, refs))).keys
        marks = await self._store.batch_get(keys) if keys else []
        return {ref_of(mine): mine for mine in marks if mine is not None}

    async def seen(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[MarkedTitle]:
        """What the viewer has seen, what was marked last first."""
        return await self._with_titles(schema.seen_shelf(viewer.id), limit, cursor)

    async def not_for_me(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[MarkedTitle]:
        """What the viewer has put aside without having seen it."""
        return await self._with_titles(schema.put_aside(viewer.id), limit, cursor)

    async def to_watch(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Wanted]:
        """What the viewer wants to watch, newest first."""

        async def follow(places: Sequence[Queued]) -> list[Wanted]:
            return await self.with_lists(viewer, places)

        return await follow_page(self._store, schema.queue_shelf(viewer.id), follow, limit=limit, after=cursor)

    async def to_sort(self, viewer: Viewer) -> list[Queued]:
        """To watch as far as it is sorted or drawn from."""
        return list((await self._store.page(schema.queue_shelf(viewer.id), limit=MOST_SORTED)).items)

    async def with_lists(self, viewer: Viewer, places: Sequence[Queued]) -> list[Wanted]:
        """Places on To watch with the lists that gave the idea; lists that the viewer may not see are left out."""
        lists = await self._lists.by_id(place.from_list for place in places if place.from_list)
        curators = await self._people.by_id(each.curator_id for each in lists.values())
        wanted = []
        for place in places:
            watchlist = lists.get(place.from_list or "")
            curator = None if watchlist is None else curators.get(watchlist.curator_id)
            own = watchlist is not None and watchlist.curator_id == viewer.user_id
            if watchlist is not None and (own or seen_by_everybody(watchlist, curator)):
                wanted.append(Wanted(place, watchlist, curator))
            else:
                wanted.append(Wanted(place, None, None))
        return wanted

    async def _with_titles(self, query: Query[Mine], limit: int, cursor: str | None) -> Page[MarkedTitle]:
        async def follow(found: Sequence[Mine]) -> list[MarkedTitle]:
            titles = await self._titles.by_ref(map(ref_of, found))
            return [MarkedTitle(each, titles.get(ref_of(each))) for each in found]

        return await follow_page(self._store, query, follow, limit=limit, after=cursor)


def _sort_key(ref: Ref) -> bytes:
    """As marks are sorted: the rest of their sort key, by its bytes."""
    return f"{ref[0]}#{ref[1]}".encode(errors="surrogatepass")


def _possible(ref: Ref) -> bool:
    """Whether there can be such a title; an address can have any id."""
    try:
        schema.mine("nobody", *ref)
    except KeyPartError:
        return False
    return True
