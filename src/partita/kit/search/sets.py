"""Sets of documents as bits of one whole number, so that a facet is counted by two operations on it.

A set of the documents with a value is kept as long as that value is filed as before: of each value the index counts
how often that has changed. A set of the documents with some words is kept as long as no words have changed. They are
shared by all threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import orjson

from partita.kit.search.catalog import Catalog
from partita.table.recent import Recent

_VALUES_BYTES = 32_000_000
"""How much memory sets of documents with a value may take."""
_WORDS_BYTES = 8_000_000
"""How much memory sets of documents with some words may take."""
_ENTRY_BYTES = 300
_BITS = tuple(1 << place for place in range(8))
_ONE = ord("1")


class Sets:
    """The sets that were made so far."""

    def __init__(self) -> None:
        self._values: Recent[tuple[str, int], tuple[int, int]] = Recent(_VALUES_BYTES)
        self._words: Recent[tuple[str, str], tuple[int, int]] = Recent(_WORDS_BYTES)
        self._guard = threading.Lock()

    def of(self, connection: apsw.Connection, catalog: Catalog[Any], value: int, changed: int) -> int:
        """The documents that have a value; `changed` is its count of changes, read at the same moment."""
        key = (catalog.name, value)
        with self._guard:
            kept = self._values.get(key)
        if kept is not None and kept[0] == changed:
            return kept[1]
        found = selected(connection, f"SELECT doc FROM pairs_{catalog.slug} WHERE value = ?", (value,))
        with self._guard:
            self._values.add(key, (changed, found), _ENTRY_BYTES + found.bit_length() // 8)
        return found

    def with_words(self, connection: apsw.Connection, catalog: Catalog[Any], expression: str) -> int:
        """The documents that have some words."""
        key = (catalog.name, expression)
        revision: int = connection.execute(f"SELECT revision FROM revisions_{catalog.slug}").get
        with self._guard:
            kept = self._words.get(key)
        if kept is not None and kept[0] == revision:
            return kept[1]
        words = f"words_{catalog.slug}"
        found = selected(connection, f"SELECT rowid AS doc FROM {words} WHERE {words} MATCH ?", (expression,))
        with self._guard:
            self._words.add(key, (revision, found), _ENTRY_BYTES + len(expression) + found.bit_length() // 8)
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


def selected(connection: apsw.Connection, select: str, parameters: tuple[Any, ...] = ()) -> int:
    """The documents that a statement selects as `doc`, as a set."""
    # As one text: a row for each takes twice as long as to find it.
    together = connection.execute(f"SELECT json_group_array(doc) FROM ({select})", parameters).get
    return bits(orjson.loads(together))


def bits(numbers: Sequence[int]) -> int:
    """Documents by their numbers, as a set."""
    digits = bytearray(b"0") * (max(numbers, default=0) + 1)
    for number in numbers:
        digits[number] = _ONE
    digits.reverse()
    return int(digits, 2)  # quicker than setting bits of bytes, one by one
