"""Sets of documents as bits of one whole number, so that a facet is counted by two operations on it.

A set of the documents with a value is kept as long as that value is filed as before: of each value the index counts
how often that has changed. They are shared by all threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from partita.kit.search.catalog import Catalog

MOST_VALUES = 200
"""A filter with more values, such as tags, is counted by the index itself: its sets would be many and almost empty."""
_MOST_KEPT = 2_000
_BITS = tuple(1 << place for place in range(8))
_ONE = ord("1")


class Sets:
    """The sets that were made so far."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], tuple[int, int]] = {}

    def of(self, connection: apsw.Connection, catalog: Catalog[Any], value: int, changed: int) -> int:
        """The documents that have a value; `changed` is its count of changes, read at the same moment."""
        kept = self._kept.get((catalog.name, value))
        if kept is not None and kept[0] == changed:
            return kept[1]
        found = bits(connection.execute(f"SELECT doc FROM pairs_{catalog.slug} WHERE value = ?", (value,)))
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[catalog.name, value] = changed, found
        return found


def documents(members: int) -> list[int]:
    """The numbers of the documents in a set."""
    whole = members.to_bytes((members.bit_length() + 7) // 8, "little")
    return [
        start * 8 + place for start, eight in enumerate(whole) if eight for place in range(8) if eight & _BITS[place]
    ]


def within(members: int, rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows whose last thing is the number of a document in a set."""
    whole = members.to_bytes((members.bit_length() + 7) // 8, "little")
    end = len(whole) * 8
    return [row for row in rows if row[-1] < end and whole[row[-1] >> 3] & _BITS[row[-1] & 7]]


def bits(rows: Iterable[tuple[Any, ...]]) -> int:
    """Documents, a row each with its number, as a set."""
    numbers = [number for (number,) in rows]
    digits = bytearray(b"0") * (max(numbers, default=0) + 1)
    for number in numbers:
        digits[number] = _ONE
    digits.reverse()
    return int(digits, 2)  # quicker than setting bits of bytes, one by one
