"""What is read is noted, by whatever verb, so that what is made of it can be remembered by it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any
from weakref import WeakSet

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.reads import MOST, note_read, reads_so_far, remember_reads
from partita.store.store import AsyncStore
from partita.table import Attribute, Item, Put, Query, Table, key_part

SHELF = Table("shelf", pk="PK", sk="SK")


class Book(Item, table=SHELF, pk="SHELF", sk="BOOK#{title}"):
    title: Attribute[str] = key_part()
    stars: Attribute[int]


def _all() -> Query[Book]:
    return Book.query()


async def _streamed(store: AsyncStore) -> None:
    assert [book async for book in store.stream(_all())]


async def _together(store: AsyncStore) -> None:
    await asyncio.gather(store.get(Book.get(Book.title("One"))), store.count(_all()))


VERBS: dict[str, Callable[[AsyncStore], Awaitable[Any]]] = {
    "get": lambda store: store.get(Book.get(Book.title("One"))),
    "page": lambda store: store.page(_all()),
    "first": lambda store: store.first(_all()),
    "batch_get": lambda store: store.batch_get([Book.key(Book.title("One"))]),
    "transact_get": lambda store: store.transact_get(Book.get(Book.title("One"))),
    "stream": _streamed,
    "tasks": _together,
}


def _seen(store: AsyncStore, verb: Callable[[AsyncStore], Awaitable[Any]]) -> Any:
    async def read() -> Any:
        remember_reads()
        await verb(store)
        return reads_so_far()

    return copy_context().run(asyncio.run, read())


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_reads_are_equal_and_others_are_not(verb: str) -> None:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(SHELF)
        store.write(Put(Book(title="One", stars=1)))
        first, again = (_seen(store.asynchronous, VERBS[verb]) for _ in range(2))
        assert first == again
        assert hash(first) == hash(again)
        store.write(Put(Book(title="One", stars=2)))
        assert _seen(store.asynchronous, VERBS[verb]) != first


def test_what_cannot_be_compared_is_not_remembered() -> None:
    def read() -> Any:
        remember_reads()
        note_read({"marks": {}})
        return reads_so_far()

    assert copy_context().run(read) is None
    assert copy_context().run(reads_so_far) is None, "nobody asked to remember"


def test_whoever_reads_everything_holds_nothing_of_it() -> None:
    """An export reads all tables, and a page that watches something reads for as long as it is open."""

    class Read:
        pass

    def read(count: int) -> tuple[Any, int]:
        remember_reads()
        held = WeakSet[Read]()
        for _ in range(count):
            some = [Read() for _ in range(10)]
            held.update(some)
            note_read(some)
        del some
        return reads_so_far(), len(held)

    some, held = copy_context().run(read, MOST // 10)
    assert (len(some), held) == (MOST // 10, MOST)
    assert copy_context().run(read, MOST // 10 + 1) == (None, 0)
    assert copy_context().run(read, MOST) == (None, 0)
