"""A citation never stands alone at the beginning of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from itertools import pairwise
from typing import Any

import pypdfium2
import pytest

from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import web_edition
from partita.apps.newsletter.service.documents.mail import mail_edition
from partita.apps.newsletter.service.documents.model import Source
from partita.apps.newsletter.service.documents.pdf import make_pdf, page_markup
from partita.apps.newsletter.service.documents.reading import read_document
from tests.apps.newsletter.editions import ARABIC, ENGLISH, edition

_WORDS = {
    "en": ("Rain", "fell", "in", "nine", "of", "the", "seventeen", "districts", "again"),
    "am": ("ዝናብ", "በዘጠኝ", "ወረዳዎች", "ውስጥ", "በዚህ", "ወር", "እንደገና", "ጥሩ", "ነበር"),
}


@pytest.mark.parametrize("language", list(_WORDS))
def test_in_a_pdf_it_follows_its_word_however_long_the_line_is(language: str) -> None:
    words = _WORDS[language]
    ends = [" ".join(words[place % len(words)] for place in range(length)) for length in range(1, 90)]
    document = read_document("\n\n".join(f"{end}. [1] **{end}** [1]" for end in ends))
    document = replace(document, language=language, sources=(Source(1, "Rainfall"),))
    data, _, _ = make_pdf(Edition(document, "journal"))
    found = [place for page in pypdfium2.PdfDocument(data) for place in _before_citations(page.get_textpage())]
    assert len(found) == 2 * len(ends)
    assert [each for each in found if each <= 0] == []


def _before_citations(page: Any) -> Iterator[float]:
    """How far right of the character before it each citation is; without the entry in the list of sources."""
    shown = [place for place in range(page.count_chars()) if page.get_text_range(place, 1).strip()]
    for before, place in pairwise(shown):
        if page.get_text_range(place, 3) == "[1]" and "Rainfall" not in page.get_text_range(place, 14):
            yield page.get_charbox(place)[0] - page.get_charbox(before)[0]


@pytest.mark.parametrize("text", [ENGLISH, ARABIC], ids=["English", "Arabic"])
def test_in_web_pages_and_mails_no_space_before_it_can_break(text: str) -> None:
    made = edition(text)
    for markup in (web_edition(made).data.decode(), mail_edition(made).data.decode(), page_markup(made, cover=False)):
        before = re.findall(r"(.)(?:<[^>]*>)*\[\d+\]</a>", unescape(markup), re.DOTALL)
        assert before
        assert not {" ", "\n"} & set(before)
