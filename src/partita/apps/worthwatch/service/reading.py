"""A list as somebody reads it: its titles as tiles with what they have done with each, filtered and sorted without
touching the curator's order, and how far they are."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import plain
from partita.apps.worthwatch.schema import ContentType, ListTotals, Mine, SavedWatchlist, User, Watchlist, WatchlistItem
from partita.apps.worthwatch.search import FILMS, SERIES
from partita.apps.worthwatch.service.items import Items, item_version
from partita.apps.worthwatch.service.labels import Ref, ref_of
from partita.apps.worthwatch.service.lists import Lists, VisibleList, no_such_list
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.shelves import Shelves
from partita.apps.worthwatch.service.tiles import (
    FAN,
    ListCard,
    Tile,
    card_of,
    curator_name,
    in_hours,
    marked,
    tile_of_item,
)
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import BadRequest
from partita.kit.search import Catalog

Show = Literal["all", "unseen", "films", "series"]
Sort = Literal["order", "year", "length", "title"]
View = Literal["posters", "rows"]

PAGE = 48
ROWS = 100
_RELATED = 12
_DRAWN = 24
"""Of so many titles at once it is looked up whether the viewer has seen them."""
_CHANCE = secrets.SystemRandom()
_CATALOGS: Mapping[ContentType, Catalog[Any]] = {"MOVIE": FILMS, "SHOW": SERIES}
WHOLE = 100
"""A list of so many titles is read whole with its page; of a longer one, progress loads after it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a list somebody has seen."""

    seen: int
    of: int
    last_seen_on: str | None = None
    """When the last of them was marked, if all are seen."""

    @property
    def finished(self) -> bool:
        return self.of > 0 and self.seen >= self.of


@dataclass(frozen=True, slots=True)
class ShownList:
    """What the page of a list shows."""

    watchlist: Watchlist
    curator: User | None
    tiles: tuple[Tile, ...]
    next_cursor: str | None
    found: int
    """How many titles the filter leaves, on all pages."""
    progress: Progress | None
    """None for visitors, and for long lists, where it loads after the page."""
    length: str
    """How long all films take together; empty if the list was not read whole."""
    totals: ListTotals | None
    saved: SavedWatchlist | None
    follows: bool
    new: int
    """How many titles came since the last visit, among those that were read."""
    mostly_noted: bool

    @property
    def curator_name(self) -> str:
        return curator_name(self.curator)

    @property
    def saves(self) -> int:
        return (self.totals.save_count if self.totals else 0) or 0

    @property
    def comments(self) -> int:
        return (self.totals.comment_count if self.totals else 0) or 0

    @property
    def tint(self) -> int:
        first = self.watchlist.cover_items[0].tint if self.watchlist.cover_items else None
        if first is None and self.tiles:
            first = self.tiles[0].tint
        return 1 if first is None else first


@dataclass(frozen=True, slots=True)
class Row:
    """A title on the page that edits a list."""

    tile: Tile
    version: str


@dataclass(frozen=True, slots=True)
class Editing:
    """What the page that edits a list shows."""

    watchlist: Watchlist
    curator: User | None
    rows: tuple[Row, ...]
    next_cursor: str | None
    first: int
    """The place of the first row, counted from 1."""

    @property
    def card(self) -> ListCard:
        """The list as others will see it; its cover follows the titles a moment later, so these are asked here."""
        card = card_of(self.watchlist, self.curator, None)
        return card if self.first > 1 else replace(card, fan=tuple(row.tile for row in self.rows[:FAN]))


class Reading:
    """Lists for their readers and their curators."""

    def __init__(self, kit: Kit, people: People, lists: Lists, items: Items, shelves: Shelves) -> None:
        self._store = kit.store
        self._search = kit.search
        self._people = people
        self._lists = lists
        self._items = items
        self._shelves = shelves

    async def page(
        self,
        viewer: Viewer,
        visible: VisibleList,
        *,
        show: Show = "all",
        sort: Sort = "order",
        cursor: str | None = None,
    ) -> ShownList:
        """A page of a list that the viewer may see."""
        watchlist = visible.watchlist
        list_id = watchlist.watchlist_id
        totals = await self._store.get(schema.totals(list_id))
        saved = await self._store.get(schema.saved(viewer.id, list_id)) if viewer.signed_in else None
        follows = viewer.signed_in and await self._store.get(schema.follow(viewer.id, watchlist.curator_id)) is not None
        since = (saved.visited_at or saved.saved_at) if saved else ""
        progress: Progress | None = None
        length = ""
        ranked = bool(watchlist.is_ranked)
        whole = watchlist.item_count <= WHOLE or show != "all" or sort != "order"
        if whole:
            items = await self._items.all_in_order(list_id)
            tiles: Sequence[Tile] = _tiles(items, 0, ranked, since)
            length = in_hours(sum(tile.runtime or 0 for tile in tiles))
            needs_all_marks = watchlist.item_count <= WHOLE or show == "unseen"
            if needs_all_marks:
                mine = await self._shelves.among(viewer, (tile.ref for tile in tiles))
                progress = progress_of((tile.ref for tile in tiles), mine) if viewer.signed_in else None
                tiles = marked(tiles, mine)
            tiles = _sorted([tile for tile in tiles if _fits(tile, show)], sort)
            start = _offset(cursor)[0]
            found, tiles = len(tiles), tiles[start : start + PAGE]
            if not needs_all_marks:
                tiles = marked(tiles, await self._shelves.among(viewer, (tile.ref for tile in tiles)))
            next_cursor = str(start + PAGE) if start + PAGE < found else None
        else:
            start, rest = _offset(cursor)
            page = await self._items.in_order(list_id, limit=PAGE, cursor=rest or None)
            mine = await self._shelves.among(viewer, (ref_of(each) for each in page))
            tiles = marked(_tiles(page.items, start, ranked, since), mine)
            found = watchlist.item_count
            next_cursor = f"{start + PAGE}.{page.next_cursor}" if page.next_cursor else None
        return ShownList(
            watchlist=watchlist,
            curator=visible.curator,
            tiles=tuple(tiles),
            next_cursor=next_cursor,
            found=found,
            progress=progress,
            length=length,
            totals=totals,
            saved=saved,
            follows=follows,
            new=sum(tile.new for tile in tiles),
            mostly_noted=sum(bool(tile.note) for tile in tiles) * 2 > len(tiles),
        )

    async def with_averages(self, viewer: Viewer, shown: ShownList) -> ShownList:
        """The same with the average of each title. It is looked up where titles are sorted by it: a copy on each list
        would have to be written to all lists of a title with each rating."""
        me = await self._people.mine(viewer)
        hides = me is not None and bool(me.hide_averages)
        wanted = [tile for tile in shown.tiles if tile.seen or not hides]
        averages: dict[Ref, float] = {}
        for content_type, catalog in _CATALOGS.items():
            ids = [tile.id for tile in wanted if tile.type == content_type]
            found = await self._search.values(catalog, "average", ids) if ids else {}
            averages |= {(content_type, each): float(value) for each, value in found.items()}
        return replace(shown, tiles=tuple(replace(tile, average=averages.get(tile.ref)) for tile in shown.tiles))

    async def editing(self, viewer: Viewer, watchlist_id: str, cursor: str | None = None) -> Editing:
        """A page of one of the viewer's own lists, to be edited."""
        visible = await self._lists.visible(viewer, watchlist_id)
        if visible.watchlist.curator_id != viewer.id:
            raise no_such_list()
        start, rest = _offset(cursor)
        page = await self._items.in_order(watchlist_id, limit=ROWS, cursor=rest or None)
        rows = tuple(row_of(each, place) for place, each in enumerate(page, start + 1))
        onward = f"{start + ROWS}.{page.next_cursor}" if page.next_cursor else None
        return Editing(visible.watchlist, visible.curator, rows, onward, start + 1)

    async def related(self, viewer: Viewer, watchlist: Watchlist, limit: int = 6) -> list[str]:
        """Ids of other live lists with its first titles, those with most of them first."""
        shared: Counter[str] = Counter()
        for each in watchlist.cover_items or ():
            found = await self._store.page(schema.live_items_with(each.type, each.id), limit=_RELATED)
            shared.update(item.watchlist_id for item in found if item.watchlist_id != watchlist.watchlist_id)
        return [list_id for list_id, _ in shared.most_common(limit)]

    async def pick(self, viewer: Viewer, watchlist_id: str) -> WatchlistItem | None:
        """One of the titles that the viewer has not seen, whichever."""
        items = await self._items.all_in_order(watchlist_id)
        _CHANCE.shuffle(items)
        for start in range(0, len(items), _DRAWN):
            drawn = items[start : start + _DRAWN]
            mine = await self._shelves.among(viewer, map(ref_of, drawn))
            for each in drawn:
                if (mark := mine.get(ref_of(each))) is None or not mark.seen:
                    return each
        return None

    async def progress(self, viewer: Viewer, watchlist_id: str) -> Progress:
        """How much of a list somebody has seen, counted now."""
        items = await self._items.all_in_order(watchlist_id)
        mine = await self._shelves.among(viewer, (ref_of(each) for each in items))
        return progress_of(map(ref_of, items), mine)


