"""The migration that the guide writes down works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from partita.engine import Engine
from partita.store.migrate import migrate, rehearse, verify
from partita.table import Attribute, Item, Put, Table, attribute, key_part
from tests.store.migrate.library import filled

GUIDE = Path(__file__).parents[3] / "docs" / "migrations.md"
OLD_BOOKS = Table("old-books", pk="id", stream=None)
SHELF = Table("guide-shelf", pk="PK", sk="SK")


class Reader(Item, table=SHELF, pk="READER#{reader}", sk="PROFILE"):
    reader: Attribute[str] = key_part()
    book_count: Attribute[int] = attribute(default=0)


class Book(Item, table=SHELF, pk="READER#{reader}", sk="BOOK#{isbn}"):
    reader: Attribute[str] = key_part()
    isbn: Attribute[str] = key_part()
    title: Attribute[str]


def test_the_guides_migration_moves_skips_tells_and_verifies() -> None:
    (code,) = re.findall(r"```python\n(.*?BOOKS = Migration.*?)```", GUIDE.read_text(), re.DOTALL)
    names: dict[str, Any] = {"OLD_BOOKS": OLD_BOOKS, "SHELF": SHELF, "Reader": Reader, "Book": Book}
    exec(code, names)
    rows = [
        {"id": "1", "kind": "book", "owner": "ada", "title": "Emma"},
        {"id": "2", "kind": "draft", "owner": "ada", "title": "Sanditon"},
        {"id": "3", "kind": "book", "owner": "nobody", "title": "Persuasion"},
    ]
    with Engine.temporary(background=False) as engine:
        store = filled(engine, rows, OLD_BOOKS)
        store.create(SHELF)
        store.write(Put(Reader(reader="ada")))
        told, done = rehearse(store, names["BOOKS"]), migrate(store, names["BOOKS"])
        assert told.tally == done.tally
        assert (done.tally.moved, done.tally.skipped, done.tally.problems) == (1, 1, 1)
        assert store.get(Reader.get(Reader.reader("ada"))) == Reader(reader="ada", book_count=1)
        assert [each.row for each in verify(store, names["BOOKS"]).differences] == ['id="3"']
