"""Which documents have a cover: those with facts for one, and those that are long."""

from __future__ import annotations

from partita.apps.newsletter.service.documents.model import Document, words

COVER_FROM = 4
"""So many pages of text get a cover."""
_WORDS_A_PAGE = 260
"""Of editions with their headings, lists and sources, in any theme."""


def is_long(document: Document) -> bool:
    """Whether it has so much text, as far as its words tell."""
    return words(document.blocks) > COVER_FROM * _WORDS_A_PAGE


def has_cover(document: Document) -> bool:
    """For formats whose pages are only known to the program that shows them."""
    return bool(document.facts) or is_long(document)
