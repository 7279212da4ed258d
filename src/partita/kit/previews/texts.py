"""The text of a file, whatever it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import cast

from partita.kit.fetcher.charsets import text_of, without_half_a_character
from partita.kit.fetcher.page import read_page
from partita.kit.files.content import HTML, TEXT, kind_of
from partita.kit.previews.blocks import Block, BlockKind, Text, bounded
from partita.kit.previews.documents import DOCUMENTS, document_text
from partita.kit.previews.making import made
from partita.kit.previews.refusals import PreviewRefused

MOST_READ = 20_000_000
"""Ten times the characters that are kept, for a page is mostly markup."""
_MOST_HERE = 1_000_000
Read = tuple[str, list[tuple[str, str, int]], bool]
"""The title, the blocks (kind, text, level), and whether this is all of it."""

_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")
_BINARY = frozenset(map(chr, (*range(9), *range(14, 27), *range(28, 32))))
_SEEN = 65_536


async def text_in(data: bytes) -> Text:
    """The text of a PDF, an Office file, a page or plain text in any character set; `PreviewRefused` otherwise. Of more
    than `MOST_READ` bytes of a page or plain text the rest is not read, and the text not complete."""
    kind = kind_of(data)
    if kind in DOCUMENTS:
        return await document_text(data, kind)
    if kind == HTML:
        read = page_text
    elif kind == TEXT or (kind is None and _is_text(data)):
        read = plain_text
    else:
        raise PreviewRefused("This file holds no text that we can read: PDF, Office files, HTML and plain text are.")
    start = _start(data)
    # A process costs more than reading a small file.
    title, found, complete = await (made(read, start) if len(start) > _MOST_HERE else asyncio.to_thread(read, start))
    blocks = tuple(Block(cast(BlockKind, kind), text, level) for kind, text, level in found)
    return Text(title, blocks, complete=complete and len(start) == len(data))


def _start(data: bytes) -> bytes:
    """As much as is read."""
    return data if len(data) <= MOST_READ else without_half_a_character(data[:MOST_READ])


def page_text(data: bytes) -> Read:
    """What an HTML page says."""
    page = read_page(text_of(data))
    return _read(page.title, page.blocks)


def plain_text(data: bytes) -> Read:
    """Plain text by paragraphs."""
    written = text_of(data).replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)
    paragraphs = (paragraph.strip("\n") for paragraph in written.split("\n\n"))
    return _read("", (Block("paragraph", paragraph) for paragraph in paragraphs if paragraph.strip()))


def _read(title: str, found: Iterable[Block]) -> Read:
    blocks, complete = bounded(found)
    return title, [(block.kind, block.text, block.level) for block in blocks], complete


def _is_text(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 are text in another character set; that never has control characters."""
    if not data:
        return False
    # UTF-16 is full of zeros, and says what it is by its mark.
    return data.startswith((b"\xff\xfe", b"\xfe\xff")) or not _BINARY.intersection(text_of(data[:_SEEN]))
