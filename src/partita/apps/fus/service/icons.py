"""Icons of sites: fetched with their pages, kept as files. A site without one has a face drawn from its title."""

from __future__ import annotations

from collections.abc import AsyncIterator

from partita.apps.fus.schema import Site
from partita.kit import icons
from partita.kit.fetcher import Fetched
from partita.kit.kit import Kit
from partita.store.store import AsyncStore

FOLDER = "fus/icons"
SMALLEST = 32
"""Smaller icons, in pixels, look worse beside a title than a drawn face."""


async def keep_icon(kit: Kit, page: Fetched) -> str | None:
    """Keep the first good icon of a page, or its picture; the name of a file to be claimed, or None."""
    return await icons.keep_icon(kit, page, FOLDER, smallest=SMALLEST)


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
