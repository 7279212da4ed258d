"""Words by their stems, in three languages; likeness is a share."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.writing.days import days_in
from partita.apps.newsletter.service.writing.phrases import BOOKS, day_in_words
from partita.apps.newsletter.service.writing.ranking import centrality
from partita.apps.newsletter.service.writing.reading_back import pieces
from partita.apps.newsletter.service.writing.terms import alike, cosine, shingles, speaks, terms, vectors, word_stem

SOME = ("goat", "camel", "rain", "seed", "price", "market", "water")
WORDS = st.frozensets(st.sampled_from(SOME))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("vaccinated goats", "goat vaccination vaccinate"),
        ("الأغنام والماعز", "أغنام ماعز"),
        ("ፍየሎች", "ፍየል"),
        ("የእንስሳት", "እንስሳት"),
        ("በጎችና", "በጎች"),
    ],
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    assert set(terms(one)) <= set(terms(other))


@given(WORDS, WORDS)
def test_likeness_is_a_share_and_the_same_both_ways(one: frozenset[str], other: frozenset[str]) -> None:
    assert 0 <= alike(one, other) <= 1 + 1e-9
    assert alike(one, other) == alike(other, one)
    assert not one or alike(one, one) == pytest.approx(1)


@given(st.lists(st.lists(st.sampled_from(SOME), max_size=8).map(tuple), max_size=8))
def test_centrality_is_a_share_of_the_most_central(texts: list[tuple[str, ...]]) -> None:
    made = vectors(texts)
    found = centrality(made)
    assert len(found) == len(texts)
    assert all(0 <= each <= 1 for each in found)
    assert not found or max(found) == 1
    assert all(cosine(each, each) == pytest.approx(1) for each in made if each)


@given(st.text(max_size=80))
def test_any_text_has_terms_and_runs(text: str) -> None:
    terms(text)
    assert shingles(text)


@pytest.mark.parametrize("language", BOOKS)
@given(day=st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_days_are_read_as_they_are_written(language: str, day: date) -> None:
    assert days_in(f"On {day_in_words(day, language)} and {day.isoformat()}.") == (day, day)


def test_a_text_is_in_one_of_the_languages() -> None:
    texts = {
        "en": "Coffee exporters mapped 1.7 million plots. Buyers paid eleven cents more per pound.",
        "am": "አዲሱ የጤፍ ዝርያ የበለጠ ምርት ሰጥቷል።",
        "ar": "زاد إنتاج الذرة الرفيعة في القضارف.",
        "fr": "Les exportateurs de café ont cartographié les parcelles. Les acheteurs ont payé davantage.",
    }
    assert {key: [each for each in BOOKS if speaks(text, each)] for key, text in texts.items()} == {
        "en": ["en"],
        "am": ["am"],
        "ar": ["ar"],
        "fr": [],
    }


def test_a_draft_is_read_back() -> None:
    text = (
        "## Research\n\n### Goats\n\n**In the hills.** Goats eat leaves. They climb. [1] Others drink. [2]\n\n"
        "**In figures**\n\n- **Who:** Farmers can apply. [3]\n- Seven goats [4]\n\n> “We sell milk,” she said. [1]"
    )
    found = pieces({"research": text})
    assert [(each.kind, each.cited, each.label) for each in found] == [
        ("heading", (), ""),
        ("heading", (), ""),
        ("text", (1, 2), "In the hills"),
        ("line", (), "In figures"),
        ("item", (3,), "Who"),
        ("item", (4,), ""),
        ("quote", (1,), ""),
    ]
    assert found[2].sentences == ("Goats eat leaves.", "They climb.", "Others drink.")
    assert {each.story for each in found[1:]} == {"Goats"}


@given(st.text(max_size=200))
def test_any_text_can_be_read_back(text: str) -> None:
    for each in pieces({"a": text}):
        assert each.section == "a"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("news", "new"),
        ("publications", "public"),
        ("authorities", "authors"),
        ("important", "import"),
        ("communication", "community"),
    ],
)
def test_words_that_only_begin_alike_are_two(one: str, other: str) -> None:
    assert word_stem(one) != word_stem(other)
