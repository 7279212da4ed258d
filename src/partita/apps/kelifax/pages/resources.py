"""The directory: home, browsing, and the page of a resource."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.inputs import Reason
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES, Category
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.resources import Sort
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed
from partita.kit.lists import without_marks
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("", Access.PUBLIC)
    async def home(request: Request) -> Response:
        """Featured resources, categories, newest resources."""
        return render(
            request,
            "kelifax/home.html",
            featured=await service.resources.featured(),
            categories=await service.resources.categories(),
            newest=without_marks(await service.resources.browse(limit=6)).items,
        )

    @pages.get("/resources", Access.PUBLIC)
    async def browse(
        request: Request,
        category: Annotated[str, Query(max_length=30)] = "",
        tag: Annotated[str, Query(max_length=30)] = "",
        q: Annotated[str, Query(max_length=200)] = "",
        sort: Annotated[str, Query(max_length=20)] = "newest",
        cursor: Cursor = None,
    ) -> Response:
        """The directory, filtered; filters that make no sense are ignored rather than refused."""
        tag, q = tag.strip(), q.strip()
        chosen: Category | None = category if category in CATEGORIES else None
        order: Sort = "popular" if sort == "popular" and not tag and not q else "newest"
        page = await service.resources.browse(
            category=chosen, tag=tag or None, text=q, sort=order, limit=_PAGE, cursor=cursor
        )
        categories = await service.resources.categories()
        total = page.total
        if total is None and not tag:
            total = sum(each.count for each in categories if chosen in (None, each.category))
        return render(
            request,
            "kelifax/browse.html",
            title=f"“{q}”" if q else category_name(chosen) if chosen else tag or "All resources",
            matches=page,
            total=total,
            categories=categories,
            filters={"category": chosen or "", "tag": tag, "q": q, "sort": order},
        )

    @pages.get("/resources/{slug}", Access.PUBLIC)
    async def detail(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        """A resource. A visitor's view is counted, a moderator's is not."""
        page = await resource_page(service, request, slug)
        if not viewer.may(Kelifax.READ_MODERATION) and request.method == "GET":
            service.visits.count(slug)
        return page


async def resource_page(
    service: KelifaxService, request: Request, slug: str, report: Parsed[Reason] | None = None
) -> Response:
    """The public page of a resource, with the form to report it."""
    resource = await service.resources.detail(slug)
    return render(
        request,
        "kelifax/detail.html",
        resource=resource,
        related=await service.resources.related(resource),
        form=report or Parsed(None),
    )
