"""How documents get into an index and out of it. Each function runs in a worker thread, on its connection."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import apsw

from partita.kit.search.catalog import Catalog, Document, Text, column_names
from partita.kit.search.folding import fold, stemmed, tokens
from partita.kit.search.query import readable_text
from partita.kit.search.reads import parts_of
from partita.kit.search.tables import forget_changes, made, make, vocabulary, writing

_RESUMED_SECONDS = 12 * 3600
"""How long after its beginning a build that was interrupted goes on instead of beginning anew. Streams keep changes
for a day: whatever changed since a source was read is still in the stream."""
_SORTED_CHARACTERS = 200
LONGEST_TERM = 30
"""Longer words are addresses and the like, which nobody corrects."""


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document as a change leaves it; None if it went."""

    id: str
    document: Document | None
    sequence: str


@dataclass(frozen=True, slots=True)
class TextChange:
    """One text of a document as a change leaves it; None if it went."""

    field: str
    place: tuple[str, str]
    """The document's id and the part."""
    text: str | None
    sequence: str


def apply(connection: apsw.Connection, catalog: Catalog[Any], changes: Iterable[DocumentChange | TextChange]) -> None:
    """Follow changes, all or none of them; one that comes after a later one changes nothing."""
    slug = catalog.slug
    with writing(connection):
        generation = make(connection, catalog)
        changed: dict[str, None] = {}
        for each in changes:
            if isinstance(each, DocumentChange):
                known = connection.execute(f"SELECT sequence FROM documents_{slug} WHERE id = ?", (each.id,)).get
                if known is None or known <= each.sequence:
                    _write(connection, catalog, each.id, each.document, each.sequence, generation)
                continue
            identity, part = each.place
            known = connection.execute(
                f"SELECT sequence FROM parts_{slug} WHERE (id, field, part) = (?, ?, ?)", (identity, each.field, part)
            ).get
            if known is None or known <= each.sequence:
                _write_text(connection, catalog, each.field, each.place, each.text, each.sequence, generation)
                changed[identity] = None
        for identity in changed:
            _index(connection, catalog, identity)


# -- building


def begin(connection: apsw.Connection, catalog: Catalog[Any]) -> tuple[int, dict[str, int]]:
    """Begin to build a catalog, or go on if it was interrupted: the generation, and the sources that were read."""
    with writing(connection):
        generation = make(connection, catalog)
        begun = connection.execute("SELECT begun FROM catalogs WHERE name = ?", (catalog.name,)).get
        now = time.time()
        if begun is None or not now - _RESUMED_SECONDS < begun <= now:
            generation += 1
            connection.execute(
                "UPDATE catalogs SET generation = ?, begun = ? WHERE name = ?", (generation, now, catalog.name)
            )
        read = connection.execute(
            "SELECT source, count FROM sources WHERE catalog = ? AND generation = ?", (catalog.name, generation)
        )
        return generation, dict(cast("list[tuple[str, int]]", read.fetchall()))


def add(
    connection: apsw.Connection,
    catalog: Catalog[Any],
    entries: Iterable[Document | tuple[str, Text]],
    generation: int,
) -> None:
    """Put in what was read from a table, except where a change came meanwhile."""
    changed: dict[str, None] = {}
    with writing(connection):
        for entry in entries:
            if isinstance(entry, Document):
                row = connection.execute(
                    f"SELECT sequence, generation FROM documents_{catalog.slug} WHERE id = ?", (entry.id,)
                ).fetchone()
                if row is None or row[1] < generation:
                    _write(connection, catalog, entry.id, entry, "" if row is None else row[0], generation)
                continue
            field, text = entry
            place = (text.id, text.part)
            row = connection.execute(
                f"SELECT sequence, generation FROM parts_{catalog.slug} WHERE (id, field, part) = (?, ?, ?)",
                (text.id, field, text.part),
            ).fetchone()
            if row is None or row[1] < generation:
                sequence = "" if row is None else row[0]
                _write_text(connection, catalog, field, place, text.text, sequence, generation)
                changed[text.id] = None
        for identity in changed:
            _index(connection, catalog, identity)


