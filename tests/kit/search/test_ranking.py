"""Any of many words: the rarest choose, other forms count, filters hold, and documents may be made of several items."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from partita.engine import Engine
from partita.kit.search import Document, Search
from partita.kit.search.following import build_anew
from partita.store import EmbeddedStore
from partita.table import Put
from tests.kit.search.books import BOOKS, SHELF, Book

T = TypeVar("T")


def run(work: Callable[[], Awaitable[T]]) -> T:
    async def main() -> T:
        return await work()

    return asyncio.run(main())


async def _put(search: Search, *books: Book) -> None:
    for number, book in enumerate(books):
        await search.put(BOOKS, book.id, BOOKS.document(book), sequence=str(number))


def test_documents_with_more_of_the_words_come_first(search: Search) -> None:
    async def story() -> None:
        await _put(
            search,
            Book(id="1", body="goats and camels need pasture"),
            Book(id="2", body="goats"),
            Book(id="3", body="coffee"),
        )
        ranked = await search.rank(BOOKS, ("goat", "camel", "pastures", "zebra"))
        assert ranked.ids == ("1", "2")
        assert ranked.total == 3
        assert ranked.held_by == {"goat": 2, "camel": 1, "pastures": 1, "zebra": 0}

    run(story)


def test_words_that_most_documents_have_choose_nothing(search: Search) -> None:
    async def story() -> None:
        many = [Document(f"{n:05}", {"title": "", "body": "common words here"}) for n in range(3_000)]

        async def documents() -> AsyncIterator[Document]:
            for each in many:
                yield each
            yield Document("rare", {"title": "", "body": "common rare seldom words"})

        await search.rebuild_from(BOOKS, {"all": documents})
        ranked = await search.rank(BOOKS, ("common", "words", "rare", "seldom"), limit=5)
        assert ranked.ids[0] == "rare"
        assert ranked.held_by["common"] == 3_001
        alone = await search.rank(BOOKS, ("common",), limit=5)
        assert len(alone.ids) == 5

    run(story)


def test_filters_narrow_and_unknown_ones_are_refused(search: Search) -> None:
    async def story() -> None:
        await _put(search, Book(id="1", body="goats", shelf="a"), Book(id="2", body="goats", shelf="b"))
        ranked = await search.rank(BOOKS, ("goat",), filters={"shelf": frozenset({"b"})})
        assert ranked.ids == ("2",)
        with pytest.raises(ValueError, match="no filter"):
            await search.rank(BOOKS, ("goat",), filters={"colour": "red"})

    run(story)


def test_an_index_that_is_not_there_finds_nothing(search: Search) -> None:
    async def story() -> None:
        assert (await search.rank(BOOKS, ("goat",))).ids == ()
        await _put(search, Book(id="1", body="goats"))
        assert (await search.rank(BOOKS, ())).ids == ()

    run(story)


def test_an_older_change_does_not_bring_a_document_back(search: Search) -> None:
    async def story() -> None:
        document = BOOKS.document(Book(id="1", body="goats"))
        await search.put(BOOKS, "1", document, sequence="5")
        await search.put(BOOKS, "1", None, sequence="7")
        await search.put(BOOKS, "1", document, sequence="6")
        assert (await search.rank(BOOKS, ("goat",))).ids == ()

    run(story)


def test_an_item_may_stand_for_several_documents(search: Search) -> None:
    async def story() -> None:
        with Engine.temporary() as engine:
            tables = EmbeddedStore(engine)
            tables.create(SHELF)
            store = tables.asynchronous
            await store.write(Put(Book(id="b", body="goats. camels. sheep.")))

            async def chapters(book: Book) -> AsyncIterator[Document]:
                for number, text in enumerate(book.body.split(". ")):
                    yield Document(f"{book.id}{number}", {"title": book.title, "body": text})

            catalog = replace(BOOKS, expand=chapters)
            assert await build_anew(search, store, catalog) == 3
            assert (await search.rank(catalog, ("camel",))).ids == ("b1",)

    run(story)


def test_counts_of_words_that_strangers_ask_for_take_little_memory(search: Search) -> None:
    async def story() -> int:
        await _put(search, Book(id="1", body="goats"))
        tracemalloc.start()
        try:
            for number in range(150):
                await search.rank(BOOKS, [f"{number}x{word}{'y' * 2_000}" for word in range(40)])
            gc.collect()
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert run(story) < 6_000_000
