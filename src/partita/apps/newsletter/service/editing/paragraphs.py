"""Texts by paragraphs: two versions of one text side by side, and what to make of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from partita.kit.history.words import sequence_diff

Side = Literal["mine", "theirs", "each"]
"""Which version of a passage is kept; `each` keeps both, mine first."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring paragraphs that stay the same, or differ between two versions."""

    by: Literal["same", "mine", "theirs", "both"]
    """Who has changed them since both began with the same text; `both` if that text is not known."""
    mine: tuple[str, ...]
    theirs: tuple[str, ...]

    @property
    def keep(self) -> Side:
        """What is chosen at first: the change, and mine if both have changed it."""
        return "theirs" if self.by == "theirs" else "mine"

    def kept(self, side: Side) -> tuple[str, ...]:
        """The paragraphs of a choice."""
        if side == "each" and self.by != "same":
            return (*self.mine, *self.theirs)
        return self.theirs if side == "theirs" else self.mine


def paragraphs(text: str) -> tuple[str, ...]:
    """The paragraphs, lists and tables of a text; code between fences is one, whatever is in it."""
    found: list[list[str]] = [[]]
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if not line.strip() and not fence:
            found.append([])
            continue
        found[-1].append(line if fence else line.rstrip())
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip() == mark[1] and mark[1].startswith(fence):
            fence = ""
    return tuple("\n".join(lines) for lines in found if lines)


def joined(parts: Sequence[str]) -> str:
    """Paragraphs as one text."""
    return "\n\n".join(parts)


def compared(mine: str, theirs: str, base: str | None = None) -> tuple[Passage, ...]:
    """Two versions of a text, passage by passage; with the text that both began with, it is known who changed what."""
    left, right = paragraphs(mine), paragraphs(theirs)
    if base is None:
        return _two_way(left, right)
    middle = paragraphs(base)
    in_mine, in_theirs = _places(middle, left), _places(middle, right)
    found: list[Passage] = []
    at = at_left = at_right = 0
    for place in range(len(middle) + 1):
        stays = place in in_mine and place in in_theirs
        if not stays and place < len(middle):
            continue
        to_left = in_mine[place] if stays else len(left)
        to_right = in_theirs[place] if stays else len(right)
        found += _region(middle[at:place], left[at_left:to_left], right[at_right:to_right])
        if stays:
            found.append(Passage("same", (middle[place],), (middle[place],)))
        at, at_left, at_right = place + 1, to_left + 1, to_right + 1
    return _together(found)


def merged(passages: Sequence[Passage], choices: Mapping[int, Side] | None = None) -> str:
    """One text of the passages; what nobody chose for is kept as `Passage.keep` says."""
    sides = choices or {}
    kept = (each.kept(sides.get(place, each.keep)) for place, each in enumerate(passages))
    return joined([part for parts in kept for part in parts])


def is_settled(passages: Sequence[Passage]) -> bool:
    """Whether nothing was changed by both, so that both changes can be kept without asking."""
    return all(each.by != "both" for each in passages)


def _two_way(left: Sequence[str], right: Sequence[str]) -> tuple[Passage, ...]:
    found: list[Passage] = []
    for mark, text in sequence_diff(right, left):
        if mark == "=":
            found.append(Passage("same", (text,), (text,)))
        else:
            found.append(Passage("both", (text,) if mark == "+" else (), (text,) if mark == "-" else ()))
    return _together(found)


def _places(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    """Paragraph of the base → where it is in the other text."""
    places: dict[int, int] = {}
    at = at_other = 0
    for mark, _ in sequence_diff(base, other):
        if mark == "=":
            places[at] = at_other
        at += mark != "+"
        at_other += mark != "-"
    return places


def _region(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[Passage]:
    mine, theirs = tuple(mine), tuple(theirs)
    if not mine and not theirs:
        return []
    if mine == theirs:
        return [Passage("same", mine, theirs)]
    by: Literal["mine", "theirs", "both"] = "both"
    if theirs == tuple(base):
        by = "mine"
    elif mine == tuple(base):
        by = "theirs"
    return [Passage(by, mine, theirs)]


def _together(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Neighbours of one kind as one passage."""
    found: list[Passage] = []
    for each in passages:
        if found and found[-1].by == each.by:
            last = found.pop()
            each = Passage(each.by, (*last.mine, *each.mine), (*last.theirs, *each.theirs))
        found.append(each)
    return tuple(found)
