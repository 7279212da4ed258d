"""What the bounded processes call for a PDF. Its library is imported there, and never by the server, which only names
the function."""

from __future__ import annotations

from partita.kit.previews.blocks import Written


def pdf_text(data: bytes) -> tuple[str, list[Written], int, bool]:
    """The title, the blocks (kind, text, level, page), the number of pages, and whether this is all of it."""
    from partita.kit.previews import pdf

    return pdf.pdf_text(data)


def pdf_pages(data: bytes, most_pages: int, width: int) -> list[bytes]:
    """Pictures of the first pages, so many pixels wide, as WebP."""
    from partita.kit.previews import pdf

    return pdf.pdf_pages(data, most_pages, width)


def pdf_page(data: bytes, page: int, width: int, height: int) -> tuple[int, int, bytes]:
    """A picture of a page that fits into so many pixels, as WebP; its size comes first."""
    from partita.kit.previews import pdf

    return pdf.pdf_page(data, page, width, height)
