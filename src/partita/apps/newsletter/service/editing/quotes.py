"""The sentences of a passage that a text has used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Stretch(NamedTuple):
    """A part of a passage."""

    text: str
    used: bool


def stretches(passage: str, quotes: Sequence[str]) -> tuple[Stretch, ...]:
    """The passage in parts, used ones marked; spaces and line ends may differ. All parts together are the passage."""
    used = [False] * len(passage)
    for quote in quotes:
        words = quote.split()
        if not words:
            continue
        for found in re.finditer(r"\s+".join(map(re.escape, words)), passage):
            used[found.start() : found.end()] = [True] * (found.end() - found.start())
    parts: list[Stretch] = []
    for character, mark in zip(passage, used, strict=True):
        if parts and parts[-1].used == mark:
            parts[-1] = Stretch(parts[-1].text + character, mark)
        else:
            parts.append(Stretch(character, mark))
    return tuple(parts)
