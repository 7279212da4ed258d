"""What others read of the directory: feeds of new resources, and their addresses for search engines."""

from __future__ import annotations

from collections.abc import AsyncIterator

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import category_name, spelled_tag
from partita.apps.kelifax.schema import CATEGORIES, Category, Resource
from partita.apps.kelifax.service.resources import Resources
from partita.kit.kit import Kit
from partita.kit.problems import NotFound
from partita.kit.sharing import Address, Entry, Feed, address
from partita.kit.sharing.feeds import MOST_ENTRIES


class Sharing:
    """Only what is approved, by the lists that everybody sees."""

    def __init__(self, kit: Kit, resources: Resources) -> None:
        self._store = kit.store
        self._resources = resources

    async def feed(self, category: str = "", tag: str = "") -> Feed:
        """What came into the directory last, or of a category or with a tag."""
        chosen: Category | None = category if category in CATEGORIES else None
        if category and chosen is None:
            raise NotFound(f"There is no category {category[:80]!r}.")
        tag = spelled_tag(tag)
        new = await self._resources.new(category=chosen, tags=(tag,) if tag else (), limit=MOST_ENTRIES)
        narrowed = {"category": category, "tag": tag}
        return Feed(
            title=list_title(chosen, tag),
            subtitle="Approved by the moderators of Kelifax.",
            path="/kelifax/resources",
            page=address("/kelifax/resources", narrowed),
            parameters=narrowed,
            author="Kelifax",
            entries=tuple(map(_entry, new)),
        )

    async def addresses(self, begins: str, ends: str | None) -> AsyncIterator[Address]:
        """The approved resources that were submitted in a stretch of time."""
        query = schema.oldest_approved()
        if begins:
            query = query.at_least(Resource.created_at(begins))
        if ends is not None:
            query = query.before(Resource.created_at(ends))
        async for each in self._store.stream(query):
            yield Address(f"/kelifax/resources/{each.resource_slug}", each.created_at, each.approved_at)


def list_title(category: Category | None, tag: str) -> str:
    """What is new, in words."""
    kind = f"New {category_name(category)} resources" if category else "New resources"
    return f"{kind} tagged {tag}" if tag else kind


def _entry(resource: Resource) -> Entry:
    return Entry(
        path=f"/kelifax/resources/{resource.resource_slug}",
        title=resource.resource_name,
        published=resource.public_since,
        first_known=resource.created_at,
        summary=resource.usage_purpose,
        tags=(resource.category_name, *resource.tag_list),
        related=resource.resource_url,
    )
