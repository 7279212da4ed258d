"""PDF: the text of its pages, and a picture of one. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import re
from io import BytesIO

import pypdfium2
from PIL import Image

from partita.kit.previews.blocks import Block, Written
from partita.kit.previews.pdf_layout import blocks_of
from partita.kit.previews.pdf_lines import Line, page_lines
from partita.kit.previews.pictures import small_webp
from partita.kit.previews.refusals import PreviewRefused

_MOST_PAGES = 500
_MOST_CHARACTERS = 2_000_000
_UNBOUND = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


def pdf_text(data: bytes) -> tuple[str, list[Written], int, bool]:
    """The title, the blocks (kind, text, level, page), the number of pages, and whether this is all of it."""
    document = _opened(data)
    blocks, complete = _text(document, _MOST_PAGES)
    return _title(document), [_plain(block) for block in blocks], len(document), complete


def pdf_blocks(data: bytes, most_pages: int, most_characters: int) -> tuple[str, str, list[Written], int]:
    """The title, when it was made as the file spells it, the blocks, and the number of pages; it is read whole."""
    document = _opened(data)
    if len(document) > most_pages:
        raise PreviewRefused(f"This PDF has {len(document):,} pages; {most_pages:,} are the most.")
    blocks, complete = _text(document, most_pages, most_characters)
    if not complete:
        raise PreviewRefused(f"This PDF has more than {most_characters:,} characters. Split it and add the parts.")
    return _title(document), document.get_metadata_value("CreationDate"), [_plain(b) for b in blocks], len(document)


def _text(
    document: pypdfium2.PdfDocument, most_pages: int, characters: int = _MOST_CHARACTERS
) -> tuple[list[Block], bool]:
    lines: list[Line] = []
    for number in range(min(len(document), most_pages)):
        page = document[number]
        found = page_lines(page, number + 1)
        page.close()
        characters -= sum(len(line.text) for line in found)
        lines.extend(found)
        if characters < 0:
            return blocks_of(lines), number + 1 == len(document)
    return blocks_of(lines), len(document) <= most_pages


def _plain(block: Block) -> Written:
    return block.kind, block.text, block.level, block.page


def pdf_page(data: bytes, page: int, width: int, height: int) -> tuple[int, int, bytes]:
    """A picture of a page that fits into so many pixels, as WebP; its size comes first."""
    document = _opened(data)
    if page >= len(document):
        raise PreviewRefused(f"This PDF has {len(document)} pages; there is no page {page + 1}.")
    picture = _picture(document, page, width, height)
    return picture.width, picture.height, _webp(picture)


def pdf_pages(data: bytes, most_pages: int, width: int) -> list[bytes]:
    """Pictures of the first pages, so many pixels wide, as WebP; high pages are smaller."""
    document = _opened(data)
    return [_webp(_picture(document, page, width, 2 * width)) for page in range(min(most_pages, len(document)))]


def pdf_preview(data: bytes, most_pages: int, width: int, small: int) -> tuple[list[str], int, bytes, list[bytes]]:
    """Everything at once: the paragraphs, the number of pages, a small picture of the first, and pictures of the first
    few pages that are so many pixels wide; high pages are smaller."""
    document = _opened(data)
    pictures = []
    cover = b""
    for page in range(min(most_pages, len(document))):
        picture = _picture(document, page, width, 2 * width)
        pictures.append(_webp(picture))
        if page == 0:
            picture.thumbnail((small, 2 * small))
            cover = small_webp(picture)
    blocks, _ = _text(document, _MOST_PAGES)
    return [block.text for block in blocks], len(document), cover, pictures


def _picture(document: pypdfium2.PdfDocument, page: int, width: int, height: int) -> Image.Image:
    shown = document[page]
    wide, high = shown.get_size()
    if not (wide > 0 and high > 0):
        raise PreviewRefused("This page has no size.")
    # What a page says of its size does not matter: as many pixels are made as are wanted.
    scale = min(width / wide, height / high)
    if wide * scale < 1 or high * scale < 1:
        raise PreviewRefused("This page is too long and thin to be shown.")
    picture: Image.Image = shown.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    return picture


def _webp(picture: Image.Image) -> bytes:
    made = BytesIO()
    picture.save(made, "WEBP", quality=80)
    return made.getvalue()


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        document: pypdfium2.PdfDocument = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise PreviewRefused("This PDF is protected by a password.") from None
        raise PreviewRefused("This PDF is damaged. Save it again and try once more.") from None
    if len(document) == 0:
        raise PreviewRefused("This PDF has no pages.")
    return document


def _title(document: pypdfium2.PdfDocument) -> str:
    title: str = document.get_metadata_value("Title")
    return " ".join(_UNBOUND.sub(" ", title).split())[:300]
