"""Where sentences begin and end, in Latin, Ethiopic and Arabic script."""

from __future__ import annotations

import re
from dataclasses import dataclass

from partita.apps.newsletter.service.reading.abbreviations import ALWAYS, BEFORE_NUMBERS, STARTERS

# Two word spaces of Ethiopic are often typed for its full stop.
_END = re.compile(r"(?<![.!?…])[.!?…]++[)\]}\"'”’»›]*+(?=\s|$)|(?:[።፧፨؟۔]++|፡፡)[)\]}\"'”’»›]*+")
_MARK = re.compile(r"[ \t]*(?:[-*•‣▪◦–—]|\d{1,3}[.)])[ \t]+")
_LINES = re.compile(r"\n+")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«]*$")
_SPACE = re.compile(r"[\s\u1361]+")
_LOWER_AHEAD = re.compile(r"[\s\"'“‘«(]*(?:[a-zà-öø-ÿ]|[-–—,;:])")
_NUMBER_AHEAD = re.compile(r"\s*\d")
_WORD_AHEAD = re.compile(r"\s*([^\W\d_]+)")
_NUMBER_OF = re.compile(
    r"\s*(?:(?:table|tab|figure|fig|box|annex|chapter|section|ሠንጠረዥ|ሰንጠረዥ|جدول|الجدول)\.?\s+)?\d+", re.IGNORECASE
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and where it is in its text: `text[start:end]`."""

    text: str
    start: int
    end: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in order. A line break ends one; the mark before an entry of a list is left out."""
    found: list[Sentence] = []
    begin = 0
    for line in (*_LINES.finditer(text), None):
        end = len(text) if line is None else line.start()
        _of_line(text, begin, end, found)
        begin = end if line is None else line.end()
    return tuple(found)


def word_count(text: str) -> int:
    """How many words there are: what spaces (or the Ethiopic word mark) part, unless it is all punctuation."""
    return sum(1 for word in _SPACE.split(text) if any(map(str.isalnum, word)))


def _of_line(text: str, begin: int, end: int, found: list[Sentence]) -> None:
    mark = _MARK.match(text, begin, end)
    start = mark.end() if mark else begin
    for stop in _END.finditer(text, start, end):
        if not _goes_on(text, start, stop, end):
            _add(text, start, stop.end(), found)
            start = stop.end()
    _add(text, start, end, found)


def _add(text: str, start: int, end: int, found: list[Sentence]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        found.append(Sentence(text[start:end], start, end))


def _goes_on(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether the sentence goes on behind a mark that could end it."""
    if stop.end() >= end:
        return False
    mark = stop[0]
    if mark[0] in "!?":
        return _LOWER_AHEAD.match(text, stop.end(), end) is not None
    if mark[0] != ".":
        return mark[0] == "…" and _LOWER_AHEAD.match(text, stop.end(), end) is not None
    if _LOWER_AHEAD.match(text, stop.end(), end):
        return True
    if len(mark) > 1:
        return False  # an ellipsis, or a closing bracket or quote behind the stop
    before = _WORD_BEFORE.search(text, max(start, stop.start() - 20), stop.start())
    word = before[0] if before else ""
    folded = word.lower()
    if folded in ALWAYS:
        return True
    if folded in BEFORE_NUMBERS:
        return _NUMBER_AHEAD.match(text, stop.end(), end) is not None
    if word.isdecimal() and _NUMBER_OF.fullmatch(text, start, stop.start()):
        return True  # "3. Results", "Table 2. Prices": the number of a heading or of a table
    if not _INITIALS.fullmatch(word) or not word[0].isupper() or word == "I":
        return False
    ahead = _WORD_AHEAD.match(text, stop.end(), end)
    return ahead is not None and ahead[1].lower() not in STARTERS
