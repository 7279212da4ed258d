"""Each section of a proposal is told what belongs there: measured on labelled sources, and laws over any sources."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.service.proposing.assigning import Told, assigned
from partita.apps.newsletter.service.proposing.budgets import budgets_in
from partita.apps.newsletter.service.proposing.frames import ProposalSection, sections_of_frame
from partita.apps.newsletter.service.proposing.kinds import kinds_in, kinds_of, told_of
from partita.apps.newsletter.service.proposing.purposes import about, words_for
from partita.apps.newsletter.service.proposing.setting import set_tables, set_text
from partita.apps.newsletter.service.proposing.units import leans, units_of
from partita.apps.newsletter.service.reading.document import read_text
from partita.apps.newsletter.service.writing.terms import alike
from partita.apps.newsletter.service.writing.values import Passage, SoFar
from tests.apps.newsletter.proposing.sets import SETS, SourceSet, judged, load

YEAR = 2026
ROOM = 2_000


@cache
def _passages(name: str) -> tuple[Passage, ...]:
    given = load(name)
    found: list[Passage] = []
    for number, (title, text) in enumerate(given.documents):
        read = read_text(text.encode(), f"source-{number}", "2026-03-02", "")
        for chunk_id, position, words, heading, page, kind, *_ in read["chunks"]:
            passage = Passage(chunk_id, f"source-{number}", words, title, heading, page, position, own=True)
            found.append(replace(passage, kind=kind, language=given.language))
    return tuple(found)


def _told(given: SourceSet) -> dict[str, tuple[Told, ...]]:
    room = {each.key: words_for(each, 0) for each in given.sections}
    return assigned(given.sections, _passages(given.name), room=room, year=YEAR)


def _texts(told: dict[str, tuple[Told, ...]]) -> dict[str, str]:
    texts: dict[str, str] = {}
    so_far = SoFar()
    for key, found in told.items():
        prose, so_far = set_text(found, so_far)
        tables, so_far = set_tables(found, so_far, ProposalSection(key, key.replace("_", " ")))
        texts[key] = "\n\n".join(filter(None, (prose, tables)))
    return texts


@pytest.mark.parametrize("name", SETS)
def test_sections_tell_what_belongs_there_and_nothing_else(name: str) -> None:
    given = load(name)
    score = judged(given, _texts(_told(given)))
    assert score.precision >= 0.94, score.wrong
    assert score.recall >= 0.94, score.missed


def test_a_budget_table_is_a_table_that_adds_up_with_its_caption_and_number() -> None:
    text = _texts(_told(load("fish")))["budget"]
    (budget,) = budgets_in(text)
    assert (str(budget.total), budget.faults) == ("286000", ())
    assert text.endswith("Table: Budget in US dollars [13]")


@pytest.mark.parametrize("heading", ["After the project", "Keeping women safe", "Team", "Some costs"])
def test_a_table_of_money_is_in_the_budget_whatever_heading_it_is_under(heading: str) -> None:
    rows = "Item | 2031 | EUR\nPumps | 40,000 | 40,000\nDrills | 9,000 | 9,000\nTotal | 49,000 | 49,000"
    sections = sections_of_frame("full_proposal")
    room = {each.key: 200 for each in sections}
    passage = Passage("p", "s", rows, "Concept", heading, kind="table", own=True)
    texts = _texts(assigned(sections, (passage,), room=room, year=YEAR))
    assert [key for key, text in texts.items() if text] == ["budget"]
    caption = "Some costs" if heading == "Some costs" else "budget"
    assert texts["budget"].endswith(f"Table: {caption} [1]")
    titled = replace(passage, text=f"Costs in euros\n\n{rows}")
    assert "Table: Costs in euros [1]" in _texts(assigned(sections, (titled,), room=room, year=YEAR))["budget"]


def test_a_list_is_told_whole_behind_its_lead_in_or_not_at_all() -> None:
    text = _texts(_told(load("seed")))["objectives"]
    assert "Specific objectives are:\n\n- to double" in text
    tight = assigned(load("seed").sections, _passages("seed"), room={"objectives": 20}, year=YEAR)
    assert "Specific objectives" not in _texts(tight)["objectives"]
    loose = Passage("p", "s", "The steps are:\n\n- to dig wells\n- to plant trees", heading="Approach")
    assert [unit.shape for unit in units_of([loose])] == ["list"]
    cut = Passage("p", "s", "Dig deep wells in the valley first. The steps are:", heading="Approach")
    assert [unit.text for unit in units_of([cut])] == ["Dig deep wells in the valley first."]


SENTENCES = sorted({line.text for name in SETS for line in load(name).labelled if line.text.endswith((".", "።"))})
HEADINGS = ("", "Budget", "What we will do", "Findings", "About us", "When", "የሥራ ዕቅድ", "Water rights")


@st.composite
def _sources(draw: st.DrawFn) -> tuple[Passage, ...]:
    made: list[Passage] = []
    for source in range(draw(st.integers(1, 3))):
        for position in range(draw(st.integers(1, 3))):
            chosen = draw(st.lists(st.sampled_from(SENTENCES) | st.text(max_size=60), min_size=1, max_size=6))
            heading, own = draw(st.sampled_from(HEADINGS)), draw(st.booleans())
            text = " ".join(chosen)
            made.append(
                Passage(f"p{source}-{position}", f"s{source}", text, heading=heading, position=position, own=own)
            )
    return tuple(made)


@settings(max_examples=30)
@given(_sources(), st.sampled_from(["concept_note", "full_proposal"]), st.integers(0, 150))
def test_whatever_the_sources_nothing_is_told_twice_or_out_of_order_or_beyond_the_limit(
    passages: tuple[Passage, ...], frame: str, room: int
) -> None:
    sections = (*sections_of_frame(frame), ProposalSection("own", "Water rights"))  # type: ignore[arg-type]
    told = assigned(sections, passages, room={each.key: room for each in sections}, year=YEAR)
    sources = [passage.text for passage in passages]
    seen: list[str] = []
    for section in sections:
        found = told[section.key]
        assert sum(each.words for each in found) <= room
        order = [unit.order for each in found for unit in each.units]
        assert all(one < other for one, other in pairwise(order) if one[0] == other[0])
        for each in found:
            assert not each.units[0].follows, "nothing begins with what leans on something else"
            for unit in each.units:
                assert any(unit.pieces[0].source_text in text for text in sources)
                seen.append(unit.text)
                # What other projects aim at, do, reach, spend and are is not what this one does.
                assert unit.passage.own or kinds_of(section) == ("need",)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("leaning", ["They are our project team and its coordinator.", "Their team has a coordinator."])
def test_what_others_say_does_not_come_along_with_what_leans_on_it(leaning: str) -> None:
    others = "A family without camels has no milk."
    passages = (Passage("p0", "s", others, position=0), Passage("p1", "s", leaning, position=1, own=True))
    sections = sections_of_frame("concept_note")
    kinds = {each.key: kinds_of(each) for each in sections}
    told = assigned(sections, passages, room=dict.fromkeys(kinds, ROOM), year=YEAR)
    assert not any(others in text for key, text in _texts(told).items() if kinds[key] != ("need",))


@given(st.lists(st.sampled_from(SENTENCES), max_size=8), st.integers(0, 6))
@settings(max_examples=30)
def test_what_is_told_already_is_not_told_again(told: list[str], left: int) -> None:
    passage = Passage("p", "s", " ".join(dict.fromkeys(told)), heading="Findings", own=True)
    sections = sections_of_frame("full_proposal")
    room = {each.key: ROOM for each in sections}
    again = assigned(sections, [passage], told[left:], room=room, year=YEAR)
    text = " ".join(_texts(again).values())
    assert not any(sentence in text for sentence in told[left:])


@pytest.mark.parametrize(
    ("sentence", "leaning"),
    [
        ("This keeps the price low.", True),
        ("Of these, nine work.", True),
        ("They lost everything.", True),
        ("Half of it melted.", True),
        ("Each cost 28,000 dollars.", True),
        ("Each group plants a plot.", False),
        ("Some 7,200 households fish.", False),
        ("There are four clinics.", False),
        ("Gauges exist at two places, and one of them is broken.", False),
    ],
)
def test_what_leans_on_the_sentence_before_it_is_known(sentence: str, leaning: bool) -> None:
    assert leans(sentence) == leaning


def test_titles_tell_what_belongs_into_a_section() -> None:
    known = {
        "Work plan": ("plan",),
        "Cost and time": ("plan", "budget"),
        "Why us": ("team",),
        "Our hospital": ("team",),
        "Our approach": ("method",),
        "Who leads the project": ("team",),
        "Why our soils erode": (),
        "What we propose": ("method",),
        "How the dams are built": ("method",),
        "Who measures": ("monitoring",),
        "الميزانية": ("budget",),
        "Water rights": (),
    }
    assert {title: kinds_in(title) for title in known} == known
    assert told_of(ProposalSection("b", "Budget")) == "costs, or a budget table"
    assert told_of(ProposalSection("w", "Water rights")) == ""


def test_a_file_about_something_else_is_left_alone_unless_its_headings_are_those_of_a_proposal() -> None:
    dams = Passage("a", "dams", "Sand dams store water.", "Dams", own=True)
    coffee = Passage("b", "coffee", "Exporters mapped coffee plots.", "Coffee", "Prices of exporters", own=True)
    people = Passage("c", "people", "Ten engineers work here.", "Ngome Ltd", "About us", own=True)
    plain = Passage("d", "plain", "Exporters mapped coffee plots.", "Coffee", "Trade", own=True)
    assert about("sand dams", [dams, people, plain], "en") == (dams, people)
    assert about("sand dams", [plain], "en") == (plain,), "somebody has put it there"
    assert coffee in about("sand dams", [dams, coffee], "en")


def test_a_sentence_of_long_files_is_compared_with_few_others() -> None:
    many = 150
    lost = [f"Village{each} lost crop{each} and herd{each} to the drought." for each in range(many)]
    passages = [Passage(f"p{at}", "s1", text, title="Losses", position=at, own=True) for at, text in enumerate(lost)]
    sections = [ProposalSection("need", "The need")]
    compared = 0

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal compared
        compared += event == "call" and frame.f_code is alike.__code__

    sys.setprofile(count)
    try:
        told = assigned(sections, passages, room={"need": 100_000}, year=YEAR)
    finally:
        sys.setprofile(None)
    assert len(told["need"]) == many
    assert compared < many * many / 10


def test_a_cost_that_falls_is_a_result_and_no_cost() -> None:
    falls = "The cost of diesel falls from 64,000 to 21,000 euros a year."
    costs = "The cost of the pumps comes to 64,000 euros."
    passages = (
        Passage("p", "s", falls, "Concept", "Results", own=True),
        Passage("q", "s", costs, "Concept", "Costs", position=1, own=True),
    )
    sections = sections_of_frame("full_proposal")
    texts = _texts(assigned(sections, passages, room={each.key: 200 for each in sections}, year=YEAR))
    assert {key: text[:-4] for key, text in texts.items() if text} == {
        "results_and_indicators": falls,
        "budget": costs,
    }
