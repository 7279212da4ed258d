"""Counting anew: one run makes all counters what a count of the rows is, whatever was wrong and whoever writes."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import TransactionCanceledError
from partita.engine import Engine
from partita.kit.recounting import Counted, Recount, Recounted, Tables, recount, tables_of
from partita.store import EmbeddedStore
from partita.store.store import AsyncStore
from partita.table import Attribute, Delete, Item, Put, Table, Transaction, Update, attribute, key_part

SHELVES = Table("shelves", pk="PK", sk="SK")


class Shelf(Item, table=SHELVES, pk="SHELF#{shelf}", sk="SHELF"):
    shelf: Attribute[str] = key_part()
    made: Attribute[str] = attribute(default="1")
    books: Attribute[int | None] = attribute(default=None, ge=0)
    pages: Attribute[int | None] = attribute(default=None, ge=0)


class Total(Item, table=SHELVES, pk="TOTAL#{of}", sk="TOTAL"):
    of: Attribute[str] = key_part()
    count: Attribute[int] = attribute(default=0)
    note: Attribute[str] = attribute(default="")


class Book(Item, table=SHELVES, pk="SHELF#{shelf}", sk="BOOK#{book}"):
    shelf: Attribute[str] = key_part()
    book: Attribute[str] = key_part()
    pages: Attribute[int]
    of_made: Attribute[str] = attribute(default="1")


def _counted(book: Book) -> tuple[Counted, ...]:
    shelf = Shelf.key(Shelf.shelf(book.shelf))
    return (
        Counted(Total.key(Total.of("books")), Total.count),
        Counted(shelf, Shelf.books, said=book.of_made),
        Counted(shelf, Shelf.pages, book.pages, said=book.of_made),
    )


RECOUNT = Recount(
    SHELVES,
    counters={Total: (Total.count,), Shelf: (Shelf.books, Shelf.pages)},
    rows={Book: _counted},
    made=frozenset({Total}),
    holds=lambda holder, said: not isinstance(holder, Shelf) or holder.made == said,
)

SHELF_NAMES = ("atlas", "novel", "verse")
AMOUNTS = st.integers(0, 9) | st.none()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    with Engine(tmp_path_factory.mktemp("shelves"), durability="off") as engine:
        made = EmbeddedStore(engine)
        made.create(SHELVES)
        yield made


def _add(book: Book, amount: int = 1) -> tuple[Update[Total], Update[Shelf]]:
    shelf = Update(Shelf.key(Shelf.shelf(book.shelf)), Shelf.books.add(amount), Shelf.pages.add(amount * book.pages))
    if amount < 0:
        shelf = shelf.when(Shelf.books >= 1).when(Shelf.pages >= book.pages)
    return Update(Total.key(Total.of("books")), Total.count.add(amount)).or_new(), shelf


def _counters(store: EmbeddedStore) -> dict[str, tuple[int, ...]]:
    found = {each.shelf: (each.books or 0, each.pages or 0) for each in store.scan_whole_table(Shelf)}
    return {**found, **{f"all {each.of}": (each.count,) for each in store.scan_whole_table(Total)}}


def _count(store: EmbeddedStore) -> dict[str, tuple[int, ...]]:
    """What the counters should be."""
    shelves = {each.shelf: each.made for each in store.scan_whole_table(Shelf)}
    books = list(store.scan_whole_table(Book))
    counts, pages = Counter[str](), Counter[str]()
    for book in books:
        if shelves.get(book.shelf) == book.of_made:
            counts[book.shelf] += 1
            pages[book.shelf] += book.pages
    return {**{name: (counts[name], pages[name]) for name in shelves}, "all books": (len(books),)}


def _recount(store: EmbeddedStore, *, dry_run: bool = False) -> Recounted:
    return asyncio.run(recount(store.asynchronous, tables_of(store), [RECOUNT], dry_run=dry_run))


def _empty(store: EmbeddedStore) -> None:
    for kind in (Shelf, Total, Book):
        store.batch_write(Delete(each.own_key) for each in store.scan_whole_table(kind))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(SHELF_NAMES), st.tuples(AMOUNTS, AMOUNTS)),
    st.integers(-3, 9) | st.none(),
    st.sets(st.tuples(st.sampled_from(SHELF_NAMES), st.integers(0, 9), st.sampled_from("12"))),
)
def test_whatever_counters_say_one_run_makes_them_a_count_of_the_rows_and_a_second_changes_nothing(
    store: EmbeddedStore,
    shelves: dict[str, tuple[int | None, int | None]],
    total: int | None,
    books: set[tuple[str, int, str]],
) -> None:
    _empty(store)
    for name, (number, pages) in shelves.items():
        store.write(Put(Shelf(shelf=name, books=number, pages=pages)))
    if total is not None:
        store.write(Put(Total(of="books", count=total)))
    for shelf, number, made in books:
        store.write(Put(Book(shelf=shelf, book=f"{number}-{made}", pages=number, of_made=made)))
    before, expected = _counters(store), _count(store)
    told = _recount(store, dry_run=True)
    assert _counters(store) == before
    assert told.settled == (not told.wrong) == ({"all books": (0,), **before} == expected)
    assert len(_recount(store).wrong) == len(told.wrong)
    assert {"all books": (0,), **_counters(store)} == expected
    again = _recount(store)
    assert (again.wrong, again.settled) == ([], True)


class Writers:
    """Threads that add and remove books, each with its counters; what is not counted is not counted down."""

    def __init__(self, store: EmbeddedStore) -> None:
        self._store = store
        self._stop = threading.Event()
        self.written = 0

    def write(self, number: int) -> None:
        random, mine = Random(number), list[Book]()
        while not self._stop.is_set():
            if mine and random.random() < 0.5:
                book = mine.pop(random.randrange(len(mine)))
                total, shelf = _add(book, -1)
                gone = Delete(book.own_key).if_there()
                try:
                    self._store.transact(Transaction(gone, total, shelf))
                except TransactionCanceledError:  # the shelf's numbers do not contain it, so they stay as they are
                    self._store.transact(Transaction(gone, total))
            else:
                name = f"{number}-{self.written}-{random.random()}"
                book = Book(shelf=random.choice(SHELF_NAMES), book=name, pages=random.randint(1, 9))
                self._store.transact(Transaction(Put(book).if_new(), *_add(book)))
                mine.append(book)
            self.written += 1

    def __enter__(self) -> Writers:
        self._threads = [threading.Thread(target=self.write, args=(number,)) for number in range(3)]
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for each in self._threads:
            each.join(20)


def test_while_others_write_and_several_count_at_once_counters_are_exact_when_they_stop(store: EmbeddedStore) -> None:
    _empty(store)
    for name in SHELF_NAMES:
        store.write(Put(Shelf(shelf=name, books=0, pages=7)))
    # As after a copy: no counter has them. To read them all takes several requests.
    store.batch_write(Put(Book(shelf="atlas", book=str(number), pages=3)) for number in range(1500))
    with Writers(store) as writers:
        results: list[Recounted] = []
        counting = [threading.Thread(target=lambda: results.append(_recount(store))) for _ in range(2)]
        for each in counting:
            each.start()
        for each in counting:
            each.join(60)
        assert [each.settled for each in results] == [True, True]
    assert writers.written > 10
    assert _counters(store) == _count(store)


def test_where_no_moment_of_the_tables_can_be_had_only_what_two_counts_find_is_corrected(store: EmbeddedStore) -> None:
    """As in DynamoDB: what somebody writes while the rows are read looks wrong, and must not be made so."""
    _empty(store)
    store.write(Put(Shelf(shelf="atlas", books=5, pages=0)))
    for number in range(2):
        book = Book(shelf="atlas", book=str(number), pages=0)
        store.transact(Transaction(Put(book), *_add(book)))
    looks = 0

    @asynccontextmanager
    async def moment() -> AsyncIterator[AsyncStore]:
        nonlocal looks
        looks += 1
        if looks == 1:
            with Engine.temporary() as engine:
                copy = EmbeddedStore(engine)
                copy.create(SHELVES)
                for kind in (Shelf, Total, Book):
                    copy.batch_write(Put(each) for each in store.scan_whole_table(kind))
                copy.write(Update(Total.key(Total.of("books")), Total.count.add(1)))
                yield copy.asynchronous
        else:
            yield store.asynchronous

    result = asyncio.run(recount(store.asynchronous, Tables(moment, exact=False), [RECOUNT]))
    assert {each.counter.field_name: (each.stored, each.counted) for each in result.wrong} == {
        "count": (3, 2),
        "books": (7, 2),
    }
    assert result.settled
    assert _counters(store) == {"atlas": (2, 0), "all books": (2,)}


@pytest.mark.parametrize("wrong", [{"note": {"N": "1"}}, {"count": {"S": "many"}}])
@pytest.mark.parametrize("exact", [True, False])
def test_a_counter_in_an_item_that_cannot_be_read_is_told_and_left_as_it_is(
    store: EmbeddedStore, wrong: dict[str, dict[str, str]], exact: bool
) -> None:
    _empty(store)
    store.write(Put(Book(shelf="atlas", book="1", pages=2)))
    key = {"PK": {"S": "TOTAL#books"}, "SK": {"S": "TOTAL"}}
    row = {**key, "of": {"S": "books"}, "count": {"N": "4"}, **wrong}
    store.engine.call("PutItem", {"TableName": SHELVES.name, "Item": row})
    tables = tables_of(store) if exact else Tables(lambda: nullcontext(store.asynchronous), exact=False)
    try:
        result = asyncio.run(recount(store.asynchronous, tables, [RECOUNT]))
        assert store.engine.call("GetItem", {"TableName": SHELVES.name, "Key": key})["Item"] == row
        assert (len(result.unreadable), result.wrong) == (1, [])
    finally:
        store.engine.call("DeleteItem", {"TableName": SHELVES.name, "Key": key})


def test_nothing_is_left_beside_the_tables(store: EmbeddedStore) -> None:
    _recount(store)
    folder = store.engine.database.folder
    assert [
        each for each in Path(folder).rglob("*") if each.is_file() and "recounts" in str(each.relative_to(folder))
    ] == []
