"""An outline as a value, from and to what is stored.

Ids are never given twice: `last_numbers` remembers the highest number of each kind, and what a stored outline names
counts as well, since another program may have made it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from typing import Any

from pydantic import BaseModel, ConfigDict

from partita.apps.newsletter.formats import as_plain, as_stored, section_key

FOUND, WRITTEN, PERSON = "rag_content", "ai_generated", "user"
"""Where an item comes from: passages, the writer, a person."""
FRAMES = frozenset({"opening", "dates", "closing"})
"""Shapes of items that tell no story."""
MODIFICATIONS = (
    "items_added",
    "items_removed",
    "items_edited",
    "items_moved",
    "items_disabled",
    "removed_references",
)
SECTION_ID = re.compile(r"section-(\d+)\Z")
_ITEM_ID = re.compile(r"item-(\d+)-(\d+)\Z")
_CUSTOM_ID = re.compile(r"custom-item-(\d+)\Z")


class OutlineItem(BaseModel):
    """A story. What another program stored beside these fields stays."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    title: str
    description: str = ""
    editable: bool = True
    source: str = WRITTEN
    rag_reference_id: str | None = None
    rag_reference_ids: tuple[str, ...] = ()
    enabled: bool = True
    words: int = 0
    note: str = ""
    shape: str = ""
    made_as: str = ""
    """The title that the writer gave it; empty if nobody has changed it."""

    @property
    def references(self) -> tuple[str, ...]:
        """The passages it is made of."""
        return self.rag_reference_ids or ((self.rag_reference_id,) if self.rag_reference_id else ())


class OutlineSection(BaseModel):
    """A section with its items in order."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    name: str
    order: int = 0
    items: tuple[OutlineItem, ...] = ()
    key: str = ""
    """Its name in the draft."""
    topic: str = ""
    words: int = 0
    enabled: bool = True
    made_as: str = ""
    """The name that the writer gave it; empty if nobody has changed it."""
    source: str = ""
    """`user` if a person added it."""

    @property
    def written(self) -> tuple[OutlineItem, ...]:
        """The items that the draft follows; without one the section is left out."""
        return tuple(item for item in self.items if item.enabled) if self.enabled else ()


def item_version(item: OutlineItem) -> str:
    """A digest of the words and passages of an item: it holds whatever becomes of others, its place and its switch."""
    told = [item.title, item.description, item.note, item.words, item.references]
    return blake2s(json.dumps(told).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Plan:
    """An outline: its sections, what a person changed, and the numbers that were given."""

    sections: tuple[OutlineSection, ...] = ()
    modifications: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    last_numbers: Mapping[str, int] = field(default_factory=dict)

    @property
    def items(self) -> tuple[OutlineItem, ...]:
        return tuple(item for section in self.sections for item in section.items)

    @property
    def stories(self) -> tuple[OutlineItem, ...]:
        """The items that tell something; opening, dates and closing are none."""
        return tuple(
            item
            for section in self.sections
            for item in section.written
            if item.shape not in FRAMES and (item.source != WRITTEN or item.references)
        )

    def modified(self, kind: str) -> tuple[str, ...]:
        return tuple(self.modifications.get(kind, ()))

    def place(self, item_id: str) -> tuple[int, int] | None:
        """The section and the place in it, counted from 0."""
        for number, section in enumerate(self.sections):
            for place, item in enumerate(section.items):
                if item.id == item_id:
                    return number, place
        return None


# 1. From and to what is stored
def read_plan(
    sections: Iterable[Mapping[str, Any]],
    modifications: Mapping[str, Any] | None = None,
    last_numbers: Mapping[str, Any] | None = None,
) -> Plan:
    """A stored outline, ours or another program's; sections without a key get one, and every number is known."""
    read: list[OutlineSection] = []
    ordered = sorted(
        (OutlineSection.model_validate(as_plain(section)) for section in sections), key=lambda section: section.order
    )
    for section in ordered:
        key = section.key or section_key(section.name, {each.key for each in read})
        read.append(section if section.key else section.model_copy(update={"key": key}))
    recorded = {
        kind: tuple(str(entry) for entry in as_plain((modifications or {}).get(kind) or ())) for kind in MODIFICATIONS
    }
    plan = Plan(tuple(read), recorded, {name: int(number) for name, number in (last_numbers or {}).items()})
    return replace(plan, last_numbers=_numbers(plan))


