"""Search: films and series by words and filters, lists and curators by words; with nothing but filters too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

from partita.apps.worthwatch.schema import ContentType, User
from partita.apps.worthwatch.search import CURATORS, FILMS, LISTS, SERIES
from partita.apps.worthwatch.service.discovery import Discovery
from partita.apps.worthwatch.service.labels import Ref, titles_by_ref
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.shelves import Shelves
from partita.apps.worthwatch.service.tiles import ListCard, Tile, marked, tile_of_title
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.search import Catalog, FacetValue, SearchPage

Kind = Literal["lists", "films", "series", "curators"]
Sort = Literal["fit", "listed", "average", "year"]
"""`fit` is the best match; without words, what is on most lists."""
KINDS: tuple[Kind, ...] = ("lists", "films", "series", "curators")
PAGE = 24
PREVIEW = 4
"""So many of each kind are shown together."""

_CATALOGS: Mapping[Kind, Catalog[Any]] = {"lists": LISTS, "films": FILMS, "series": SERIES, "curators": CURATORS}
_TYPES: Mapping[Kind, ContentType] = {"films": "MOVIE", "series": "SHOW"}
_SORTS: Mapping[Sort, str | None] = {"fit": None, "listed": "-listed", "average": "-average", "year": "-year"}
_FACETS = ("genre", "decade", "length")
_ROUNDS = 6
"""How often more is looked for if titles that the viewer has seen are left out; then the next page goes on."""
_MOST_VALUES = 24


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody looks for. The filters are of titles alone: lists and curators have none of these."""

    text: str = ""
    genres: frozenset[str] = frozenset()
    decades: frozenset[str] = frozenset()
    length: str = ""
    """`90`, `120`, `150` or `longer`."""
    unseen: bool = False
    sort: Sort = "fit"

    @property
    def filters(self) -> dict[str, str | frozenset[str]]:
        return {"genre": self.genres, "decade": self.decades, "length": self.length or frozenset()}

    @property
    def narrowed(self) -> bool:
        """Whether there is a filter."""
        return bool(self.genres or self.decades or self.length or self.unseen)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of one kind: `tiles`, `cards` or `people`, as the kind has it."""

    total: int
    """In the index, which follows the tables a moment later."""
    tiles: tuple[Tile, ...] = ()
    cards: tuple[ListCard, ...] = ()
    people: tuple[User, ...] = ()
    next_cursor: str | None = None
    facets: Mapping[str, tuple[FacetValue, ...]] = field(default_factory=dict)
    relaxed: bool = False
    suggestion: str | None = None
    names: Mapping[str, Markup] = field(default_factory=dict)
    """Titles and names by id, with what matched marked in them."""


class Finding:
    """The search over everything."""

    def __init__(self, kit: Kit, people: People, lists: Lists, discovery: Discovery, shelves: Shelves) -> None:
        self._search = kit.search
        self._store = kit.store
        self._people = people
        self._lists = lists
        self._discovery = discovery
        self._shelves = shelves

    async def totals(self, wanted: Wanted) -> dict[Kind, int]:
        """How many there are of each kind, for the tabs."""
        return {kind: (await self._find(kind, wanted, limit=1, suggest=False)).total for kind in KINDS}

    async def live_lists(self) -> int:
        """How many lists everybody can open: by the index, which costs no read."""
        return (await self._find("lists", Wanted(), limit=1, suggest=False)).total

    async def find(
        self, viewer: Viewer, kind: Kind, wanted: Wanted, *, limit: int = PAGE, cursor: str | None = None
    ) -> Found:
        """A page of one kind. What the index still has and nobody may see any more is left out."""
        if kind == "lists":
            page = await self._find(kind, wanted, limit=limit, cursor=cursor)
            lists = await self._lists.by_id(hit.id for hit in page.hits)
            return _found(page, cards=await self._discovery.cards(tuple(lists.values())))
        if kind == "curators":
            page = await self._find(kind, wanted, limit=limit, cursor=cursor)
            people = await self._people.by_id(hit.id for hit in page.hits)
            return _found(page, people=tuple(user for user in people.values() if user.approved))
        return await self._titles(viewer, kind, wanted, limit, cursor)

    async def _titles(self, viewer: Viewer, kind: Kind, wanted: Wanted, limit: int, cursor: str | None) -> Found:
        first: SearchPage | None = None
        tiles: list[Tile] = []
        names: dict[str, Markup] = {}
        for _ in range(_ROUNDS):
            page = await self._find(kind, wanted, limit=limit - len(tiles), cursor=cursor, facets=_FACETS)
            first = first or page
            names |= _names(page)
            tiles += await self._tiles(viewer, [(_TYPES[kind], hit.id) for hit in page.hits], unseen=wanted.unseen)
            cursor = page.next_cursor
            if cursor is None or len(tiles) == limit:
                break
        assert first is not None  # there is a round
        return _found(first, tiles=tuple(tiles), next_cursor=cursor, names=names)

    async def _tiles(self, viewer: Viewer, refs: Sequence[Ref], *, unseen: bool) -> list[Tile]:
        mine = await self._shelves.among(viewer, refs)
        if unseen:
            refs = [ref for ref in refs if ref not in mine or not mine[ref].seen]
        titles = await titles_by_ref(self._store, refs)
        return list(marked((tile_of_title(title) for title in titles.values()), mine))

    async def _find(
        self,
        kind: Kind,
        wanted: Wanted,
        *,
        limit: int,
        cursor: str | None = None,
        facets: Sequence[str] = (),
        suggest: bool = True,
    ) -> SearchPage:
        titles = kind in _TYPES
        return await self._search.find(
            _CATALOGS[kind],
            wanted.text,
            filters=wanted.filters if titles else {},
            match="relaxed",
            sort=_SORTS[wanted.sort] if titles else None,
            facets=facets if titles else (),
            most_values=_MOST_VALUES,
            suggest=suggest,
            limit=limit,
            cursor=cursor,
        )


def _names(page: SearchPage) -> dict[str, Markup]:
    found = ((hit.id, hit.highlights.get("title") or hit.highlights.get("name")) for hit in page.hits)
    return {name: marked_name for name, marked_name in found if marked_name}


def _found(page: SearchPage, *, next_cursor: str | None = None, **shown: Any) -> Found:
    shown.setdefault("names", _names(page))
    return Found(
        total=page.total,
        next_cursor=next_cursor if "tiles" in shown else page.next_cursor,
        facets=page.facets,
        relaxed=page.relaxed,
        suggestion=page.suggestion,
        **shown,
    )
