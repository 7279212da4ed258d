"""Making an outline anew without losing what a person did to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from partita.apps.newsletter.formats import section_key
from partita.apps.newsletter.schema import MOST_ITEMS, MOST_SECTIONS
from partita.apps.newsletter.service.outlining.plan import (
    FOUND,
    PERSON,
    SECTION_ID,
    OutlineItem,
    OutlineSection,
    Plan,
    marks_of,
    title_mark,
)


@dataclass(frozen=True, slots=True)
class NewStory:
    """An item as a writer proposes it."""

    title: str
    description: str = ""
    source: str = FOUND
    references: tuple[str, ...] = ()
    words: int = 0
    shape: str = ""


@dataclass(frozen=True, slots=True)
class NewSection:
    """A section as a writer proposes it."""

    name: str
    topic: str = ""
    """Empty for the opening and the closing."""
    items: tuple[NewStory, ...] = ()
    words: int = 0


def regenerate(before: Plan, proposed: Sequence[NewSection]) -> Plan:
    """The writer's new outline, with everything a person did to the old one kept.

    A person's items, words, switches, order and removals stay. What nobody touched follows the writer: an item that is
    matched by its references keeps its id, one that has no match goes.
    """
    proposed = _without_removed(before, proposed)
    matches = _matches(before, proposed)
    by_item = {item_id: story for story, item_id in matches.items()}
    stories = {(s, i): story for s, section in enumerate(proposed) for i, story in enumerate(section.items)}
    numbers = _Numbers(before.last_numbers)

    sections, home = _frame(before, proposed, numbers)
    kept: dict[str, list[OutlineItem]] = {section.id: [] for section in sections}
    for section in before.sections:
        for item in section.items:
            match = by_item.get(item.id)
            if match is not None:
                goal = section.id if section.id in kept and _placed(before, item) else home[match[0]]
                kept[goal].append(_renewed(before, item, stories[match]))
            elif _touched(before, item):
                kept[section.id].append(item)

    room = MOST_ITEMS - sum(map(len, kept.values()))
    in_order = bool(before.modified("items_moved"))
    result: list[OutlineSection] = []
    for section in sections:
        own = kept[section.id]
        wanted = [place for place in stories if home[place[0]] == section.id]
        new: dict[tuple[int, int], OutlineItem] = {}
        for place in wanted:
            if place not in matches and room > 0:
                new[place] = _made(stories[place], numbers.item(section.id))
                room -= 1
        earlier = [item.id for old in before.sections if old.id == section.id for item in old.items]
        items = _merged(own, wanted, matches, new, earlier, in_order=in_order)
        result.append(section.model_copy(update={"items": tuple(items)}))
    full = [section for section in result if section.items or _own_section(before, section)]
    return Plan(tuple(full), dict(before.modifications), numbers.given)


def _frame(
    before: Plan, proposed: Sequence[NewSection], numbers: _Numbers
) -> tuple[list[OutlineSection], dict[int, str]]:
    """Sections in order, and for each proposed one the id of its section: old ones stay where they are, new ones follow
    the one that the writer put before them."""
    sections = list(before.sections)
    home: dict[int, str] = {}
    taken: set[str] = set()
    for number, new in enumerate(proposed):
        old = next((each for each in sections if each.id not in taken and _same_section(each, new)), None)
        if old is not None:
            place = sections.index(old)
            update: dict[str, Any] = {"words": new.words, "topic": new.topic}
            if not old.made_as:
                update["name"] = new.name
            sections[place] = old.model_copy(update=update)
            home[number] = old.id
        elif len(sections) >= MOST_SECTIONS:
            home[number] = sections[-1].id
        else:
            made = OutlineSection(
                id=numbers.section(),
                name=new.name,
                items=(),
                key=section_key(new.name, {each.key for each in sections}),
                topic=new.topic,
                words=new.words,
                enabled=True,
            )
            after = home.get(number - 1)
            place = next((n + 1 for n, each in enumerate(sections) if each.id == after), 0)
            sections.insert(place, made)
            home[number] = made.id
        taken.add(home[number])
    return sections, home


def _same_section(old: OutlineSection, new: NewSection) -> bool:
    if old.topic or new.topic:
        return old.topic == new.topic or (not old.topic and (old.made_as or old.name) == new.name)
    return (old.made_as or old.name).casefold() == new.name.casefold()


def _own_section(before: Plan, section: OutlineSection) -> bool:
    """Whether a person added it, so that it stays though it is empty."""
    return section.source == PERSON and any(each.id == section.id for each in before.sections)


def _without_removed(before: Plan, proposed: Sequence[NewSection]) -> list[NewSection]:
    removed = set(before.modified("removed_references"))

    def stays(section: NewSection, story: NewStory) -> bool:
        marks = set(story.references) or {title_mark(section.topic or section.name, story.title)}
        return 2 * len(marks & removed) < len(marks)

    return [
        replace(section, items=tuple(story for story in section.items if stays(section, story)))
        for section in proposed
        if f"section:{(section.topic or section.name).casefold()}" not in removed
    ]


def _matches(before: Plan, proposed: Sequence[NewSection]) -> dict[tuple[int, int], str]:
    """Place of a proposed story → the old item that it continues: half of the references in common, best first."""
    pairs: list[tuple[float, int, int, int, str]] = []
    for s, section in enumerate(proposed):
        for i, story in enumerate(section.items):
            marks = set(story.references) or {title_mark(section.topic or section.name, story.title)}
            for number, (old, item) in enumerate(_with_sections(before)):
                if item.source == PERSON and not item.references:
                    continue
                own = set(marks_of(old, item))
                common = len(marks & own)
                if common and 2 * common >= max(len(marks), len(own)):
                    pairs.append((-common / len(marks | own), s, i, number, item.id))
    matched: dict[tuple[int, int], str] = {}
    used: set[str] = set()
    for _, s, i, _, item_id in sorted(pairs):
        if (s, i) not in matched and item_id not in used:
            matched[s, i] = item_id
            used.add(item_id)
    return matched


def _with_sections(plan: Plan) -> Iterable[tuple[OutlineSection, OutlineItem]]:
    return ((section, item) for section in plan.sections for item in section.items)


def _merged(
    own: Sequence[OutlineItem],
    wanted: Sequence[tuple[int, int]],
    matches: Mapping[tuple[int, int], str],
    new: Mapping[tuple[int, int], OutlineItem],
    before: Sequence[str],
    *,
    in_order: bool,
) -> list[OutlineItem]:
    """The items of a section: in the person's order if they have moved anything, else in the writer's, with what the
    writer does not have where it was."""
    by_id = {item.id: item for item in own}
    if in_order:
        items = list(own)
        for number, place in enumerate(wanted):
            if place not in new:
                continue
            earlier = [matches.get(each) or (new[each].id if each in new else "") for each in wanted[:number]]
            after = max((n + 1 for n, item in enumerate(items) if item.id in earlier), default=0)
            items.insert(after, new[place])
        return items
    ordered = [
        new[place] if place in new else by_id[matches[place]] for place in wanted if _here(place, new, matches, by_id)
    ]
    for item in own:
        if all(each.id != item.id for each in ordered):
            ordered.insert(_place(item.id, before, [each.id for each in ordered]), item)
    return ordered


def _place(item_id: str, before: Sequence[str], now: Sequence[str]) -> int:
    """Where an item goes that the writer does not have: after what was before it, or before what was after it."""
    if item_id in before:
        at = before.index(item_id)
        for earlier in reversed(before[:at]):
            if earlier in now:
                return now.index(earlier) + 1
        for later in before[at + 1 :]:
            if later in now:
                return now.index(later)
    return len(now)


def _here(
    place: tuple[int, int],
    new: Mapping[tuple[int, int], OutlineItem],
    matches: Mapping[tuple[int, int], str],
    own: Mapping[str, OutlineItem],
) -> bool:
    return place in new or matches.get(place, "") in own


def _touched(plan: Plan, item: OutlineItem) -> bool:
    """Whether a person had a hand in it."""
    kinds = ("items_added", "items_edited", "items_moved", "items_disabled")
    return item.source == PERSON or not item.enabled or any(item.id in plan.modified(kind) for kind in kinds)


def _placed(plan: Plan, item: OutlineItem) -> bool:
    return item.source == PERSON or item.id in plan.modified("items_moved")


def _renewed(plan: Plan, item: OutlineItem, story: NewStory) -> OutlineItem:
    """An old item with the writer's new words, unless a person wrote it or changed it."""
    if item.source == PERSON or item.id in plan.modified("items_edited"):
        return item
    return item.model_copy(
        update={
            "title": story.title,
            "description": story.description,
            "rag_reference_ids": story.references,
            "rag_reference_id": next(iter(story.references), None),
            "words": story.words,
            "shape": story.shape,
        }
    )


def _made(story: NewStory, item_id: str) -> OutlineItem:
    return OutlineItem(
        id=item_id,
        title=story.title,
        description=story.description,
        editable=True,
        source=story.source,
        rag_reference_id=next(iter(story.references), None),
        rag_reference_ids=story.references,
        enabled=True,
        words=story.words,
        shape=story.shape,
    )


class _Numbers:
    """Gives numbers for ids, each once."""

    def __init__(self, last: Mapping[str, int]) -> None:
        self.given = dict(last)

    def section(self) -> str:
        return f"section-{self._next('section')}"

    def item(self, section_id: str) -> str:
        found = SECTION_ID.match(section_id)
        number = int(found[1]) if found else 0
        return f"item-{number}-{self._next(f'item-{number}')}"

    def _next(self, name: str) -> int:
        self.given[name] = self.given.get(name, 0) + 1
        return self.given[name]
