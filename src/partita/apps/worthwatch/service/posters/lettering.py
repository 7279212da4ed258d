"""A title set in lines: as large as it goes, no word broken, and an ellipsis if nothing else helps."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

LARGEST, SMALLEST = 34, 15
MOST_LINES = 4
TALLEST = 116
"""How high the lines of a title may be together, so that there is room for the motif."""
ELLIPSIS = "…"

_ZERO_WIDTH_JOINER = "\u200d"
_JOINERS = (_ZERO_WIDTH_JOINER, "\u200c")
_MOST_MARKS = 3
"""Marks on one letter; more of them would climb out of their line."""
_NEVER_FIRST = frozenset("、。，．・：；！？）］｝」』】〕〉》〟’”…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;!?)]}")
_NEVER_LAST = frozenset("（［｛「『【〔〈《〝‘“([{¿¡")
_BREAKS_AFTER = frozenset("-‐–—/")


class Piece(NamedTuple):
    """What stays together on a line."""

    text: str
    width: float
    """In units of the type size."""
    spaced: bool
    """A space is between it and the piece before."""


class Block(NamedTuple):
    """A title as it is set."""

    size: int
    lines: tuple[str, ...]


def set_title(title: str, width: float, stretch: float = 1) -> Block:
    """The lines of a title in a column; `stretch` is how wide the letters are, compared with usual ones."""
    pieces = _pieces(title)
    best, best_score, fewest = Block(SMALLEST, ()), -1.0, MOST_LINES + 1
    for size in range(LARGEST, SMALLEST - 1, -1):
        room = width / (size * stretch)
        if max((piece.width for piece in pieces), default=0) > room:
            continue
        count = len(_lines(pieces, room))
        if count >= fewest or count > TALLEST // size:
            continue
        # The largest size with this number of lines. Lines of one length look better than larger ones that are ragged.
        fewest = count
        lines = [_text(line) for line in _even(pieces, count, room)]
        widths = [text_width(line) for line in lines] or [1]
        score = size * (0.4 + 0.6 * sum(widths) / (len(widths) * max(*widths, 0.1)))
        if score > best_score:
            best, best_score = Block(size, tuple(lines)), score
    if best_score >= 0:
        return best
    room = width / (SMALLEST * stretch)
    broken = _lines([part for piece in pieces for part in _broken(piece, room)], room)
    kept = [_text(line) for line in broken[:MOST_LINES]]
    if len(broken) > MOST_LINES:
        kept[-1] = shortened(kept[-1] + ELLIPSIS, room)
    return Block(SMALLEST, tuple(kept))


def shortened(text: str, room: float) -> str:
    """A line that fits, at the price of its end."""
    if text_width(text) <= room:
        return text
    kept = list(_clusters(text.removesuffix(ELLIPSIS)))
    while kept and text_width("".join(kept)) + _width(ELLIPSIS) > room:
        kept.pop()
    return "".join(kept).rstrip() + ELLIPSIS


def text_width(text: str) -> float:
    """How wide a text is at most in common typefaces, in units of the type size."""
    return sum(map(_width, _clusters(text)))


@lru_cache(maxsize=4096)
def cleaned(text: str) -> str:
    """Without letters that XML cannot hold or nobody can see, and with single spaces."""
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", text):
        category = unicodedata.category(letter)
        if category in ("Cc", "Zs", "Zl", "Zp"):
            letter = " "
        elif (category in ("Cf", "Cs", "Co") and letter not in _JOINERS) or letter in "\ufffe\uffff":
            continue
        marks = marks + 1 if _clings(letter) else 0
        if marks <= _MOST_MARKS:
            kept.append(letter)
    return " ".join("".join(kept).split())


def is_right_to_left(text: str) -> bool:
    """Its first letter that has a direction runs from right to left."""
    directions = (unicodedata.bidirectional(letter) for letter in text)
    return next((each != "L" for each in directions if each in ("L", "R", "AL")), False)


def is_wide(text: str) -> bool:
    """Most of it is written in squares, as Chinese, Japanese and Korean are."""
    return 2 * sum(unicodedata.east_asian_width(letter) in "WF" for letter in text) > len(text)


def _pieces(title: str) -> list[Piece]:
    pieces: list[Piece] = []
    for word in title.split(" "):
        spaced, begun = bool(pieces), ""
        for cluster in _clusters(word):
            if begun and _may_break(begun, cluster):
                pieces.append(Piece(begun, text_width(begun), spaced))
                spaced, begun = False, ""
            begun += cluster
        if begun:
            pieces.append(Piece(begun, text_width(begun), spaced))
    return pieces


def _may_break(before: str, after: str) -> bool:
    if after[0] in _NEVER_FIRST or before[-1] in _NEVER_LAST:
        return False
    if before[-1] in _BREAKS_AFTER:
        return len(before) > 2
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in (before[-1], after[0]))


def _lines(pieces: list[Piece], room: float) -> list[list[Piece]]:
    """Each line as full as it gets."""
    lines: list[list[Piece]] = []
    used = 0.0
    for piece in pieces:
        gap = _width(" ") if piece.spaced else 0
        if lines and used + gap + piece.width <= room:
            lines[-1].append(piece)
            used += gap + piece.width
        else:
            lines.append([piece])
            used = piece.width
    return lines


def _even(pieces: list[Piece], count: int, room: float) -> list[list[Piece]]:
    """The same number of lines, about as long as each other."""
    if count < 2:
        return _lines(pieces, room)
    least, most = max(piece.width for piece in pieces), room
    for _ in range(7):
        middle = (least + most) / 2
        least, most = (least, middle) if len(_lines(pieces, middle)) <= count else (middle, most)
    return _lines(pieces, most)


def _broken(piece: Piece, room: float) -> Iterator[Piece]:
    """A piece that is too wide, broken where the line ends."""
    begun, used, spaced = "", 0.0, piece.spaced
    for cluster in _clusters(piece.text):
        width = _width(cluster)
        if begun and used + width > room:
            yield Piece(begun, used, spaced)
            begun, used, spaced = "", 0.0, False
        begun, used = begun + cluster, used + width
    yield Piece(begun, used, spaced)


def _text(line: list[Piece]) -> str:
    return "".join((" " if piece.spaced and place else "") + piece.text for place, piece in enumerate(line))


def _clusters(text: str) -> Iterator[str]:
    """Letters with the marks that cling to them."""
    begun = ""
    for letter in text:
        if begun and not _clings(letter) and begun[-1] != _ZERO_WIDTH_JOINER:
            yield begun
            begun = ""
        begun += letter
    if begun:
        yield begun


@lru_cache(maxsize=4096)
def _clings(letter: str) -> bool:
    return letter in _JOINERS or unicodedata.category(letter) in ("Mn", "Me") or "\U0001f3fb" <= letter <= "\U0001f3ff"


_NARROW, _SLIM, _BROAD = frozenset("ijl|.,:;'’‘!·Iİí"), frozenset('frt-()[]/\\"“”J'), frozenset("mwMW@%—…ŒÆ")


@lru_cache(maxsize=8192)
def _width(cluster: str) -> float:
    """Of bold letters; those of other scripts on the safe side."""
    letter = cluster[0]
    if letter == " ":
        return 0.28
    if letter in _NARROW:
        return 0.36
    if letter in _SLIM:
        return 0.47
    if letter in _BROAD:
        return 0.98
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.3 if unicodedata.category(letter) == "So" else 1.02
    if letter.isdigit() or "a" <= letter <= "z":
        return 0.62
    if "A" <= letter <= "Z":
        return 0.74
    known = unicodedata.category(letter)
    return 1.3 if known == "So" else 0.66 if known == "Ll" else 0.8
