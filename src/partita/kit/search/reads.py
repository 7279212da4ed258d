"""How an index is asked. Each function runs in a worker thread, on that thread's connection.

A list is a set of documents in an order. The set: who has the words, and passes the restrictions. The order: by match,
or by a sort.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import apsw
import orjson

from partita.kit.search.catalog import Catalog, column_names
from partita.kit.search.query import Condition
from partita.kit.search.sets import documents, within
from partita.kit.search.tables import made

Chosen = tuple[str, Literal["AND", "OR"], tuple[str, ...]]
"""A filter, whether all of its values or any must be there, and the values."""
Ended = tuple[str, float]
"""A sort, and a value: documents whose value is at most that are not in the list."""
FEW = 2_000
"""So few documents are sorted after they are found; of more, the first of the order that pass are looked for."""
_SAME_SCORE = 200
"""So many documents more than are wanted are ranked, in case some have the same score."""
NamedIds = tuple[bool, tuple[str, ...]]
"""Ids of documents, and whether those are wanted (or all others)."""
_LOOKED_AT = 2_000
"""So many documents of an order are asked whether they are among many that match, before all of these are sorted."""
Row = tuple[Any, ...]
"""What a document is placed by, its id, and its number."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """One of these values must be there, or none of them."""

    name: str
    values: tuple[int, ...]
    excluded: bool = False
    extendable: bool = False
    """Whether people may add values, so that the counts of this filter must not be narrowed by it."""


@dataclass(frozen=True, slots=True)
class Matching:
    """Which documents: those that match, if there is an expression, and that pass all restrictions."""

    catalog: Catalog[Any]
    expression: str | None
    """Words that must be there; it has left out those that must not."""
    excluded: str | None
    """Words that must not be there, for a list without others."""
    restrictions: tuple[Restriction, ...]
    ended: Ended | None = None
    named: NamedIds | None = None
    in_names: str | None = None
    """The same words in the field that counts most."""
    best: str | None = None
    """The expression for scores, if it is another: it finds the same, and tells what counts more."""
    best_in_names: str | None = None
    among: str | None = None
    """The numbers of the only documents that may be found, as JSON."""

    @property
    def doc(self) -> str:
        """The number of a document, as statements spell it."""
        return f"words_{self.catalog.slug}.rowid" if self.expression is not None else "d.doc"

    def source(self, *, documents: bool = True) -> str:
        """What to select from; with the documents' own values only if they are needed."""
        slug = self.catalog.slug
        if self.expression is None:
            return f"documents_{slug} AS d"
        return f"words_{slug}" + (
            f" CROSS JOIN documents_{slug} AS d ON d.doc = words_{slug}.rowid" if documents else ""
        )

    def where(self, without: str | None = None, *, many: bool = False) -> tuple[str, tuple[str, ...]]:
        """The conditions and their parameters; `without` is a filter whose extendable restriction is left out. If many
        documents pass, each is asked; else those that have the values are found first."""
        slug = self.catalog.slug
        parameters: tuple[str, ...] = ()
        clauses = ["d.live"]
        if self.expression is not None:
            clauses, parameters = [f"words_{slug} MATCH ?"], (self.expression,)
        elif self.excluded is not None:
            clauses.append(f"d.doc NOT IN (SELECT rowid FROM words_{slug} WHERE words_{slug} MATCH ?)")
            parameters = (self.excluded,)
        for each in self.restrictions:
            if not (each.extendable and each.name == without):
                clauses.append(self._passes(each, many))
        if self.ended is not None:
            clauses.append(f"{self.doc} NOT IN ({self.over})")
        if self.among is not None:
            # The plus has all that match compared with the numbers, instead of each number looked for in the words.
            clauses.append(f"+{self.doc} IN (SELECT value FROM json_each(?))")
            parameters = (*parameters, self.among)
        if self.named is not None:
            wanted, ids = self.named
            these = f"SELECT doc FROM documents_{slug} WHERE live AND id IN (SELECT value FROM json_each(?))"
            clauses.append(f"{self.doc} {'IN' if wanted else 'NOT IN'} ({these})")
            parameters = (*parameters, orjson.dumps(ids).decode())
        return " AND ".join(clauses), parameters

    def only(self, members: int | None) -> Matching:
        """The same if those who pass are known, as a set: to look them up is quicker than to ask each."""
        if members is None or not (self.restrictions or self.ended):
            return self
        return replace(self, restrictions=(), ended=None, among=orjson.dumps(documents(members)).decode())

    @property
    def over(self) -> str:
        """The query for the documents that have ended."""
        assert self.ended is not None
        name, value = self.ended
        return f"SELECT doc FROM documents_{self.catalog.slug} WHERE live AND s_{name} <= {float(value)!r}"

    def _passes(self, restriction: Restriction, many: bool) -> str:
        values = ", ".join(f"{value:d}" for value in restriction.values)
        pairs = f"pairs_{self.catalog.slug}"
        if self.expression is None and not restriction.excluded and not many:
            return f"d.doc IN (SELECT doc FROM {pairs} WHERE value IN ({values}))"
        exists = f"EXISTS (SELECT 1 FROM {pairs} AS p WHERE p.doc = {self.doc} AND p.value IN ({values}))"
        return f"NOT {exists}" if restriction.excluded else exists


