"""The catalog and the tag cloud."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.formats import tag_of
from partita.apps.fus.inputs import likely_tags
from partita.apps.fus.pages.sharing import catalog_head
from partita.apps.fus.schema import TagTotal
from partita.apps.fus.service import FusService
from partita.apps.fus.service.catalog import Sort
from partita.apps.fus.service.tagged import Mode
from partita.kit.answers import Cursor
from partita.kit.completing import Field, completed
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.search import FacetValue
from partita.kit.sharing import Head

_PAGE = 20
_TAGS_BESIDE = 40
_CLOUD = 200
_SIZES = 5

SORTS: dict[Sort, str] = {"best": "Best match", "newest": "Newest first", "rating": "Best rated", "title": "By title"}


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("", Access.PUBLIC, steady=True)
    async def catalog(
        request: Request,
        viewer: CurrentViewer,
        q: Annotated[str, Query(max_length=200)] = "",
        tags: Annotated[list[str], Query(max_length=50)] = [],  # noqa: B006 - FastAPI leaves it alone
        tag_mode: Annotated[str, Query(max_length=10)] = "and",
        sort: Annotated[str, Query(max_length=20)] = "best",
        stars: Annotated[str, Query(max_length=5)] = "",
        mine: Annotated[str, Query(max_length=10)] = "",
        cursor: Cursor = None,
    ) -> Response:
        """The catalog, or a part of it; parameters that make no sense are ignored."""
        least = int(stars) if stars in ("1", "2", "3", "4", "5") else 0
        unrated = mine == "unrated" and viewer.signed_in
        chosen = likely_tags(tags)
        # One tag alone is neither all nor any: choosing another one then narrows the list down.
        mode: Mode = "or" if tag_mode == "or" and len(chosen) > 1 else "and"
        sorts = {each: label for each, label in SORTS.items() if q.strip() or each != "best"}
        order = next((each for each in sorts if each == sort), next(iter(sorts)))
        matches = await service.catalog.browse(
            text=q,
            tags=chosen,
            mode=mode,
            sort=order,
            limit=_PAGE,
            cursor=cursor,
            most_tags=_TAGS_BESIDE,
            stars=least,
            without=await service.mine.rated(viewer) if unrated else None,
        )
        narrowed = bool(q.strip() or chosen or least or unrated)
        return render(
            request,
            "fus/catalog.html",
            page_head=catalog_head(chosen, q.strip()),
            search_keeps=("tags", "tag_mode", "sort", "stars", "mine"),
            matches=matches,
            narrowed=narrowed,
            is_home=not narrowed and cursor is None and not request.query_params,
            star_levels=star_levels(matches.stars),
            my_stars=await service.ratings.my_stars(viewer, [match.item.site_id for match in matches]),
            browsing={
                "q": q,
                "tags": list(chosen),
                "mode": mode,
                "sort": order,
                "stars": least,
                "unrated": unrated,
            },
            sorts=list(sorts.items()),
        )

    @pages.get("/tags", Access.PUBLIC, steady=True)
    async def cloud(request: Request, cursor: Cursor = None) -> Response:
        page = await service.catalog.popular_tags(limit=_CLOUD, cursor=cursor)
        head = Head("/fus/tags", "All tags of the catalog, with the number of sites that have each.")
        return render(request, "fus/tags.html", page_head=head, cloud=sized(page.items), next_cursor=page.next_cursor)

    @pages.get("/tags/complete", Access.PUBLIC)
    async def complete(request: Request, field: Field = "tags") -> Response:
        """Options for a field of tags."""
        return await completed(request, field, service.catalog.complete_tag, tag_of)


def star_levels(values: Sequence[FacetValue]) -> list[tuple[int, int]]:
    """So many stars and more → how many sites have that, from five down; levels that nothing reaches are left out."""
    counts = {int(each.value): each.count for each in values}
    levels = ((stars, sum(count for whole, count in counts.items() if whole >= stars)) for stars in range(5, 0, -1))
    return [(stars, count) for stars, count in levels if count]


def sized(totals: Sequence[TagTotal]) -> list[tuple[str, int, int]]:
    """Tags by name, each with its count and a size from 1 to 5, by magnitude since a few tags have most sites."""
    most = max((total.count for total in totals), default=1)
    return sorted(
        (total.tag, total.count, 1 + round((_SIZES - 1) * math.log1p(total.count - 1) / math.log1p(max(most - 1, 1))))
        for total in totals
    )
