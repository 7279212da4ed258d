"""The difference of two texts by words, and of two lists by entries: pieces that stay, go and come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

Mark = Literal["=", "-", "+", "~"]
"""Stays, removed, added; `~` is a stretch that stays and is left out, whose text is its length."""
_TOKENS = re.compile(r"\s+|\w+|[^\w\s]")
_MOST_EDITS = 200
"""Texts that differ more than this are no longer compared by words: what is between their common ends is replaced."""


class Piece(NamedTuple):
    """A part of a text, or an entry of a list, and what became of it."""

    mark: Mark
    text: str


def word_diff(old: str, new: str) -> tuple[Piece, ...]:
    """The pieces of two texts: what stays and what is removed is the old text, what stays and what is added the new."""
    pieces = _joined(sequence_diff(_TOKENS.findall(old), _TOKENS.findall(new)))
    return tuple(_joined(_whole_phrases(list(pieces))))


def sequence_diff(old: Sequence[str], new: Sequence[str]) -> list[Piece]:
    """The same of two lists, entry by entry."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    return [
        *(Piece("=", each) for each in old[:start]),
        *_middle(left, right),
        *(Piece("=", each) for each in old[len(old) - end :]),
    ]


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many entries both begin with."""
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return place
    return min(len(old), len(new))


def _middle(old: Sequence[str], new: Sequence[str]) -> list[Piece]:
    steps = _shortest(old, new) if old and new else None
    if steps is None:
        return [*(Piece("-", each) for each in old), *(Piece("+", each) for each in new)]
    return steps


def _shortest(old: Sequence[str], new: Sequence[str]) -> list[Piece] | None:
    """A shortest way from one to the other (Myers 1986); None if it is too long to be worth the time."""
    furthest = {1: 0}
    seen: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), _MOST_EDITS) + 1):
        seen.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
            )
            at = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            furthest[diagonal] = at
            if at >= len(old) and at - diagonal >= len(new):
                return _walk_back(old, new, seen)
    return None


def _walk_back(old: Sequence[str], new: Sequence[str], seen: list[dict[int, int]]) -> list[Piece]:
    at_old, at_new = len(old), len(new)
    pieces: list[Piece] = []
    for edits in range(len(seen) - 1, -1, -1):
        furthest, diagonal = seen[edits], at_old - at_new
        down = diagonal == -edits or (
            diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        from_old = furthest[before] if edits else 0
        from_new = from_old - before if edits else 0
        while at_old > max(from_old, 0) and at_new > max(from_new, 0) and old[at_old - 1] == new[at_new - 1]:
            at_old, at_new = at_old - 1, at_new - 1
            pieces.append(Piece("=", old[at_old]))
        if edits and down:
            at_new -= 1
            pieces.append(Piece("+", new[at_new]))
        elif edits:
            at_old -= 1
            pieces.append(Piece("-", old[at_old]))
    return pieces[::-1]


def _joined(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """Neighbours of one kind as one piece; between two that stay, what goes comes before what is new."""
    for stays, group in groupby(pieces, key=lambda piece: piece.mark == "="):
        members = list(group)
        for mark in ("=",) if stays else ("-", "+"):
            text = "".join(piece.text for piece in members if piece.mark == mark)
            if text:
                yield Piece(mark, text)  # type: ignore[arg-type]


def _whole_phrases(pieces: list[Piece]) -> Iterable[Piece]:
    """A space that stays between two changes belongs to both: phrases read better than a patchwork."""
    for place, piece in enumerate(pieces):
        between = 0 < place < len(pieces) - 1 and piece.mark == "=" and piece.text.isspace() and "\n" not in piece.text
        if between:
            yield Piece("-", piece.text)
            yield Piece("+", piece.text)
        else:
            yield piece
