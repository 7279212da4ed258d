"""The directory: what everybody can find, read and report."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from partita.apps.kelifax.formats import split_tags
from partita.apps.kelifax.pages.shown import shown
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Category, Resource
from partita.apps.kelifax.service import CATEGORIES, KelifaxService
from partita.apps.kelifax.visits import Visits
from partita.kit.answers import Cursor, address_of
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import Invalid, Problem, TooMany
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


class ReportForm(BaseModel):
    """What somebody finds wrong."""

    reason: str = ""


def add(pages: Routes, service: KelifaxService, visits: Visits) -> None:
    """Declare the routes."""

    @pages.get("", Access.PUBLIC)
    async def home(request: Request) -> Response:
        """Featured, categories, newest."""
        featured, categories = await service.featured(), await service.categories()
        newest = tuple(each.resource for each in (await service.browse(limit=6)).found)
        return render(
            request,
            "kelifax/home.html",
            same=(featured, tuple(categories.items()), newest),
            featured=featured,
            categories=categories,
            newest=newest,
            logo_url=service.logo_url,
            split_tags=split_tags,
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
        """The directory, narrowed down; what makes no sense is left out rather than refused."""
        tag, q = tag.strip(), q.strip()
        chosen: Category | None = category if category in CATEGORIES else None
        order: Literal["newest", "popular"] = "popular" if sort == "popular" and not tag and not q else "newest"
        listing = await service.browse(category=chosen, tag=tag or None, text=q, sort=order, limit=_PAGE, cursor=cursor)
        resources = tuple(each.resource for each in listing.found)
        counts = await service.categories()
        total = listing.total
        if total is None and not tag:
            total = sum(counts.values()) if chosen is None else counts[chosen]
        return render(
            request,
            "kelifax/browse.html",
            same=None if q else (resources, listing.next_cursor, tuple(counts.values()), total),
            listing=listing,
            total=total,
            counts=counts,
            browsing={"category": chosen or "", "tag": tag, "q": q, "sort": order},
            logo_url=service.logo_url,
            split_tags=split_tags,
        )

    async def page_of(
        request: Request,
        resource: Resource,
        form: Parsed[ReportForm],
        *,
        same: bool = False,
        refused: Problem | None = None,
    ) -> Response:
        related = await service.related(resource)
        return render(
            request,
            "kelifax/detail.html",
            refused=refused,
            same=(resource, related) if same else None,
            **shown(service, resource),
            related=related,
            form=form,
            logo_url=service.logo_url,
            split_tags=split_tags,
        )

    @pages.get("/resources/{slug}", Access.PUBLIC)
    async def detail(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        """One resource; a visitor's look at it is counted in a moment."""
        page = await page_of(request, await service.detail(slug), Parsed(None), same=True)
        if not viewer.may(Kelifax.READ_MODERATION) and request.method == "GET":
            visits.seen(slug)
        return page

    @pages.post("/resources/{slug}/reports", Access.PUBLIC)
    async def report(request: Request, slug: str) -> Response:
        async with request.form() as sent:
            form = parse(ReportForm, sent)
        reason = form.value.reason if form.value is not None else ""
        try:
            await service.report(slug, reason, address_of(request))
        except (Invalid, TooMany) as problem:
            return await page_of(request, await service.detail(slug), form.refused(problem), refused=problem)
        return redirect(f"/kelifax/resources/{slug}", flash="Thank you. A moderator will look at it.")
