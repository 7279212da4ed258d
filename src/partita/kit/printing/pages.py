"""PDF from HTML by WeasyPrint, without network and without files. Called in a child process (`kit/jobs/child.py`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from partita.kit.printing.fonts import font_warnings

Pictures = Mapping[str, tuple[bytes, str]]
"""Address → content and media type."""
_ACCESSIBLE: dict[str, Any] = {"pdf_variant": "pdf/ua-1", "pdf_tags": True}


class NotInDocument(ValueError):
    """What the markup asks for is not among its pictures, and nothing else can be had."""


def set_pages(
    covered: str,
    uncovered: str | None,
    styles: str,
    pictures: Pictures,
    texts: Sequence[str],
    from_pages: int,
    guess: bool,
) -> tuple[bytes, int, list[str]]:
    """The file, how many pages it has, and which characters no font has.

    Without `uncovered` there is always a cover, which is a page of its own. Otherwise there is one from so many pages
    on; `guess` says whether that is likely, since a wrong guess costs another layout.
    """
    from weasyprint.text.fonts import FontConfiguration

    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    fonts = FontConfiguration()
    cover = guess or uncovered is None
    made = _laid_out(covered if cover else str(uncovered), styles, pictures, fonts)
    if uncovered is not None and cover != (len(made.pages) - cover >= from_pages):
        made = _laid_out(uncovered if cover else covered, styles, pictures, fonts)
    return made.write_pdf(**_ACCESSIBLE), len(made.pages), font_warnings(texts)


def fetcher(pictures: Pictures) -> Any:
    """Fetches the pictures of the document from memory, and refuses every other address."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class Fetcher(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:
            if url not in pictures:
                raise NotInDocument(f"{url[:80]} is not a part of this document.")
            data, kind = pictures[url]
            return URLFetcherResponse(url, data, {"Content-Type": kind})

    return Fetcher()


def _laid_out(markup: str, styles: str, pictures: Pictures, fonts: Any) -> Any:
    from weasyprint import CSS, HTML

    fetch = fetcher(pictures)
    return HTML(string=markup, url_fetcher=fetch, base_url="document:").render(
        stylesheets=[CSS(string=styles, font_config=fonts, url_fetcher=fetch)], font_config=fonts, **_ACCESSIBLE
    )