def read(connection: apsw.Connection, catalog: Catalog[Any], source: str, count: int, generation: int) -> None:
    """A source was read to its end."""
    connection.execute(
        "INSERT OR REPLACE INTO sources (catalog, source, generation, count) VALUES (?, ?, ?, ?)",
        (catalog.name, source, generation, count),
    )


def finish(connection: apsw.Connection, catalog: Catalog[Any], generation: int) -> None:
    """What the tables no longer have goes; so do the memories of what was deleted."""
    slug = catalog.slug
    with writing(connection):
        gone = connection.execute(
            f"SELECT DISTINCT id FROM parts_{slug} WHERE generation < ? AND text IS NOT NULL", (generation,)
        ).fetchall()
        connection.execute(f"DELETE FROM parts_{slug} WHERE generation < ?", (generation,))
        old = f"SELECT doc FROM documents_{slug} WHERE generation < {generation:d}"
        connection.execute(f"DELETE FROM words_{slug} WHERE rowid IN ({old})")
        for kind in ("texts", "pairs", "documents"):
            connection.execute(f"DELETE FROM {kind}_{slug} WHERE doc IN ({old})")
        for (identity,) in gone:
            _index(connection, catalog, str(identity))
        forget_changes(connection, catalog)
        _forget_unused(connection, catalog)
        _merge(connection, catalog)
        connection.execute(
            "UPDATE catalogs SET begun = NULL, finished = generation WHERE name = ? AND generation = ?",
            (catalog.name, generation),
        )


def forget(connection: apsw.Connection, catalog: Catalog[Any], mark: str) -> None:
    """The memory of deleted documents whose ids contain a mark goes, and so do words and values that none has: FTS5
    keeps those of deleted documents until it merges."""
    if not built(connection, catalog):
        return
    slug = catalog.slug
    with writing(connection):
        connection.execute(f"DELETE FROM documents_{slug} WHERE NOT live AND instr(id, ?)", (mark,))
        connection.execute(f"DELETE FROM parts_{slug} WHERE text IS NULL AND instr(id, ?)", (mark,))
        _forget_unused(connection, catalog)
        _merge(connection, catalog)


def _forget_unused(connection: apsw.Connection, catalog: Catalog[Any]) -> None:
    slug = catalog.slug
    connection.execute(f"DELETE FROM values_{slug} WHERE count = 0")
    words = vocabulary(connection, catalog, "row")
    connection.execute(
        f"DELETE FROM terms_{slug} WHERE NOT EXISTS (SELECT 1 FROM {words} AS w WHERE w.term = terms_{slug}.term)"
    )


def _merge(connection: apsw.Connection, catalog: Catalog[Any]) -> None:
    words = f"words_{catalog.slug}"
    connection.execute(f"INSERT INTO {words} ({words}) VALUES ('optimize')")


def built(connection: apsw.Connection, catalog: Catalog[Any]) -> bool:
    """Whether the tables have the declared shape, and were built to their end once."""
    row = connection.execute("SELECT shape, finished FROM catalogs WHERE name = ?", (catalog.name,)).fetchone()
    return row is not None and row[0] == catalog.shape and row[1] > 0


def outdate(connection: apsw.Connection, catalog: Catalog[Any]) -> None:
    """Note that the tables may have what an index has not, until it is built to its end again. Nothing that follows is
    older than what is known: a table may have got a new stream, whose numbers begin again."""
    with writing(connection):
        connection.execute("UPDATE catalogs SET begun = NULL, finished = 0 WHERE name = ?", (catalog.name,))
        for kind in ("documents", "parts") if made(connection, catalog) else ():
            connection.execute(f"UPDATE {kind}_{catalog.slug} SET sequence = '' WHERE sequence <> ''")


# -- one document