def restrictions(
    connection: apsw.Connection, catalog: Catalog[Any], chosen: Sequence[Chosen], typed: Sequence[Condition]
) -> tuple[Restriction, ...]:
    """What programs and people narrow a list by, in the numbers of the index."""
    slug = catalog.slug
    found: list[Restriction] = []
    for name, joined, texts in chosen:
        numbers = [
            connection.execute(f"SELECT value FROM values_{slug} WHERE name = ? AND text = ?", (name, text)).get
            for text in texts
        ]
        if joined == "OR" and texts:
            found.append(Restriction(name, tuple(n for n in numbers if n is not None), extendable=True))
        elif joined == "AND":
            found += [Restriction(name, () if number is None else (number,)) for number in numbers]
    for each in typed:
        values = connection.execute(
            f"SELECT value FROM values_{slug} WHERE name = ? AND folded = ?", (each.name, each.value)
        )
        found.append(Restriction(each.name, tuple(value for (value,) in values), excluded=each.excluded))
    return tuple(found)


def latest_ended(connection: apsw.Connection, catalog: Catalog[Any], ended: Ended) -> Ended | None:
    """The same question with the latest value that a document has, so that it is the same until another one ends; None
    if none has ended."""
    name, value = ended
    latest = connection.execute(
        f"SELECT max(s_{name}) FROM documents_{catalog.slug} WHERE live AND s_{name} <= ?", (float(value),)
    ).get
    return None if latest is None else (name, float(latest))


def count(connection: apsw.Connection, matching: Matching) -> int:
    """How many documents there are."""
    where, parameters = matching.where()
    counted = f"SELECT count(*) FROM {matching.source(documents=False)} WHERE {where}"
    return int(connection.execute(counted, parameters).get)


def by_match(
    connection: apsw.Connection,
    matching: Matching,
    first: str | None,
    wanted: Callable[[Row], bool],
    unwanted: int,
    limit: int,
) -> list[Row]:
    """The best matches: tier, score, id, number. What `first` matches as well is in the first tier. At most so many are
    `unwanted`."""
    if matching.best is not None:
        matching = replace(matching, expression=matching.best)
    if first is None:
        rows = _best_scores(connection, matching, wanted, unwanted, limit)
        if rows is not None:
            return rows
    catalog = matching.catalog
    words = f"words_{catalog.slug}"
    where, parameters = matching.where()
    weights = _weights(catalog)
    tier = "0"
    lead: tuple[str, ...] = ()
    if first is not None:
        tier, lead = f"{words}.rowid NOT IN (SELECT rowid FROM {words} WHERE {words} MATCH ?)", (first,)
    ranked = connection.execute(
        f"SELECT {tier} AS tier, bm25({words}, {weights}) AS score, d.id AS id, d.doc AS doc"
        f" FROM {matching.source()} WHERE {where} ORDER BY tier, score, id LIMIT ?",
        (*lead, *parameters, limit + unwanted),
    )
    return [row for row in ranked if wanted(row)][:limit]


def _best_scores(
    connection: apsw.Connection, matching: Matching, wanted: Callable[[Row], bool], unwanted: int, limit: int
) -> list[Row] | None:
    """The same if there is one tier: only documents with the best scores are looked up, not all that match. None if so
    many have the same score that this does not tell which come first."""
    words, weights = f"words_{matching.catalog.slug}", _weights(matching.catalog)
    where, parameters = matching.where()
    most = limit + unwanted + _SAME_SCORE
    scored = f"SELECT {words}.rowid AS doc, bm25({words}, {weights}) AS score FROM {words} WHERE {where}"
    best: list[Row] = connection.execute(f"{scored} ORDER BY score LIMIT ?", (*parameters, most)).fetchall()
    there_may_be_more = len(best) == most
    if there_may_be_more:
        best = [each for each in best if each[1] < best[-1][1]]  # others may have the last one's score
    docs = ", ".join(str(doc) for doc, _ in best)
    ids = dict(connection.execute(f"SELECT doc, id FROM documents_{matching.catalog.slug} WHERE doc IN ({docs})"))
    rows: list[Row] = sorted((0, score, ids[doc], doc) for doc, score in best)
    rows = [row for row in rows if wanted(row)]
    return None if there_may_be_more and len(rows) < limit else rows[:limit]


