"""How a single story is set: its date, its beginning, and what stands right under its headline."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.writing.checker import check
from partita.apps.newsletter.service.writing.extractive import write_draft, write_section
from partita.apps.newsletter.service.writing.phrases import day_in_words
from partita.apps.newsletter.service.writing.reading_back import pieces
from partita.apps.newsletter.service.writing.values import Edition, Language, Library, Passage, Section, SoFar, Story

TODAY = date(2031, 3, 3)
EVENTS = "Events & Conferences"


def told(story: Story, *passages: Passage, near: tuple[Passage, ...] = (), topic: str = "") -> list[str]:
    """The blocks of a section with one story, without headings."""
    language: Language = "ar" if passages[0].language == "ar" else "en"
    edition = Edition("Digest", TODAY, language=language)
    section = Section("a", "A", (story,), topic, 300)
    library = Library({each.id: each for each in passages}, {passages[0].id: near})
    markdown = write_section(edition, section, (section,), library, SoFar()).markdown
    return [block for block in markdown.split("\n\n") if not block.startswith("#")]


def event(text: str, language: str = "en") -> str:
    """The first block of an event's story."""
    story = Story("The fodder market days", references=("p",), words=120, shape="event")
    return told(story, Passage("p", "s", text, "Fodder", "The fodder market days", language=language), topic=EVENTS)[0]


@given(st.integers(1, 100), st.integers(1, 20), st.integers(1, 100))
def test_an_event_has_the_days_on_which_it_takes_place_and_no_deadlines(ahead: int, length: int, after: int) -> None:
    first, last, other = (TODAY + timedelta(days=days) for days in (ahead, ahead + length, ahead + length + after))
    begins, ends, closes = (day_in_words(each, "en") for each in (first, last, other))
    rest = " Herders from three counties meet buyers of hay there."
    period = f"**{begins} – {ends} · Isiolo**"
    assert event(f"The market days take place in Isiolo from {begins} to {ends}.{rest}") == period
    late = f"Market days take place in Isiolo from {begins} to {ends}, and registration closes on {closes}."
    assert event(late + rest) == period
    early = f"Stalls can be booked until {begins} for the market days that begin on {closes}."
    assert event(early + rest) == f"**{closes}**"
    for asked in ("Posters can be proposed until", "Stalls must be registered by", "The deadline for stalls is"):
        assert not event(f"{asked} {begins} by all who sell hay.{rest}").startswith("**")


@given(st.integers(1, 100), st.integers(1, 20), st.sampled_from([" to ", "–"]))
def test_an_event_has_all_its_days_if_their_month_is_written_once(ahead: int, length: int, joined: str) -> None:
    first, last = (TODAY + timedelta(days=days) for days in (ahead, ahead + length))
    begins, ends = day_in_words(first, "en"), day_in_words(last, "en")
    short = " ".join(begins.split()[: 1 if first.month == last.month else 2])
    rest = " Herders from three counties meet buyers of hay there."
    said = f"The market days take place in Isiolo from {short}{joined}{ends}.{rest}"
    assert event(said) == f"**{begins} – {ends} · Isiolo**"


def test_a_period_in_arabic_is_one() -> None:
    text = "يعقد مؤتمر الأراضي الجافة من 13 مارس 2031 إلى 17 مارس 2031. ويشارك فيه باحثون من عشرين دولة."
    assert event(text, "ar") == "**13 مارس 2031 – 17 مارس 2031**"


DECIDED = Passage(
    "p0",
    "s",
    "Kenya published regulations that allow farmer groups to sell seed of local varieties. They come into force soon.",
    "New rules for seed",
    "What the regulations allow",
)
REACTIONS = Passage(
    "p1",
    "s",
    "Seed companies in both towns warned that counterfeit seed could spread under the new rules. Farmer organisations"
    " welcomed the decision and asked for simple forms in Swahili.",
    "New rules for seed",
    "Reactions from seed companies and farmers",
    position=1,
)


def test_a_story_of_reactions_begins_with_what_was_decided() -> None:
    story = Story("Farmer organisations and the new rules", references=("p1",), words=30)
    assert told(story, REACTIONS, near=(DECIDED,))[0].startswith("Kenya published regulations")
    assert told(story, REACTIONS)[0].startswith("Seed companies")


@pytest.mark.parametrize("headline", ["Farmers book a machine by dialling a short code", "Hubs in Arsi", "News"])
def test_right_under_a_headline_there_is_no_second_one(headline: str) -> None:
    text = "Farmers book a machine by dialling a short code in Arsi. Planning by village cut empty driving by a half."
    booking = Passage("p", "s", text, "Hubs", "Booking by telephone")
    other = Passage(
        "q", "s", "Women run five of the hubs now. Threshing by machine loses less grain.", "Hubs", "Owners"
    )
    blocks = told(Story(headline, references=("p", "q"), words=200), booking, other)
    assert blocks[0].startswith("Farmers book")


