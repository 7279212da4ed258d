"""My data: what somebody rated, wrote, collected and suggested, as a file; read as it is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from html import escape
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.schema import Collection, Site
from partita.apps.fus.service.sites import Sites
from partita.apps.fus.service.transfer import bookmarks
from partita.apps.fus.service.transfer.rows import Entry, Format
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.personal_data.documents import json_document
from partita.kit.spreadsheets import line
from partita.table import Query

COLUMNS = ("kind", "url", "title", "stars", "text", "collection", "at")
_BATCH = 50

Entries = AsyncIterator[tuple[Any, Site | None]]
"""Things of a person, each with its site; None if that is deleted."""


class MyData:
    """Everything that is the viewer's own, for themselves."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._store = kit.store
        self._sites = sites

    def export(self, viewer: Viewer, format: Format) -> AsyncIterator[bytes]:
        """The pieces of a file: all of it as JSON, one line for each thing as CSV, or sites as bookmarks."""
        export = {"json": self._json, "csv": self._csv, "html": self._html}[format]
        return export(viewer.id)

    async def _json(self, user_id: str) -> AsyncIterator[bytes]:
        profile = await self._store.get(schema.profile(user_id))
        public, about = (False, "") if profile is None else (profile.is_public, profile.about)
        document = json_document(
            (
                ("profile", {"isPublic": public, "about": about}),
                ("ratings", self._ratings(user_id)),
                ("comments", self._comments(user_id)),
                ("collections", self._collections(user_id)),
                ("suggestions", self._suggestions(user_id)),
            )
        )
        async for piece in document:
            yield piece

    async def _csv(self, user_id: str) -> AsyncIterator[bytes]:
        yield line(COLUMNS).encode()
        async for each in self._ratings(user_id):
            yield _line("rating", each, stars=each["stars"], text=each["note"], at=each["updatedAt"])
        async for each in self._comments(user_id):
            yield _line("comment", each, text=each["body"], at=each["createdAt"])
        async for collection in self._collections(user_id):
            for each in collection["sites"]:
                yield _line("collected", each, collection=collection["name"], at=each["addedAt"])
        async for each in self._suggestions(user_id):
            yield _line("suggestion", each, text=each["description"], at=each["createdAt"])

    async def _html(self, user_id: str) -> AsyncIterator[bytes]:
        """Bookmarks: what was rated, then a folder for each collection."""
        yield bookmarks.HEAD.encode()
        async for _, site in self._with_sites(schema.my_ratings(user_id)):
            if site is not None:
                yield bookmarks.bookmark(Entry.of(site)).encode()
        async for collection in self._store.stream(schema.my_collections(user_id)):
            yield f"    <DT><H3>{escape(collection.name)}</H3>\n    <DL><p>\n".encode()
            async for _, site in self._with_sites(schema.collected_in(collection.collection_id)):
                if site is not None:
                    yield bookmarks.bookmark(Entry.of(site)).encode()
            yield b"    </DL><p>\n"
        yield bookmarks.FOOT.encode()

    async def _ratings(self, user_id: str) -> AsyncIterator[dict[str, Any]]:
        async for rating, site in self._with_sites(schema.my_ratings(user_id)):
            said = {"stars": rating.stars, "note": rating.note, "updatedAt": rating.updated_at}
            yield {"siteId": rating.site_id, **_named(site), **said}

    async def _comments(self, user_id: str) -> AsyncIterator[dict[str, Any]]:
        async for comment, site in self._with_sites(schema.my_comments(user_id)):
            said = {"body": comment.body, "createdAt": comment.created_at, "updatedAt": comment.updated_at}
            of = {"commentId": comment.name, "replyTo": comment.reply_to}
            yield {"siteId": comment.site_id, **_named(site), **of, **said}

    async def _collections(self, user_id: str) -> AsyncIterator[dict[str, Any]]:
        async for collection in self._store.stream(schema.my_collections(user_id)):
            entries = await self._collected(collection)
            yield {"name": collection.name, "description": collection.description, "sites": entries}

    async def _collected(self, collection: Collection) -> list[dict[str, Any]]:
        entries = self._with_sites(schema.collected_in(collection.collection_id))
        return [{"siteId": each.site_id, **_named(site), "addedAt": each.added_at} async for each, site in entries]

    async def _suggestions(self, user_id: str) -> AsyncIterator[dict[str, Any]]:
        async for made in self._store.stream(schema.my_suggestions(user_id)):
            yield {
                "url": made.url,
                "title": made.title,
                "description": made.description,
                "tags": list(made.tags),
                "status": made.status,
                "answer": made.answer,
                "createdAt": made.created_at,
            }

    async def _with_sites(self, query: Query[Any]) -> Entries:
        """The things of a list in its order, their sites read some at a time."""
        batch: list[Any] = []
        async for item in self._store.stream(query, chunk=_BATCH):
            batch.append(item)
            if len(batch) == _BATCH:
                for pair in await self._pairs(batch):
                    yield pair
                batch = []
        for pair in await self._pairs(batch):
            yield pair

    async def _pairs(self, items: Sequence[Any]) -> list[tuple[Any, Site | None]]:
        sites = await self._sites.by_id(item.site_id for item in items)
        return [(item, sites.get(item.site_id)) for item in items]


def _named(site: Site | None) -> dict[str, str]:
    return {"url": "", "title": ""} if site is None else {"url": site.url, "title": site.title}


def _line(
    kind: str, entry: dict[str, Any], *, stars: int | str = "", text: str = "", collection: str = "", at: str = ""
) -> bytes:
    return line((kind, entry["url"], entry["title"], stars, text, collection, at)).encode()
