"""Icons of sites: fetched with their pages, kept as files. A site without one has a face drawn from its title."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from partita.apps.fus.schema import Site
from partita.kit.fetcher import Fetched, FetchRefused
from partita.kit.kit import Kit
from partita.kit.problems import Problem
from partita.store.store import AsyncStore

FOLDER = "fus/icons"
LARGEST = 192
SMALLEST = 32
"""Smaller icons, in pixels, look worse beside a title than a drawn face."""
_MOST_TRIED = 3
_SECONDS = 5.0
"""For all pictures of a page together: somebody waits for their site to be saved."""

_log = logging.getLogger(__name__)


async def keep_icon(kit: Kit, page: Fetched) -> str | None:
    """Keep the first good icon of a page, or its picture; the name of a file to be claimed, or None."""
    addresses = (*page.icons[:_MOST_TRIED], *([page.image] if page.image else []))
    try:
        async with asyncio.timeout(_SECONDS):
            for address in addresses:
                name = await _keep(kit, address)
                if name is not None:
                    return name
    except TimeoutError:
        _log.info("the icons of %s took longer than %g seconds", page.url, _SECONDS)
    return None


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


async def _keep(kit: Kit, address: str) -> str | None:
    try:
        picture = await kit.fetcher.fetch_picture(address, width=LARGEST, height=LARGEST)
        if min(picture.width, picture.height) < SMALLEST:
            return None
        return await kit.uploads.keep(FOLDER, picture.data, picture.kind)
    except FetchRefused:  # there is another one, or a drawn face
        return None
    except Problem as problem:
        _log.warning("an icon was not kept: %s", problem.detail)
        return None
