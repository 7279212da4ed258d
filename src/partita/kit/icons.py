"""A picture for a page of the web: its icon, or the one it names for others to show, kept as an upload."""

from __future__ import annotations

import asyncio
import logging

from partita.kit.fetcher import Fetched, FetchRefused
from partita.kit.kit import Kit
from partita.kit.problems import Problem

LARGEST = 192
_MOST_TRIED = 3
_SECONDS = 5.0
"""For all pictures of a page together: somebody waits for them."""

_log = logging.getLogger(__name__)


async def keep_icon(kit: Kit, page: Fetched, folder: str, *, smallest: int) -> str | None:
    """Keep the first icon of a page with so many pixels, or its picture; the name of a file to be claimed, or None."""
    addresses = (*page.icons[:_MOST_TRIED], *([page.image] if page.image else []))
    try:
        async with asyncio.timeout(_SECONDS):
            for address in addresses:
                name = await _keep(kit, address, folder, smallest)
                if name is not None:
                    return name
    except TimeoutError:
        _log.info("the icons of %s took longer than %g seconds", page.url, _SECONDS)
    return None


async def _keep(kit: Kit, address: str, folder: str, smallest: int) -> str | None:
    try:
        picture = await kit.fetcher.fetch_picture(address, width=LARGEST, height=LARGEST)
        if min(picture.width, picture.height) < smallest:
            return None
        return await kit.uploads.keep(folder, picture.data, picture.kind)
    except FetchRefused:  # there is another one, or a drawn face
        return None
    except Problem as problem:
        _log.warning("an icon was not kept: %s", problem.detail)
        return None
