"""Texts as they are shown: safe HTML, what matched in `<mark>`, long ones cut to where it matched."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from partita.kit.search.folding import one_for_one, places, stem
from partita.kit.search.query import Term, parse

_WHOLE_CHARACTERS = 240
_BEFORE, _AROUND = 60, 200
_LOOKED_AT = 300
"""Characters that are read to see whether a place is a match; no phrase of a query is longer."""
_MOST_PLACES = 100
"""How many places of a long text are looked at."""


def marked(text: str, wanted: str) -> Markup:
    """A text with the words of a search marked in it."""
    return Marker(parse(wanted).wanted).mark(text)


class Marker:
    """Marks in texts what some terms match, word by word as the index does."""

    def __init__(self, terms: Sequence[Term]) -> None:
        single = [term for term in terms if len(term.words) == 1]
        self._phrases = [term.words for term in terms if len(term.words) > 1]
        self._words = {term.words[0] for term in single}
        self._starts = tuple(term.words[0] for term in single if term.unfinished)
        self._stems = {stem(term.words[0]) for term in single if not term.phrase} - {None}
        # All words of one stem begin alike, up to the last letters of the stem.
        alike = {each[: max(2, len(each) - 2)] for each in self._stems if each is not None}
        self._beginnings = {*self._words, *alike, *(words[0] for words in self._phrases)}

    def mark(self, text: str) -> Markup:
        """A text with what matches in marks, cut if it is long."""
        text = unicodedata.normalize("NFC", text)
        if len(text) <= _WHOLE_CHARACTERS:
            return self._marked(text, 0, len(text))
        return self._marked(text, *_window(text, self._first(text)))

    def _marked(self, text: str, start: int, end: int) -> Markup:
        pieces = [Markup("… ") if start else Markup("")]
        place = start
        for first, last in self._spans(text[start:end]):
            pieces += [escape(text[place : start + first]), Markup("<mark>")]
            pieces += [escape(text[start + first : start + last]), Markup("</mark>")]
            place = start + last
        pieces += [escape(text[place:end]), Markup(" …") if end < len(text) else Markup("")]
        return Markup("".join(pieces))

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the words are that match; no two overlap."""
        words = list(places(text))
        hits = {number for number, (_, _, word) in enumerate(words) if self._matches(word)}
        for phrase in self._phrases:
            for number in range(len(words) - len(phrase) + 1):
                if all(words[number + more][2] == word for more, word in enumerate(phrase)):
                    hits.update(range(number, number + len(phrase)))
        found: list[tuple[int, int]] = []
        for number in sorted(hits):
            start, end, _ = words[number]
            if not found or start >= found[-1][1]:  # a character that is two words is marked once
                found.append((start, end))
        return found

    def _matches(self, word: str) -> bool:
        return word in self._words or word.startswith(self._starts) or (bool(self._stems) and stem(word) in self._stems)

    def _first(self, text: str) -> int:
        """Where the first match begins; 0 if it is not found. Only likely places are taken apart into words."""
        dense, at = _dense(text)
        looked = 0
        best = len(text)
        for beginning in self._beginnings:
            place = dense.find(beginning)
            while place >= 0 and at(place) < best and looked < _MOST_PLACES:
                if place == 0 or dense[place - 1] == " ":
                    looked += 1
                    spans = self._spans(text[at(place) : at(place) + _LOOKED_AT])
                    if spans and spans[0][0] == 0:
                        best = at(place)
                        break
                place = dense.find(beginning, place + 1)
        if best < len(text):
            return best
        spans = self._spans(text[: _LOOKED_AT * 10])  # such as ß, which is two letters folded
        return spans[0][0] if spans else 0


def _dense(text: str) -> tuple[str, Callable[[int], int]]:
    """The text folded, without what is nothing in words; and where its places are in the text."""
    alike = one_for_one(text)
    if "\0" not in alike:
        return alike, lambda place: place
    gaps = [match.start() - number for number, match in enumerate(re.finditer("\0", alike))]
    return alike.replace("\0", ""), lambda place: place + bisect_right(gaps, place)


def _window(text: str, first: int) -> tuple[int, int]:
    """Where to cut a long text, between words: a little before the first match, and some more after it."""
    start = max(0, first - _BEFORE)
    if start:
        start = text.find(" ", start, first) + 1 or first
    end = start + _AROUND
    if end >= len(text):
        return start, len(text)
    return start, max(text.rfind(" ", start, end), first + 1) if " " in text[first:end] else end
