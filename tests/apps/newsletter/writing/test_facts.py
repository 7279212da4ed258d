"""Figures, names and quotations are found however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.writing.facts import (
    facts_of,
    unknown_figures,
    unknown_names,
    unknown_quotes,
)

SOURCE = facts_of(
    "The International Livestock Research Institute counted 1,250,000 goats in Kenya and 3.4 million in Somalia.",
    "Prices rose by 12 per cent to 1 500 shillings on 2026-03-15, says Amina Yusuf of FAO. Half of it was lost.",
    "“We sold two cows to buy water,” a herder said. Three villages lost 45% of their animals.",
)


@pytest.mark.parametrize(
    "sentence",
    [
        "There are 1.25 million goats.",
        "There are 1250000 goats [3].",
        "Somalia has 3,400,000 of them.",
        "Prices are up 12%, at 1,500 shillings.",
        "Prices are up twelve percent.",
        "Since 15 March 2026 they cost more.",
        "About 50 per cent was lost.",
        "One of three villages lost 45 of every hundred.",
        "بلغت الأسعار ١٥٠٠ شلن بزيادة ١٢ في المائة.",
        "There is a new price.",
    ],
)
def test_a_figure_may_be_written_in_another_way(sentence: str) -> None:
    assert unknown_figures(sentence, SOURCE) == []


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        ("There are 1.35 million goats.", ["1.35 million"]),
        ("Prices rose by 21 per cent.", ["21"]),
        ("Somalia has 3.4 billion.", ["3.4 billion"]),
        ("They have 1,25 goats.", ["1,25"]),
        ("Seven villages lost millions.", ["Seven", "millions"]),
        ("Prices doubled.", []),  # two cows: two is known
        ("Prices tripled to 99.", ["99"]),
        ("بلغت الأسعار ١٧٠٠ شلن.", ["1700"]),
    ],
)
def test_a_figure_that_no_source_has_is_found(sentence: str, figures: list[str]) -> None:
    assert unknown_figures(sentence, SOURCE) == figures


@pytest.mark.parametrize(
    "sentence",
    [
        "Kenyan herders and Kenya's government met Amina Yusuf.",
        "The FAO counts in March.",
        "However, prices rose. ",
        "Increasingly, herders sell.",
        "**Prices** rose in Somalia.",
        "ዋጋው ጨምሯል።",
        "Livestock prices rose, and I saw it.",
    ],
)
def test_names_of_the_source_are_known(sentence: str) -> None:
    assert unknown_names(sentence, SOURCE) == []


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Herders in Somaliland sell.", ["Somaliland"]),
        ("The WFP counted in April.", ["WFP", "April"]),
        ("Uganda has more.", ["Uganda"]),
        ("Prices rose, says Peter Yusuf.", ["Peter"]),
        ("ILRI-Nairobi counted.", ["ILRI-Nairobi"]),
    ],
)
def test_names_that_no_source_has_are_found(sentence: str, names: list[str]) -> None:
    assert unknown_names(sentence, SOURCE) == names


def test_niger_is_not_nigeria() -> None:
    assert unknown_names("Farmers in Nigeria sell.", facts_of("Farmers in Niger sell.")) == ["Nigeria"]
    assert unknown_names("Farmers in Niger sell.", facts_of("Farmers in Nigeria sell.")) == ["Niger"]


def test_a_quotation_must_be_one() -> None:
    assert unknown_quotes("A herder says: “we sold two cows to buy  water”.", SOURCE) == []
    assert unknown_quotes("A herder says: “we sold all cows to buy water”.", SOURCE) == [
        "we sold all cows to buy water"
    ]
    assert unknown_quotes("The “green belt” is dry.", SOURCE) == []


@given(
    st.lists(st.sampled_from(["In 2024", "Kenya", "sold", "12.5", "“a b c d”", "FAO’s", "goats", "million", "٣", "—"]))
)
def test_every_text_knows_itself(words: list[str]) -> None:
    text = " ".join(words)
    known = facts_of(text)
    assert unknown_figures(text, known) == unknown_names(text, known) == unknown_quotes(text, known) == []


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.decimals(min_value=0, max_value=10**9, places=2))
def test_two_numbers_are_the_same_only_if_they_are_equal(one: object, other: object) -> None:
    known = facts_of(f"It was {one} then.")
    assert (unknown_figures(f"It was {other:,} then.", known) == []) == (one == other)


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    known = facts_of(text)
    assert unknown_figures(text, known) == []
    unknown_names(text, known)
    unknown_quotes(text, facts_of(""))