def _write(
    connection: apsw.Connection,
    catalog: Catalog[Any],
    identity: str,
    document: Document | None,
    sequence: str,
    generation: int,
) -> None:
    """Put a document in, or take it out; its row stays, so that an older change that comes again is known as old."""
    slug = catalog.slug
    columns = "".join(f", s_{name}" for name in catalog.sorts)
    sorts = [None if document is None else _sortable(document.sorts.get(name)) for name in catalog.sorts]
    settings = "".join(f", s_{name} = excluded.s_{name}" for name in catalog.sorts)
    doc = connection.execute(
        f"INSERT INTO documents_{slug} (id, sequence, generation, live{columns})"
        f" VALUES (?, ?, ?, ?{', ?' * len(sorts)}) ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence,"
        f" generation = excluded.generation, live = excluded.live{settings} RETURNING doc",
        (identity, sequence, generation, document is not None, *sorts),
    ).get
    if document is None:
        for table, key in (("texts", "doc"), ("pairs", "doc"), ("words", "rowid")):
            connection.execute(f"DELETE FROM {table}_{slug} WHERE {key} = ?", (doc,))
        return
    names = column_names(catalog)
    texts = tuple(readable_text(document.fields.get(name, "")) for name in catalog.weights)
    _file_under(connection, catalog, doc, document.filters)
    before = connection.execute(f"SELECT {names} FROM texts_{slug} WHERE doc = ?", (doc,)).fetchone()
    if before != texts:  # what lists are sorted by changes often, and words seldom
        connection.execute(
            f"INSERT OR REPLACE INTO texts_{slug} (doc, {names}) VALUES (?{', ?' * len(texts)})", (doc, *texts)
        )
        _index(connection, catalog, identity)


def _sortable(value: int | float | str | None) -> int | float | str | None:
    """Texts in the order of their folded words; numbers as SQLite and cursors can spell them."""
    if isinstance(value, str):
        return fold(readable_text(value[:_SORTED_CHARACTERS]))
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, float) or -(2**63) <= value < 2**63 else float(value)


def _file_under(
    connection: apsw.Connection, catalog: Catalog[Any], doc: int, filters: Mapping[str, str | tuple[str, ...]]
) -> None:
    slug = catalog.slug
    wanted: set[int] = set()
    for name in catalog.filters:
        given = filters.get(name, ())
        for text in {given} if isinstance(given, str) else set(given):
            value = readable_text(text)
            wanted.add(
                connection.execute(
                    f"INSERT INTO values_{slug} (name, text, folded) VALUES (?, ?, ?)"
                    " ON CONFLICT (name, text) DO UPDATE SET folded = excluded.folded RETURNING value",
                    (name, value, fold(value)),
                ).get
            )
    had = {value for (value,) in connection.execute(f"SELECT value FROM pairs_{slug} WHERE doc = ?", (doc,))}
    gone, new = had - wanted, wanted - had
    connection.executemany(f"DELETE FROM pairs_{slug} WHERE doc = ? AND value = ?", [(doc, each) for each in gone])
    connection.executemany(f"INSERT INTO pairs_{slug} (doc, value) VALUES (?, ?)", [(doc, each) for each in new])


def _write_text(
    connection: apsw.Connection,
    catalog: Catalog[Any],
    field: str,
    place: tuple[str, str],
    text: str | None,
    sequence: str,
    generation: int,
) -> None:
    readable = None if text is None else readable_text(text)
    connection.execute(
        f"INSERT OR REPLACE INTO parts_{catalog.slug} (id, field, part, sequence, generation, text)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (place[0], field, place[1], sequence, generation, readable),
    )


def _index(connection: apsw.Connection, catalog: Catalog[Any], identity: str) -> None:
    """Index the words of a document that can be found: its own, and those of its texts."""
    slug = catalog.slug
    names = column_names(catalog)
    row = connection.execute(
        f"SELECT doc, {names} FROM texts_{slug} WHERE doc = (SELECT doc FROM documents_{slug} WHERE id = ? AND live)",
        (identity,),
    ).fetchone()
    if row is None:
        return
    texts = dict(zip(catalog.weights, row[1:], strict=True))
    for field, more in parts_of(connection, catalog, identity):
        texts[field] += "\n" + more
    words = [tokens(text) for text in texts.values()]
    connection.execute(
        f"INSERT OR REPLACE INTO words_{slug} (rowid, {names}) VALUES (?{', ?' * len(texts)})",
        (row[0], *map(stemmed, words)),
    )
    terms = {word for some in words for word in some if 2 <= len(word) <= LONGEST_TERM}
    connection.executemany(
        f"INSERT OR IGNORE INTO terms_{slug} (length, term) VALUES (?, ?)", [(len(term), term) for term in terms]
    )
