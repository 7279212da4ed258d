"""Sources between marks that no source can know: what stands inside is data, whatever it says."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

from partita.apps.newsletter.service.writing.values import Passage

_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_LONGEST = 6_000


def new_mark() -> str:
    """A mark for one conversation."""
    return secrets.token_hex(8)


def fenced(passages: Mapping[int, Passage], mark: str) -> str:
    """The passages under their numbers. Invisible characters go: people could not see what they tell a model."""
    return "\n\n".join(_fenced(number, passage, mark) for number, passage in passages.items())


def quoted(name: str, text: str, mark: str) -> str:
    """Another text between marks: a draft to change, an outline."""
    return f"<<<{name} {mark}>>>\n{_visible(text)}\n<<<END {mark}>>>"


def _fenced(number: int, passage: Passage, mark: str) -> str:
    about = [passage.title, passage.publisher, passage.published or "", passage.heading]
    head = " · ".join(_line(each) for each in about if each)
    return f"<<<SOURCE [{number}] {mark}>>>\n{head}\n\n{_visible(passage.text)[:_LONGEST]}\n<<<END {mark}>>>"


def _visible(text: str) -> str:
    return _INVISIBLE.sub("", text)


def _line(text: str) -> str:
    return " ".join(_visible(text).split())[:300]
