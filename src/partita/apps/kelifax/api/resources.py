"""The public directory over HTTP: with the document's attribute names, lists as lists, and nothing private."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from partita.apps.kelifax.formats import Licence, Pricing
from partita.apps.kelifax.inputs import AskedTag
from partita.apps.kelifax.schema import Category
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.resources import Sort
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.lists import without_marks
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.views import From, ListOf, View, listed


class ResourceSummary(View):
    """A resource in a list."""

    resource_slug: str = Field(examples=["amazing-dev-tool"])
    resource_name: str
    resource_url: str
    usage_purpose: str
    category: str
    tags: Annotated[list[str], From("tag_list")]
    licence: str | None = Field(description="The kind of its licence; null if nobody said.")
    pricing: str | None = Field(description="What it costs; null if nobody said.")
    featured: bool
    view_count: int
    upvotes: int
    created_at: str
    is_broken: bool = Field(description="The address has not answered for some days.")
    logo_url: str | None = None


class LearningView(View):
    """Something to learn from."""

    title: str
    url: str
    type: str


class ResourceDetail(ResourceSummary):
    """An approved resource, whole."""

    key_features: Annotated[list[str], From("feature_list")]
    use_cases: Annotated[list[str], From("use_case_list")]
    learning_resources: Annotated[list[LearningView], From("learning_list")]
    approved_at: str
    last_viewed: str


class Featured(View):
    """All featured resources."""

    items: list[ResourceSummary]


class Alternatives(View):
    """What somebody could use instead of a resource."""

    items: list[ResourceSummary]


class CategoryCount(View):
    """A category with the number of its approved resources."""

    category: Category
    count: int


class TagCount(View):
    """A tag with the number of approved resources that have it."""

    tag: Annotated[str, From("value")]
    count: int


class Tags(View):
    """The most used tags."""

    items: list[TagCount]


class Categories(View):
    """All categories."""

    items: list[CategoryCount]


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""
    logo_url = service.resources.logo_url

    @api.get("/resources", Access.PUBLIC, response_model=ListOf[ResourceSummary], refuses=[400, 422], steady=True)
    async def browse(
        category: Annotated[Category | None, Query(description="Only this category.")] = None,
        tag: Annotated[
            tuple[AskedTag, ...],
            Query(max_length=10, description="Only resources with this tag; repeat it for more."),
        ] = (),
        q: Annotated[str, Query(max_length=200, description="Words to search for; the last may be unfinished.")] = "",
        sort: Annotated[
            Sort | None, Query(description="Without it the best match comes first with `q`, else the newest.")
        ] = None,
        licence: Annotated[Licence | None, Query(description="Only with a licence of this kind.")] = None,
        pricing: Annotated[Pricing | None, Query(description="Only at this price.")] = None,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Approved resources with all words of `q` and all tags, in any order that `sort` has.

        Lists with words, several tags, a licence or a price, by name, or with a tag by views follow a change within a
        moment; the others show it at once.
        """
        page = await service.resources.browse(
            category=category,
            tags=tag,
            text=q,
            sort=sort,
            licence=licence,
            pricing=pricing,
            limit=limit,
            cursor=cursor,
        )
        return Json(listed(ResourceSummary, without_marks(page), logo_url=logo_url))

    @api.get("/resources/{slug}", Access.PUBLIC, response_model=ResourceDetail, refuses=[404], steady=True)
    async def detail(slug: str) -> Json:
        """An approved resource."""
        resource = await service.resources.detail(slug)
        return Json(ResourceDetail.of(resource, logo_url=logo_url(resource)))

    @api.get("/resources/{slug}/alternatives", Access.PUBLIC, response_model=Alternatives, refuses=[404], steady=True)
    async def alternatives(slug: str) -> Json:
        """Others of the same category, those that share most tags first."""
        found = await service.resources.alternatives(await service.resources.detail(slug))
        return Json({"items": [ResourceSummary.of(each, logo_url=logo_url(each)) for each in found]})

    @api.get("/tags", Access.PUBLIC, response_model=Tags, steady=True)
    async def tags() -> Json:
        """The three hundred most used tags; they follow a change within a moment."""
        return Json({"items": [TagCount.of(each) for each in await service.resources.tags()]})

    @api.get("/featured", Access.PUBLIC, response_model=Featured, steady=True)
    async def featured() -> Json:
        """All featured resources, in the order that moderators chose."""
        found = await service.resources.featured()
        return Json({"items": [ResourceSummary.of(each, logo_url=logo_url(each)) for each in found]})

    @api.get("/categories", Access.PUBLIC, response_model=Categories, steady=True)
    async def categories() -> Json:
        """Every category with the number of its approved resources."""
        return Json({"items": CategoryCount.each(await service.resources.categories())})
