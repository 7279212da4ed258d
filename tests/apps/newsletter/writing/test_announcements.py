"""*Coming up* has days on which, as a source says, something will happen, and says what."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.writing.announcements import Entry, announcements, is_announced
from partita.apps.newsletter.service.writing.days import days_in
from partita.apps.newsletter.service.writing.phrases import day_in_words
from partita.apps.newsletter.service.writing.values import Edition, Language, Passage
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


_OTHER_MONTHS = st.sampled_from(["{first} {month} {year}", "{first}{th} of {month} {year}", "{month} {first}, {year}"])


@given(st.integers(1, 170), _OTHER_MONTHS)
def test_a_day_is_known_however_people_write_it(ahead: int, written: str) -> None:
    day = TODAY + timedelta(days=ahead)
    month = day_in_words(day, "en").split()[1]
    said = written.format(first=day.day, th="th", month=month, year=day.year)
    assert days_in(f"Papers must be submitted by {said} at noon.") == (day,)
    (found,) = announcements(EDITION, f"The forum will be held in Lodwar on {said} in the town hall.")
    assert (found.first, found.last, found.text) == (day, day, "The forum will be held in Lodwar")


@given(st.integers(1, 170), st.integers(1, 40), st.sampled_from([" to ", "–", " – ", " until "]))
def test_a_period_whose_month_or_year_is_written_once_is_one_entry(ahead: int, length: int, joined: str) -> None:
    first, last = TODAY + timedelta(days=ahead), TODAY + timedelta(days=ahead + length)
    begins, ends = day_in_words(first, "en").split(), day_in_words(last, "en")
    kept = begins[: 1 if first.month == last.month and first.year == last.year else 2]
    (found,) = announcements(EDITION, f"The forum takes place in Lodwar from {' '.join(kept)}{joined}{ends}.")
    assert (found.first, found.last) == (first, last)
    assert found.text == "The forum takes place in Lodwar"


_NAMED_DAYS = [
    "from {first:%A} {first.day} to {last:%A} {last.day}",
    "from the {first.day}th to the {last.day}th of",
    "between {first:%A}, {first.day} and {last:%A}, {last.day}",
    "on {first.day} & {last.day}",
]


@given(st.integers(0, 4), st.integers(1, 23), st.sampled_from(_NAMED_DAYS))
def test_a_period_is_known_with_its_days_of_the_week_and_articles(longer: int, number: int, written: str) -> None:
    first = (TODAY.replace(day=1) + timedelta(days=40)).replace(day=number)
    last = first + timedelta(days=1 if "&" in written else 1 + longer)
    said = written.format(first=first, last=last)
    (found,) = announcements(EDITION, f"The fair takes place in Almelo {said} {first:%B %Y}.")
    assert (found.first, found.last, found.text) == (first, last, "The fair takes place in Almelo")


@given(st.integers(1, 100), st.integers(2, 60))
def test_days_that_are_listed_are_entries_of_their_own_unless_they_follow_one_another(ahead: int, later: int) -> None:
    first = TODAY + timedelta(days=ahead)
    second, third = first + timedelta(days=1), first + timedelta(days=later)
    listed = [" ".join(day_in_words(each, "en").split()[:2]) for each in (first, second)]
    words = "Two sessions will be held"
    (run,) = announcements(EDITION, f"{words} on {listed[0]} and {day_in_words(second, 'en')}.")
    assert (run.first, run.last, run.text) == (first, second, words)
    if third.year == first.year:
        both = announcements(EDITION, f"{words} on {listed[0]} and {day_in_words(third, 'en')}.")
        assert [(each.first, each.last, each.text) for each in both] == [(first, first, words), (third, third, words)]


@given(st.integers(1, 170), st.sampled_from(["to", "and", "or", "starting on", "by", "before", "than"]))
def test_no_entry_breaks_off(ahead: int, word: str) -> None:
    day = day_in_words(TODAY + timedelta(days=ahead), "en")
    for each in announcements(EDITION, f"Clinics can register for the course, {word} {day}, with the office."):
        assert each.text.endswith(day)


@pytest.mark.parametrize("text", ["room 4, {}", "group 5, {}", "paragraph 7, {}"])
def test_other_numbers_beside_a_day_are_none(text: str) -> None:
    assert len(days_in(f"The sitting begins in {text.format(AHEAD)} at noon.")) == 1


def test_what_leans_on_a_sentence_is_announced_with_it() -> None:
    text = f"A second quay is planned 14 kilometres to the south. Its construction begins on {AHEAD}."
    (found,) = announcements(EDITION, text)
    assert found.text == "A second quay is planned 14 kilometres to the south. Its construction begins"
    entry = Entry(found, "Eighteen months of work", Passage("p", "s", text))
    assert entry.text == f"Eighteen months of work: {found.text}"
    assert is_announced(entry.text, found.label("en"), "en", [text])
    assert not is_announced(entry.text.replace("south", "north"), found.label("en"), "en", [text])


@given(st.sampled_from(["Green Ports Fund: second call", "Harbours: a study", "Call: notes: and more of them"]))
def test_an_entry_under_a_title_with_a_colon_has_one_and_is_found_in_its_source(title: str) -> None:
    text = f"Questions about this can be sent to the office until {AHEAD}."
    (found,) = announcements(EDITION, text)
    entry = Entry(found, title, Passage("p", "s", text))
    assert is_announced(entry.text, found.label("en"), "en", [text])
    if len(title.partition(": ")[0].split()) > 1:
        assert entry.text == f"{title.partition(': ')[0]}: {found.text}"
