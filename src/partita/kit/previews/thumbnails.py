"""A small picture of a file: of a picture, or of a page of a PDF."""

from __future__ import annotations

from partita.kit.files.content import AVIF, GIF, ICO, JPEG, PDF, PNG, WEBP, kind_of
from partita.kit.files.images import Picture
from partita.kit.previews.making import made
from partita.kit.previews.refusals import PreviewRefused

PICTURES = (PNG, JPEG, WEBP, GIF, AVIF, ICO)
WITH_THUMBNAIL = (*PICTURES, PDF)
"""The kinds of files that a thumbnail can be made of."""


async def thumbnail_of(data: bytes, *, width: int = 400, height: int = 400, page: int = 0) -> Picture:
    """A WebP that fits into so many pixels; of a PDF, of that page (the first is 0). `PreviewRefused` otherwise."""
    kind = kind_of(data)
    if kind == PDF:
        from partita.kit.previews.in_process import pdf_page

        return Picture(WEBP, *await made(pdf_page, data, page, width, height))
    if kind in PICTURES:
        from partita.kit.previews.pictures import small_picture

        return Picture(WEBP, *await made(small_picture, data, width, height))
    raise PreviewRefused("There are thumbnails of pictures and of PDF only.")


async def page_pictures(data: bytes, *, width: int, most: int) -> list[bytes]:
    """The first pages of a PDF as WebP, so many pixels wide; `PreviewRefused` if it cannot be read."""
    from partita.kit.previews.in_process import pdf_pages

    return await made(pdf_pages, data, most, width)
