"""The library: everything that somebody may find, by words and filters, with a number beside each choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from partita.apps.enablement import schema
from partita.apps.enablement.formats import folded, today_of
from partita.apps.enablement.permissions import Enablement, State
from partita.apps.enablement.schema import Content, Products, Status
from partita.apps.enablement.search import EVERYBODY, FACETS, catalog, owner_mark
from partita.apps.enablement.service.access import state_of
from partita.apps.enablement.service.content import Contents
from partita.apps.enablement.service.previews import Previews
from partita.apps.enablement.service.shown import Showing, Shown
from partita.kit.kit import Kit
from partita.kit.lists import follow_page
from partita.kit.permissions import Viewer, authorize
from partita.kit.search import FacetValue, SearchPage
from partita.kit.search.results import Named
from partita.table import Page, Query

Sort = Literal["newest", "title"]
SORTS: dict[Sort, str] = {"newest": "-updated", "title": "title"}
_ONE = ("suite", "concept", "kind", "audience", "stage", "fresh")
"""Filters of which one value is chosen at a time, so that the numbers of the others stay."""
_RELATED = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody looks for."""

    text: str = ""
    suite: str | None = None
    concept: str | None = None
    kind: str | None = None
    audience: str | None = None
    stage: str | None = None
    tags: tuple[str, ...] = ()
    fresh: str | None = None
    status: Status | None = None
    owner: str | None = None
    sort: Sort | None = None
    """None: the best match first if there are words, else the newest."""

    @property
    def chosen(self) -> dict[str, str | tuple[str, ...]]:
        """Filter → what is chosen, of those that people choose."""
        values = {name: getattr(self, name) for name in _ONE} | {"tag": self.tags}
        return {name: value for name, value in values.items() if value}

    @property
    def narrowed(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.text or self.chosen or self.status or self.owner)

    @property
    def query(self) -> Query[Content] | None:
        """The index of the table that has exactly this list, if one does: it shows a write at once."""
        if self.text or self.tags or self.kind or self.stage or self.fresh or self.sort == "title":
            return None
        match self.status, self.suite, self.concept, self.audience, self.owner:
            case None, None, None, None, str(owner):
                return schema.content_of_owner(owner)
            case str(status), None, None, None, None:
                return schema.content_with_status(status)
            case str(status), str(suite), None, None, None:
                return schema.content_of_suite(status, suite)
            case str(status), str(suite), str(concept), None, None:
                return schema.content_filtered(status, suite, concept)
            case str(status), None, None, str(audience), None:
                return schema.content_for(status, audience)
        return None


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the library as people see it."""

    page: Page[Shown]
    facets: Named[tuple[FacetValue, ...]]
    products: Products
    relaxed: bool = False
    """Nothing has all the words, so these have some of them."""
    suggestion: str | None = None
    """The words without typing errors, which find more."""
    without: Mapping[str, int] = field(default_factory=dict)
    """If nothing is found: filter → how many there would be without it."""
    shelves: Mapping[str, Shown] = field(default_factory=dict)
    """What is on the shelves, by id."""


class Library:
    """Finds content."""

    def __init__(self, kit: Kit, contents: Contents, showing: Showing, previews: Previews) -> None:
        self._kit = kit
        self._store = kit.store
        self._contents = contents
        self._showing = showing
        self.catalog = catalog(previews.words, previews.bucket, self._now)

    async def explore(
        self,
        viewer: Viewer,
        wanted: Wanted,
        *,
        limit: int = 24,
        cursor: str | None = None,
        shelves: Sequence[str] = (),
    ) -> Listing:
        """A page for people, with what the list can be narrowed by; if nothing has all the words, with what has some of
        them. What is on `shelves` is read with it."""
        authorize(viewer, Enablement.READ)
        found = await self._find(viewer, wanted, limit, cursor, match="relaxed", facets=FACETS, suggest=True)
        products = await self._showing.products()
        ids = [hit.id for hit in found.hits]
        together = _of_the_table(viewer, wanted) if cursor is None else None
        items = await self._contents.visible(viewer, (*ids, *shelves), together)
        marks = {hit.id: hit.highlights for hit in found.hits}
        everything = {each.content_id: each for each in await self._showing.each(items, products=products, marks=marks)}
        shown = tuple(everything[each] for each in ids if each in everything)
        page = Page(_last_if_expired(shown) if wanted.text else shown, found.next_cursor, total=found.total)
        without = {} if found.total or cursor else await self._without(viewer, wanted)
        on_shelves = {each: everything[each] for each in shelves if each in everything and everything[each].released}
        return Listing(page, found.facets, products, found.relaxed, found.suggestion, without, on_shelves)

    async def newest(self, viewer: Viewer, filters: Mapping[str, Any], limit: int) -> tuple[str, ...]:
        """The ids of what was released last and somebody may find, the newest first."""
        found = await self._kit.search.find(
            self.catalog,
            "",
            filters={**filters, "finder": _finder(viewer), "status": "Approved"},
            sort=SORTS["newest"],
            limit=limit,
            ended=self._closed(viewer),
        )
        return tuple(hit.id for hit in found.hits)

    async def browse(
        self, viewer: Viewer, wanted: Wanted, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Content]:
        """A page for programs: from the table where an index has the list, otherwise from the search."""
        authorize(viewer, Enablement.READ)
        query = wanted.query
        if query is not None:

            async def visible(items: Sequence[Content]) -> list[Content]:
                return [item for item in self._contents.seen(viewer, items) if _fits(item, wanted)]

            return await follow_page(self._store, query, visible, limit=limit, after=cursor)
        found = await self._find(viewer, wanted, limit, cursor)
        return Page(tuple(await self._read(viewer, found)), found.next_cursor, total=found.total)

    async def with_related(self, viewer: Viewer, content: Content) -> tuple[Shown, tuple[Shown, ...]]:
        """An item as its page shows it, and others of the same concept, or else suite, newest first; with as few reads
        as one of them takes."""
        one, *others = await self._showing.each((content, *await self._related(viewer, content)))
        return one, tuple(each for each in others if each.released)[:_RELATED]

    async def _related(self, viewer: Viewer, content: Content) -> list[Content]:
        if content.product_suite is None:
            return []
        wanted = Wanted(suite=content.product_suite, concept=content.product_concept, status="Approved")
        page = await self._find(viewer, wanted, _RELATED + 1, None)
        others = [hit.id for hit in page.hits if hit.id != content.content_id]
        return await self._contents.visible(viewer, others[:_RELATED])

    async def covered(
        self,
        viewer: Viewer,
        *,
        suite: str | None = None,
        concept: str | None = None,
        tags: Sequence[str] = (),
        owner: str = "",
    ) -> int:
        """How many items somebody may find of a product, with at least one of these tags, or of an owner."""
        chosen = {"suite": suite, "concept": concept}
        filters: dict[str, Any] = {name: frozenset((value,)) for name, value in chosen.items() if value}
        filters |= {"finder": _finder(viewer), "tag": await self.spellings(tags)}
        filters |= {"owner": owner} if owner else {}
        found = await self._kit.search.find(self.catalog, "", filters=filters, limit=1, ended=self._closed(viewer))
        return found.total

    async def spellings(self, tags: Iterable[str]) -> frozenset[str]:
        """The same tags as content has them, in any case."""
        found: set[str] = set()
        for tag in tags:
            same = await self._kit.search.complete(self.catalog, tag, filter="tag", limit=20)
            found |= {tag, *(each.value for each in same if folded(each.value) == folded(tag))}
        return frozenset(found)

    async def tags(self, start: str) -> tuple[FacetValue, ...]:
        """Tags that begin like a text, for a field."""
        return await self._kit.search.complete(self.catalog, start, filter="tag")

    def _now(self, content: Content) -> tuple[State, str]:
        """The state of an item, and which day it is."""
        now = self._kit.clock.now()
        return state_of(content, now), today_of(now)

    async def _find(self, viewer: Viewer, wanted: Wanted, limit: int, cursor: str | None, **more: Any) -> SearchPage:
        filters: dict[str, Any] = {name: frozenset((value,)) for name in _ONE if (value := getattr(wanted, name))}
        filters |= {"tag": wanted.tags, "finder": _finder(viewer)}
        filters |= {name: value for name in ("status", "owner") if (value := getattr(wanted, name))}
        sort = None if wanted.sort is None else SORTS[wanted.sort]
        return await self._kit.search.find(
            self.catalog,
            wanted.text,
            filters=filters,
            sort=sort,
            limit=limit,
            cursor=cursor,
            ended=self._closed(viewer),
            **more,
        )

    def _closed(self, viewer: Viewer) -> tuple[str, float] | None:
        """What is closed to readers from its moment on, before the clock has come by."""
        return None if viewer.may(Enablement.APPROVE) else ("closes", self._kit.clock.now().timestamp())

    async def _read(self, viewer: Viewer, found: SearchPage) -> list[Content]:
        return await self._contents.visible(viewer, [hit.id for hit in found.hits])

    async def _without(self, viewer: Viewer, wanted: Wanted) -> dict[str, int]:
        """What dropping one filter would bring, largest first."""
        numbers = {}
        for name in wanted.chosen:
            empty: Any = () if name == "tag" else None
            changed = {"tags" if name == "tag" else name: empty}
            found = await self._find(viewer, replace(wanted, **changed), 1, None)
            if found.total:
                numbers[name] = found.total
        return dict(sorted(numbers.items(), key=lambda each: -each[1]))


def _finder(viewer: Viewer) -> frozenset[str]:
    """Whose documents somebody may find; empty restricts nothing."""
    if viewer.may(Enablement.APPROVE):
        return frozenset()
    if viewer.may(Enablement.WRITE):
        return frozenset({EVERYBODY, owner_mark(viewer.id)})
    return frozenset({EVERYBODY})


def _of_the_table(viewer: Viewer, wanted: Wanted) -> Query[Content] | None:
    """The index of the table whose newest are what readers see first of such a list; None if none has it. Whoever sees
    drafts between them gets another list."""
    if viewer.may(Enablement.APPROVE) or wanted.status or wanted.owner:
        return None
    return replace(wanted, status="Approved").query


def _fits(content: Content, wanted: Wanted) -> bool:
    """Foreign rows whose names hold `#` share the keys of others."""
    return wanted.suite in (None, content.product_suite) and wanted.concept in (None, content.product_concept)


def _last_if_expired(shown: Sequence[Shown]) -> tuple[Shown, ...]:
    """Best matches of a page in their order, those that have expired after the others."""
    return tuple(sorted(shown, key=lambda each: each.expired))
