"""The directory: home, browsing, and the page of a resource."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, get_args

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import LICENCES, PRICINGS, Licence, Pricing, category_name, spelled_tag
from partita.apps.kelifax.inputs import AskedTag, Reason
from partita.apps.kelifax.pages.sharing import list_head, resource_head
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES, Category, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.badges import snippet
from partita.apps.kelifax.service.resources import SORTS, Sort
from partita.kit.answers import Cursor
from partita.kit.completing import Field, completed
from partita.kit.forms import Parsed
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes, viewer_of
from partita.kit.search import FacetValue
from partita.kit.serving import serving
from partita.kit.sharing import Head
from partita.kit.visitors import visitor_of

_PAGE = 20
_POPULAR = 2
_TAGS_AT_HOME = 12
_CATEGORY_ICONS: dict[Category, str] = {
    "development": "code",
    "design": "edit",
    "learning": "play",
    "productivity": "check",
    "ai": "star",
    "analytics": "chart",
    "other": "list",
}
_PURPOSE = "Tools, libraries and places to learn, submitted by the people who use them and reviewed by moderators."
_CATEGORY_NAMES = {category: category_name(category) for category in CATEGORIES}


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("", Access.PUBLIC, steady=True)
    async def home(request: Request) -> Response:
        """Featured resources, categories, newest resources."""
        newest = await service.resources.new(limit=6)
        return render(
            request,
            "kelifax/home.html",
            page_head=Head("/kelifax", _PURPOSE),
            own_search=True,
            featured=await service.resources.featured(),
            categories=await service.resources.categories(),
            popular=await service.liked.popular(),
            category_icons=_CATEGORY_ICONS,
            tags=await service.resources.tags(_TAGS_AT_HOME),
            newest=newest,
            upvoted=await _upvoted(service, request, newest),
        )

    @pages.get("/resources", Access.PUBLIC, steady=True)
    async def browse(
        request: Request,
        category: Annotated[str, Query(max_length=30)] = "",
        tag: Annotated[tuple[AskedTag, ...], Query(max_length=10)] = (),
        q: Annotated[str, Query(max_length=200)] = "",
        sort: Annotated[str, Query(max_length=20)] = "",
        licence: Annotated[str, Query(max_length=30)] = "",
        pricing: Annotated[str, Query(max_length=30)] = "",
        cursor: Cursor = None,
    ) -> Response:
        """The directory, filtered; filters that make no sense are ignored rather than refused."""
        q = q.strip()
        tags = tuple(dict.fromkeys(spelled for each in tag if (spelled := spelled_tag(each))))
        chosen: Category | None = category if category in CATEGORIES else None
        order: Sort | None = sort if sort in SORTS else None
        free: Licence | None = next((each for each in get_args(Licence) if each == licence), None)
        price: Pricing | None = next((each for each in get_args(Pricing) if each == pricing), None)
        listing = await service.resources.explore(
            category=chosen, tags=tags, text=q, sort=order, licence=free, pricing=price, limit=_PAGE, cursor=cursor
        )
        first = tags and not (q or cursor or order or chosen or free or price)
        kinds = [name.lower() for name in (LICENCES.get(free or ""), PRICINGS.get(price or "")) if name]
        title = ", ".join((_title(q, chosen, tags), *kinds))
        return render(
            request,
            "kelifax/browse.html",
            page_head=list_head(title, chosen, tags, q),
            title=title,
            popular=await service.resources.browse(tags=tags, sort="popular", limit=_POPULAR) if first else (),
            listing=listing,
            upvoted=await _upvoted(service, request, [each.item for each in listing.page]),
            category_names=_CATEGORY_NAMES,
            filters={"category": chosen, "tags": tags, "q": q, "sort": order, "licence": free, "pricing": price},
            licences=LICENCES,
            pricings=PRICINGS,
            search_keeps=("category", "tag", "licence", "pricing"),
        )

    @pages.get("/tags", Access.PUBLIC, steady=True)
    async def tags(request: Request) -> Response:
        """All tags; the larger, the more resources have one."""
        found = await service.resources.tags()
        return render(
            request,
            "kelifax/tags.html",
            page_head=Head("/kelifax/tags", "Tags of tools, libraries and places to learn."),
            cloud=cloud(found),
        )

    @pages.get("/tags/complete", Access.PUBLIC)
    async def complete(request: Request, field: Field = "tags") -> Response:
        """Options for a field of tags."""
        return await completed(request, field, service.resources.complete_tag, spelled_tag)

    @pages.get("/resources/{slug}/alternatives", Access.PUBLIC, steady=True)
    async def alternatives(request: Request, slug: str) -> Response:
        """What somebody could use instead."""
        resource = await service.resources.detail(slug)
        found = await service.resources.alternatives(resource)
        words = f"What people use instead of {resource.resource_name}: {resource.category_name} resources like it."
        return render(
            request,
            "kelifax/alternatives.html",
            page_head=Head(f"/kelifax/resources/{resource.resource_slug}/alternatives", words, indexed=bool(found)),
            resource=resource,
            alternatives=found,
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


def cloud(tags: Sequence[FacetValue]) -> list[tuple[str, int, int]]:
    """Tags by name, with how many have each and one of five sizes."""
    most = max((each.count for each in tags), default=1)
    sizes = {each.value: 1 + round(4 * math.log(each.count) / math.log(most)) if most > 1 else 1 for each in tags}
    return sorted((each.value, each.count, sizes[each.value]) for each in tags if each.count)


async def _upvoted(service: KelifaxService, request: Request, resources: Sequence[Resource]) -> frozenset[str] | None:
    """Which of a list the viewer has upvoted; None for who may not."""
    viewer = await viewer_of(request)
    return await service.liked.upvoted(viewer, resources) if viewer.may(Kelifax.LIKE) else None


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
        snippet=snippet(serving(request).base_url, resource),
        related=await service.resources.related(resource),
        form=report or Parsed(None),
    )
