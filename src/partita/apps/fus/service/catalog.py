"""The catalog: sites by words, by tags, by time, rating or title; every page is full unless the list ends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any, Literal

from partita.apps.fus import schema
from partita.apps.fus.schema import Site, TagTotal
from partita.apps.fus.search import CATALOG, at_least
from partita.apps.fus.service.sites import Sites
from partita.apps.fus.service.tagged import Mode, site_ids, totals
from partita.kit.cursors import seal, unseal
from partita.kit.kit import Kit
from partita.kit.lists import Match
from partita.kit.search import FacetValue, SearchPage
from partita.table import InvalidCursorError, Page, Query, all_of, any_of

Sort = Literal["best", "newest", "rating", "title"]
"""`best` is the best match; without words, the newest."""
Place = tuple[Any, str]
"""Where a site is in an order, and its id."""

_INDEXED: Mapping[Sort, str] = {"newest": "-created_at", "rating": "-rating", "title": "title"}
_FEW = 100
_MANY = 1000
_MOST_ROWS = 1000
_GET = 25


@dataclass(frozen=True, slots=True)
class Found(Page[Match[Site]]):
    """A page of the catalog, and what a search has to say of it."""

    tags: tuple[FacetValue, ...] = ()
    """The tags of all sites on the list, with how many one would see with each."""
    relaxed: bool = False
    """Nothing has all the words, so these sites have some of them."""
    suggestion: str | None = None
    """What may have been meant."""
    stars: tuple[FacetValue, ...] = ()
    """How many sites of the list have an average of how many whole stars, whichever of them are wanted."""


class Catalog:
    """Lists of sites and of tags."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._sites = sites

    async def browse(
        self,
        *,
        text: str = "",
        tags: Sequence[str] = (),
        mode: Mode = "and",
        sort: Sort = "best",
        limit: int = 20,
        cursor: str | None = None,
        most_tags: int = 0,
        stars: int = 0,
        without: Collection[str] | None = None,
    ) -> Found:
        """Sites with all words (or some, if none has all), all (or any) of the tags, and an average of so many stars or
        more, without some of them; `most_tags` are counted."""
        wanted = tuple(dict.fromkeys(tags))
        if text.strip() or stars or without is not None:
            filters = {**_filters(wanted, mode), **({"stars": at_least(stars)} if stars else {})}
            return await self._search(text, filters, sort, limit, cursor, most_tags, without)
        found = await self._browse(wanted, mode, "newest" if sort == "best" else sort, limit, cursor)
        if not most_tags:
            return found
        # The list comes from the table, which is exact and cheap to read; only the index can count its tags.
        counted = await self._kit.search.find(
            CATALOG, "", filters=_filters(wanted, mode), facets=("tag", "stars"), most_values=most_tags, limit=1
        )
        total = counted.total if found.total is None else found.total
        return replace(found, tags=counted.facets["tag"], stars=counted.facets["stars"], total=total)

    async def complete_tag(self, start: str, *, limit: int = 10) -> tuple[FacetValue, ...]:
        """Tags that begin like this, the most used first."""
        return await self._kit.search.complete(CATALOG, start, filter="tag", limit=limit)

    async def _browse(self, wanted: tuple[str, ...], mode: Mode, sort: Sort, limit: int, cursor: str | None) -> Found:
        if not wanted:
            page = await self._store.page(_every(sort), limit=limit, after=cursor)
            return _matches(page.items, page.next_cursor, await self._sites.total())
        counts = await totals(self._store, wanted)
        if sort == "newest":
            matches = await self._newest(wanted, mode, limit, cursor)
        else:
            matches = await self._sorted(wanted, mode, sort, counts, limit, cursor)
        return replace(matches, total=counts[wanted[0]]) if len(wanted) == 1 else matches

    async def popular_tags(self, *, limit: int = 50, cursor: str | None = None) -> Page[TagTotal]:
        """Tags, most used first."""
        return await self._store.page(schema.popular_tags().at_least(TagTotal.count(1)), limit=limit, after=cursor)

    async def tags(self, *, start: str = "", limit: int = 50, cursor: str | None = None) -> Page[TagTotal]:
        """Tags by name, only those that start like this."""
        query = schema.all_tags()
        named = query.starting_with(f"TAG#{start}") if start else query
        return await self._store.page(named.where(TagTotal.count > 0), limit=limit, after=cursor)

    # -- words

    async def _search(
        self,
        text: str,
        filters: Mapping[str, tuple[str, ...] | frozenset[str]],
        sort: Sort,
        limit: int,
        cursor: str | None,
        most_tags: int,
        without: Collection[str] | None,
    ) -> Found:
        matches: list[Match[Site]] = []
        first: SearchPage | None = None
        while True:
            page = await self._kit.search.find(
                CATALOG,
                text,
                filters=filters,
                match="relaxed",
                sort=_INDEXED.get(sort),
                facets=("tag", "stars") if most_tags else (),
                most_values=max(most_tags, 1),
                suggest=True,
                limit=limit - len(matches),
                cursor=cursor,
                without=without,
            )
            first = first or page
            sites = await self._sites.by_id(hit.id for hit in page.hits)
            matches += [Match(sites[hit.id], hit.highlights) for hit in page.hits if hit.id in sites]
            cursor = page.next_cursor
            if cursor is None or len(matches) == limit:  # the index may still have sites that are deleted
                return Found(
                    tuple(matches),
                    cursor,
                    total=page.total,
                    tags=first.facets.get("tag", ()),
                    stars=first.facets.get("stars", ()),
                    relaxed=first.relaxed,
                    suggestion=first.suggestion,
                )

    # -- tags

    async def _newest(self, tags: tuple[str, ...], mode: Mode, limit: int, cursor: str | None) -> Found:
        name = ["fus.tagged", mode, sorted(tags)]
        after = None if cursor is None else str(unseal(self._store.cursors, name, cursor)["after"])
        sites: list[Site] = []
        async for ids in _in_batches(site_ids(self._store, tags, mode, after), limit + 1):
            sites += await self._get(ids)
            if len(sites) > limit:  # one more than fits on the page, to know whether there is a next page
                more = seal(self._store.cursors, name, {"after": sites[limit - 1].site_id})
                return _matches(sites[:limit], more)
        return _matches(sites, None)

    async def _sorted(
        self, tags: tuple[str, ...], mode: Mode, sort: Sort, counts: Mapping[str, int], limit: int, cursor: str | None
    ) -> Found:
        """By rating or title: few sites are read and then sorted; for many, the sorted list is read and filtered."""
        name = ["fus.sorted", sort, mode, sorted(tags)]
        place = {} if cursor is None else unseal(self._store.cursors, name, cursor)
        if "walk" not in place:
            few = await self._few(tags, mode, counts, going_on=bool(place))
            if few is not None:
                return self._sorted_page(few, sort, name, place.get("after"), limit)
            if place:
                raise InvalidCursorError("there are too many sites by now to go on sorting them")
        page = await self._walk(tags, mode, sort, counts, limit, place.get("walk"))
        more = None if page.next_cursor is None else seal(self._store.cursors, name, {"walk": page.next_cursor})
        return _matches(page.items, more)

    async def _few(
        self, tags: tuple[str, ...], mode: Mode, counts: Mapping[str, int], *, going_on: bool
    ) -> list[Site] | None:
        """All sites with the tags, or None if they are too many to be read for one page.

        Reading S sites costs about as much as finding twenty of them among N in a sorted list if S² is about 2 N.
        """
        most = min(max(_FEW, isqrt(2 * await self._sites.total())), _MANY)
        if going_on:  # there may be some more since the first page was read
            most += _MANY
        at_least = max(counts.values()) if mode == "or" or len(tags) == 1 else 0
        if at_least > most:
            return None
        ids: list[str] = []
        async for site_id in site_ids(self._store, tags, mode):
            ids.append(site_id)
            if len(ids) > most:
                return None
        return await self._get(ids)

    def _sorted_page(
        self, sites: list[Site], sort: Sort, name: list[Any], after: list[Any] | None, limit: int
    ) -> Found:
        ordered = sorted(sites, key=lambda site: _place(site, sort))
        if after is not None:
            ordered = [site for site in ordered if _place(site, sort) > tuple(after)]
        more = None
        if len(ordered) > limit:
            more = seal(self._store.cursors, name, {"after": _place(ordered[limit - 1], sort)})
        return _matches(ordered[:limit], more, len(sites))

    async def _walk(
        self, tags: tuple[str, ...], mode: Mode, sort: Sort, counts: Mapping[str, int], limit: int, after: str | None
    ) -> Page[Site]:
        having = [Site.tags.contains(tag) for tag in tags]
        narrowed = _every(sort).where(all_of(*having) if mode == "and" else any_of(*having))
        fitting = max(min(counts.values()) if mode == "and" else max(counts.values()), 1)
        rows = min((limit + 1) * max(await self._sites.total(), 1) // fitting + limit, _MOST_ROWS)
        return await self._store.page(narrowed, limit=limit, after=after, page_size=rows)

    async def _get(self, ids: Sequence[str]) -> list[Site]:
        return list((await self._sites.by_id(ids)).values())


def _matches(sites: Sequence[Site], next_cursor: str | None, total: int | None = None) -> Found:
    return Found(tuple(map(Match, sites)), next_cursor, total=total)


def _filters(tags: tuple[str, ...], mode: Mode) -> dict[str, tuple[str, ...] | frozenset[str]]:
    return {"tag": tags if mode == "and" else frozenset(tags)} if tags else {}


def _every(sort: Sort) -> Query[Site]:
    if sort == "rating":
        return schema.best_sites()
    return schema.sites_by_title() if sort == "title" else schema.newest_sites()


def _place(site: Site, sort: Sort) -> Place:
    if sort == "rating":
        return -site.rank, site.site_id
    return site.title_key, site.site_id


async def _in_batches(ids: AsyncIterator[str], size: int) -> AsyncIterator[list[str]]:
    """As many as are wanted first, then a few at a time."""
    batch: list[str] = []
    async for site_id in ids:
        batch.append(site_id)
        if len(batch) == size:
            yield batch
            batch, size = [], _GET
    if batch:
        yield batch
