"""Changes of content as pages tell them: with names for the ids of people, and titles for those of content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from partita.apps.enablement.formats import day_in_words
from partita.apps.enablement.pages.editor import FIELDS
from partita.apps.enablement.schema import ContentChange, FieldChange
from partita.apps.enablement.service import EnablementService
from partita.kit.permissions import Viewer

_PERSON, _CONTENT = "owner_user_id", "superseded_by"
LABELS = {
    **FIELDS.labels,
    "file_name": "File",
    "size_bytes": "Size of the file",
    "owner_user_id": "Owner",
    "superseded_by": "Replaced by",
    "must_read_by": "To be read by",
}
"""Field → as people read it; fields that are not here are no news to people."""
_DAYS = ("effective_date", "review_due_date", "expiry_date", "must_read_by")
_LEFT, _UNSEEN = "Somebody who has left", "Other content"


async def told(service: EnablementService, viewer: Viewer, changes: Sequence[ContentChange]) -> dict[str, Any]:
    """What a page needs to tell changes: `changes` in words, and `people` and `pictures` of who made them, by id."""
    persons = await service.showing.named([*(each.changed_by for each in changes), *_values(changes, _PERSON)])
    contents = await service.content.visible(viewer, _values(changes, _CONTENT))
    titles = {each.content_id: each.title for each in contents}
    return {**persons, "changes": [_in_words(each, persons["people"], titles) for each in changes]}


def _in_words(change: ContentChange, people: Mapping[str, str], titles: Mapping[str, str]) -> ContentChange:
    fields = {name: field for name, field in (change.changed_fields or {}).items() if name in LABELS}
    for name, known, other in ((_PERSON, people, _LEFT), (_CONTENT, titles, _UNSEEN)):
        if name in fields:
            before, after = ((known.get(each, other) if each else None) for each in _sides(fields[name]))
            fields[name] = FieldChange(before=before, after=after)
    for name in fields.keys() & set(_DAYS):
        before, after = (each and (day_in_words(each) or each) for each in _sides(fields[name]))
        fields[name] = FieldChange(before=before, after=after)
    return change.with_(ContentChange.changed_fields(fields or None))


def _values(changes: Iterable[ContentChange], name: str) -> list[str]:
    fields = [each.changed_fields[name] for each in changes if each.changed_fields and name in each.changed_fields]
    return [value for field in fields for value in _sides(field) if value]


def _sides(field: FieldChange) -> tuple[str | None, str | None]:
    return field.before, field.after
