"""How much a sentence belongs to each kind of section, by words that sentences of that kind have (`cues.txt`).

Cues are few and general: verbs of loss for a need, of aim for objectives, of doing for the method, money for the
budget, days ahead for the work plan. A heading tells more than any word, since its writer has sorted already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import get_args

from partita.apps.newsletter.service.proposing.kinds import Kind, kinds_in
from partita.apps.newsletter.service.proposing.patterns import patterns

LEAST = 0.75
"""What a sentence must have for a kind to be told there."""
_HEADING, _DOCUMENT = 1.3, 0.35
_PLAIN = 0.9
"""A cue that says by itself what a sentence is about: a heading that says something else counts half."""

_ALL = tuple(patterns("cues.txt", exact=("team", "method")))
_CUES: dict[Kind, tuple[tuple[float, re.Pattern[str]], ...]] = {
    kind: tuple((weight, pattern) for name, weight, pattern in _ALL if name == kind) for kind in get_args(Kind)
}
_TABLES: dict[Kind, re.Pattern[str]] = {
    kind: pattern for name, _, pattern in _ALL for kind in get_args(Kind) if name == f"table:{kind}"
}
_DOCUMENTS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = tuple(
    (frozenset(name.removeprefix("document:").split(",")), pattern)
    for name, _, pattern in _ALL
    if name.startswith("document:")
)
_NAMED = {name: pattern for name, _, pattern in _ALL if name.startswith("name:")}
_MONEY, _WHEN = _NAMED["name:money"], _NAMED["name:when"]
_COST_WORD = re.compile(
    r"\b(costs?|budget|salar(y|ies)|contribut\w+|price of|expenses?|overheads?|co-?financ\w*|come to|estimated)\b"
    r"|تكلفة|ميزانية|በጀት|ወጪ",
    re.IGNORECASE,
)
_GAIN = re.compile(
    r"\b(earn(s|ed|ings)?|incomes?|profits?|saved|gained|sold for|more (each|a|per))\b"
    r"|\bcosts? .{0,40}\b(falls?|fell|drops?|dropped|sinks?|sank|halved?)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(was|were|had|built|trained|rose|fell|cut|earned|asked|elected|found|amounted|visited|founded|bred|served|heard|paid|reached|treated|lost)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"\b(will|shall|is to|are to|plan(s|ned)? to)\b", re.IGNORECASE)
_AIM = re.compile(r"\b(aims?|seeks?|objectives?|goals?|targets?)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def scores_of(text: str, heading: str, document: str, today_year: int) -> dict[Kind, float]:
    """What speaks for each kind: cues in a sentence, the heading it is under, the title of its document."""
    found: dict[Kind, float] = {
        kind: sum(weight for weight, pattern in cues if pattern.search(text)) for kind, cues in _CUES.items()
    }
    cued = {kind for kind, value in found.items() if value}
    strongest = max(found.values())
    for kind in kinds_in(heading):
        found[kind] += _HEADING if kind in cued or strongest < _PLAIN else _HEADING / 2
    for names, pattern in _DOCUMENTS:
        if pattern.search(document):
            for kind in found:
                found[kind] += (_DOCUMENT if kind in cued else _DOCUMENT / 2) * (kind in names)
    _correct(found, text, today_year)
    return found


def _correct(found: dict[Kind, float], text: str, today_year: int) -> None:
    """What two cues mean together."""
    past = bool(_PAST.search(text)) and not _AHEAD.search(text)
    years = [int(year) for year in _YEAR.findall(text)]
    over = (bool(years) and max(years) < today_year) or "last year" in text
    if past or over:
        found["method"] -= 0.8
        found["plan"] -= 1.5 if over or not years else 0.0
        found["objectives"] -= 0.5
        found["budget"] -= 0.8
    if not _WHEN.search(text):
        found["plan"] -= 0.6
    if _GAIN.search(text):
        found["budget"] -= 1.4
        found["results"] += 0.3
    elif _MONEY.search(text) and _COST_WORD.search(text):
        found["budget"] += 0.4
    if over:
        found["budget"] -= 2.0  # accounts of a year that is over
    if _AIM.search(text) and found["objectives"] >= 1.0:
        for kind in ("results", "need", "method", "gender"):
            found[kind] -= 0.5


def table_scores(rows: Sequence[Sequence[str]], caption: str, heading: str) -> dict[Kind, float]:
    """What speaks for each kind of a table: its head, its first column, its caption, and the heading above it; which
    stands for a caption that it has not, and counts once."""
    head = " | ".join(rows[0])
    body = " | ".join(cell for row in rows[1:] for cell in row[:1])
    found: dict[Kind, float] = dict.fromkeys(_TABLES, 0.0)
    for kind, pattern in _TABLES.items():
        found[kind] += 1.6 * bool(pattern.search(head)) + 0.8 * bool(pattern.search(body))
        found[kind] += 1.0 * bool(caption != heading and pattern.search(caption))
    for kind in kinds_in(heading) + (kinds_in(caption) if caption != heading else ()):
        found[kind] = found.get(kind, 0.0) + _HEADING
    return found


def best_of(scores: dict[Kind, float], kinds: Iterable[Kind]) -> float:
    """What speaks most for any of some kinds."""
    return max((scores.get(kind, 0.0) for kind in kinds), default=0.0)


def cued_for(text: str, kinds: Iterable[Kind]) -> bool:
    """Whether a sentence itself has a cue for any of some kinds."""
    return any(pattern.search(text) for kind in kinds for _, pattern in _CUES[kind])
