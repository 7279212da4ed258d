"""Release: what an approval makes of a draft or a proposal, now or on its day. Pure functions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from partita.apps.enablement.formats import Due, day_of, start_of, today_of
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service.bookkeeping import RELEASE
from partita.table.types import timestamp


def release_day(asked: str | None, effective_date: str | None, today: str) -> str | None:
    """The later day on which readers get it, as asked for or as the item says; None for now."""
    day = asked or day_of(effective_date)
    return day if day is not None and day > today else None


def approved(content: Content, approver: str, note: str | None, day: str | None, now: datetime) -> Content:
    """The item as readers get it: now, or on a later day, until which it is scheduled."""
    update: dict[str, Any] = {
        "status": "Approved",
        "change_note": note,
        "confirmed_at": timestamp(now),
        "confirmed_by": approver,
        "superseded_by": None,
        "retired_because": None,
    }
    after = content.model_copy(update=update)
    return released(after, now) if day is None else scheduled(after, day, now)


def released(content: Content, now: datetime) -> Content:
    """In the hands of readers. An `effective_date` in the future would hide it."""
    today = today_of(now)
    begins = day_of(content.effective_date)
    update: dict[str, Any] = {"approval_state": None, "released_at": timestamp(now)}
    if begins is not None and begins > today:
        update["effective_date"] = today
    return content.model_copy(update=update)


def scheduled(content: Content, day: str, now: datetime) -> Content:
    """Approved, and invisible until its day."""
    update: dict[str, Any] = {
        "approval_state": "scheduled",
        "effective_date": day,
        "released_at": None,
        "submitted_at": content.submitted_at or timestamp(now),
    }
    return content.model_copy(update=update)


def proposal_schedule(content_id: str, day: str) -> dict[str, Any]:
    """The attributes of a proposal that waits for its day."""
    due = Due(RELEASE, start_of(day))
    return {"approval_state": "scheduled", "release_on": day, "due_day": due.day, "due_key": due.key(content_id)}
