"""The statements of the index. Each function runs in a worker thread, on that thread's connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import apsw

from partita.kit.search.catalog import Catalog, Document

_APART = "\x1f"

Condition = tuple[str, Literal["AND", "OR"], tuple[str, ...]]
"""A filter, whether all of its values or any must match, and the values; at least one."""


def prepare(connection: apsw.Connection) -> None:
    """Create the list of catalogs, or add the column `whole` to one of an earlier version."""
    if connection.execute("SELECT 1 FROM pragma_table_info('catalogs') WHERE name = 'whole'").get is None:
        with _writing(connection):
            columns = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('catalogs')")}
            if not columns:
                connection.execute("CREATE TABLE catalogs (name TEXT PRIMARY KEY, shape TEXT, generation INTEGER)")
            if "whole" not in columns:
                connection.execute("ALTER TABLE catalogs ADD COLUMN whole INTEGER NOT NULL DEFAULT 0")


def find(
    connection: apsw.Connection,
    catalog: Catalog[Any],
    expression: str,
    filters: Sequence[Condition],
    after: tuple[float, int] | None,
    limit: int,
) -> tuple[list[tuple[Any, ...]], int]:
    if not _has_tables(connection, catalog):
        return [], 0
    slug = catalog.slug
    narrowed = "".join(map(_narrowed, filters))
    values = [f"{_APART}{each}{_APART}" for _, _, accepted in filters for each in accepted]
    joined = f"words_{slug} JOIN documents_{slug} AS d ON d.rowid = words_{slug}.rowid"
    source = joined if filters else f"words_{slug}"
    weights = ", ".join(str(weight) for weight in catalog.weights.values())
    # First the ranking, then the texts of the few rows of this page.
    page = (
        f"SELECT bm25(words_{slug}, {weights}) AS score, words_{slug}.rowid AS found FROM {source}"
        f" WHERE words_{slug} MATCH ?{narrowed}"
    )
    if after is not None:
        page = f"SELECT score, found FROM ({page}) WHERE (score, found) > (?, ?)"
    page += " ORDER BY score, found LIMIT ?"
    texts = f"SELECT d.id, {', '.join(catalog.weights)} FROM {joined} WHERE words_{slug}.rowid = ?"
    with connection:  # one snapshot for all of it
        ranked = connection.execute(page, (expression, *values, *(after or ()), limit + 1)).fetchall()
        rows = [(*place, *connection.execute(texts, (place[1],)).fetchall()[0]) for place in ranked]
        count = f"SELECT count(*) FROM {source} WHERE words_{slug} MATCH ?{narrowed}"
        total = connection.execute(count, (expression, *values)).get
    return rows, int(total)


def _narrowed(condition: Condition) -> str:
    name, joined, accepted = condition
    return " AND (" + f" {joined} ".join([f"instr(d.f_{name}, ?)"] * len(accepted)) + ")"


def built(connection: apsw.Connection, catalog: Catalog[Any]) -> bool:
    row = connection.execute("SELECT shape, whole FROM catalogs WHERE name = ?", (catalog.name,)).fetchone()
    return row is not None and row == (catalog.shape, 1)


def _has_tables(connection: apsw.Connection, catalog: Catalog[Any]) -> bool:
    shape = connection.execute("SELECT shape FROM catalogs WHERE name = ?", (catalog.name,)).get
    return bool(shape == catalog.shape)


def _make(connection: apsw.Connection, catalog: Catalog[Any]) -> int:
    """Create the tables of a catalog, again if they have another shape; returns its generation."""
    if not _has_tables(connection, catalog):
        slug = catalog.slug
        columns = "".join(f", f_{name} TEXT" for name in catalog.filters)
        fields = ", ".join(catalog.weights)
        connection.execute(
            f"DROP TABLE IF EXISTS words_{slug}; DROP TABLE IF EXISTS documents_{slug};"
            f"CREATE VIRTUAL TABLE words_{slug} USING fts5({fields}, tokenize = 'unicode61 remove_diacritics 2',"
            " prefix = '1 2 3');"
            f"CREATE TABLE documents_{slug} (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL,"
            f" sequence TEXT NOT NULL, generation INTEGER NOT NULL{columns})"
        )
        connection.execute(
            "INSERT OR REPLACE INTO catalogs (name, shape, generation, whole) VALUES (?, ?, 0, 0)",
            (catalog.name, catalog.shape),
        )
    generation = connection.execute("SELECT generation FROM catalogs WHERE name = ?", (catalog.name,)).get
    return int(generation)


def apply(
    connection: apsw.Connection, catalog: Catalog[Any], identity: str, document: Document | None, sequence: str
) -> None:
    with _writing(connection):
        generation = _make(connection, catalog)
        latest = connection.execute(f"SELECT sequence FROM documents_{catalog.slug} WHERE id = ?", (identity,)).get
        if latest is None or latest <= sequence:
            _write(connection, catalog, identity, document, sequence, generation)


def begin(connection: apsw.Connection, catalog: Catalog[Any]) -> int:
    with _writing(connection):
        generation = _make(connection, catalog) + 1
        connection.execute("UPDATE catalogs SET generation = ? WHERE name = ?", (generation, catalog.name))
    return generation


def add(connection: apsw.Connection, catalog: Catalog[Any], documents: list[Document], generation: int) -> None:
    with _writing(connection):
        for document in documents:
            row = connection.execute(
                f"SELECT sequence, generation FROM documents_{catalog.slug} WHERE id = ?", (document.id,)
            ).fetchone()
            if row is None or row[1] < generation:
                _write(connection, catalog, document.id, document, "" if row is None else row[0], generation)


def finish(connection: apsw.Connection, catalog: Catalog[Any], generation: int) -> None:
    """Remove documents that the tables no longer have, and the rows left by deleted ones."""
    slug = catalog.slug
    with _writing(connection):
        old = f"SELECT rowid FROM documents_{slug} WHERE generation < ?"
        connection.execute(f"DELETE FROM words_{slug} WHERE rowid IN ({old})", (generation,))
        connection.execute(f"DELETE FROM documents_{slug} WHERE generation < ?", (generation,))
        connection.execute(f"INSERT INTO words_{slug} (words_{slug}) VALUES ('optimize')")
        connection.execute("UPDATE catalogs SET whole = 1 WHERE name = ?", (catalog.name,))


def _write(
    connection: apsw.Connection,
    catalog: Catalog[Any],
    identity: str,
    document: Document | None,
    sequence: str,
    generation: int,
) -> None:
    """Write or remove a document; its row stays, so that an older change that comes again is recognised."""
    slug = catalog.slug
    columns = "".join(f", f_{name}" for name in catalog.filters)
    filters = [_filter(document, name) for name in catalog.filters]
    marks = ", ?" * len(filters)
    settings = "".join(f", f_{name} = excluded.f_{name}" for name in catalog.filters)
    rowid = connection.execute(
        f"INSERT INTO documents_{slug} (id, sequence, generation{columns}) VALUES (?, ?, ?{marks})"
        f" ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, generation = excluded.generation{settings}"
        " RETURNING rowid",
        (identity, sequence, generation, *filters),
    ).get
    connection.execute(f"DELETE FROM words_{slug} WHERE rowid = ?", (rowid,))
    if document is not None:
        names = ", ".join(catalog.weights)
        texts = [document.fields.get(name, "") for name in catalog.weights]
        connection.execute(f"INSERT INTO words_{slug} (rowid, {names}) VALUES (?{', ?' * len(texts)})", (rowid, *texts))


def _filter(document: Document | None, name: str) -> str | None:
    value = None if document is None else document.filters.get(name)
    if value is None:
        return None
    values = (value,) if isinstance(value, str) else value
    return _APART + "".join(each + _APART for each in values)


class _writing:  # noqa: N801 - used like a function
    """A write transaction from its first statement on, so that two writers wait instead of failing."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")
