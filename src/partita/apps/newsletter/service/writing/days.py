"""Days that a text names, in the languages of the phrase books: 3 March 2026, March 3, 2026, 3 to 5 March 2026."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from partita.apps.newsletter.service.writing.phrases import BOOKS

_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s"
_JOINED = rf"(?:\s?[-–—]\s?|,?\s(?:to|and|&|or|until|through|إلى|حتى|أو|እስከ|እና|ወይም)\s(?:{_WEEKDAY})?(?:the\s)?|\sو\s?)"
"""What stands before the last day of a period or a list whose month or year is written once."""
_MOST_JOINED = 6


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
    """The same, with where they are. Of `from 3 to 5 March 2026` both are days."""
    found: list[Day] = []
    for match in _day_first().finditer(text):
        found += _in_a_row(text, match)
    for match in _month_first().finditer(text):
        found += _in_a_row(text, match)
    for match in _ISO.finditer(text):
        made = _built(int(match[1]), int(match[2]), int(match[3]))
        found += [Day(made, *match.span())] if made else []
    return tuple(sorted(found, key=lambda each: each.start))


def _in_a_row(text: str, match: re.Match[str]) -> Iterator[Day]:
    """The days of a list or period from its last one, which has its year, to its first one."""
    year, month = int(match["year"]), 0
    parts = list(_part().finditer(text, match.start("days"), match.end("days")))
    later: date | None = None
    for place, part in reversed(list(enumerate(parts))):
        month = _month_numbers().get((part["month"] or part["before"] or "").lower(), month)
        named = month or _months_before(parts, place)
        made = _built(year, named, int(part["number"]))
        if made is not None and later is not None and made >= later:
            made = _built(year - 1, named, made.day) if named > later.month else None
        if made is None:
            return
        later, year = made, made.year
        yield Day(made, part.start(), match.end() if place == len(parts) - 1 else part.end())


def _months_before(parts: list[re.Match[str]], place: int) -> int:
    """The month of a day that is written before an earlier one: `March 3 and 5, 2026`."""
    names = (part["before"] for part in reversed(parts[: place + 1]) if part["before"])
    return _month_numbers().get(next(names, "").lower(), 0)


def _built(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


@cache
def _month_numbers() -> dict[str, int]:
    return {name.lower(): number for book in BOOKS.values() for number, name in enumerate(book.months, 1)}


@cache
def _names() -> str:
    return "|".join(sorted(map(re.escape, _month_numbers()), key=len, reverse=True))


@cache
def _day_first() -> re.Pattern[str]:
    day = rf"{_NUMBER}(?:\s(?:of\s)?(?:{_names()}))?"
    row = rf"(?:(?:{day},\s){{0,{_MOST_JOINED}}}{day}{_JOINED})?"
    last = rf"{_NUMBER}\s(?:of\s)?(?:{_names()})"
    return re.compile(rf"(?<!\w)(?<!\d[.,/-])(?P<days>{row}{last}),?\s(?P<year>\d{{4}})\b", re.IGNORECASE)


@cache
def _month_first() -> re.Pattern[str]:
    day = rf"(?:(?:{_names()})\s)?{_NUMBER}"
    row = rf"(?:(?:,\s{day}){{0,{_MOST_JOINED}}}{_JOINED}{day})?"
    days = rf"(?:{_names()})\s{_NUMBER}{row}"
    return re.compile(rf"\b(?P<days>{days}),?\s(?P<year>\d{{4}})\b", re.IGNORECASE)


@cache
def _part() -> re.Pattern[str]:
    number = r"(?P<number>\d{1,2})(?:st|nd|rd|th)?"
    return re.compile(rf"(?:(?P<before>{_names()})\s)?{number}(?:\s(?:of\s)?(?P<month>{_names()}))?", re.IGNORECASE)
