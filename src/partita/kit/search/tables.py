"""The tables of an index. Each function runs in a worker thread, on that thread's connection.

Of each catalog there are

- `documents_…`: a row for each document, also for those that are gone, so that an older change that comes again is
  known as old; with the values lists are sorted by
- `texts_…`: the fields of the documents that can be found, as they are shown
- `parts_…`: the texts that come from other items than the document
- `words_…`: the words and stems of all fields (FTS5; it keeps no text)
- `terms_…`: every word that any of them has had, by length
- `revisions_…`: a number that changes with the words
- `values_…`: the values of the filters, each with the number of documents that have it, and of changes of these
- `pairs_…`: which document has which value
- `vectors_…`: what documents mean, if the catalog declares it; `turns_…`, a number that changes with them; and
  `changes_…`: at which turn the vector of a document came or went last, and for document 0, since when that is noted
- `sentences_…`: what each of their sentences means, and `pieces_…`: each of their words, in tables of their own: only
  those of the nearest are ever read
"""

from __future__ import annotations

from typing import Any

import apsw

from partita.kit.search.catalog import Catalog, column_names

_KINDS = (
    "documents",
    "texts",
    "parts",
    "words",
    "terms",
    "revisions",
    "pairs",
    "values",
    "vectors",
    "sentences",
    "pieces",
    "turns",
    "changes",
)


def prepare(connection: apsw.Connection) -> None:
    """The list of catalogs and of the sources that each was built from."""
    known = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('catalogs')")}
    if "finished" in known:
        _note_changes(connection)
        return
    with writing(connection):
        known = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('catalogs')")}
        if "finished" not in known:  # an earlier version's list: what it knows is built anew
            connection.execute(
                "DROP TABLE IF EXISTS catalogs;"
                "CREATE TABLE catalogs (name TEXT PRIMARY KEY, shape TEXT NOT NULL, generation INTEGER NOT NULL,"
                " begun REAL, finished INTEGER NOT NULL DEFAULT 0);"
                "CREATE TABLE IF NOT EXISTS sources (catalog TEXT NOT NULL, source TEXT NOT NULL,"
                " generation INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (catalog, source))"
            )


def made(connection: apsw.Connection, catalog: Catalog[Any]) -> bool:
    """Whether the tables of a catalog are there, and have the shape that is declared now."""
    shape = connection.execute("SELECT shape FROM catalogs WHERE name = ?", (catalog.name,)).get
    return bool(shape == catalog.shape)


def make(connection: apsw.Connection, catalog: Catalog[Any]) -> int:
    """The tables of a catalog, made anew if they have another shape; its generation."""
    if not made(connection, catalog):
        slug = catalog.slug
        for kind in _KINDS:
            connection.execute(f"DROP TABLE IF EXISTS {kind}_{slug}")
        connection.execute(_tables(catalog))
        connection.execute("DELETE FROM sources WHERE catalog = ?", (catalog.name,))
        connection.execute(
            "INSERT OR REPLACE INTO catalogs (name, shape, generation, begun) VALUES (?, ?, 0, NULL)",
            (catalog.name, catalog.shape),
        )
    return int(connection.execute("SELECT generation FROM catalogs WHERE name = ?", (catalog.name,)).get)


def _tables(catalog: Catalog[Any]) -> str:
    slug = catalog.slug
    fields = column_names(catalog)
    sorts = "".join(f", s_{name}" for name in catalog.sorts)
    indexes = "".join(
        f"CREATE INDEX documents_{slug}_{name} ON documents_{slug} (s_{name}, id) WHERE live;" for name in catalog.sorts
    )
    return (
        f"CREATE TABLE documents_{slug} (doc INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, sequence TEXT NOT NULL,"
        f" generation INTEGER NOT NULL, live INTEGER NOT NULL{sorts});{indexes}"
        f"CREATE INDEX documents_{slug}_live ON documents_{slug} (id) WHERE live;"
        f"CREATE TABLE texts_{slug} (doc INTEGER PRIMARY KEY, {fields});"
        f"CREATE TABLE parts_{slug} (id TEXT, field TEXT, part TEXT, sequence TEXT NOT NULL,"
        " generation INTEGER NOT NULL, text TEXT, PRIMARY KEY (id, field, part)) WITHOUT ROWID;"
        # Words come folded, and the tokenizer takes everything but spaces for letters.
        f"CREATE VIRTUAL TABLE words_{slug} USING fts5({fields}, content = '', contentless_delete = 1,"
        " tokenize = 'ascii', prefix = '1 2 3');"
        f"{_revision_tables(slug)}"
        f"CREATE TABLE terms_{slug} (length INTEGER, term TEXT, PRIMARY KEY (length, term)) WITHOUT ROWID;"
        f"CREATE TABLE values_{slug} (value INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL,"
        " folded TEXT NOT NULL, count INTEGER NOT NULL DEFAULT 0,"
        # By chance, so that a value of tables that were made anew is not taken for an earlier one with its number.
        " changed INTEGER NOT NULL DEFAULT (abs(random() / 2)), UNIQUE (name, text));"
        f"CREATE INDEX values_{slug}_folded ON values_{slug} (name, folded);"
        f"CREATE INDEX values_{slug}_count ON values_{slug} (name, count);"
        f"CREATE TABLE pairs_{slug} (doc INTEGER, value INTEGER, PRIMARY KEY (doc, value)) WITHOUT ROWID;"
        f"CREATE INDEX pairs_{slug}_value ON pairs_{slug} (value, doc);"
        f"CREATE TRIGGER pairs_{slug}_in AFTER INSERT ON pairs_{slug} BEGIN"
        f" UPDATE values_{slug} SET count = count + 1, changed = changed + 1 WHERE value = new.value; END;"
        f"CREATE TRIGGER pairs_{slug}_out AFTER DELETE ON pairs_{slug} BEGIN"
        f" UPDATE values_{slug} SET count = count - 1, changed = changed + 1 WHERE value = old.value; END;"
        f"{'' if catalog.meaning is None else _vector_tables(slug)}"
    )