def best_matches(connection: apsw.Connection, matching: Matching, limit: int) -> list[Row]:
    """The first of them, if no others will be asked for."""
    return by_match(connection, matching, None, lambda _: True, 0, limit)


def _weights(catalog: Catalog[Any]) -> str:
    return ", ".join(str(float(weight)) for weight in catalog.weights.values())


def by_sort(
    connection: apsw.Connection,
    matching: Matching,
    members: int | None,
    sort: str,
    after: Sequence[Any] | None,
    limit: int,
) -> list[Row]:
    """The first of a sort: value, id, number. Those without a value come last, in both directions. `members` is the set
    of what matches, if it is known."""
    direction, compared = ("DESC", "<") if sort.startswith("-") else ("ASC", ">")
    column = f"d.s_{sort.removeprefix('-')}" if sort else "NULL"
    where, parameters = matching.where(many=members is not None)
    source = matching.source()
    if members is not None and members.bit_count() <= FEW:
        # They are looked up and sorted; of many, the first of the order are found soon.
        where, parameters = f"d.doc IN ({', '.join(map(str, documents(members)))})", ()
        source = f"documents_{matching.catalog.slug} AS d NOT INDEXED"
    elif members is not None and matching.expression is not None and sort and (after is None or after[0] is not None):
        place = "" if after is None else f" AND ({column}, d.id) {compared} (?, ?)"
        first = connection.execute(
            f"SELECT {column}, d.id, d.doc FROM documents_{matching.catalog.slug} AS d"
            f" WHERE d.live AND {column} IS NOT NULL{place} ORDER BY {column} {direction}, d.id {direction} LIMIT ?",
            (*(after or ()), _LOOKED_AT),
        )
        there = within(members, first)
        if len(there) >= limit:
            return there[:limit]
    selected = f"SELECT {column}, d.id, d.doc FROM {source} WHERE {where}"
    rows: list[Row] = []
    if sort and (after is None or after[0] is not None):
        place = "" if after is None else f" AND ({column}, d.id) {compared} (?, ?)"
        rows = connection.execute(
            f"{selected} AND {column} IS NOT NULL{place} ORDER BY {column} {direction}, d.id {direction} LIMIT ?",
            (*parameters, *(after or ()), limit),
        ).fetchall()
        after = None
    if len(rows) < limit:
        place = "" if after is None else f" AND d.id {compared} ?"
        rows += connection.execute(
            f"{selected} AND {column} IS NULL{place} ORDER BY d.id {direction} LIMIT ?",
            (*parameters, *(() if after is None else after[1:]), limit - len(rows)),
        ).fetchall()
    return rows


def values(
    connection: apsw.Connection, catalog: Catalog[Any], sort: str, ids: Sequence[str]
) -> tuple[tuple[str, float | str], ...]:
    """The ids of documents, and what they are sorted by."""
    if not made(connection, catalog):
        return ()
    rows = connection.execute(
        f"SELECT id, s_{sort} FROM documents_{catalog.slug} WHERE live AND s_{sort} IS NOT NULL"
        f" AND id IN ({', '.join('?' * len(ids))}) ORDER BY id",
        ids,
    )
    return tuple(rows)


def texts_of(connection: apsw.Connection, catalog: Catalog[Any], row: Row) -> Mapping[str, str]:
    """The fields of a document, as they are shown."""
    slug = catalog.slug
    identity, doc = row[-2:]
    columns = column_names(catalog)
    fields = connection.execute(f"SELECT {columns} FROM texts_{slug} WHERE doc = ?", (doc,)).fetchone() or ()
    found: dict[str, str] = dict(zip(catalog.weights, fields, strict=True))
    for field, text in parts_of(connection, catalog, identity):
        found[field] = f"{found[field]}\n{text}" if found[field] else text
    return found


def parts_of(connection: apsw.Connection, catalog: Catalog[Any], identity: str) -> list[Row]:
    """The fields and texts of a document that came by themselves, in order."""
    if not catalog.texts:
        return []
    return connection.execute(
        f"SELECT field, text FROM parts_{catalog.slug} WHERE id = ? AND text IS NOT NULL ORDER BY field, part",
        (identity,),
    ).fetchall()
