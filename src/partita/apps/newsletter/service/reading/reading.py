"""Reading a file in, with bounds: a minute, half a gigabyte, and a process of its own that may come to harm.

PDF and Word files are always read in such a process. What is text is read by code of our own that takes time in
proportion to its length, so short texts are read here, in a thread; a process would take longer to start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from typing import Any, cast
from zipfile import is_zipfile

from partita.apps.newsletter.service.reading.chunks import Passage
from partita.apps.newsletter.service.reading.document import (
    MOST_CHARACTERS,
    MOST_TEXT_BYTES,
    Told,
    read_blocks,
    read_text,
    too_long,
    unknown_kind,
)
from partita.kit.files.content import DOCX, HTML, PDF, TEXT, XML, ZIP, kind_of
from partita.kit.previews.blocks import Written
from partita.kit.previews.making import made
from partita.kit.previews.refusals import PreviewRefused

MOST_BYTES = 50_000_000
MOST_PAGES = 2_000
SECONDS = 60.0
MEGABYTES = 512
_SHORT = 500_000
"""Characters that a thread reads in a moment."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says."""

    kind: str
    """text, markdown, html, pdf or docx."""
    title: str
    """May be empty."""
    published: str | None
    """A day such as 2026-03-12."""
    language: str | None
    publisher: str
    pages: int | None
    words: int
    summary: str
    passages: tuple[Passage, ...]


async def read_in(data: bytes, source_id: str, today: date, charset: str = "") -> Reading:
    """Read a file, whatever it is; `PreviewRefused` says in words why it cannot be read."""
    if len(data) > MOST_BYTES:
        raise PreviewRefused(f"A file may have {MOST_BYTES // 1_000_000} MB at most.")
    day = today.isoformat()
    kind = kind_of(data)
    if kind == PDF:
        return await _passages("pdf", *await _read_pdf(data), source_id, day)
    if kind == DOCX:
        return await _passages("docx", *await _read_docx(data), source_id, day)
    if data.startswith(_OLD_OFFICE):
        raise PreviewRefused(
            "This is a document of old Word, or one with a password. Save it as .docx without a password."
        )
    if not data:
        raise PreviewRefused("The file is empty.")
    if kind == ZIP and not is_zipfile(BytesIO(data)):  # the list of what is in it stands at its end
        raise PreviewRefused(
            "The file is damaged: its end is missing. If it is a Word document, save it again as .docx and add that."
        )
    if kind not in (HTML, TEXT, XML, None):
        raise unknown_kind()
    if len(data) > MOST_TEXT_BYTES:
        raise PreviewRefused(f"Text may have {MOST_TEXT_BYTES // 1_000_000} MB at most. Split it and add the parts.")
    return _reading(await _bounded(len(data), read_text, data, source_id, day, charset))


async def _read_pdf(data: bytes) -> tuple[Told, list[Written], int | None]:
    from partita.kit.previews.pdf import pdf_blocks

    title, published, blocks, pages = await _child(pdf_blocks, data, MOST_PAGES, MOST_CHARACTERS)
    return {"title": title, "published": published}, blocks, pages


async def _read_docx(data: bytes) -> tuple[Told, list[Written], int | None]:
    from partita.kit.previews.docx import docx_blocks

    title, published, blocks, complete = await _child(docx_blocks, data, MOST_CHARACTERS)
    if not complete:
        raise too_long()
    pages = max((page or 0 for _, _, _, page in blocks), default=0)
    return {"title": title, "published": published}, blocks, pages or None


async def _passages(
    kind: str, told: Told, blocks: list[Written], pages: int | None, source_id: str, today: str
) -> Reading:
    characters = sum(len(text) for _, text, _, _ in blocks)
    return _reading(await _bounded(characters, read_blocks, kind, told, blocks, pages, source_id, today))


async def _bounded(size: int, function: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    if size <= _SHORT:
        return await asyncio.to_thread(function, *arguments)
    return cast(dict[str, Any], await _child(function, *arguments))


async def _child(function: Callable[..., Any], *arguments: object) -> Any:
    return await made(function, *arguments, seconds=SECONDS, megabytes=MEGABYTES)


def _reading(got: dict[str, Any]) -> Reading:
    passages = tuple(_passage(*row) for row in got["chunks"])
    facts = {name: value for name, value in got.items() if name != "chunks"}
    return Reading(**facts, passages=passages)


def _passage(*row: Any) -> Passage:
    chunk_id, position, text, heading, page, kind, start, words, above, turns = row
    headings, breaks = tuple(map(tuple, above)), tuple(map(tuple, turns))
    return Passage(chunk_id, position, text, heading, page, kind, start, words, headings, breaks)
