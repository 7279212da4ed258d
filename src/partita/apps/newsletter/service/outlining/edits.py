"""What a person does to an outline: pure functions from one plan to the next, each of which records what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partita.apps.newsletter.formats import section_key
from partita.apps.newsletter.service.outlining.plan import (
    PERSON,
    OutlineItem,
    OutlineSection,
    Plan,
    marked,
    marks_of,
    section_mark,
    section_number,
    unmarked,
    with_item,
    with_section,
)


def edit_item(plan: Plan, item_id: str, changes: Mapping[str, Any]) -> Plan:
    """Change an item's title, gist, note, words, references or switch."""
    at = plan.place(item_id)
    if at is None:
        raise LookupError(item_id)
    item = plan.sections[at[0]].items[at[1]]
    update = {name: value for name, value in changes.items() if getattr(item, name) != value}
    if not update:
        return plan
    if "title" in update and not item.made_as and item.source != PERSON:
        update["made_as"] = item.title
    if "rag_reference_ids" in update:
        update["rag_reference_ids"] = tuple(update["rag_reference_ids"])
        update["rag_reference_id"] = next(iter(update["rag_reference_ids"]), None)
    after = with_item(plan, at, item.model_copy(update=update))
    if "enabled" in update:
        change = marked if not update["enabled"] else unmarked
        after = change(after, "items_disabled", item_id)
    if set(update) - {"enabled", "made_as"}:
        after = marked(after, "items_edited", item_id)
    return after


def add_item(plan: Plan, section_id: str, title: str, **fields: Any) -> tuple[Plan, str]:
    """A person's own story at the end of a section, and its id."""
    number = section_number(plan, section_id)
    count = plan.last_numbers.get("custom-item", 0) + 1
    item_id = f"custom-item-{count}"
    references = tuple(fields.pop("rag_reference_ids", ()))
    item = OutlineItem(
        id=item_id,
        editable=True,
        source=PERSON,
        title=title,
        enabled=True,
        rag_reference_ids=references,
        rag_reference_id=next(iter(references), None),
        **fields,
    )
    section = plan.sections[number]
    after = with_section(plan, number, section.model_copy(update={"items": (*section.items, item)}))
    after = replace(after, last_numbers={**after.last_numbers, "custom-item": count})
    return marked(after, "items_added", item_id), item_id


def remove_item(plan: Plan, item_id: str) -> Plan:
    """Remove an item for good: making the outline anew does not bring it back."""
    at = plan.place(item_id)
    if at is None:
        raise LookupError(item_id)
    section = plan.sections[at[0]]
    item = section.items[at[1]]
    left = tuple(each for each in section.items if each.id != item_id)
    after = with_section(plan, at[0], section.model_copy(update={"items": left}))
    after = marked(after, "items_removed", item_id)
    for reference in marks_of(section, item) if item.source != PERSON else ():
        after = marked(after, "removed_references", reference)
    return after


def move_item(plan: Plan, item_id: str, section_id: str | None = None, position: int | None = None) -> Plan:
    """Put an item at a place of a section, its own if none is given; at the end if there is no such place."""
    at = plan.place(item_id)
    if at is None:
        raise LookupError(item_id)
    goal = at[0] if section_id is None else section_number(plan, section_id)
    item = plan.sections[at[0]].items[at[1]]
    source = plan.sections[at[0]]
    without = with_section(
        plan, at[0], source.model_copy(update={"items": tuple(each for each in source.items if each.id != item_id)})
    )
    target = list(without.sections[goal].items)
    target.insert(len(target) if position is None else min(max(position, 0), len(target)), item)
    after = with_section(without, goal, without.sections[goal].model_copy(update={"items": tuple(target)}))
    return plan if after.sections == plan.sections else marked(after, "items_moved", item_id)


def step_item(plan: Plan, item_id: str, direction: str) -> Plan:
    """One place up or down, into the neighbouring section at the ends."""
    at = plan.place(item_id)
    if at is None:
        raise LookupError(item_id)
    section, place = at
    if direction == "up":
        if place:
            return move_item(plan, item_id, position=place - 1)
        return move_item(plan, item_id, plan.sections[section - 1].id) if section else plan
    if place + 1 < len(plan.sections[section].items):
        return move_item(plan, item_id, position=place + 1)
    return move_item(plan, item_id, plan.sections[section + 1].id, 0) if section + 1 < len(plan.sections) else plan


def add_section(plan: Plan, name: str, before_last: bool = True) -> tuple[Plan, str]:
    """A person's own section, before the closing; and its id."""
    number = plan.last_numbers.get("section", 0) + 1
    keys = {section.key for section in plan.sections}
    section = OutlineSection(
        id=f"section-{number}", name=name, items=(), key=section_key(name, keys), source=PERSON, enabled=True
    )
    place = max(len(plan.sections) - 1, 0) if before_last and len(plan.sections) > 1 else len(plan.sections)
    sections = (*plan.sections[:place], section, *plan.sections[place:])
    return replace(plan, sections=sections, last_numbers={**plan.last_numbers, "section": number}), section.id


def edit_section(plan: Plan, section_id: str, changes: Mapping[str, Any]) -> Plan:
    """Rename a section, or switch it on or off."""
    number = section_number(plan, section_id)
    section = plan.sections[number]
    update = {name: value for name, value in changes.items() if getattr(section, name) != value}
    if "name" in update and not section.made_as:
        update["made_as"] = section.name
    return plan if not update else with_section(plan, number, section.model_copy(update=update))


def remove_section(plan: Plan, section_id: str) -> Plan:
    """Remove a section with its items."""
    number = section_number(plan, section_id)
    for item in plan.sections[number].items:
        plan = remove_item(plan, item.id)
    mark = section_mark(plan.sections[number])
    left = tuple(section for section in plan.sections if section.id != section_id)
    after = replace(plan, sections=left)
    return after if mark is None else marked(after, "removed_references", mark)


def move_section(plan: Plan, section_id: str, by: int) -> Plan:
    """So many places further down."""
    number = section_number(plan, section_id)
    sections = list(plan.sections)
    section = sections.pop(number)
    sections.insert(min(max(number + by, 0), len(sections)), section)
    return replace(plan, sections=tuple(sections))
