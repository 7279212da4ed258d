"""The public directory: approved resources in lists, by search and one by one, and their views."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, get_args

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import Licence, Pricing, category_name, spelled_tag
from partita.apps.kelifax.schema import CATEGORIES, Category, Resource, WaitingViews
from partita.apps.kelifax.search import CATALOG
from partita.kit.kit import Kit
from partita.kit.lists import Match, find
from partita.kit.problems import Conflict, FieldError, NotFound
from partita.kit.search import FacetValue, SearchPage
from partita.kit.search.results import Named
from partita.kit.urls import AddressError, UrlTaken, checked, completed, spellings
from partita.store.store import AsyncStore
from partita.table import KeyPartError, Page

Sort = Literal["newest", "popular", "name"]
SORTS: tuple[Sort, ...] = get_args(Sort)
MOST_TAGS = 300
"""How many tags are listed, the most used."""
_TAGS_COMPARED = 5
_OF_ONE_TAG = 20
"""How many resources of a tag are compared, the newest."""
_FEATURED_READ = 100
"""More than can be featured here; another program may have featured more."""
_SEARCH_SORTS = {"newest": "-created_at", "popular": "-views", "name": "name"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody looks for in the directory."""

    category: Category | None
    tags: tuple[str, ...]
    """All of them, in the spelling that they are stored in."""
    text: str
    sort: Sort | None
    """None: best match first if there are words, else newest first."""
    licence: Licence | None = None
    pricing: Pricing | None = None

    @staticmethod
    def of(
        category: Category | None,
        tags: Sequence[str],
        text: str,
        sort: Sort | None,
        licence: Licence | None,
        pricing: Pricing | None,
    ) -> Wanted:
        spelled = tuple(dict.fromkeys(tag for each in tags if (tag := spelled_tag(each))))
        return Wanted(category, spelled, text.strip(), sort, licence, pricing)

    @property
    def in_tables(self) -> bool:
        """Whether an index of the table has this list. It shows a write at once, the search index a moment later."""
        if self.text or len(self.tags) > 1 or self.licence or self.pricing:
            return False
        return self.sort in (None, "newest") or (self.sort == "popular" and not self.tags)

    @property
    def filters(self) -> dict[str, tuple[str, ...] | frozenset[str]]:
        """As the search takes them. The category is one of a set, so that the others are counted too."""
        ones = {"category": self.category, "licence": self.licence, "pricing": self.pricing}
        return {"tag": self.tags, **{name: frozenset({one} if one else ()) for name, one in ones.items()}}

    @property
    def search_sort(self) -> str | None:
        return None if self.sort is None else _SEARCH_SORTS[self.sort]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the directory as people see it."""

    page: Page[Match[Resource]]
    facets: Named[tuple[FacetValue, ...]]
    relaxed: bool = False
    """No resource has all the words, so these have some of them."""
    suggestion: str | None = None
    """The words without typing errors, which find more."""


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
        tags: Sequence[str] = (),
        text: str = "",
        sort: Sort | None = None,
        licence: Licence | None = None,
        pricing: Pricing | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Match[Resource]]:
        """Approved resources that have all the words and all the tags."""
        wanted = Wanted.of(category, tags, text, sort, licence, pricing)
        if wanted.in_tables:
            return await self._listed(wanted, limit, cursor)
        found = await self._kit.search.find(
            CATALOG, wanted.text, filters=wanted.filters, sort=wanted.search_sort, limit=limit, cursor=cursor
        )
        return Page(await self._matches(found), found.next_cursor, total=found.total)

    async def new(
        self, *, category: Category | None = None, tags: Sequence[str] = (), limit: int = 20
    ) -> tuple[Resource, ...]:
        """What came into the directory last, however long before that it was submitted.

        The list by submission has at once what was approved at once; what waited long is found by the search."""
        wanted = Wanted.of(category, tags, "", None, None, None)
        listed = {match.item.resource_slug: match.item for match in await self._listed(wanted, limit, None)}
        found = await self._kit.search.find(CATALOG, "", filters=wanted.filters, sort="-public_since", limit=limit)
        waited = await self.approved([hit.id for hit in found.hits if hit.id not in listed])
        known = sorted({**listed, **waited}.values(), key=lambda each: each.public_since, reverse=True)
        return tuple(known[:limit])

    async def explore(
        self,
        *,
        category: Category | None = None,
        tags: Sequence[str] = (),
        text: str = "",
        sort: Sort | None = None,
        licence: Licence | None = None,
        pricing: Pricing | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Listing:
        """The same for people: with what the list can be narrowed by, and with resources that have some of the words
        if none has all."""
        wanted = Wanted.of(category, tags, text, sort, licence, pricing)
        found = await self._kit.search.find(
            CATALOG,
            wanted.text,
            filters=wanted.filters,
            match="relaxed",
            sort=wanted.search_sort,
            facets=CATALOG.filters,
            suggest=True,
            limit=1 if wanted.in_tables else limit,
            cursor=None if wanted.in_tables else cursor,
        )
        if not wanted.in_tables:
            matches = await self._matches(found)
            page = Page(matches, found.next_cursor, total=found.total)
            return Listing(page, found.facets, found.relaxed, found.suggestion)
        page = replace(await self._listed(wanted, limit, cursor), total=found.total)
        if wanted.tags:
            return Listing(page, found.facets)
        categories = await self.categories()
        total = sum(each.count for each in categories if category in (None, each.category))
        return Listing(replace(page, total=total), Named({**found.facets, "category": _facet(categories, category)}))

    async def detail(self, slug: str) -> Resource:
        """An approved resource, with the views that are not added to it yet."""
        try:
            wanted = schema.resource_with_views(slug)
        except KeyPartError:
            raise no_resource(slug) from None
        resource, waiting = await self._store.batch_get(wanted, consistent=True)
        if not isinstance(resource, Resource) or not resource.is_approved:
            raise no_resource(slug)
        if not isinstance(waiting, WaitingViews):
            return resource
        views = Resource.view_count(resource.view_count + waiting.views)
        return resource.with_(views, Resource.last_viewed(max(resource.last_viewed, waiting.last_viewed)))

    async def of_any_status(self, slugs: Iterable[str]) -> dict[str, Resource]:
        """Slug → resource, for those that there are; for moderators."""
        keys = []
        for slug in dict.fromkeys(slugs):
            with suppress(KeyPartError):  # another program may write anything into the log
                keys.append(Resource.key(Resource.resource_slug(slug)))
        found = await self._store.batch_get(keys) if keys else []
        return {each.resource_slug: each for each in found if each is not None}

    async def related(self, resource: Resource, limit: int = 6) -> tuple[Resource, ...]:
        """Others like it: those that share most tags, of the same category first; then the newest of its category."""
        shared: Counter[str] = Counter()
        near: set[str] = set()
        for tag in resource.tag_list[:_TAGS_COMPARED]:
            for entry in await self._store.page(schema.approved_with_tag(tag), limit=_OF_ONE_TAG):
                shared[entry.slug] += 1
                if entry.tag_category == resource.category:
                    near.add(entry.slug)
        del shared[resource.resource_slug]
        alike = sorted(shared, key=lambda slug: (-shared[slug], slug not in near))[:limit]
        found = await self.approved(alike)
        chosen = [found[slug] for slug in alike if slug in found]
        if len(chosen) < limit:
            newest = await self._store.page(schema.approved_in(resource.category), limit=limit + 1)
            known = {resource.resource_slug, *(each.resource_slug for each in chosen)}
            chosen += [each for each in newest if each.resource_slug not in known]
        return tuple(chosen[:limit])

    async def alternatives(self, resource: Resource, limit: int = 20) -> tuple[Resource, ...]:
        """What somebody could use instead: others of its category with a tag in common, those that share most tags
        first, then those that people look at most."""
        shared: Counter[str] = Counter()
        for tag in resource.tag_list[:_TAGS_COMPARED]:
            tagged = schema.approved_with_tag_in(tag, resource.category)
            for entry in await self._store.page(tagged, limit=_OF_ONE_TAG):
                shared[entry.slug] += 1
        del shared[resource.resource_slug]
        found = await self.approved(list(shared))
        order = sorted(found.values(), key=lambda each: (-shared[each.resource_slug], -each.view_count))
        return tuple(order[:limit])

    async def tags(self, limit: int = MOST_TAGS) -> tuple[FacetValue, ...]:
        """The tags of approved resources with how many have each, the most used first."""
        found = await self._kit.search.find(CATALOG, "", facets=("tag",), most_values=limit, limit=1)
        return tuple(found.facets["tag"])

    async def complete_tag(self, start: str, *, limit: int = 10) -> tuple[FacetValue, ...]:
        """Tags of approved resources that begin like this, the most used first."""
        return await self._kit.search.complete(CATALOG, start, filter="tag", limit=limit)

    async def address_taken(self, url: str, field: str, *, except_by: str = "") -> AddressTaken | None:
        """The refusal of a URL that another resource has, before anything is written; None if it is free."""
        try:
            keys = schema.resources_with_urls(spellings(checked(completed(url)))).keys
        except AddressError:
            return None
        for guard in await self._store.batch_get(keys, consistent=True):
            if guard is not None and guard.claimed_by != except_by:
                return await url_conflict(self._store, UrlTaken(guard.claimed_by), field)
        return None

    async def featured(self) -> tuple[Resource, ...]:
        """All featured resources, in the order that moderators chose."""
        page = await self._store.page(schema.featured_resources(), limit=_FEATURED_READ)
        return tuple(sorted(page, key=lambda each: (-each.featured_place, each.resource_slug)))

    async def categories(self) -> tuple[CategoryTotal, ...]:
        totals = await self._store.page(schema.totals("category"), limit=len(CATEGORIES))
        counts = {total.counted_as: total.count for total in totals}
        return tuple(CategoryTotal(category, counts.get(category, 0)) for category in CATEGORIES)

    async def named_files(self) -> AsyncIterator[str]:
        """The logo of every resource, whatever its status."""
        async for resource in self._store.scan_whole_table(Resource):
            if resource.logo_file is not None:
                yield resource.logo_file

    def logo_url(self, resource: Resource) -> str | None:
        """A link to the logo that works for a while; for those who may see the resource."""
        return None if resource.logo_file is None else self._kit.files.url(resource.logo_file)

    async def _listed(self, wanted: Wanted, limit: int, cursor: str | None) -> Page[Match[Resource]]:
        """A page of a list that an index of the table has."""
        category = wanted.category
        if wanted.tags:
            (tag,) = wanted.tags
            tagged = schema.approved_with_tag(tag) if category is None else schema.approved_with_tag_in(tag, category)
            entries = await self._store.page(tagged, limit=limit, after=cursor)
            resources = await self.approved([entry.slug for entry in entries])
            matches = tuple(Match(resources[entry.slug]) for entry in entries if entry.slug in resources)
            return Page(matches, entries.next_cursor)
        if wanted.sort == "popular":
            query = schema.popular_resources() if category is None else schema.popular_in(category)
        else:
            query = schema.approved_resources() if category is None else schema.approved_in(category)
        page = await self._store.page(query, limit=limit, after=cursor)
        return Page(tuple(map(Match, page)), page.next_cursor)

    async def _matches(self, found: SearchPage) -> tuple[Match[Resource], ...]:
        resources = await self.approved([hit.id for hit in found.hits])
        return tuple(Match(resources[hit.id], hit.highlights) for hit in found.hits if hit.id in resources)

    async def approved(self, slugs: Sequence[str]) -> dict[str, Resource]:
        """Slug → resource, for those that are public."""
        if not slugs:
            return {}
        resources = await self._store.batch_get(schema.resources_found(tuple(slugs)))
        return {each.resource_slug: each for each in resources if each is not None and each.is_approved}


def _facet(categories: Iterable[CategoryTotal], chosen: Category | None) -> tuple[FacetValue, ...]:
    """The categories that have resources, the largest first."""
    values = (FacetValue(each.category, each.count, each.category == chosen) for each in categories)
    return tuple(sorted((each for each in values if each.count or each.chosen), key=lambda each: -each.count))


def no_resource(slug: str) -> NotFound:
    """The answer for a slug that nobody has, or that the viewer may not know of."""
    return NotFound(f"There is no resource {slug!r}. It may have been removed.")


class AddressTaken(Conflict):
    """Another resource has this address."""

    def __init__(self, message: str, field: str, slug: str = "") -> None:
        """`slug` is that of the other resource, if it is public."""
        super().__init__(message, code="url_taken", errors=[FieldError(field, message)])
        self.slug = slug


async def url_conflict(store: AsyncStore, taken: UrlTaken, field: str) -> AddressTaken:
    """The refusal of a URL that another resource has; it is named only if it is public."""
    other = await find(store, schema.resource, taken.owner)
    if other is not None and other.is_approved:
        return AddressTaken(f"This address is in the directory already, as {taken.owner}.", field, taken.owner)
    return AddressTaken("This address was submitted already and is waiting for review.", field)
