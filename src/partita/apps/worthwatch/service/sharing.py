"""What others read of lists: feeds, and addresses for search engines. Only what everybody may see."""

from __future__ import annotations

from collections.abc import AsyncIterator

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import tag_key
from partita.apps.worthwatch.schema import Watchlist, WatchlistItem
from partita.apps.worthwatch.service.addresses import list_path, tag_path
from partita.apps.worthwatch.service.discovery import Discovery
from partita.apps.worthwatch.service.items import Items
from partita.apps.worthwatch.service.lists import Lists, VisibleList
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.tiles import ListCard, curator_name, tile_of_item
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY
from partita.kit.sharing import Address, Entry, Feed
from partita.kit.sharing.feeds import MOST_ENTRIES

_NEWS = 100
"""A list's feed looks for its newest titles among its last ones; who adds at the end, and most do, misses nothing."""


class Sharing:
    """Lists for feed readers, search engines and pages of others."""

    def __init__(self, kit: Kit, people: People, lists: Lists, items: Items, discovery: Discovery) -> None:
        self._store = kit.store
        self._people = people
        self._lists = lists
        self._items = items
        self._discovery = discovery

    async def newest(self, tag: str = "") -> Feed:
        """New lists, or those with a tag."""
        if tag:
            page = await self._discovery.tagged(tag, limit=MOST_ENTRIES)
        else:
            page = await self._discovery.newest(limit=MOST_ENTRIES)
        return Feed(
            title=f"New lists about {tag_key(tag)}" if tag else "New lists",
            subtitle="Films and series worth your evening, with a person’s reason for each.",
            path="/worthwatch/lists",
            page=tag_path(tag_key(tag)) if tag else "/worthwatch",
            parameters={"tag": tag_key(tag)} if tag else {},
            author="WorthWatch",
            entries=tuple(map(_list_entry, page)),
        )

    async def of_curator(self, curator_id: str) -> Feed:
        """New lists of a curator."""
        page = await self._discovery.of_curator(curator_id, limit=MOST_ENTRIES)
        curator = await self._people.person(curator_id)
        return Feed(
            title=f"Lists by {curator.username}",
            subtitle=curator.bio or "",
            path=f"/worthwatch/curators/{curator_id}/lists",
            page=f"/worthwatch/curators/{curator_id}",
            author=curator.username,
            entries=tuple(map(_list_entry, page)),
        )

    async def of_list(self, watchlist_id: str) -> Feed:
        """New titles of a list."""
        visible = await self._lists.visible(NOBODY, watchlist_id)
        last = await self._store.page(schema.items_from_the_end(watchlist_id), limit=_NEWS)
        newest = sorted(last, key=lambda item: item.added_at, reverse=True)[:MOST_ENTRIES]
        watchlist = visible.watchlist
        return Feed(
            title=watchlist.title,
            subtitle=watchlist.description,
            path=f"/worthwatch/lists/{watchlist_id}/titles",
            page=list_path(watchlist),
            author=curator_name(visible.curator),
            entries=tuple(_title_entry(item) for item in newest),
        )

    async def embedded(self, watchlist_id: str) -> tuple[VisibleList, tuple[WatchlistItem, ...]]:
        """A public list and its first titles, for pages of others."""
        visible = await self._lists.visible(NOBODY, watchlist_id)
        return visible, tuple((await self._items.in_order(watchlist_id, limit=6)).items)

    async def addresses(self, begins: str, ends: str | None) -> AsyncIterator[Address]:
        """Live lists that were published in a stretch of time."""
        query = schema.oldest_live_lists()
        if begins:
            query = query.at_least(Watchlist.published_at(begins))
        if ends is not None:
            query = query.before(Watchlist.published_at(ends))
        async for each in self._store.stream(query):
            yield Address(list_path(each), each.published_at or each.created_at, each.updated_at)


def _list_entry(card: ListCard) -> Entry:
    watchlist = card.watchlist
    return Entry(
        path=card.path,
        title=watchlist.title,
        published=watchlist.published_at or watchlist.created_at,
        updated=watchlist.last_item_at or "",
        summary=watchlist.description,
        tags=watchlist.tags,
        author=card.curator_name,
    )


def _title_entry(item: WatchlistItem) -> Entry:
    tile = tile_of_item(item)
    summary = "" if tile.note_spoils else tile.note
    return Entry(path=tile.path, title=tile.name, published=item.added_at, summary=summary, tags=tile.genres)
