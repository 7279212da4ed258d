"""The catalog and its tags over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query

from partita.apps.fus.api.sites import SiteSummary
from partita.apps.fus.inputs import wanted_tags
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed
from partita.table import Page

Words = Annotated[
    str,
    Query(
        max_length=200,
        description="Words to search for; the last may be unfinished. If no site has all of them, some are enough.",
    ),
]
TagsWanted = Annotated[
    list[str], Query(max_length=20, description="Only sites with these tags: repeated, or separated by commas.")
]
TagMode = Annotated[Literal["and", "or"], Query(description="Whether sites need all of the tags, or any.")]
Sorted = Annotated[
    Literal["best", "newest", "rating", "title"],
    Query(description="The order: best match (without words, newest), newest, best rated, or by title."),
]
LeastStars = Annotated[int, Query(ge=0, le=5, description="Only sites with an average of so many stars or more.")]
Unrated = Annotated[bool, Query(description="Only sites that you have not rated; of your ratings the newest 1,000.")]
TagSort = Annotated[Literal["popular", "name"], Query(description="The order.")]
TagStart = Annotated[str, Query(max_length=40, description="Only tags that start like this, by name.")]


class TagView(View):
    """A tag and how many sites have it."""

    tag: str
    count: int


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/sites", Access.PUBLIC, response_model=ListOf[SiteSummary], refuses=[400, 422], steady=True)
    async def browse(
        viewer: CurrentViewer,
        q: Words = "",
        tags: TagsWanted = [],  # noqa: B006 - FastAPI reads the default and leaves it alone
        tag_mode: TagMode = "and",
        sort: Sorted = "best",
        stars: LeastStars = 0,
        unrated: Unrated = False,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Sites with the words of `q` and all (or any) of the tags, in any order."""
        page = await service.catalog.browse(
            text=q,
            tags=wanted_tags(tags),
            mode=tag_mode,
            sort=sort,
            limit=limit,
            cursor=cursor,
            stars=stars,
            without=await service.mine.rated(viewer) if unrated else None,
        )
        sites = tuple(match.item for match in page)
        return Json(listed(SiteSummary, Page(sites, page.next_cursor)))

    @api.get("/tags", Access.PUBLIC, response_model=ListOf[TagView], refuses=[400, 422], steady=True)
    async def tags(sort: TagSort = "popular", start: TagStart = "", limit: Limit = 50, cursor: Cursor = None) -> Json:
        """Tags with the number of sites that have them."""
        if sort == "name" or start:
            page = await service.catalog.tags(start=start.lower(), limit=limit, cursor=cursor)
        else:
            page = await service.catalog.popular_tags(limit=limit, cursor=cursor)
        return Json(listed(TagView, page))
