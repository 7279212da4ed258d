"""Every number, name and day in a headline is told in the text under it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.service.writing.headlines import untold
from partita.apps.newsletter.service.writing.quality import report_card
from partita.apps.newsletter.service.writing.reading_back import pieces
from partita.apps.newsletter.service.writing.values import Length
from tests.apps.newsletter.writing.editions import EDITIONS, Made, made, of


def stories(edition: Made) -> list[tuple[str, str]]:
    """Headlines, also those that run into a paragraph, with the text under each."""
    below: dict[tuple[str, str], list[str]] = {}
    run_in: list[tuple[str, str]] = []
    topical = {each.key for each in edition.outline if each.topic}
    for piece in pieces({key: text for key, text in edition.sections.items() if key in topical}):
        if piece.kind == "heading" and piece.story:
            below.setdefault((piece.section, piece.story), [])
        elif piece.story:
            below[piece.section, piece.story].append(piece.text)
            if piece.kind == "text" and piece.label:
                run_in.append((piece.label, piece.text))
    return [*((title, " ".join(text)) for (_, title), text in below.items()), *run_in]


@settings(max_examples=5, deadline=None)
@given(
    st.sampled_from(["short", "mixed"]),
    st.sampled_from([20, 50, 80]),
    st.lists(st.sampled_from(sorted(TOPICS)), min_size=2, max_size=4, unique=True),
)
def test_headlines_claim_only_what_is_told(length: Length, tone: int, topics: list[str]) -> None:
    edition = replace(EDITIONS["mixed"][0], length=length, tone_technical=tone, frequency="quarterly")
    for title, text in stories(made(edition, tuple(sorted(topics)))):
        assert untold(title, text) == (), (title, text)
        assert all(each in text for each in re.findall(r"\d[\d,.]*\d|\d", title)), (title, text)


@pytest.mark.parametrize("name", EDITIONS)
def test_headlines_of_all_languages_claim_only_what_is_told(name: str) -> None:
    assert [(title, untold(title, text)) for title, text in stories(of(name)) if untold(title, text)] == []


@pytest.mark.parametrize(
    ("title", "text", "missing"),
    [
        ("A cooperative of 380 women sells milk", "It sells 6,000 litres of milk a day.", ("380",)),
        ("Vaccination begins in Garissa", "Vaccination begins in the north on 3 May 2026.", ("Garissa",)),
        ("Grants until 3 May", "Grants can be had until 3 May 2026.", ()),
        ("Fees double at the border", "The fee is twice what it was at the border.", ()),
        ("Somali herders gain", "Rain came to Somali Region, and herders gain.", ()),
        ("Kenya bans it", "In Uganda, Kenya and Sudan it is banned.", ()),
        ("Prices fall in June", "They fell in May.", ("June",)),
    ],
)
def test_what_is_missing_is_named(title: str, text: str, missing: tuple[str, ...]) -> None:
    assert untold(title, text) == missing


def test_the_report_card_marks_a_headline_whose_fact_is_not_told() -> None:
    edition = of("mixed")
    section = next(each for each in edition.outline if each.topic)
    title = section.stories[0].title
    changed = {**edition.sections}
    changed[section.key] = changed[section.key].replace(f"### {title}", f"### {title}: 9,321 farms in Zanzibar")
    line = report_card(edition.edition, edition.outline, changed, edition.draft.citations, edition.passages).line(
        "faithful"
    )
    assert not line.ok
    assert [(each.section, each.text) for each in line.places] == [
        (section.key, f"{title}: 9,321 farms in Zanzibar"),
    ]
