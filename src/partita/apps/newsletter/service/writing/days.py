"""Days that a text names, in the languages of the phrase books."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from partita.apps.newsletter.service.writing.phrases import BOOKS

_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


@dataclass(frozen=True, slots=True)
class Day:
    """A day that a text names, and where: `text[start:end]`."""

    day: date
    start: int
    end: int


def days_in(text: str) -> tuple[date, ...]:
    """The days that a text names, in its order."""
    return tuple(each.day for each in placed_days(text))


def placed_days(text: str) -> tuple[Day, ...]:
    """The same, with where they are."""
    found: list[Day] = []
    for match in _written().finditer(text):
        _add(found, match, int(match[3]), _month_numbers()[match[2].lower()], int(match[1]))
    for match in _ISO.finditer(text):
        _add(found, match, int(match[1]), int(match[2]), int(match[3]))
    return tuple(sorted(found, key=lambda each: each.start))


def _add(found: list[Day], match: re.Match[str], year: int, month: int, day: int) -> None:
    try:
        found.append(Day(date(year, month, day), match.start(), match.end()))
    except ValueError:
        return


@cache
def _month_numbers() -> dict[str, int]:
    return {name.lower(): number for book in BOOKS.values() for number, name in enumerate(book.months, 1)}


@cache
def _written() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _month_numbers()), key=len, reverse=True))
    return re.compile(rf"\b(\d{{1,2}}) ({names}) (\d{{4}})\b", re.IGNORECASE)
