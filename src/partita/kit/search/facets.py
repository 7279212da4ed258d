"""How many documents of a list have which values of its filters.

Documents are sets of bits, and so are those with a value: a value is counted by two operations. Of a filter with many
values, such as tags, only the most frequent are asked for. Of few documents the index counts them all; of many, values
are tried from the one that most documents have on, until no other can be among the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappush, heappushpop
from typing import Any

import apsw

from partita.kit.search import reads
from partita.kit.search.reads import Chosen, Matching, Row
from partita.kit.search.results import FacetValue
from partita.kit.search.sets import Sets, documents, selected

MOST_VALUES = 200
"""All values of a filter that has no more are counted."""
MOST_CHOSEN = 200
"""If more values may be there, the index finds them by itself: sets of them would be many and almost empty."""
MOST_TRIED = 500
"""So many of a filter with more are tried, before the index counts all of them."""
_Count = tuple[int, str, int]
"""How many documents have a value, negative, so that the most frequent comes first; its text and its number."""


def counted(
    connection: apsw.Connection,
    matching: Matching,
    passing: Passing | None,
    names: Sequence[str],
    chosen: Iterable[Chosen],
    most: int,
) -> dict[str, tuple[FacetValue, ...]]:
    """How many of the documents have which values: the most frequent ones, and those that are chosen."""
    extendable = {each.name for each in matching.restrictions if each.extendable}
    together = [name for name in names if name not in extendable]
    picked = {value for each in matching.restrictions if not each.excluded for value in each.values}
    found: dict[str, list[FacetValue]] = {name: [] for name in names}
    for group, without in ((together, None), *(([name], name) for name in names if name in extendable)):
        if passing is not None and group:
            for name in group:
                for text, value, number in passing.counts(name, without, picked, most):
                    found[name].append(FacetValue(text, number, value in picked))
        elif group:
            for name, text, value, number in _counts(connection, matching, group, without, picked, most):
                found[name].append(FacetValue(text, number, value in picked))
    return with_chosen(found, chosen)


class Passing:
    """The documents that match, as a set, and the values of the filters that are counted."""

    def __init__(
        self,
        connection: apsw.Connection,
        sets: Sets,
        matching: Matching,
        values: Mapping[str, Sequence[Row] | None],
    ) -> None:
        """`values` has number, text and count of changes of each value of a filter, or None if there are too many."""
        self._connection = connection
        self._sets = sets
        self._matching = matching
        self._values = values
        self._words: int | None = None
        if matching.expression is not None:
            self._words = sets.with_words(connection, matching.catalog, matching.expression)
        self._over = 0 if matching.ended is None else selected(connection, matching.over)

    @staticmethod
    def of(connection: apsw.Connection, sets: Sets, matching: Matching, names: Sequence[str]) -> Passing | None:
        """None if the index is quicker by itself, or alone can do it: everything, any of many values, words that must
        not be there, words without facets."""
        if sum(len(each.values) for each in matching.restrictions) > MOST_CHOSEN:
            return None
        if matching.named is not None or any(each.excluded for each in matching.restrictions):
            return None
        if matching.expression is None and (matching.excluded is not None or not matching.restrictions):
            return None
        if matching.expression is not None and not names:
            return None
        values: dict[str, Sequence[Row] | None] = {}
        for name in names:
            rows = connection.execute(
                f"SELECT value, text, changed FROM values_{matching.catalog.slug} WHERE name = ? AND count > 0 LIMIT ?",
                (name, MOST_VALUES + 1),
            ).fetchall()
            values[name] = rows if len(rows) <= MOST_VALUES else None
        return Passing(connection, sets, matching, values)

    @cached_property
    def members(self) -> int:
        """All of them."""
        found = self._narrowed(None)
        assert found is not None  # there are words, or a restriction
        return found

    @cached_property
    def total(self) -> int:
        return self.members.bit_count()

    def counts(
        self, name: str, without: str | None, picked: Iterable[int], most: int
    ) -> Iterator[tuple[str, int, int]]:
        """The values of a filter as text and number, and how many documents have them: the most frequent, and the
        picked ones."""
        found = self._counts(name, without, picked, most)
        if found is None:
            for _, text, value, number in _counts(self._connection, self._matching, [name], without, picked, most):
                yield text, value, number
            return
        for place, (number, text, value) in enumerate(sorted(found)):
            if place < most or value in picked:
                yield text, value, -number

    def _counts(self, name: str, without: str | None, picked: Iterable[int], most: int) -> list[_Count] | None:
        """At least the values that are wanted; None if the index itself has to count."""
        narrowed = self.members if without is None else self._narrowed(without)
        values = self._values[name]
        if values is not None:
            return self._each(values, narrowed)
        if narrowed is None:
            return None
        if narrowed.bit_count() <= reads.FEW:
            return self._of_few(name, narrowed)
        return self._of_many(name, narrowed, picked, most)

    def _each(self, values: Iterable[Row], narrowed: int | None) -> list[_Count]:
        found: list[_Count] = []
        for value, text, changed in values:
            members = self._sets.of(self._connection, self._matching.catalog, value, changed)
            number = (members & ~self._over if narrowed is None else members & narrowed).bit_count()
            if number:
                found.append((-number, text, value))
        return found

    def _of_few(self, name: str, narrowed: int) -> list[_Count]:
        slug = self._matching.catalog.slug
        docs = ", ".join(map(str, documents(narrowed)))
        counted = f"SELECT value, count(*) AS number FROM pairs_{slug} WHERE doc IN ({docs}) GROUP BY value"
        rows: list[Any] = self._connection.execute(
            f"SELECT -c.number, v.text, v.value FROM ({counted}) AS c JOIN values_{slug} AS v ON v.value = c.value"
            " WHERE v.name = ?",
            (name,),
        ).fetchall()
        return rows

    def _of_many(self, name: str, narrowed: int, picked: Iterable[int], most: int) -> list[_Count] | None:
        values = f"values_{self._matching.catalog.slug}"
        rows: list[Any] = self._connection.execute(
            f"SELECT value, text, changed, count FROM {values} WHERE name = ? AND count > 0"
            " ORDER BY count DESC LIMIT ?",
            (name, MOST_TRIED + 1),
        ).fetchall()
        found: list[_Count] = []
        first: list[int] = []  # the numbers of the most frequent ones so far, the smallest first
        for *row, everywhere in rows[:MOST_TRIED]:
            if len(first) >= most and (not first or everywhere < first[0]):
                break  # no other can have more
            for each in self._each([tuple(row)], narrowed):
                found.append(each)
                if len(first) < most:
                    heappush(first, -each[0])
                else:
                    heappushpop(first, -each[0])
        else:
            if len(rows) > MOST_TRIED:
                return None
        tried = {value for _, _, value in found}
        missing = ", ".join(f"{value:d}" for value in picked if value not in tried)
        others = self._connection.execute(
            f"SELECT value, text, changed FROM {values} WHERE name = ? AND count > 0 AND value IN ({missing})", (name,)
        ).fetchall()
        return found + self._each(others, narrowed)

    def _narrowed(self, without: str | None) -> int | None:
        """All documents that pass, without the extendable restriction of a filter; None is everything."""
        passing = self._words
        for each in self._matching.restrictions:
            if each.extendable and each.name == without:
                continue
            having = 0
            for value in each.values:
                if value in self._changed:
                    having |= self._sets.of(self._connection, self._matching.catalog, value, self._changed[value])
            passing = having if passing is None else passing & having
        return None if passing is None else passing & ~self._over

    @cached_property
    def _changed(self) -> dict[int, int]:
        """The values that the list is narrowed by, each with its count of changes."""
        wanted = ", ".join(f"{value:d}" for each in self._matching.restrictions for value in each.values)
        slug = self._matching.catalog.slug
        rows: list[Any] = self._connection.execute(
            f"SELECT value, changed FROM values_{slug} WHERE count > 0 AND value IN ({wanted})"
        ).fetchall()
        return dict(rows)


def with_chosen(counted: Mapping[str, list[FacetValue]], chosen: Iterable[Chosen]) -> dict[str, tuple[FacetValue, ...]]:
    """The counts, and what is chosen though nothing has it, so that people can take it back."""
    missing: dict[str, list[FacetValue]] = {name: [] for name in counted}
    for name, _, texts in chosen:
        if name in counted:
            there = {each.value for each in counted[name]}
            missing[name] += [FacetValue(text, 0, chosen=True) for text in texts if text not in there]
    return {name: (*values, *missing[name]) for name, values in counted.items()}


def _counts(
    connection: apsw.Connection,
    matching: Matching,
    names: Sequence[str],
    without: str | None,
    picked: Iterable[int],
    most: int,
) -> list[Row]:
    """The name of the filter, the value as text and as number, and how many documents have it."""
    slug = matching.catalog.slug
    where, parameters = matching.where(without)
    counted = (
        f"SELECT p.value AS value, count(*) AS number FROM {matching.source(documents=False)}"
        f" CROSS JOIN pairs_{slug} AS p ON p.doc = {matching.doc} WHERE {where} GROUP BY p.value"
    )
    if where == "d.live":  # everything: the index keeps these counts
        counted, parameters = f"SELECT value, count AS number FROM values_{slug} WHERE count > 0", ()
    return connection.execute(
        "SELECT name, text, value, number FROM (SELECT v.name, v.text, v.value, c.number,"
        " row_number() OVER (PARTITION BY v.name ORDER BY c.number DESC, v.text) AS place"
        f" FROM ({counted}) AS c JOIN values_{slug} AS v ON v.value = c.value"
        f" WHERE v.name IN ({', '.join('?' * len(names))}))"
        f" WHERE place <= ? OR value IN ({', '.join(f'{value:d}' for value in picked)})"
        " ORDER BY name, number DESC, text",
        (*parameters, *names, most),
    ).fetchall()