def row_of(item: WatchlistItem, place: int) -> Row:
    """A title as its curator edits it."""
    return Row(tile_of_item(item, place=place), item_version(item))


def _tiles(items: Iterable[WatchlistItem], start: int, ranked: bool, since: str) -> tuple[Tile, ...]:
    return tuple(
        tile_of_item(each, place=place, ranked=ranked, since=since) for place, each in enumerate(items, start + 1)
    )


def progress_of(refs: Iterable[Ref], mine: Mapping[Ref, Mine]) -> Progress:
    """How much of a list somebody has seen: counted when it is read, and never stored."""
    marks = [mine.get(ref) for ref in refs]
    seen = [mark for mark in marks if mark is not None and mark.seen]
    finished = len(seen) == len(marks)
    last = max((mark.last_seen_on or mark.marked_at or "" for mark in seen), default="") if finished else ""
    return Progress(len(seen), len(marks), last[:10] or None)


def _fits(tile: Tile, show: Show) -> bool:
    if show == "unseen":
        return not tile.seen
    return show == "all" or tile.type == ("MOVIE" if show == "films" else "SHOW")


def _sorted(tiles: Sequence[Tile], sort: Sort) -> Sequence[Tile]:
    """What is not known comes last."""
    if sort == "year":
        return sorted(tiles, key=lambda tile: (tile.year is None, tile.year or 0))
    if sort == "length":
        return sorted(tiles, key=lambda tile: (tile.runtime is None, tile.runtime or 0))
    return sorted(tiles, key=lambda tile: plain(tile.title)) if sort == "title" else tiles


def _offset(cursor: str | None) -> tuple[int, str]:
    """Where a page begins: its first place, and the cursor of the index if the list is not read whole."""
    start, _, rest = (cursor or "0").partition(".")
    if not start.isdecimal() or len(start) > 4:
        raise BadRequest("This address is not one of ours. Begin with the first page.", code="invalid_cursor")
    return int(start), rest
