"""The public directory: approved resources in lists, by search and one by one, and their views."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import category_name, spelled_tag
from partita.apps.kelifax.schema import CATEGORIES, Category, Resource
from partita.apps.kelifax.search import CATALOG
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import Match, find, find_or
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.kit.urls import UrlTaken
from partita.store.store import AsyncStore
from partita.table import Page, Update

Sort = Literal["newest", "popular"]


@dataclass(frozen=True, slots=True)
class CategoryTotal:
    """How many approved resources a category has."""

    category: Category
    count: int

    @property
    def name(self) -> str:
        return category_name(self.category)


class Resources:
    """What everybody sees."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def browse(
        self,
        *,
        category: Category | None = None,
        tag: str | None = None,
        text: str = "",
        sort: Sort = "newest",
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Match[Resource]]:
        """Approved resources: by relevance if words are searched for, else the newest or most viewed first."""
        tag = spelled_tag(tag or "") or None
        if text.strip():
            return await self._search(text, category, tag, limit, cursor)
        if tag is not None:
            if sort == "popular":
                raise Invalid(FieldError("sort", "Resources with a tag can be listed by newest only."))
            return await self._tagged(tag, category, limit, cursor)
        if sort == "popular":
            query = schema.popular_resources() if category is None else schema.popular_in(category)
        else:
            query = schema.approved_resources() if category is None else schema.approved_in(category)
        page = await self._store.page(query, limit=limit, after=cursor)
        return Page(tuple(map(Match, page)), page.next_cursor)

    async def detail(self, slug: str) -> Resource:
        """An approved resource."""
        resource = await find_or(no_resource(slug), self._store, schema.resource, slug)
        if not resource.is_approved:
            raise no_resource(slug)
        return resource

    async def related(self, resource: Resource, limit: int = 4) -> tuple[Resource, ...]:
        """Others of the same category, newest first."""
        page = await self._store.page(schema.approved_in(resource.category), limit=limit + 1)
        return tuple(other for other in page if other.resource_slug != resource.resource_slug)[:limit]

    async def featured(self, limit: int = 6) -> tuple[Resource, ...]:
        return (await self._store.page(schema.featured_resources(), limit=limit)).items

    async def categories(self) -> tuple[CategoryTotal, ...]:
        totals = await self._store.page(schema.totals("category"), limit=len(CATEGORIES))
        counts = {total.counted_as: total.count for total in totals}
        return tuple(CategoryTotal(category, counts.get(category, 0)) for category in CATEGORIES)

    async def count_views(self, slug: str, views: int = 1) -> None:
        """Add views to a resource, if it is still approved."""
        viewed = Update(
            Resource.key(Resource.resource_slug(slug)),
            Resource.view_count.add(views),
            Resource.last_viewed.set(stamp(self._kit.clock)),
        )
        with suppress(NotFound):
            await self._store.write(
                viewed.when(Resource.resource_status.equals("approved")).otherwise(no_resource(slug))
            )

    def logo_url(self, resource: Resource) -> str | None:
        """A link to the logo that works for a while; for those who may see the resource."""
        return None if resource.logo_file is None else self._kit.files.url(resource.logo_file)

    async def _search(
        self, text: str, category: Category | None, tag: str | None, limit: int, cursor: str | None
    ) -> Page[Match[Resource]]:
        filters = {name: value for name, value in (("category", category), ("tag", tag)) if value is not None}
        page = await self._kit.search.find(CATALOG, text, filters=filters, limit=limit, cursor=cursor)
        resources = await self._approved([hit.id for hit in page.hits])
        matches = tuple(Match(resources[hit.id], hit.highlights) for hit in page.hits if hit.id in resources)
        return Page(matches, page.next_cursor, total=page.total)

    async def _tagged(
        self, tag: str, category: Category | None, limit: int, cursor: str | None
    ) -> Page[Match[Resource]]:
        query = schema.approved_with_tag(tag) if category is None else schema.approved_with_tag_in(tag, category)
        page = await self._store.page(query, limit=limit, after=cursor)
        resources = await self._approved([entry.slug for entry in page])
        matches = tuple(Match(resources[entry.slug]) for entry in page if entry.slug in resources)
        return Page(matches, page.next_cursor)

    async def _approved(self, slugs: Sequence[str]) -> dict[str, Resource]:
        resources = await self._store.batch_get(schema.resources_found(tuple(slugs)))
        return {each.resource_slug: each for each in resources if each is not None and each.is_approved}


def no_resource(slug: str) -> NotFound:
    """The answer for a slug that nobody has, or that the viewer may not know of."""
    return NotFound(f"There is no resource {slug!r}. It may have been removed.")


async def url_conflict(store: AsyncStore, taken: UrlTaken, field: str) -> Conflict:
    """The refusal of a URL that another resource has; it is named only if it is public."""
    other = await find(store, schema.resource, taken.owner)
    if other is not None and other.is_approved:
        message = f"This address is in the directory already, as {taken.owner}."
    else:
        message = "This address was submitted already and is waiting for review."
    return Conflict(message, code="url_taken", errors=[FieldError(field, message)])
