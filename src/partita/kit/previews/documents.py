"""The text of documents that only a parser can read: PDF and Office files, each in a bounded process of its own."""

from __future__ import annotations

from typing import cast

from partita.kit.files.content import DOCX, PDF, PPTX, XLSX
from partita.kit.previews.blocks import Block, BlockKind, Text, bounded, title_of
from partita.kit.previews.making import made

DOCUMENTS = (PDF, DOCX, XLSX, PPTX)


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
