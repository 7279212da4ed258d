"""Labels of issues, counted on: `No. 12 / 2026` after `No. 11 / 2026`, `2027-W01` after `2026-W53`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta

from partita.apps.newsletter.service.reading.dates import date_spans

LONGEST = 80
_YEAR = r"(?<!\d)(?:19|20|21)\d\d(?!\d)"
_WEEK = r"\b(?:W|wk|KW|weeks?)(?:\.\s?|\s|-)?"
_QUARTER = r"\bQ\s?"
_WEEKS = (
    re.compile(rf"(?P<year>{_YEAR})\D{{0,3}}?{_WEEK}(?P<part>\d{{1,2}})(?!\d)", re.IGNORECASE),
    re.compile(rf"{_WEEK}(?P<part>\d{{1,2}})\D{{1,8}}(?P<year>{_YEAR})", re.IGNORECASE),
)
_QUARTERS = (
    re.compile(rf"(?P<year>{_YEAR})\D{{0,3}}?{_QUARTER}(?P<part>[1-4])(?!\d)", re.IGNORECASE),
    re.compile(rf"{_QUARTER}(?P<part>[1-4])\D{{1,8}}(?P<year>{_YEAR})", re.IGNORECASE),
)
_MONTH = re.compile(rf"(?P<year>{_YEAR})-(?P<part>0[1-9]|1[0-2])(?![\d-])")
_NAMED = re.compile(
    r"(?:\b(?:no|nos|nr|number|numbers|issue|issues|edition|digest no|ausgabe|numéro|número)\b\.?:?|№|n[°º]|#"
    r"|(?:ال)?عدد(?:\s+رقم)?|رقم|ቁጥር|እትም)\s*(?P<number>\d+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?P<number>\d+)")
_YEARS = re.compile(rf"{_YEAR}(?:\s?[-–/]\s?(\d\d)(?!\d))?|['’]\d\d(?!\d)")
"""Years, also `2026/27` and `’26`: they name an issue and do not count it."""
_SECOND = re.compile(r"\s?[-–/+&]\s?(\d+)(?!\d)")
"""The other number of a double issue: `Nos. 3–4`."""
_ORDINAL = re.compile(r"(st|nd|rd|th)\b", re.IGNORECASE)


def counted_on(label: str, steps: int = 1) -> str:
    """The label so many issues later. Its number counts, not the year, day or volume beside it; digits of any script
    and leading zeros stay. A label without a number stays as it is."""
    if steps < 1:
        return label
    after = _period(label, steps) or _number(label, steps) or label
    return after if len(after) <= LONGEST else label


def _period(label: str, steps: int) -> str | None:
    """Weeks, quarters and months of a year, which begin anew with the next one."""
    kinds: tuple[tuple[tuple[re.Pattern[str], ...], Callable[[int, int, int], tuple[int, int]]], ...] = (
        (_WEEKS, _week),
        (_QUARTERS, lambda year, part, steps: _of_year(year, part, steps, 4)),
        ((_MONTH,), lambda year, part, steps: _of_year(year, part, steps, 12)),
    )
    if _NAMED.search(label):
        return None
    for patterns, later in kinds:
        match = next(filter(None, (pattern.search(label) for pattern in patterns)), None)
        if match is not None:
            year, part = later(int(match["year"]), int(match["part"]), steps)
            numeric = label[match.start("part") - 1] in "-Ww"  # 2026-12, 2026-W53: two digits each
            for (start, end), value in sorted({match.span("year"): year, match.span("part"): part}.items())[::-1]:
                label = label[:start] + _written_like(str(value), label[start:end], padded=numeric) + label[end:]
            return label
    return None


def _week(year: int, week: int, steps: int) -> tuple[int, int]:
    try:
        later = date.fromisocalendar(year, week, 1) + timedelta(weeks=steps)
    except (ValueError, OverflowError):
        return year, week + steps  # no week of a calendar: a number
    return later.isocalendar()[:2]


def _of_year(year: int, part: int, steps: int, parts: int) -> tuple[int, int]:
    years, place = divmod(part - 1 + steps, parts)
    return year + years, place + 1


def _number(label: str, steps: int) -> str | None:
    """The number that is called one, else the last that is neither a year nor of a day."""
    days = date_spans(label)
    years = _years(label)
    named = [match for match in _NAMED.finditer(label) if not _within(match.start("number"), days)]
    counting = [match for match in named if not _within(match.start("number"), years)]
    others = [match for match in _NUMBER.finditer(label) if not _within(match.start(), [*days, *years])]
    if not others and label.strip().isdecimal():
        others = list(_NUMBER.finditer(label))  # a yearbook
    found = next(reversed(counting or named or others), None)
    if found is None:
        return None
    start, end = found.span("number")
    number = int(found["number"])
    double = _SECOND.match(label, end)
    if double is not None and int(double[1]) == number + 1 and not _within(double.start(1), days):
        first = number + (1 if _within(start, years) else 2) * steps
        between = label[end : double.start(1)]
        both = _written_like(str(first), found["number"]) + between + _written_like(str(first + 1), double[1])
        return label[:start] + both + label[double.end() :]
    written = _written_like(str(number + steps), found["number"])
    ordinal = _ORDINAL.match(label, end)
    if ordinal is not None:
        return label[:start] + written + _ending(number + steps, ordinal[1]) + label[ordinal.end() :]
    return label[:start] + written + label[end:]


def _years(label: str) -> list[tuple[int, int]]:
    found = []
    for match in _YEARS.finditer(label):
        following = match[1] is not None and int(match[1]) == (int(match[0][:4]) + 1) % 100
        found.append(match.span() if match[1] is None or following else (match.start(), match.start() + 4))
    return found


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _written_like(number: str, before: str, *, padded: bool = False) -> str:
    """A number in the digits of the one before it, and at least as many if that began with a zero."""
    zero = ord(before[0]) - unicodedata.decimal(before[0])
    digits = number.zfill(len(before)) if padded or unicodedata.decimal(before[0]) == 0 else number
    return "".join(chr(zero + int(digit)) for digit in digits)


def _ending(number: int, before: str) -> str:
    """st, nd, rd, th."""
    teen = number // 10 % 10 == 1
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return ending.upper() if before.isupper() else ending
