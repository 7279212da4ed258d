"""A list through an index that does not hold the items reads them by key, in the list's order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore, Observation
from partita.table import Attribute, Index, InvalidCursorError, Item, Put, Query, Table, attribute, projected

LIBRARY = Table("library", pk="isbn")
KEYS = LIBRARY.index("keys", pk="shelf", sk="addedAt", projection="KEYS_ONLY")
SOME = LIBRARY.index("some", pk="shelf", sk="addedAt", projection=("title",))
WHOLE = LIBRARY.index("whole", pk="shelf", sk="addedAt")


class Book(Item, table=LIBRARY):
    """Its title is in one index, its text in none that holds less than all."""

    isbn: Attribute[str]
    shelf: Attribute[str]
    added_at: Attribute[str] = attribute("addedAt")
    title: Attribute[str]
    text: Attribute[str] = attribute(default="")


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(LIBRARY)
        store.batch_write(map(Put, BOOKS))
        yield store


BOOKS = [
    Book(isbn=f"{number * 7 % 130:03}", shelf="poetry", added_at=f"{number:03}", title=f"Book {number}", text="words")
    for number in range(130)
]


@pytest.mark.parametrize("index", [KEYS, SOME], ids=repr)
def test_items_come_whole_in_the_order_of_the_index(store: EmbeddedStore, index: Index) -> None:
    query = Book.query(index, Book.shelf("poetry")).newest_first()
    found: list[Book] = []
    cursor = None
    while True:
        page = store.page(query, limit=40, after=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page) == 40
    assert found == BOOKS[::-1] == list(store.stream(query))

    async def program() -> list[Book]:
        return [book async for book in store.asynchronous.stream(query)]

    assert asyncio.run(program()) == found


def _operations(store: EmbeddedStore, query: Query[Book]) -> list[str]:
    seen: list[Observation] = []
    store.observe(seen.append)
    store.page(query, limit=5)
    store.observers.clear()
    return [each.operation for each in seen]


def test_only_an_index_that_holds_too_little_takes_a_second_read(store: EmbeddedStore) -> None:
    assert _operations(store, Book.query(WHOLE, Book.shelf("poetry"))) == ["Query"]
    assert _operations(store, Book.query(KEYS, Book.shelf("poetry"))) == ["Query", "BatchGetItem"]
    asked = projected(Book.query(SOME, Book.shelf("poetry")), Book.title)
    assert _operations(store, asked) == ["Query"], "who asks for a part of the items gets that part"


def test_a_cursor_belongs_to_its_list_here_too(store: EmbeddedStore) -> None:
    cursor = store.page(Book.query(KEYS, Book.shelf("poetry")), limit=5).next_cursor
    with pytest.raises(InvalidCursorError):
        store.page(Book.query(SOME, Book.shelf("poetry")), limit=5, after=cursor)
