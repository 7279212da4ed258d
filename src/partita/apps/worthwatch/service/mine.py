"""What one person has done with one title, as writes: a mark and the place on To watch change together.

Whoever changes a mark names it as they read it, so that no two windows undo each other; the place on To watch has no
condition of its own, since the mark says whether there is one.
"""

from __future__ import annotations

from collections.abc import Iterator

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import Label, Mine, Queued
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.live import Write
from partita.table import ChangedMeanwhileError, Delete, Put

_FIELDS = (Mine.times, Mine.last_seen_on, Mine.marked_at, Mine.queued, Mine.rating, Mine.not_for_me)


def blank(user_id: str, ref: Ref) -> Mine:
    """Nothing done yet; never stored."""
    return Mine(user_id=user_id, content_type=ref[0], content_id=ref[1])


def seen(mine: Mine, now: str) -> Mine:
    """Marked as seen, which takes it off To watch."""
    return mine.with_(Mine.marked_at(mine.marked_at or now), Mine.queued(None))


def seen_on(mine: Mine, day: str, now: str) -> Mine:
    """Seen on a day, which the diary has too."""
    last = max(day, mine.last_seen_on or day)
    return seen(mine, now).with_(Mine.times((mine.times or 0) + 1), Mine.last_seen_on(last))


def changes(before: Mine | None, after: Mine) -> tuple[Write, ...]:
    """From one mark to another, and off To watch if it leaves that; nothing if they are equal."""
    return (*_own(before, after), *_place(before, after))


def place_of(mine: Mine, now: str, from_list: str | None, label: Label) -> Queued:
    """A place on To watch."""
    return Queued(
        user_id=mine.user_id,
        content_type=mine.content_type,
        content_id=mine.content_id,
        queued_at=now,
        from_list=from_list,
        label=label,
    )


def _own(before: Mine | None, after: Mine) -> Iterator[Write]:
    says_nothing = not any(getattr(after, each.field_name) for each in _FIELDS)
    if before is None:
        if not says_nothing:
            yield Put(after).if_new().otherwise(lambda there: ChangedMeanwhileError("Your mark", there))
    elif says_nothing:
        yield Delete(before.own_key).unless_changed(before, *_FIELDS)
    elif after != before:
        yield Put(after).unless_changed(before, *_FIELDS)


def _place(before: Mine | None, after: Mine) -> Iterator[Write]:
    if before is not None and before.queued and not after.queued:
        yield Delete(schema.queued(after.user_id, after.content_type, after.content_id).key)