@given(
    st.sampled_from(("What’s new", "Farm News", "የእርሻ ዜና", "نشرة الحقول")),
    st.sampled_from(("", ".", "!", "?", "…", "...", "?!")),
    st.sampled_from(("", "?", "!", "…", ".")),
    st.integers(0, 100),
    st.sampled_from(("en", "am", "ar")),
)
def test_a_title_that_ends_its_sentence_gets_no_second_mark(
    title: str, mark: str, ending: str, tone: int, language: Language
) -> None:
    edition = Edition(f"{title}{mark}", TODAY, tone_professional=tone, language=language, length="short")
    stories = (
        Story(f"Who pays for seed{ending}", references=("p0",), words=60),
        Story("Reactions", references=("p1",), words=60),
    )
    opening = Section("introduction", "Introduction", (Story("Welcome", shape="opening"),))
    closing = Section("conclusion", "Conclusion", (Story("Bye", shape="closing"),))
    outline = (opening, Section("a", "A", stories, words=120), closing)
    library = Library({"p0": DECIDED, "p1": replace(REACTIONS, source_id="t")})
    draft = write_draft(edition, outline, library)
    texts = {each.key: each.markdown for each in draft.sections}
    own = f"{texts['introduction']} {texts['conclusion']}".replace("?!", "?")
    assert not re.search(r"[.!?…።][.!።]", own.replace(edition.title.replace("?!", "?"), "T" + mark[-1:])), own
    found = check(edition, outline, pieces(texts), draft.citations, library.passages.values())
    assert all(each.faithful for each in found), [each.text for each in found if not each.faithful]


@pytest.mark.parametrize("between", ["Why now", "Costs"])
def test_a_story_of_next_steps_begins_with_what_its_source_begins_with(between: str) -> None:
    costs = replace(
        DECIDED, id="p1", text="Forms cost two dollars each for a farmer group.", heading=between, position=1
    )
    steps = "Parliament must approve the rules by June. A committee of experts meets in Nakuru to write the forms."
    after = replace(REACTIONS, id="p2", text=steps, heading="Next steps", position=2)
    story = Story("A committee writes the forms", references=("p2",), words=30)
    assert told(story, after, near=(DECIDED, costs))[0].startswith("Kenya published regulations")
    reactions = replace(costs, heading="Farmer groups pay for forms")
    assert told(story, after, near=(DECIDED, reactions))[0].startswith("Forms cost two dollars")


def test_a_story_with_the_title_of_its_source_begins_as_that_does() -> None:
    trees = replace(DECIDED, id="p3", text="Nurseries raise trees in forty villages now.", heading="Trees", position=3)
    beside = replace(trees, id="p2", text="Wells were dug in nine villages.", heading="Wells", position=2)
    story = Story("New rules for seed", references=("p3",), words=30)
    assert told(story, trees, near=(DECIDED, beside))[0].startswith("Kenya published regulations")
    other = Story("Trees grow in villages", references=("p3",), words=30)
    assert told(other, trees, near=(DECIDED, beside))[0].startswith("Nurseries raise trees")


@pytest.mark.parametrize("later", [0, 30])
def test_a_date_to_note_is_in_its_source_also_without_a_list_of_dates_and_after_the_day(later: int) -> None:
    day = day_in_words(TODAY + timedelta(days=11), "en")
    text = f"The club holds a workshop in Hengelo. Registration closes on {day}. Places are limited to 24 people."
    library = Library({"p": Passage("p", "s", text, heading="Workshops")})
    told = Section("a", "A", (Story("Workshops", references=("p",), words=60),))
    outline = (told, Section("conclusion", "Conclusion", (Story("Bye", shape="closing"),)))
    edition = Edition("Bees", TODAY)
    draft = write_draft(edition, outline, library)
    texts = {each.key: each.markdown for each in draft.sections}
    assert f"A date to note: {day} (Workshops: Registration closes)." in texts["conclusion"]
    judged = replace(edition, today=TODAY + timedelta(days=later))
    found = check(judged, outline, pieces(texts), draft.citations, library.passages.values())
    assert all(each.faithful for each in found)
    texts["conclusion"] = texts["conclusion"].replace("Registration closes", "Registration opens")
    found = check(judged, outline, pieces(texts), draft.citations, library.passages.values())
    assert not all(each.faithful for each in found)
