"""The directory: home, browsing, and the page of a resource."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name, spelled_tag
from partita.apps.kelifax.inputs import AskedTag, Reason
from partita.apps.kelifax.pages.sharing import list_head, resource_head
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES, Category
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.resources import SORTS, Sort
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed
from partita.kit.lists import without_marks
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes, viewer_of
from partita.kit.sharing import Head
from partita.kit.visitors import visitor_of

_PAGE = 20
_PURPOSE = "Tools, libraries and places to learn, submitted by the people who use them and reviewed by moderators."
_CATEGORY_NAMES = {category: category_name(category) for category in CATEGORIES}


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("", Access.PUBLIC, steady=True)
    async def home(request: Request) -> Response:
        """Featured resources, categories, newest resources."""
        return render(
            request,
            "kelifax/home.html",
            page_head=Head("/kelifax", _PURPOSE),
            featured=await service.resources.featured(),
            categories=await service.resources.categories(),
            popular=await service.liked.popular(),
            newest=without_marks(await service.resources.browse(limit=6)).items,
        )

    @pages.get("/resources", Access.PUBLIC, steady=True)
    async def browse(
        request: Request,
        category: Annotated[str, Query(max_length=30)] = "",
        tag: Annotated[tuple[AskedTag, ...], Query(max_length=10)] = (),
        q: Annotated[str, Query(max_length=200)] = "",
        sort: Annotated[str, Query(max_length=20)] = "",
        cursor: Cursor = None,
    ) -> Response:
        """The directory, filtered; filters that make no sense are ignored rather than refused."""
        q = q.strip()
        tags = tuple(dict.fromkeys(spelled for each in tag if (spelled := spelled_tag(each))))
        chosen: Category | None = category if category in CATEGORIES else None
        order: Sort | None = sort if sort in SORTS else None
        listing = await service.resources.explore(
            category=chosen, tags=tags, text=q, sort=order, limit=_PAGE, cursor=cursor
        )
        title = _title(q, chosen, tags)
        return render(
            request,
            "kelifax/browse.html",
            page_head=list_head(title, chosen, tags, q),
            title=title,
            listing=listing,
            category_names=_CATEGORY_NAMES,
            filters={"category": chosen, "tags": tags, "q": q, "sort": order},
            search_keeps=("category", "tag"),
        )

    def count(request: Request) -> None:
        service.visits.count(request.path_params["slug"], visitor_of(request))

    @pages.get("/resources/{slug}", Access.PUBLIC, steady=True, when_kept=count)
    async def detail(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        """A resource. A visitor's view is counted, a moderator's is not."""
        page = await resource_page(service, request, slug)
        if not viewer.may(Kelifax.READ_MODERATION):
            count(request)
        return page


def _title(q: str, category: Category | None, tags: Sequence[str]) -> str:
    """What a list is narrowed to, in words."""
    tagged = f"tagged {' and '.join(tags)}" if tags else ""
    if q:
        place = f" in {category_name(category)}" if category else ""
        return f"“{q}”{place}{', ' if tagged else ''}{tagged}"
    if category:
        return f"{category_name(category)} resources {tagged}".strip()
    return f"Resources {tagged}" if tagged else "All resources"


async def resource_page(
    service: KelifaxService, request: Request, slug: str, report: Parsed[Reason] | None = None
) -> Response:
    """The public page of a resource, with the form to report it."""
    resource = await service.resources.detail(slug)
    marks = await service.liked.marks(await viewer_of(request), [resource])
    return render(
        request,
        "kelifax/detail.html",
        page_head=resource_head(request, resource),
        resource=resource,
        marks=marks,
        related=await service.resources.related(resource),
        form=report or Parsed(None),
    )
