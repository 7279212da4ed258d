"""What must be there before something is submitted or approved; every missing field is named."""

from __future__ import annotations

from typing import Any

from partita.apps.enablement.formats import day_in_words, day_of, expires_at, last_valid_day, major_of, today_of
from partita.apps.enablement.inputs import NOTE_LENGTHS
from partita.apps.enablement.schema import Content
from partita.kit.problems import FieldError, Invalid

_LONGEST_SUMMARY = 500


def check_dates(fields: Any) -> None:
    """Refuse dates that contradict each other."""
    begins, ends = day_of(fields.effective_date), last_valid_day(fields.expiry_date)
    if begins is not None and ends is not None and ends < begins:
        raise Invalid(FieldError("expiry_date", f"It begins on {begins}: choose that day or a later one."))


def check_complete(fields: Any, note: str | None, major: int) -> None:
    """Refuse to submit what readers could not use."""
    errors = []
    if not fields.title.strip():
        errors.append(FieldError("title", "Enter a title."))
    if not fields.summary.strip():
        errors.append(FieldError("summary", "Say in a sentence or two what this is for."))
    elif len(fields.summary) > _LONGEST_SUMMARY:
        errors.append(FieldError("summary", f"At most {_LONGEST_SUMMARY} characters; it has {len(fields.summary)}."))
    if not fields.s3_uri and not fields.s3_key:
        errors.append(FieldError("text", "Write a text or attach a file."))
    errors += _note_errors(note, major)
    if errors:
        raise Invalid(*errors)


def check_note(content: Content, note: str | None) -> None:
    """Refuse to release a later version without saying what changed."""
    errors = _note_errors(note, major_of(content.version))
    if errors:
        raise Invalid(*errors)


def _note_errors(note: str | None, major: int) -> list[FieldError]:
    least, most = NOTE_LENGTHS
    if major >= 1 and not (note and least <= len(note) <= most):
        return [FieldError("note", f"Say in {least} to {most} characters what has changed: readers are told.")]
    return []


def check_valid(fields: Any, now: Any) -> None:
    """Refuse to release what is over already."""
    ends = expires_at(fields.expiry_date)
    day = last_valid_day(fields.expiry_date)
    if ends is not None and day is not None and day < today_of(now):
        message = f"Its last valid day was {day_in_words(day)}. Choose a later one first."
        raise Invalid(FieldError("expiry_date", message))
