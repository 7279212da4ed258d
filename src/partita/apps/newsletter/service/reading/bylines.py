"""Who wrote a document, and when, in lines of their own before its text: they are about it and say nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from partita.apps.newsletter.service.reading.dates import dates_in, stated_in, without_dates
from partita.apps.newsletter.service.reading.sentences import word_count
from partita.kit.previews.blocks import Block

_SEEN = 8
"""So many blocks from the beginning may be such lines."""
_MOST_WORDS = 24
_PROSE = 25
"""A block of so many words is the text itself."""
_FEW = 4
_ENDS = re.compile("[!?።፧؟]$|(?<![A-Z])(?<!\\bDr)(?<!\\bMr)(?<!\\bMs)\\.$")
_BY = re.compile(
    r"""
    (?: (?:prepared|written|compiled|drafted|authored|submitted|reported|edited|story|text|words|photos?)[ ]by
      | authors? (?=[ ]*[:：]) | (?:préparé|rédigé|établi|écrit)[ ]par | auteurs? (?=[ ]*[:：])
      | إعداد (?=[ ]*[:：]) | أعده | أعدته | بقلم | كتبه | كتبته | ያዘጋጀው | አዘጋጅ | ጸሐፊ ) [ ]* [ :：፦]
    | by [ ] (?-i:[A-Z][\w’'.-]*) [ ,] [ ]? (?: (?:and|of|the|for|de|van|von|bin|al) [ ] )* (?-i:[A-Z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DAY_WORDS = re.compile(
    r"\b(?:published|updated|last|posted|issued|released|date|dated|on|of)\b|[^\w\s]", re.IGNORECASE
)
_APART = re.compile("[,،፣|·•—–]")
_TO_COME = re.compile(
    r"\b(?:deadlines?|clos(?:es|ing|ure)|due|starts?|begins?|ends?|opens?|opening|launch|limite|clôture)\b"
    r"|الموعد|آخر|የመጨረሻ|ገደብ",
    re.IGNORECASE,
)
"""A day with such a word is news, and of a call what people look for most."""


def is_byline(text: str) -> bool:
    """Whether a line names who wrote something, or the day alone. What ends a sentence is one."""
    text = text.strip()
    if not text or "\n" in text or word_count(text) > _MOST_WORDS or _ENDS.search(text):
        return False
    return bool(_BY.match(text)) or _is_day(text)


def _is_day(text: str) -> bool:
    """Whether a line is the day of a document, with the place at most: “Nairobi, 12 March 2026”."""
    beside = without_dates(text)
    words = _DAY_WORDS.sub(" ", beside).split()
    if not any(True for _ in dates_in(text)) or len(words) > _FEW or _TO_COME.search(text):
        return False
    if not words or any(True for _ in stated_in(text)):
        return True
    named = bool(_APART.search(beside)) and ":" not in beside
    return named and not any(word[0].islower() for word in words)


def bylines(blocks: Sequence[Block]) -> frozenset[int]:
    """Which blocks are such lines: of those before the text, if any text follows."""
    found: list[int] = []
    for number, block in enumerate(blocks[:_SEEN]):
        if block.kind == "heading":
            continue
        if block.kind != "paragraph" or word_count(block.text) >= _PROSE:
            break
        if is_byline(block.text):
            found.append(number)
    told = any(block.kind != "heading" for block in blocks[found[-1] + 1 :]) if found else False
    return frozenset(found if told else ())
