"""*Coming up* has days on which, as a source says, something will happen, and says what."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.writing.announcements import announcements
from partita.apps.newsletter.service.writing.days import days_in
from partita.apps.newsletter.service.writing.phrases import day_in_words
from partita.apps.newsletter.service.writing.values import Edition, Language
from tests.apps.newsletter.writing.editions import EDITIONS, of
from tests.apps.newsletter.writing.questions import TODAY

EDITION = Edition("Digest", TODAY)
AHEAD, LATER = day_in_words(TODAY + timedelta(days=30), "en"), day_in_words(TODAY + timedelta(days=32), "en")
PAST = day_in_words(TODAY - timedelta(days=30), "en")


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (f"Vaccination of 480,000 sheep begins on {AHEAD} in Garissa.", "Vaccination of 480,000 sheep begins"),
        (f"Applications close on {AHEAD}, and decisions follow six weeks later.", "Applications close"),
        (f"The deadline is {AHEAD}.", f"The deadline is {AHEAD}"),
        (f"Posters on work can be proposed until {AHEAD}.", f"Posters on work can be proposed until {AHEAD}"),
        (f"A pool of four aircraft is to be ready by {AHEAD}.", f"A pool of four aircraft is to be ready by {AHEAD}"),
        (f"The cabinet decided on {PAST} that fees will rise from {AHEAD}.", "The cabinet decided on"),
    ],
)  # fmt: skip
def test_what_is_announced_is_told_in_the_sources_words(sentence: str, told: str) -> None:
    (found,) = announcements(EDITION, sentence)
    assert found.text.startswith(told)
    assert found.text in sentence
    assert day_in_words(found.first, "en") == AHEAD


@pytest.mark.parametrize(
    "sentence",
    [
        f"Hopper bands are likely until {AHEAD}, and small swarms afterwards.",
        f"The fair of {AHEAD} was cancelled by the county council.",
        f"The meeting was postponed from {AHEAD} to {LATER} because of floods.",
        f"The conference would have begun on {AHEAD} without the floods.",
        f"The campaign began on {PAST} in the north of the county.",
        f"The office does not open on {AHEAD} as it was planned.",
        f"Prices of {AHEAD} are compared with those of {LATER} in the study.",
    ],
)
def test_days_that_announce_nothing_are_left_out(sentence: str) -> None:
    assert announcements(EDITION, sentence) == []


def test_a_period_is_one_entry() -> None:
    (found,) = announcements(EDITION, f"The training week takes place in Naivasha from {AHEAD} to {LATER}.")
    assert found.label("en") == f"{AHEAD} – {LATER}"
    assert found.text == "The training week takes place in Naivasha"


@given(st.integers(-4000, 4000), st.sampled_from(["begins", "closes", "takes place", "will open"]))
def test_only_days_after_the_editions_own_are_announced(days: int, verb: str) -> None:
    day = TODAY + timedelta(days=days)
    found = announcements(EDITION, f"The market of the county {verb} on {day_in_words(day, 'en')}.")
    assert [each.first for each in found] == ([day] if 0 < days <= 180 else [])


@pytest.mark.parametrize("name", EDITIONS)
def test_every_day_of_an_edition_stands_in_the_sentence_that_announces_it(name: str) -> None:
    made = of(name)
    language: Language = made.edition.language
    quotes = {each.n: each.quote for each in made.draft.citations}
    lines = made.sections["coming_up"].split("\n\n")[1].split("\n")
    for line in lines:
        label, text, number = re.fullmatch(r"- \*\*(.+?):\*\* (.+) \[(\d+)\]", line).groups()  # type: ignore[union-attr]
        told = text.rpartition(": ")[2]
        sentence = next(each for each in quotes[int(number)].split("\n") if told in each)
        days = {day_in_words(each, language) for each in days_in(sentence)}
        assert set(label.split(" – ")) <= days
        assert all(each > made.edition.today for each in days_in(label))
