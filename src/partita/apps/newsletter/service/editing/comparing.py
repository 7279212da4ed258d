"""What changed between two versions of a draft: section by section, by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from partita.apps.newsletter.service.editing.paragraphs import joined, paragraphs
from partita.apps.newsletter.service.editing.sections import section
from partita.kit.history.words import Piece, sequence_diff, word_diff

MOST_CHARACTERS = 60_000
"""Sections longer than this are not compared by words: the page says so and shows which paragraphs differ."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of one section."""

    key: str
    heading: str
    kind: Literal["same", "changed", "added", "removed"]
    pieces: tuple[Piece, ...]


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """Every section of two versions, in the order of the later one; what was removed comes last."""
    keys = (*after, *(key for key in before if key not in after))
    return tuple(_difference(key, before.get(key), after.get(key)) for key in keys)


def word_pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Two texts as pieces: paragraphs are matched first, then the words of those that changed.

    What stays and what is removed is the old text, what stays and what is added the new one.
    """
    pieces: list[Piece] = []
    for gone, come, stay in _runs(sequence_diff(_lines(before), _lines(after))):
        by_words = len(gone) + len(come) <= MOST_CHARACTERS
        pieces += word_diff(gone, come) if by_words else (Piece("-", gone), Piece("+", come))
        pieces.append(Piece("=", stay))
    return tuple(_joined([piece for piece in pieces if piece.text]))


def normal(text: str) -> str:
    """The text as versions are compared: without blanks that nobody sees."""
    return joined(paragraphs(text))


def _difference(key: str, before: str | None, after: str | None) -> Difference:
    heading = section(key, after if after is not None else before or "").heading
    if before is None:
        return Difference(key, heading, "added", (Piece("+", normal(after or "")),))
    if after is None:
        return Difference(key, heading, "removed", (Piece("-", normal(before)),))
    old, new = normal(before), normal(after)
    if old == new:
        return Difference(key, heading, "same", ())
    return Difference(key, heading, "changed", word_pieces(old, new))


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _runs(pieces: Sequence[Piece]) -> list[tuple[str, str, str]]:
    """Lines that were removed, lines that came in their place, and lines that stay after them."""
    runs: list[tuple[str, str, str]] = []
    gone = come = stay = ""
    for mark, text in pieces:
        if mark != "=" and stay:
            runs.append((gone, come, stay))
            gone = come = stay = ""
        gone += text if mark == "-" else ""
        come += text if mark == "+" else ""
        stay += text if mark == "=" else ""
    return [*runs, (gone, come, stay)]


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].mark == piece.mark:
            found[-1] = Piece(piece.mark, found[-1].text + piece.text)
        else:
            found.append(piece)
    return found
