"""Copies of pages: the text and the page itself as they were, for those who may keep them. Nobody else sees them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.schema import PageCopy, Site
from partita.apps.fus.search import COPIES
from partita.apps.fus.service.counting import no_such_site
from partita.apps.fus.service.page_text import page_text
from partita.apps.fus.service.sites import FETCHING, Sites
from partita.kit.clock import stamp
from partita.kit.fetcher import Fetched, FetchRefused
from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.page import read_page
from partita.kit.files import StoredFile
from partita.kit.files.content import HTML, TEXT
from partita.kit.kit import Kit
from partita.kit.lists import Match, find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.store.store import AsyncStore
from partita.table import Check, Delete, Page, Put, Transaction

FOLDER = "fus/copies"


@dataclass(frozen=True, slots=True)
class CopiedSite:
    """A copy and its site."""

    copy: PageCopy
    site: Site


class Copies:
    """At most one copy of a site's page; another one replaces it."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._sites = sites

    async def copy(self, site_id: str) -> PageCopy:
        """The copy of a site's page."""
        return await find_or(NotFound("There is no copy of this page."), self._store, schema.page_copy, site_id)

    async def make(self, viewer: Viewer, site_id: str) -> PageCopy:
        """Fetch the page of a site and keep it; refused with the reason if it cannot be read."""
        site = await self._sites.site(site_id)
        await self._kit.limits.check(FETCHING, viewer.id)
        try:
            fetched = await self._kit.fetcher.fetch_file(site.url, kinds=(HTML,))
        except FetchRefused as refused:
            raise Conflict(f"The page could not be read: {refused.reason}", code="not_fetched") from None
        return await self.keep(site, viewer.username or viewer.id, fetched.url, fetched.data, stamp(self._kit.clock))

    async def keep(self, site: Site, copied_by: str, url: str, data: bytes, at: str) -> PageCopy:
        """Keep a page that was fetched, as long as its site is there."""
        read = await asyncio.to_thread(lambda: read_page(text_of(data)))
        said = page_text(Fetched(url, read.title, read.description, read.text))
        # Kept as text: nothing that a page holds is ever run here.
        name = await self._kit.uploads.keep(FOLDER, data, TEXT)
        made = PageCopy(
            site_id=site.site_id,
            page_url=url[:4000],
            title=said.title,
            text=said.text,
            file=name,
            size=len(data),
            copied_at=at,
            copied_by=copied_by,
        )
        there = Check(site.own_key, site.own_key.present()).otherwise(no_such_site(site.site_id))
        try:
            await self._store.transact(Transaction(there, self._kit.uploads.claim(name), Put(made)))
        except NotFound:
            await self._kit.uploads.discard(name)
            raise
        return made

    async def delete(self, site_id: str) -> None:
        """Delete a copy; its file follows by the change stream."""
        copy = await self.copy(site_id)
        await self._store.write(Delete(copy.own_key))

    async def page(self, site_id: str) -> StoredFile:
        """The page itself."""
        return await self._kit.files.load((await self.copy(site_id)).file)

    async def browse(self, *, text: str = "", limit: int = 20, cursor: str | None = None) -> Page[Match[CopiedSite]]:
        """Copies with the words, best match first; without words all of them."""
        found = await self._kit.search.find(COPIES, text, limit=limit, cursor=cursor)
        ids = tuple(hit.id for hit in found.hits)
        sites = await self._sites.by_id(ids)
        copies = await self._store.batch_get(schema.copies_of(ids).keys) if ids else []
        matches = [
            Match(CopiedSite(copy, sites[hit.id]), hit.highlights)
            for hit, copy in zip(found.hits, copies, strict=True)
            if copy is not None and hit.id in sites
        ]
        return Page(tuple(matches), found.next_cursor, total=found.total)


async def delete_replaced_copy(kit: Kit, before: PageCopy | None, after: PageCopy | None) -> None:
    """Delete the file of a copy that is gone or was replaced."""
    name = None if before is None else before.file
    if name is not None and name.startswith(f"{FOLDER}/") and (after is None or after.file != name):
        await kit.files.delete(name)


async def copy_files(store: AsyncStore) -> AsyncIterator[str]:
    """Every file that a copy names."""
    async for copy in store.scan_whole_table(PageCopy):
        yield copy.file
