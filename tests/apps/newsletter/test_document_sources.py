"""A document lists each source once, with its places; its numbers count in the order in which they are first used."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.documents.by_source import by_source
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import source_line, web_edition
from partita.apps.newsletter.service.documents.mail import mail_edition
from partita.apps.newsletter.service.documents.markdown import write_document
from partita.apps.newsletter.service.documents.model import Document, Source, cited_numbers, plain, texts
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.plain_text import plain_text
from partita.apps.newsletter.service.documents.reading import read_blocks, read_document
from partita.apps.newsletter.service.documents.word import word_edition

CITED = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=6)
KEYS = st.dictionaries(st.integers(1, 7), st.sampled_from("abc"), min_size=1)


def document(cited: list[list[int]], keys: dict[int, str]) -> Document:
    lines = [" ".join(f"Sentence {number} of it. [{number}]" for number in numbers) for numbers in cited]
    sources = tuple(Source(number, f"Title {key}", page=str(number)) for number, key in keys.items())
    return Document("T", read_blocks("\n\n".join(lines), "en"), sources)


@given(CITED, KEYS)
def test_each_source_is_there_once_and_numbers_count_in_order_of_use(
    cited: list[list[int]], keys: dict[int, str]
) -> None:
    before = document(cited, keys)
    after = by_source(before, keys)
    used = [number for numbers in cited for number in numbers]
    assert [each.title for each in after.sources] == [
        f"Title {key}" for key in dict.fromkeys(keys[number] for number in used if number in keys)
    ]
    assert [each.number for each in after.sources] == list(range(1, len(after.sources) + 1))
    numbers = list(dict.fromkeys(cited_numbers(after.blocks)))
    known = [number for number in numbers if number <= len(after.sources)]
    assert known == sorted(known) == [each.number for each in after.sources]
    # What led nowhere leads nowhere, and no sentence is lost.
    assert (after.unresolved == ()) == (before.unresolved == ())
    told = ["".join(part.split("[")[0] for part in plain(pieces).split("]")) for pieces in texts(after.blocks)]
    assert [" ".join(each.split()) for each in told] == [
        " ".join(f"Sentence {number} of it." for number in some) for some in cited
    ]


@given(CITED, KEYS)
def test_the_last_number_before_a_sentence_of_another_source_is_its_source(
    cited: list[list[int]], keys: dict[int, str]
) -> None:
    after = by_source(document(cited, keys), keys)
    titles = {each.number: each.title for each in after.sources}
    for pieces, numbers in zip(texts(after.blocks), cited, strict=True):
        parts = plain(pieces).split("Sentence ")[1:]
        for place, number in enumerate(numbers):
            following = "".join(parts[place:])
            mark = int(following[following.index("[") + 1 : following.index("]")])
            assert titles.get(mark) == (f"Title {keys[number]}" if number in keys else None)


def test_pages_are_ranges_and_sections_are_told_where_there_are_none() -> None:
    sources = (
        *(Source(number, "Report", "Institute", "2026-11-04", str(page)) for number, page in ((1, 4), (2, 1), (3, 3))),
        Source(4, "Page", sections="Better rains"),
        Source(5, "Page", sections="Who pays"),
    )
    blocks = read_blocks("One. [1] Two. [2] Three. [3]\n\nFour. [5] Five. [4]", "en")
    after = by_source(Document("T", blocks, sources), {1: "a", 2: "a", 3: "a", 4: "b", 5: "b"})
    assert [plain(each) for each in texts(after.blocks)] == ["One. Two. Three. [1]", "Four. Five. [2]"]
    assert source_line(after.sources[0], "en") == ["Institute", "4 November 2026", "p.\u00a01, 3–4"]
    assert source_line(after.sources[1], "en") == ["Who pays; Better rains"]
    assert read_document(write_document(after)) == after


def test_sections_that_are_too_many_end_with_an_omission_that_takes_a_full_stop() -> None:
    sources = tuple(Source(number, "Page", sections=f"Part {number}") for number in range(1, 6))
    blocks = read_blocks(" ".join(f"One. [{number}]" for number in range(1, 6)), "en")
    after = by_source(Document("T", blocks, sources), dict.fromkeys(range(1, 6), "a"))
    assert source_line(after.sources[0], "en") == ["Part 1; Part 2; Part 3 (…)"]


def _in_word(edition: Edition) -> str:
    word: Any = docx.Document(io.BytesIO(word_edition(edition).data))
    return "\n".join(each.text for each in word.paragraphs)


SAID: dict[str, Callable[[Edition], str]] = {
    "web": lambda edition: web_edition(edition).data.decode(),
    "mail": lambda edition: mail_edition(edition).data.decode(),
    "text": plain_text,
    "word": _in_word,
}


@pytest.mark.parametrize(("language", "marks"), [("en", ",;"), ("am", "፣፤"), ("ar", "،؛")])
@pytest.mark.parametrize("made", ["web", "mail", "text", "word"])
def test_what_is_told_of_a_source_is_parted_by_the_marks_of_its_language(language: str, marks: str, made: str) -> None:
    told = [Source(number, "T", "Institute", "2026-11-04", sections=f"S{number}") for number in (1, 2)]
    blocks = read_blocks("One [1] two. [2]", language)
    document = by_source(Document("T", blocks, tuple(told), language=language), {1: "a", 2: "a"})
    shown = re.sub(r"<[^>]*>|[\s\u2066-\u2069]+", "", SAID[made](Edition(document)))
    comma, semicolon = marks[0], marks[1]
    day = phrases(language).day("2026-11-04").replace(" ", "")
    assert f"Institute{comma}{day}{comma}S1{semicolon}S2" in shown


@given(st.sampled_from(["The long rains", "THE LONG RAINS", "the long rains."]))
def test_a_section_that_is_called_as_its_source_is_not_told_beside_it(heading: str) -> None:
    sources = (Source(1, "The long rains", sections=heading), Source(2, "The long rains", sections="Who pays"))
    blocks = read_blocks("One [1] two. [2]", "en")
    (both,) = by_source(Document("T", blocks, sources), {1: "a", 2: "a"}).sources
    assert both.sections == "Who pays"
    (alone,) = by_source(Document("T", read_blocks("One. [1]", "en"), sources[:1]), {1: "a"}).sources
    assert alone.sections == ""
