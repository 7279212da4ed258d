"""What changes together with a content item: its version, its history, the keys of the clock, the snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from partita.apps.enablement.formats import (
    Due,
    day_after,
    day_of,
    due_of,
    expiry_key,
    last_valid_day,
    major_of,
    start_of,
    today_of,
)
from partita.apps.enablement.schema import FIELDS, Content, ContentChange, FieldChange, Version, fields_of
from partita.table import Check, Delete, Put, Update
from partita.table.types import timestamp

Write = Put[Any] | Update[Any] | Delete[Any] | Check[Any]

CLOCK = "clock"
"""Who did what the clock did; no account has this id."""
RELEASE, REVIEW, EXPIRY, MUST_READ = "release", "review", "expiry", "must-read"
"""What the clock does with content: releases it, or reminds people of one of three dates."""
REVIEW_STEPS = (-14, 0, 7, 14)
EXPIRY_STEPS = (-14,)
MUST_READ_STEPS = (-3, 0)
_LONGEST_VALUE = 300
_SHOWN = (*FIELDS, "owner_user_id", "superseded_by", "must_read_by")


def rewrite(before: Content, after: Content) -> Update[Content]:
    """The update of the attributes that differ, on condition of the version and state that were read. What the
    background adds meanwhile stays; index keys are made anew."""
    changed = [
        attribute
        for field, attribute in Content.__attributes__.items()
        if not attribute.is_derived and field != "content_id" and getattr(before, field) != getattr(after, field)
    ]
    actions = [
        attribute.remove() if getattr(after, attribute.field_name) is None else attribute.set(_value(attribute, after))
        for attribute in changed
    ]
    return (
        Update(before.own_key, *actions)
        .making_anew(before)
        .unless_changed(before, Content.version, Content.status, Content.approval_state)
    )


def _value(attribute: Any, content: Content) -> Any:
    return getattr(content, attribute.field_name)


# The clock
def with_clock_keys(after: Content, before: Content | None, now: datetime) -> Content:
    """The item with the keys by which the clock finds it: expiry and the next due step, while it is approved."""
    approved, today = after.status == "Approved", today_of(now)
    key = expiry_key(after.expiry_date, after.content_id) if approved else None
    expiry_day = None if key is None else max(key[:10], today)
    due = next_due(after, before, today)
    return after.with_(
        Content.expiry_key(key),
        Content.expiry_day(expiry_day),
        Content.due_day(None if due is None else due.day),
        Content.due_key(None if due is None else due.key(after.content_id)),
    )


def next_due(after: Content, before: Content | None, today: str) -> Due | None:
    """What the clock does next: a step that it has not come to yet, or the first after today."""
    steps = sorted(due_steps(after), key=lambda due: (due.at, due.kind))
    waiting = None if before is None or before.due_key is None else due_of(before.due_key)
    if waiting is not None and waiting in steps and waiting.day <= today:
        return waiting
    return next((due for due in steps if due.day > today), None)


def reminder_of(content: Content, waiting: Due, today: str) -> Due:
    """The reminder that is told: after a break, of several steps of one date only the latest."""
    passed = [due for due in due_steps(content) if due.kind == waiting.kind and due.day <= today]
    return max(passed, key=lambda due: due.at, default=waiting)


def due_after(content: Content, done: Due, today: str) -> Due | None:
    """What comes after a step that is done. Other steps of the same date that have passed are done with it."""
    steps = sorted(due_steps(content), key=lambda due: (due.at, due.kind))
    return next(
        (
            due
            for due in steps
            if (due.at, due.kind) > (done.at, done.kind) and not (due.kind == done.kind and due.day <= today)
        ),
        None,
    )


def due_steps(content: Content) -> Iterator[Due]:
    """Everything that the clock ever does with an item as it is now."""
    if content.status != "Approved":
        return
    if content.approval_state == "scheduled" and content.released_at is None:
        day = day_of(content.effective_date)
        if day is not None:
            yield Due(RELEASE, start_of(day))
        return
    for kind, day, steps in (
        (REVIEW, day_of(content.review_due_date), REVIEW_STEPS),
        (EXPIRY, last_valid_day(content.expiry_date), EXPIRY_STEPS),
        (MUST_READ, day_of(content.must_read_by), MUST_READ_STEPS),
    ):
        if day is not None:
            for step in steps:
                yield Due(kind, start_of(day_after(day, step)))


def step_of(content: Content, due: Due) -> int | None:
    """How many days a reminder's step is from the date that it reminds of."""
    day = {
        REVIEW: day_of(content.review_due_date),
        EXPIRY: last_valid_day(content.expiry_date),
        MUST_READ: day_of(content.must_read_by),
    }.get(due.kind)
    if day is None:
        return None
    return (datetime.fromisoformat(due.day) - datetime.fromisoformat(day)).days


# History
def entry(
    change_id: str,
    by: str,
    action: str,
    now: datetime,
    *,
    before: Content | None,
    after: Content | None,
    comment: str | None = None,
    fields: Mapping[str, FieldChange] | None = None,
    ask_again: bool = False,
    batch: str | None = None,
) -> ContentChange:
    """The row of the history for a change; without a change of the item itself, for something said about it."""
    content = after or before
    assert content is not None
    changed = dict(fields or {}) or (dict(changes_between(before, after)) if before and after else {})
    return ContentChange(
        history_of=content.content_id,
        change_id=change_id,
        changed_at=timestamp(now),
        changed_by=by,
        action=action,
        from_status=before.status if before is not None and after is not None else None,
        to_status=after.status if after is not None else None,
        to_version=after.version if after is not None else None,
        comment=comment,
        changed_fields=changed or None,
        ask_again=ask_again,
        batch=batch,
    )


def changes_between(before: object, after: object, names: Iterable[str] = _SHOWN) -> Iterator[tuple[str, FieldChange]]:
    """The fields that people read, before and after; long ones are cut."""
    for name in names:
        old, new = getattr(before, name, None), getattr(after, name, None)
        if old != new:
            yield name, FieldChange(before=as_text(old), after=as_text(new))


def as_text(value: Any) -> str | None:
    """A field as people read it."""
    if value is None:
        return None
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def snapshot(content: Content, approved_by: str, approved_at: str) -> Version:
    """A content item as it was approved."""
    return Version(
        of_content=content.content_id,
        major=major_of(content.version),
        fields=fields_of(content),
        version=content.version,
        approved_at=approved_at,
        approved_by=approved_by,
        written_by=content.owner_user_id,
        change_note=content.change_note,
        cover_key=content.cover_key,
        page_count=content.page_count,
        text_key=content.text_key,
    )
