"""Icons of sites: fetched with their pages, kept as files. A site without one has a face drawn from its title."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

from partita.apps.fus.schema import Site
from partita.apps.fus.service.asking import first_page
from partita.kit import icons
from partita.kit.clock import Clock
from partita.kit.fetcher import Fetched
from partita.kit.files.content import DOCX, PDF
from partita.kit.kit import Kit
from partita.store.store import AsyncStore
from partita.table.types import timestamp

FOLDER = "fus/icons"
SMALLEST = 32
"""Smaller icons, in pixels, look worse beside a title than a drawn face."""


PAUSES = tuple(timedelta(hours=hours) for hours in (1, 24, 168))
"""How long a page that was read without giving an icon is left alone, after each look; then none is looked for."""


async def keep_icon(kit: Kit, page: Fetched) -> str | None:
    """Keep the first good icon of a page, or its picture, or the first page of a PDF; the name of a file to be claimed,
    or None."""
    if page.kind == PDF:
        drawn = await first_page(kit, page.url, icons.LARGEST)
        if drawn is None or min(drawn.width, drawn.height) < SMALLEST:
            return None
        return await kit.uploads.keep(FOLDER, drawn.data, drawn.kind)
    return await icons.keep_icon(kit, page, FOLDER, smallest=SMALLEST)


def looked_for(site: Site, page: Fetched | str, clock: Clock, *, again: bool = True) -> Site:
    """A site whose page was read, after a look for its icon: if it has none, with the time of the next look. A DOCX has
    no picture."""
    settled = site.with_(Site.fetch_due(None), Site.fetch_tries(None))
    if site.icon_file is not None or not again or (isinstance(page, Fetched) and page.kind == DOCX):
        return settled.with_(Site.icon_tries(None))
    tries = (site.icon_tries or 0) + 1
    due = timestamp(clock.now() + PAUSES[tries - 1]) if tries <= len(PAUSES) else None
    return settled.with_(Site.icon_tries(tries), Site.fetch_due(due))


def is_only_icon(site: Site) -> bool:
    """Whether the page of a site was read, and only its icon is looked for."""
    return site.fetched_at is not None and site.icon_tries is not None


async def delete_replaced(kit: Kit, before: Site | None, after: Site | None) -> None:
    """Delete the icon of a site that is gone or names another one."""
    name = None if before is None else before.icon_file
    # Another program may write to the table: a name outside of our folder is not ours to delete.
    if name is not None and name.startswith(f"{FOLDER}/") and (after is None or after.icon_file != name):
        await kit.files.delete(name)


async def icon_files(store: AsyncStore) -> AsyncIterator[str]:
    """Every icon that a site names."""
    async for site in store.scan_whole_table(Site):
        if site.icon_file:
            yield site.icon_file
