"""Every tick of the report card is true: whatever is done to a draft is marked, with its section and sentence."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.quality import Quality, report_card
from partita.apps.newsletter.service.writing.reading_back import pieces
from partita.apps.newsletter.service.writing.repeats import alike_before
from partita.apps.newsletter.service.writing.terms import alike
from tests.apps.newsletter.writing.editions import EDITIONS, Made, of

NAMES = st.sampled_from(sorted(EDITIONS))
CHOICE = st.integers(0, 10_000)


@dataclass(frozen=True)
class Changed:
    """A draft with one thing wrong in it."""

    sections: Mapping[str, str]
    section: str
    text: str
    """The sentence, or the headline, that the card must name."""


def paragraphs(made: Made) -> list[tuple[str, str]]:
    """Section and text of each paragraph that tells a story."""
    topical = {each.key for each in made.outline if each.topic}
    blocks = [
        (key, block)
        for key, text in made.sections.items()
        if key in topical
        for block in text.split("\n\n")
        if not block.startswith(("#", "-", ">", "**")) and re.search(r"\[\d+\]$", block)
    ]
    assert blocks
    return blocks


def replaced(made: Made, key: str, old: str, new: str, told: str) -> Changed:
    return Changed({**made.sections, key: made.sections[key].replace(old, new, 1)}, key, told)


def with_an_own_sentence(made: Made, choice: int) -> Changed:
    key, block = paragraphs(made)[choice % len(paragraphs(made))]
    own = "Everybody agrees that this will be settled before long."
    return replaced(made, key, block, f"{own} {block}", own)


def with_another_figure(made: Made, choice: int) -> Changed:
    with_figures = [each for each in paragraphs(made) if re.search(r"\d{2,}(?!\d*\])", each[1])]
    key, block = with_figures[choice % len(with_figures)]
    figure = re.search(r"\d{2,}(?!\d*\])", block)
    assert figure is not None
    changed = f"{block[: figure.start()]}7{block[figure.start() :]}"
    wrong = next(text for text, _ in pieces({key: changed})[0].spans if f"7{figure[0]}" in text)
    return replaced(made, key, block, changed, wrong)


def with_another_number(made: Made, choice: int) -> Changed:
    """A citation of another source."""
    key, block = paragraphs(made)[choice % len(paragraphs(made))]
    piece = pieces({key: block})[0]
    sentence = piece.spans[-1][0]
    others = [each.n for each in made.draft.citations if each.n not in piece.cited and sentence not in each.quote]
    number = others[choice % len(others)]
    return replaced(made, key, block, re.sub(r"\[\d+\]$", f"[{number}]", block), sentence)


def with_a_lost_number(made: Made, choice: int) -> Changed:
    key, block = paragraphs(made)[choice % len(paragraphs(made))]
    return replaced(made, key, block, f"{block}[977]", f"[977] {pieces({key: block})[0].spans[-1][0]}")


def with_a_bare_paragraph(made: Made, choice: int) -> Changed:
    key, block = paragraphs(made)[choice % len(paragraphs(made))]
    bare = re.sub(r"\s*\[\d+\]", "", block)
    return replaced(made, key, block, bare, pieces({key: block})[0].text)


def with_a_sentence_twice(made: Made, choice: int) -> Changed:
    some = paragraphs(made)
    key, block = some[choice % len(some)]
    sentence, numbers = pieces({key: block})[0].spans[0]
    end = f"{made.sections[some[-1][0]]}\n\n{sentence} [{numbers[0]}]"
    return Changed({**made.sections, some[-1][0]: end}, some[-1][0], sentence)


def without_a_story(made: Made, choice: int) -> Changed:
    told = [(each.key, story.title) for each in made.outline if each.topic for story in each.stories]
    key, title = told[choice % len(told)]
    parts = re.split(r"(?m)^(?=### )", made.sections[key])
    left = "".join(part for part in parts if not part.startswith(f"### {title}\n"))
    return Changed({**made.sections, key: left}, key, title)


def with_a_wrong_day(made: Made, choice: int) -> Changed:
    text = made.sections["coming_up"]
    lines = text.split("\n\n")[1].split("\n")
    line = lines[choice % len(lines)]
    wrong = re.sub(r"\d{4}", "2031", line, count=1)
    told = re.sub(r" \[\d+\]$", "", line.partition(":** ")[2])
    return replaced(made, "coming_up", line, wrong, told)


MUTATIONS: dict[str, tuple[Callable[[Made, int], Changed], str]] = {
    "an own sentence": (with_an_own_sentence, "faithful"),
    "another figure": (with_another_figure, "faithful"),
    "another source": (with_another_number, "faithful"),
    "a number of no source": (with_a_lost_number, "cited"),
    "a paragraph without a source": (with_a_bare_paragraph, "cited"),
    "a sentence twice": (with_a_sentence_twice, "repeats"),
    "a story missing": (without_a_story, "covered"),
}


def card(made: Made, sections: Mapping[str, str]) -> Quality:
    return report_card(made.edition, made.outline, sections, made.draft.citations, made.passages)


@pytest.mark.parametrize("what", MUTATIONS)
@settings(max_examples=12, deadline=None)
@given(NAMES, CHOICE)
def test_whatever_is_wrong_is_marked_with_its_place(what: str, name: str, choice: int) -> None:
    change, line = MUTATIONS[what]
    made = of(name)
    changed = change(made, choice)
    found = card(made, changed.sections).line(line)
    assert not found.ok
    assert (changed.section, changed.text) in [(each.section, each.text) for each in found.places]


@pytest.mark.parametrize("name", EDITIONS)
def test_a_day_that_the_source_does_not_name_is_marked(name: str) -> None:
    made = of(name)
    for choice in range(3):
        changed = with_a_wrong_day(made, choice)
        found = card(made, changed.sections).line("faithful")
        assert (changed.section, changed.text) in [(each.section, each.text) for each in found.places]


@settings(max_examples=6, deadline=None)
@given(NAMES, CHOICE)
def test_too_long_is_marked_and_leads_to_the_longest_section(name: str, choice: int) -> None:
    made = of(name)
    keys = [each.key for each in made.outline if each.topic]
    key = keys[choice % len(keys)]
    more = " ".join(f"Word{number} comes here." for number in range(4 * made.edition.words // 3))
    found = card(made, {**made.sections, key: f"{made.sections[key]}\n\n{more}"}).line("length")
    assert not found.ok
    assert found.places[0].section == key


def test_every_line_that_is_not_good_says_where() -> None:
    made = of("mixed")
    worse = {
        key: text.replace("[1]", "").replace(" the ", " institutionalisation ") for key, text in made.sections.items()
    }
    for sections in (worse, dict.fromkeys(worse, ""), {**worse, "livestock_animal_health": "They. " * 900}):
        for line in card(made, sections).lines:
            assert line.ok or line.places, line.name
        stored = card(made, sections).stored
        assert not any(each["places"] for each in stored.values() if each["ok"])


SETS = st.lists(st.frozensets(st.sampled_from("abcdefghijkl"), max_size=8), max_size=25)


@given(SETS, st.sampled_from([0.4, 0.55, 0.6, 0.8]))
def test_what_is_alike_is_found_as_if_all_were_compared(sets: list[frozenset[str]], limit: float) -> None:
    found = alike_before(sets, limit)
    for place, other in enumerate(found):
        wanted = [at for at in range(place) if alike(sets[place], sets[at]) > limit]
        assert (other is None) == (not wanted)
        assert other is None or alike(sets[place], sets[other]) > limit


def test_a_long_text_is_judged_in_about_linear_time() -> None:
    made = of("formal and long")
    told = [text for piece in pieces(made.sections) if piece.kind == "text" for text in piece.sentences]

    def seconds(times: int) -> float:
        key = next(each.key for each in made.outline if each.topic)
        words = [" ".join(f"{word}{at}" for word in text.split()) for at in range(times) for text in told]
        text = "\n\n".join(words)
        begun = time.process_time()
        card(made, {**made.sections, key: f"{made.sections[key]}\n\n{text}"})
        assert word_count(text) > 2_000 * times
        return time.process_time() - begun

    seconds(1)
    short, long = min(seconds(1) for _ in range(3)), seconds(8)
    assert long < 14 * short
