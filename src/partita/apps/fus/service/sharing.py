"""What others read of the catalog: feeds of new sites, and their addresses for search engines."""

from __future__ import annotations

from collections.abc import AsyncIterator

from partita.apps.fus import schema
from partita.apps.fus.formats import tag_of
from partita.apps.fus.schema import Site
from partita.apps.fus.service.catalog import Catalog
from partita.kit.kit import Kit
from partita.kit.sharing import Address, Entry, Feed, address
from partita.kit.sharing.feeds import MOST_ENTRIES


class Sharing:
    """Everything in the catalog is public; ratings of one person, notes and comments are not part of this."""

    def __init__(self, kit: Kit, catalog: Catalog) -> None:
        self._store = kit.store
        self._catalog = catalog

    async def feed(self, tag: str = "") -> Feed:
        """The newest sites, or those with a tag."""
        tag = str(tag_of(tag))
        page = await self._catalog.browse(tags=(tag,) if tag else (), sort="newest", limit=MOST_ENTRIES)
        narrowed = {"tags": tag}
        return Feed(
            title=f"New sites tagged {tag}" if tag else "New sites",
            subtitle="The catalog of fus.",
            path="/fus/sites",
            page=address("/fus", narrowed),
            parameters=narrowed,
            author="fus",
            entries=tuple(_entry(match.item) for match in page),
        )

    async def addresses(self, begins: str, ends: str | None) -> AsyncIterator[Address]:
        """The sites that were added in a stretch of time."""
        query = schema.oldest_sites()
        if begins:
            query = query.at_least(Site.created_at(begins))
        if ends is not None:
            query = query.before(Site.created_at(ends))
        async for each in self._store.stream(query):
            yield Address(f"/fus/sites/{each.site_id}", each.created_at, each.updated_at)


def _entry(site: Site) -> Entry:
    return Entry(
        path=f"/fus/sites/{site.site_id}",
        title=site.title,
        published=site.created_at,
        updated=site.updated_at,
        summary=site.description,
        tags=site.tags,
        related=site.url,
    )
