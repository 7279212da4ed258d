"""Texts as they are shown: safe HTML, what matched in `<mark>`, long ones cut to where it matched."""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

from partita.kit.search.words import words

_TOKEN = re.compile(r"[^\W_]+")
_WHOLE_CHARACTERS = 240
_BEFORE, _AROUND = 60, 200


def marked(text: str, wanted: str) -> Markup:
    """A text with the words of a search marked in it."""
    folded = [_fold(word) for word in words(wanted)]
    text = unicodedata.normalize("NFC", text)
    matches = [token.span() for token in _TOKEN.finditer(text) if _matches(_fold(token[0]), folded)]
    start, end = _window(text, matches[0][0] if matches else 0)
    pieces = [Markup("… ") if start else Markup("")]
    place = start
    for first, last in matches:
        if first >= start and last <= end:
            pieces += [escape(text[place:first]), Markup("<mark>"), escape(text[first:last]), Markup("</mark>")]
            place = last
    pieces += [escape(text[place:end]), Markup(" …") if end < len(text) else Markup("")]
    return Markup("").join(pieces)


def _matches(token: str, wanted: list[str]) -> bool:
    return bool(wanted) and (token in wanted or token.startswith(wanted[-1]))


def _fold(word: str) -> str:
    """Without case and accents, as the index sees it."""
    apart = unicodedata.normalize("NFKD", word)
    return "".join(character for character in apart if not unicodedata.combining(character)).casefold()


def _window(text: str, first: int) -> tuple[int, int]:
    """Where to cut a long text, between words: a little before the first match, and some more after it."""
    if len(text) <= _WHOLE_CHARACTERS:
        return 0, len(text)
    start = max(0, first - _BEFORE)
    if start:
        start = text.find(" ", start, first) + 1 or first
    end = start + _AROUND
    if end >= len(text):
        return start, len(text)
    return start, max(text.rfind(" ", start, end), first + 1) if " " in text[first:end] else end
