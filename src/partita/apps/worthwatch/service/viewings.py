"""Entries of the diary: which days they may have, and what they are called."""

from __future__ import annotations

from datetime import date, timedelta

from partita.apps.worthwatch.formats import version_of
from partita.apps.worthwatch.schema import Viewing
from partita.apps.worthwatch.service.labels import Title, label_of
from partita.kit.clock import Clock
from partita.kit.problems import FieldError, Invalid

_BEGINNING = date(1895, 1, 1)


def check_day(day: date, clock: Clock) -> None:
    """Refuse a day before there were films, and one that has not begun anywhere on Earth."""
    if day > clock.now().date() + timedelta(days=1):
        raise Invalid(FieldError("day", "This day has not come yet. Choose today, or a day before it."))
    if day < _BEGINNING:
        raise Invalid(FieldError("day", "There were no films yet. Choose a day from 1895 on."))


def viewing_of(
    user_id: str, title: Title, day: date, viewing_id: str, rewatch: bool = False, note: str = ""
) -> Viewing:
    """The item of an entry."""
    return Viewing(
        user_id=user_id,
        day=day.isoformat(),
        viewing_id=viewing_id,
        content_type=title.content_type,
        content_id=title.content_id,
        rewatch=rewatch or None,
        label=label_of(title),
        note=note or None,
    )


def pressed_id(title: Title) -> str:
    """The id of the entry that marking a title with a day makes: the same for one title, so that there is one a day."""
    return version_of(title.content_type, title.content_id)
