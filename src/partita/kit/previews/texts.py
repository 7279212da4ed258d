"""The text of a file, whatever it is."""

from __future__ import annotations

import asyncio

from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.page import read_page
from partita.kit.files.content import HTML, TEXT, kind_of
from partita.kit.previews.blocks import Block, Text, bounded
from partita.kit.previews.documents import DOCUMENTS, document_text
from partita.kit.previews.refusals import PreviewRefused

_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")
_BINARY = frozenset(map(chr, (*range(9), *range(14, 27), *range(28, 32))))
_SEEN = 65_536


async def text_in(data: bytes) -> Text:
    """The text of a PDF, an Office file, a page or plain text in any character set; `PreviewRefused` otherwise."""
    kind = kind_of(data)
    if kind in DOCUMENTS:
        return await document_text(data, kind)
    if kind == HTML:
        page = await asyncio.to_thread(lambda: read_page(text_of(data)))
        return Text(page.title, page.blocks)
    if kind == TEXT or (kind is None and _is_text(data)):
        return await asyncio.to_thread(_plain_text, data)
    raise PreviewRefused("This file holds no text that we can read: PDF, Office files, HTML and plain text are.")


def _is_text(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 are text in another character set; that never has control characters."""
    if not data:
        return False
    # UTF-16 is full of zeros, and says what it is by its mark.
    return data.startswith((b"\xff\xfe", b"\xfe\xff")) or not _BINARY.intersection(text_of(data[:_SEEN]))


def _plain_text(data: bytes) -> Text:
    written = text_of(data).replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)
    paragraphs = (paragraph.strip("\n") for paragraph in written.split("\n\n"))
    blocks, whole = bounded(Block("paragraph", paragraph) for paragraph in paragraphs if paragraph.strip())
    return Text("", blocks, complete=whole)