def stored_sections(plan: Plan) -> tuple[dict[str, Any], ...]:
    """The sections as they are stored: as the document has them, ours beside."""
    return tuple(
        as_stored(section.model_copy(update={"order": number}).model_dump(exclude_unset=True, exclude={"items"}))
        | {"items": [as_stored(_dumped(item)) for item in section.items]}
        for number, section in enumerate(plan.sections, 1)
    )


def _dumped(item: OutlineItem) -> dict[str, Any]:
    dumped = item.model_dump(exclude_unset=True)
    return {name: value for name, value in dumped.items() if not (name == "rag_reference_id" and value is None)}


def stored_modifications(plan: Plan, others: Mapping[str, Any]) -> dict[str, Any]:
    """What a person changed, as it is stored; lists of another program's stay."""
    lists = {kind: list(plan.modified(kind)) for kind in MODIFICATIONS}
    documented = MODIFICATIONS[:3]
    return {**dict(others), **{kind: ids for kind, ids in lists.items() if ids or kind in documented}}


def _numbers(plan: Plan) -> dict[str, int]:
    """The highest number of each kind, in what was remembered and in every id that occurs anywhere."""
    numbers = dict(plan.last_numbers)

    def seen(name: str, number: int) -> None:
        numbers[name] = max(numbers.get(name, 0), number)

    ids = [section.id for section in plan.sections]
    ids += [item.id for item in plan.items]
    ids += [entry for kind in MODIFICATIONS[:5] for entry in plan.modified(kind)]
    for each in ids:
        if found := SECTION_ID.match(each):
            seen("section", int(found[1]))
        elif found := _ITEM_ID.match(each):
            seen(f"item-{int(found[1])}", int(found[2]))
            seen("section", int(found[1]))
        elif found := _CUSTOM_ID.match(each):
            seen("custom-item", int(found[1]))
    return numbers


# 2. Finding and replacing
def marks_of(section: OutlineSection, item: OutlineItem) -> tuple[str, ...]:
    """What an item is recognised by: its passages, or its title and section if it has none."""
    named = section.topic or section.made_as or section.name
    return item.references or (title_mark(named, item.made_as or item.title),)


def title_mark(section: str, title: str) -> str:
    return f"title:{section.casefold()}:{title.casefold()}"


def section_mark(section: OutlineSection) -> str | None:
    if section.source == PERSON:
        return None
    return f"section:{(section.topic or section.made_as or section.name).casefold()}"


def section_number(plan: Plan, section_id: str) -> int:
    for number, section in enumerate(plan.sections):
        if section.id == section_id:
            return number
    raise LookupError(section_id)


def with_section(plan: Plan, number: int, section: OutlineSection) -> Plan:
    sections = list(plan.sections)
    sections[number] = section
    return replace(plan, sections=tuple(sections))


def with_item(plan: Plan, at: tuple[int, int], item: OutlineItem) -> Plan:
    section = plan.sections[at[0]]
    items = list(section.items)
    items[at[1]] = item
    return with_section(plan, at[0], section.model_copy(update={"items": tuple(items)}))


def marked(plan: Plan, kind: str, entry: str) -> Plan:
    there = plan.modified(kind)
    return plan if entry in there else replace(plan, modifications={**plan.modifications, kind: (*there, entry)})


def unmarked(plan: Plan, kind: str, entry: str) -> Plan:
    left = tuple(each for each in plan.modified(kind) if each != entry)
    return replace(plan, modifications={**plan.modifications, kind: left})
