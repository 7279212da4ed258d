"""Whatever a person does to an outline, and however often it is made anew: nothing of theirs is lost, no id is given
twice."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.examples import DOCUMENTED
from partita.apps.newsletter.schema import MOST_ITEMS, MOST_SECTIONS, Outline
from partita.apps.newsletter.service.outlining import (
    FOUND,
    WRITTEN,
    NewSection,
    NewStory,
    Plan,
    add_item,
    add_section,
    edit_item,
    edit_section,
    move_item,
    move_section,
    read_plan,
    regenerate,
    remove_item,
    remove_section,
    step_item,
    stored_modifications,
    stored_sections,
)

TOPICS = ("Research Findings", "Policy Updates", "Livestock & Animal Health")
CHUNKS = [f"chunk-{number}" for number in range(12)]


@st.composite
def proposals(draw: st.DrawFn) -> tuple[NewSection, ...]:
    """An outline as a writer makes one: each passage in one story at most."""
    free = draw(st.permutations(CHUNKS))
    sections = [NewSection("Introduction", "", (NewStory("Welcome", "", WRITTEN),), 40)]
    for topic in draw(st.lists(st.sampled_from(TOPICS), unique=True, max_size=3)):
        stories = []
        for _ in range(draw(st.integers(1, 3))):
            count = min(draw(st.integers(1, 3)), len(free))
            used, free = tuple(free[:count]), free[count:]
            if used:
                stories.append(NewStory(f"About {used[0]}", f"Of {used}", FOUND, used, 100))
        sections.append(NewSection(topic, topic, tuple(stories), 200))
    sections.append(NewSection("Conclusion", "", (NewStory("Goodbye", "", WRITTEN),), 40))
    return tuple(sections)


ACTIONS = st.sampled_from(["edit", "off", "remove", "move", "up", "down", "add", "rename", "section", "down-section"])


def act(plan: Plan, action: str, number: int, other: int) -> Plan:
    """Something that a person does to the item or section of a number."""
    items, sections = plan.items, plan.sections
    if not sections:
        return plan
    section = sections[other % len(sections)]
    if action == "add":
        return add_item(plan, section.id, f"Mine {number}")[0]
    if action == "rename":
        return edit_section(plan, section.id, {"name": f"Called {number}"})
    if action == "section":
        return add_section(plan, f"Section {number}")[0]
    if action == "down-section":
        return move_section(plan, section.id, 1)
    if not items:
        return plan
    item = items[number % len(items)]
    if action == "edit":
        return edit_item(plan, item.id, {"title": f"My words {number}", "note": "Short."})
    if action == "off":
        return edit_item(plan, item.id, {"enabled": not item.enabled})
    if action == "remove":
        return remove_item(plan, item.id)
    if action == "move":
        return move_item(plan, item.id, section.id, number)
    return step_item(plan, item.id, action)


DEEDS = st.lists(st.tuples(ACTIONS, st.integers(0, 20), st.integers(0, 20)), max_size=12)


def worked(plan: Plan, deeds: list[tuple[str, int, int]]) -> Plan:
    for deed in deeds:
        plan = act(plan, *deed)
    return plan


def again(plan: Plan) -> Plan:
    """Through the table and back."""
    changed = stored_modifications(plan, {})
    return read_plan(stored_sections(plan), changed, plan.last_numbers)


@given(proposals(), DEEDS)
def test_an_outline_is_read_back_as_it_was_stored(proposed: tuple[NewSection, ...], deeds: Any) -> None:
    plan = worked(regenerate(Plan(), proposed), deeds)
    read = again(plan)
    assert [s.model_copy(update={"order": 0}) for s in read.sections] == [
        s.model_copy(update={"order": 0}) for s in plan.sections
    ]
    assert {kind: ids for kind, ids in read.modifications.items() if ids} == {
        kind: ids for kind, ids in plan.modifications.items() if ids
    }
    assert read.last_numbers == plan.last_numbers


@given(proposals(), DEEDS, proposals())
def test_making_it_anew_keeps_everything_of_the_person(
    first: tuple[NewSection, ...], deeds: Any, second: tuple[NewSection, ...]
) -> None:
    before = worked(regenerate(Plan(), first), deeds)
    after = regenerate(again(before), second)
    there = {item.id: item for item in after.items}
    for item in before.items:
        if item.source == "user" or item.id in before.modified("items_edited"):
            assert there[item.id].title == item.title
            assert there[item.id].note == item.note
        if item.id in before.modified("items_moved") or item.id in before.modified("items_disabled"):
            assert item.id in there
            assert there[item.id].enabled == item.enabled
    removed = set(before.modified("items_removed"))
    assert not removed & set(there)
    gone = set(before.modified("removed_references"))
    for item in after.items:
        if item.id not in {each.id for each in before.items} and item.references:
            assert 2 * len(gone & set(item.references)) < len(item.references)
    names = {section.id: section.name for section in after.sections}
    for section in before.sections:
        if section.id in names and section.made_as:
            assert names[section.id] == section.name
    if before.modified("items_moved"):
        kept = [item.id for item in before.items if item.id in there and item.id in before.modified("items_moved")]
        for section in after.sections:
            own = [item.id for item in section.items if item.id in kept]
            assert own == [each for each in kept if each in own]


@given(st.lists(st.tuples(proposals(), DEEDS), min_size=1, max_size=4))
def test_an_id_means_one_thing_for_ever(rounds: Any) -> None:
    plan = Plan()
    meaning: dict[str, tuple[str, ...] | str] = {}
    gone: set[str] = set()
    for proposed, deeds in rounds:
        plan = again(regenerate(plan, proposed))
        for step in [None, *deeds]:
            plan = plan if step is None else act(plan, *step)
            ids = [item.id for item in plan.items] + [section.id for section in plan.sections]
            assert len(ids) == len(set(ids))
            assert not gone & set(ids), "an id came back after it was gone"
            gone |= set(meaning) - set(ids)
            meaning |= dict.fromkeys(ids, "known")
        keys = [section.key for section in plan.sections]
        assert len(keys) == len(set(keys))


@given(proposals())
def test_without_a_person_the_outline_is_the_writers(proposed: tuple[NewSection, ...]) -> None:
    twice = regenerate(again(regenerate(Plan(), proposed)), proposed)
    once = regenerate(Plan(), proposed)
    assert again(twice).sections == again(once).sections
    assert [section.name for section in once.sections] == [each.name for each in proposed if each.items]
    assert [[i.title for i in s.items] for s in once.sections] == [
        [i.title for i in s.items] for s in proposed if s.items
    ]


def test_an_untouched_item_without_a_match_goes_and_its_id_never_comes_back() -> None:
    first = regenerate(Plan(), [NewSection("A", "A", (NewStory("One", references=("c1",)),))])
    second = regenerate(first, [NewSection("A", "A", (NewStory("Two", references=("c2",)),))])
    assert [item.id for item in first.items] == ["item-1-1"]
    assert [item.id for item in second.items] == ["item-1-2"]


def test_an_item_is_recognised_by_half_of_its_passages() -> None:
    first = regenerate(Plan(), [NewSection("A", "A", (NewStory("One", references=("c1", "c2")),))])
    second = regenerate(first, [NewSection("A", "A", (NewStory("Better", references=("c2", "c3")),))])
    assert [(item.id, item.title) for item in second.items] == [("item-1-1", "Better")]


def test_a_section_that_was_removed_stays_away() -> None:
    proposed = [
        NewSection("A", "A", (NewStory("One", references=("c1",)),)),
        NewSection("B", "B", (NewStory("Two", references=("c2",)),)),
    ]
    plan = remove_section(regenerate(Plan(), proposed), "section-1")
    later = [NewSection("A", "A", (NewStory("Three", references=("c9",)),)), proposed[1]]
    assert [section.name for section in regenerate(plan, later).sections] == ["B"]


def test_the_documents_outline_is_stored_back_as_it_was() -> None:
    row = DOCUMENTED[Outline]
    plan = read_plan(row["sections"], row["user_modifications"])
    bare = [{name: value for name, value in section.items() if name != "key"} for section in stored_sections(plan)]
    assert bare == row["sections"]
    assert stored_modifications(plan, row["user_modifications"]) == row["user_modifications"]
    assert plan.last_numbers == {"section": 3, "item-1": 1, "item-2": 1, "item-3": 1, "custom-item": 1}
    assert add_item(plan, "section-2", "A visit")[1] == "custom-item-2"
    assert [section.key for section in plan.sections] == ["introduction", "research_findings", "conclusion"]


def test_an_outline_stays_within_its_bounds() -> None:
    many = [
        NewSection(f"S{n}", f"S{n}", tuple(NewStory(f"{n}-{i}", references=(f"c{n}-{i}",)) for i in range(10)))
        for n in range(60)
    ]
    plan = regenerate(Plan(), many)
    assert len(plan.sections) <= MOST_SECTIONS
    assert len(plan.items) <= MOST_ITEMS


def test_opening_dates_and_closing_are_no_stories() -> None:
    frames = [
        {"id": f"item-{number}-1", "title": shape, "source": "ai_generated", "shape": shape}
        for number, shape in enumerate(("opening", "dates", "closing"), 1)
    ]
    told = [
        {"id": "item-9-1", "title": "Found", "source": "rag_content", "rag_reference_id": "c1"},
        {"id": "item-9-2", "title": "Off", "source": "rag_content", "enabled": False},
        {"id": "custom-item-1", "title": "Mine", "source": "user"},
        {"id": "item-9-3", "title": "Of another program", "rag_reference_id": "c2"},
    ]
    plan = read_plan([{"id": "section-1", "name": "All", "items": [*frames, *told]}])
    assert [each.title for each in plan.stories] == ["Found", "Mine", "Of another program"]