def _revision_tables(slug: str) -> str:
    """Words change with the texts that they are of, whoever writes or deletes these."""
    revised = f"BEGIN UPDATE revisions_{slug} SET revision = revision + 1; END;"
    triggers = "".join(
        f"CREATE TRIGGER {kind}_{slug}_{when} AFTER {when} ON {kind}_{slug} {revised}"
        for kind in ("texts", "parts")
        for when in ("insert", "update", "delete")
    )
    return (
        f"CREATE TABLE revisions_{slug} (revision INTEGER NOT NULL);"
        # By chance, so that tables that were made anew are not taken for the earlier ones.
        f"INSERT INTO revisions_{slug} (revision) VALUES (abs(random() / 2));{triggers}"
    )


def _vector_tables(slug: str) -> str:
    """A vector goes with the text that it was made of, whoever writes or deletes that."""
    return (
        f"CREATE TABLE vectors_{slug} (doc INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL);"
        f"CREATE TABLE sentences_{slug} (doc INTEGER PRIMARY KEY, vectors BLOB NOT NULL);"
        f"CREATE TABLE pieces_{slug} (doc INTEGER PRIMARY KEY, signs BLOB NOT NULL);"
        f"CREATE TABLE turns_{slug} (turn INTEGER NOT NULL);"
        # By chance, so that tables that were made anew are not taken for the earlier ones.
        f"INSERT INTO turns_{slug} (turn) VALUES (abs(random() / 2));"
        f"{_change_tables(slug)}"
        f"CREATE TRIGGER texts_{slug}_out AFTER DELETE ON texts_{slug} BEGIN"
        f" DELETE FROM vectors_{slug} WHERE doc = old.doc;"
        f" DELETE FROM sentences_{slug} WHERE doc = old.doc;"
        f" DELETE FROM pieces_{slug} WHERE doc = old.doc; END;"
    )


def _change_tables(slug: str) -> str:
    """Whoever has the vectors in memory reads only those that changed since."""
    triggers = "".join(
        f"CREATE TRIGGER vectors_{slug}_{name} AFTER {event} ON vectors_{slug} BEGIN"
        f" UPDATE turns_{slug} SET turn = turn + 1;"
        f" INSERT OR REPLACE INTO changes_{slug} (doc, turn) SELECT {row}.doc, turn FROM turns_{slug}; END;"
        for name, event, row in (("in", "INSERT", "new"), ("out", "DELETE", "old"))
    )
    return (
        f"CREATE TABLE changes_{slug} (doc INTEGER PRIMARY KEY, turn INTEGER NOT NULL);"
        f"CREATE INDEX changes_{slug}_turn ON changes_{slug} (turn);"
        f"INSERT INTO changes_{slug} (doc, turn) SELECT 0, turn FROM turns_{slug};{triggers}"
    )


def forget_changes(connection: apsw.Connection, catalog: Catalog[Any]) -> None:
    """Note changes from now on: there is no end of documents that were deleted. Who has older vectors reads all."""
    if catalog.meaning is not None:
        slug = catalog.slug
        connection.execute(
            f"DELETE FROM changes_{slug}; INSERT INTO changes_{slug} (doc, turn) SELECT 0, turn FROM turns_{slug}"
        )


_UNNOTED = (
    "SELECT substr(name, 7) FROM sqlite_schema AS t WHERE type = 'table' AND name LIKE 'turns\\_%' ESCAPE '\\'"
    " AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'changes_' || substr(t.name, 7))"
)


def _note_changes(connection: apsw.Connection) -> None:
    """An earlier version's vectors stay: making them takes long."""
    if connection.execute(_UNNOTED).get is None:
        return
    with writing(connection):
        for slug in [str(name) for (name,) in connection.execute(_UNNOTED)]:
            connection.execute(
                f"DROP TRIGGER IF EXISTS vectors_{slug}_in; DROP TRIGGER IF EXISTS vectors_{slug}_out;"
                f"{_change_tables(slug)}"
            )


def vocabulary(connection: apsw.Connection, catalog: Catalog[Any], kind: str) -> str:
    """The table of a catalog's words with their numbers, in all fields or by `col`; each connection has its own."""
    name = f"temp.{kind}_{catalog.slug}"
    words = f"words_{catalog.slug}"
    connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5vocab(main, {words}, {kind})")
    return name


class writing:  # noqa: N801 - used like a function
    """A write transaction from its first statement on, so that two writers wait instead of failing."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")
