"""Sections of a draft as they will look: the markup of the web edition, with citations that lead to the panel."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from markupsafe import Markup

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import Draft, Newsletter
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import text_html, with_addresses
from partita.apps.newsletter.service.documents.model import Document, Picture, Source
from partita.apps.newsletter.service.documents.reading import read_blocks


class Renderer:
    """Renders Markdown of one draft; each section gets ids of its own."""

    def __init__(self, newsletter: Newsletter, draft: Draft, cite: Callable[[str, int], str]) -> None:
        """`cite` gives the address that a number in a section leads to."""
        sources = tuple(_source(each) for each in as_plain(draft.citations))
        document = Document(
            title=newsletter.title, sources=sources, language=newsletter.language, code=newsletter.newsletter_code
        )
        self._language = newsletter.language
        self._pictures = f"/newsletter/editions/{newsletter.newsletter_code}/pictures/"
        self._edition = Edition(document, newsletter.theme, pictures=_pictures(draft))
        self._cite = cite

    def section(self, place: int, key: str, text: str) -> Markup:
        """The HTML of a section; `place` tells its ids from those of others."""
        prefix = f"s{place}-"
        markup = text_html(read_blocks(text, self._language), self._edition, prefix=prefix)
        markup = with_addresses(markup, self._edition, self._pictures)

        def leads(found: re.Match[str]) -> str:
            return f'href="{Markup.escape(self._cite(key, int(found[1])))}" data-cite="{found[1]}"'

        return Markup(re.sub(rf'href="#{prefix}source-(\d+)"', leads, markup))


def _source(citation: dict[str, object]) -> Source:
    def text(name: str) -> str:
        return str(citation.get(name) or "")

    return Source(int(text("n") or 0), text("title"), text("publisher"), text("date"), text("page"), text("url"))


def _pictures(draft: Draft) -> dict[str, Picture]:
    """The pictures by the name that the text uses; their content is not needed for a page."""
    return {
        f"images/{PurePosixPath(str(each.get('s3_key', ''))).name}": Picture(
            b"", "", int(each.get("width") or 1), int(each.get("height") or 1)
        )
        for each in draft.images
    }
