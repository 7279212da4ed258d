"""The report card finds what it looks for, and leads to its place."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from partita.apps.newsletter.service.writing.quality import Line, flesch, reading_band, report_card
from partita.apps.newsletter.service.writing.values import Citation
from tests.apps.newsletter.writing.editions import Made, of

KEY = "research_findings"


def card(sections: dict[str, str] | None = None, made: Made | None = None) -> dict[str, Line]:
    made = made or of("mixed")
    quality = report_card(
        made.edition, made.outline, {**made.sections, **(sections or {})}, made.draft.citations, made.passages
    )
    return {each.name: each for each in quality.lines}


def with_added(text: str) -> dict[str, str]:
    return {KEY: f"{of('mixed').sections[KEY]}\n\n{text}"}


def test_a_sentence_of_ones_own_is_in_no_source() -> None:
    own = "Everything will be much better in the coming year."
    line = card(with_added(own))["faithful"]
    assert line.value < 1
    assert [(each.section, each.text) for each in line.places] == [(KEY, own)]


def test_a_source_is_not_enough_if_another_one_is_cited() -> None:
    made = of("mixed")
    first, second = made.draft.citations[0], made.draft.citations[-1]
    quote = first.quote.split("\n")[0]
    assert card(with_added(f"{quote} [{first.n}]"))["faithful"].value == 1
    assert card(with_added(f"{quote} [{second.n}]"))["faithful"].value < 1


def test_uncited_paragraphs_and_lost_numbers_are_named() -> None:
    text = "This paragraph has more than four words and no number."
    line = card({KEY: f"## Research\n\n{text}"})["cited"]
    assert "1 paragraph names no source" in line.text
    assert line.places[0].text == text
    lost = card(with_added("A number that leads nowhere is a fault. [99]"))["cited"]
    assert not lost.ok
    assert "leads to no source" in lost.text


def test_a_story_that_is_missing_is_named() -> None:
    made = of("mixed")
    story = next(each for each in made.outline if each.key == KEY).stories[0]
    line = card({KEY: "## Research Findings"})["covered"]
    assert not line.ok
    assert (KEY, story.title) in [(each.section, each.text) for each in line.places]


def test_a_headline_with_other_words_still_counts() -> None:
    made = of("mixed")
    story = next(each for each in made.outline if each.key == KEY).stories[0]
    changed = made.sections[KEY].replace(story.title, f"{story.title}, says a new study")
    assert card({KEY: changed})["covered"].ok


def test_what_is_said_twice_is_named() -> None:
    sentence = of("mixed").sentences[0]
    line = card(with_added(f"{sentence} [1]"))["repeats"]
    assert not line.ok
    assert line.places[0].text == sentence


@pytest.mark.parametrize("start", ["However, it was late.", "They came back in spring with the rain."])
def test_paragraphs_that_lean_on_others_are_named(start: str) -> None:
    line = card(with_added(start))["stands_alone"]
    assert not line.ok
    assert line.places[0].text == start


def test_one_source_alone_is_no_variety() -> None:
    made = of("mixed")
    one = tuple(replace(each, source_id="same") for each in made.draft.citations)
    quality = report_card(made.edition, made.outline, made.sections, one, made.passages)
    assert not quality.line("variety").ok


def test_old_sources_are_named() -> None:
    made = of("mixed")
    old = tuple(replace(each, date="2001-01-01") for each in made.draft.citations)
    line = report_card(made.edition, made.outline, made.sections, old, made.passages).line("fresh")
    assert not line.ok
    assert line.places


def test_the_age_of_sources_is_told_as_it_is() -> None:
    made = of("mixed")
    nine = (made.edition.today - timedelta(days=9)).isoformat()
    many = tuple(replace(each, date=nine) for each in made.draft.citations)
    one = tuple(replace(each, source_id="same") for each in many)
    said = [
        report_card(made.edition, made.outline, made.sections, each, made.passages).line("fresh").text
        for each in (many, one)
    ]
    assert said == ["Half of the sources are at most 9 days old.", "The source is 9 days old."]


def test_too_short_and_too_long_are_said_in_words() -> None:
    assert "are missing" in card({KEY: "", "livestock_animal_health": "", "funding_opportunities": ""})["length"].text
    assert "are too many" in card(with_added("word " * 900))["length"].text


def test_hard_words_are_hard_to_read() -> None:
    hard = "Interdisciplinary methodological considerations necessitate comprehensive institutional harmonisation."
    assert flesch([hard]) < 0 < flesch(["The cat sat on the mat."])
    low, high = reading_band(50)
    assert low < high


def test_the_stored_card_is_plain_data() -> None:
    stored = of("mixed").card().stored
    assert list(stored) == [
        *("faithful", "cited", "covered", "repeats", "stands_alone", "variety", "fresh", "length", "readable"),
    ]
    assert all(set(each) == {"ok", "value", "text", "places"} for each in stored.values())


def test_an_empty_draft_has_a_card_too() -> None:
    made = of("mixed")
    quality = report_card(made.edition, made.outline, {}, (Citation(1, "c", "s", "T", ""),))
    assert not quality.line("length").ok
    assert not quality.line("covered").ok
