"""Asking an address for what is there: a page, or a document (PDF, DOCX)."""

from __future__ import annotations

import logging

from partita.kit.fetcher import Fetched, FetchRefused
from partita.kit.files.content import DOCX, HTML, PDF
from partita.kit.files.images import Picture
from partita.kit.kit import Kit
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.thumbnails import thumbnail_of

KINDS = (HTML, PDF, DOCX)
MOST_BYTES = 10_000_000

_log = logging.getLogger(__name__)


async def ask(kit: Kit, url: str) -> Fetched | str:
    """What an address says, or why it could not be read."""
    try:
        return await kit.fetcher.fetch(url, accept=KINDS, most_bytes=MOST_BYTES)
    except FetchRefused as refused:
        return refused.reason


async def first_page(kit: Kit, url: str, pixels: int) -> Picture | None:
    """A picture of the first page of a PDF, drawn in a bounded process; None if it cannot be."""
    try:
        file = await kit.fetcher.fetch_file(url, kinds=(PDF,), most_bytes=MOST_BYTES)
        return await thumbnail_of(file.data, width=pixels, height=pixels)
    except (FetchRefused, PreviewRefused) as refused:
        _log.info("the first page of %s was not drawn: %s", url, refused.detail)
        return None
