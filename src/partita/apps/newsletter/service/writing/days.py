"""Days that a text names, in the languages of the phrase books."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from partita.apps.newsletter.service.writing.phrases import BOOKS

_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


def days_in(text: str) -> tuple[date, ...]:
    """The days that a text names, in its order."""
    found: dict[int, date] = {}
    for match in _written().finditer(text):
        _add(found, match.start(), int(match[3]), _month_numbers()[match[2].lower()], int(match[1]))
    for match in _ISO.finditer(text):
        _add(found, match.start(), int(match[1]), int(match[2]), int(match[3]))
    return tuple(found[place] for place in sorted(found))


def _add(found: dict[int, date], place: int, year: int, month: int, day: int) -> None:
    try:
        found[place] = date(year, month, day)
    except ValueError:
        return


@cache
def _month_numbers() -> dict[str, int]:
    return {name.lower(): number for book in BOOKS.values() for number, name in enumerate(book.months, 1)}


@cache
def _written() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _month_numbers()), key=len, reverse=True))
    return re.compile(rf"\b(\d{{1,2}}) ({names}) (\d{{4}})\b", re.IGNORECASE)
