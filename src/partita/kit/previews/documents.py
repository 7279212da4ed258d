"""The text of documents that only a parser can read: PDF and Office files, each in a bounded process of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from partita.kit.files.content import DOCX, PDF, PPTX, XLSX
from partita.kit.jobs.child import ChildError, ChildFailedError, ChildMemoryError, ChildTimeoutError, in_child
from partita.kit.previews.blocks import Block, BlockKind, Text, bounded, title_of
from partita.kit.previews.refusals import PreviewRefused

T = TypeVar("T")

DOCUMENTS = (PDF, DOCX, XLSX, PPTX)
SECONDS = 20.0
MEGABYTES = 768


async def document_text(data: bytes, kind: str) -> Text:
    """The text of a PDF or an Office file; `PreviewRefused` says what is wrong with it."""
    if kind == PDF:
        from partita.kit.previews.in_process import pdf_text

        title, found, pages, complete = await made(pdf_text, data)
        blocks, whole = bounded(Block(cast(BlockKind, kind), text, level, page) for kind, text, level, page in found)
        return Text(title, blocks, pages, complete and whole)
    if kind == DOCX:
        from partita.kit.previews.docx import docx_text

        title, read, complete = await made(docx_text, data)
        blocks, whole = bounded(Block(cast(BlockKind, kind), text, level, page) for kind, text, level, page in read)
        return Text(title or title_of(blocks), blocks, None, complete and whole)
    if kind in (XLSX, PPTX):
        from partita.kit.previews.office import sheets_text, slides_text

        paragraphs, pages, complete = await made(sheets_text if kind == XLSX else slides_text, data)
        blocks, whole = bounded(Block("paragraph", text) for text in paragraphs)
        return Text("", blocks, pages, complete and whole)
    raise ValueError(f"{kind} is no document")


async def made(
    function: Callable[..., T], *arguments: object, seconds: float | None = None, megabytes: int | None = None
) -> T:
    """What a function makes of a file in its process; one that brings it down is refused."""
    seconds = SECONDS if seconds is None else seconds
    try:
        return await in_child(function, *arguments, seconds=seconds, megabytes=megabytes or MEGABYTES)
    except ChildTimeoutError as failed:
        raise PreviewRefused(f"Reading this file takes longer than {seconds:g} seconds.") from failed
    except ChildMemoryError as failed:
        raise PreviewRefused("Reading this file takes more memory than there is for it.") from failed
    except ChildError as failed:
        if isinstance(failed, ChildFailedError) and failed.kind == PreviewRefused.__name__:
            raise PreviewRefused(failed.message) from failed
        raise PreviewRefused("This file is damaged. Save it again and try once more.") from failed
