"""What changes together with a newsletter: when it was touched, how far it is, and what its steps were made with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from partita.apps.newsletter.formats import length_of, topic_label
from partita.apps.newsletter.schema import Newsletter, Topics
from partita.table import Action, AttributeOf, Item, Update
from partita.table.types import timestamp
from partita.table.versions import version_of

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
TOUCHED_EVERY = timedelta(minutes=1)
"""The desk's order is written at most this often."""
RETRIEVAL_SETTINGS = ("target_audience", "frequency", "length_preference", "geographic_focus", "language")
OUTLINE_SETTINGS = ("target_audience", "length_preference", "language", "tone_technical")
DRAFT_SETTINGS = (
    "target_audience",
    "tone_professional",
    "tone_technical",
    "length_preference",
    "geographic_focus",
    "language",
    "generator",
)
LABELS = {
    "target_audience": "audience",
    "frequency": "frequency",
    "length_preference": "length",
    "geographic_focus": "region",
    "language": "language",
    "tone_professional": "tone",
    "tone_technical": "tone",
    "generator": "writer",
    "selected_types": "topics",
    "search_words": "search words",
    "source_ids": "sources",
    "pinned": "pinned passages",
    "excluded": "excluded passages",
    "any_age": "how far back to look",
    "retrieved": "content",
}
"""What a setting is called when it has changed since."""


def is_touched(newsletter: Newsletter, now: datetime) -> bool:
    """Whether the desk has it in its place already: it was touched less than a minute ago."""
    return newsletter.touched_at is not None and newsletter.touched_at > timestamp(now - TOUCHED_EVERY)


def touch(newsletter: Newsletter, now: datetime, *actions: Action[Newsletter]) -> Update[Newsletter]:
    """An update of the newsletter's own item: somebody has edited something of it. It does not count as a revision of
    the configuration."""
    at = timestamp(now)
    touched = () if is_touched(newsletter, now) else (Newsletter.touched_at.set(at),)
    update = Update(newsletter.own_key, Newsletter.updated_at.set(at), *touched, *actions)
    return update.knowing(Newsletter.user_id(newsletter.user_id)) if touched else update


def reached(newsletter: Newsletter, step: int) -> tuple[Action[Newsletter], ...]:
    """The furthest step, which never goes back."""
    return (Newsletter.current_step.set(step),) if step > newsletter.current_step else ()


def changed(before: I, after: I, *also: AttributeOf[I, Any]) -> Update[I]:
    """The write of what differs between two states of an item, as its next version; nothing else of it is written. What
    belongs to others and counts no version stays as they wrote it meanwhile: a step's status, an export just made.
    `also` are written in any case: a row that a step's status has made does not have them yet. The next version is that
    of `after` if it is a later one."""
    layout, attributes = type(before).__layout__, type(before).__attributes__
    names = dict.fromkeys(name for name in layout.names if getattr(before, name) != getattr(after, name))
    names |= dict.fromkeys(each.field_name for each in also)
    counted = version_of(type(before))
    update = Update(before.own_key, *(attributes[name].set(getattr(after, name)) for name in names))
    number = max(getattr(before, counted.field_name) + 1, getattr(after, counted.field_name))
    others = (each for each in update.actions if each.field != counted.field_name)
    return update.next_version(before).with_actions(*others, counted.set(number))


# What steps were made with
def retrieval_settings(newsletter: Newsletter, topics: Topics) -> dict[str, Any]:
    """What a retrieval depends on."""
    return _of(newsletter, RETRIEVAL_SETTINGS) | {
        "selected_types": [topic_label(each) for each in topics.selected_types],
        "search_words": {topic: words for topic, words in topics.search_words.items() if words},
        "source_ids": sorted(topics.source_ids),
        "pinned": sorted(topics.pinned),
        "excluded": sorted(topics.excluded),
        "any_age": sorted(topics.any_age) or None,
    }


def outline_settings(newsletter: Newsletter, topics: Topics) -> dict[str, Any]:
    """What an outline depends on."""
    retrieved = topics.retrieval_completed_at or ""
    return _of(newsletter, OUTLINE_SETTINGS) | {"retrieved": retrieved, "excluded": sorted(topics.excluded)}


def draft_settings(newsletter: Newsletter, topics: Topics) -> dict[str, Any]:
    """What a draft depends on, beside the outline's revision, which is an attribute of its own."""
    return _of(newsletter, DRAFT_SETTINGS) | {"excluded": sorted(topics.excluded)}


def changed_since(made_with: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """What has changed since a step was made, in people's words; nothing if nobody noted what it was made with."""
    if not made_with:
        return ()
    changed = [LABELS.get(name, name) for name, value in now.items() if _plain(made_with.get(name)) != _plain(value)]
    return tuple(dict.fromkeys(changed))


def _of(newsletter: Newsletter, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: getattr(newsletter, name) for name in names}
    if "length_preference" in values:
        values["length_preference"] = length_of(values["length_preference"])
    if "target_audience" in values:
        values["target_audience"] = sorted(values["target_audience"])
    return values


def _plain(value: Any) -> Any:
    """Absent, empty and zero-length are the same, and lists are compared as lists."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value] or None
    return value if value not in (None, "", {}) else None
