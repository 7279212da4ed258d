"""How the index follows the tables: changes, texts that come later, and building anew."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine import Engine
from partita.kit.changes import ChangeWorker
from partita.kit.clock import SystemClock
from partita.kit.schema import HOUSE
from partita.kit.search import Catalog, Document, Search, Text, Texts
from partita.kit.search.following import build_anew, following, following_all, source_queries
from partita.store import EmbeddedStore
from partita.table import Attribute, CursorKeys, Delete, Item, Put, Query, Table, attribute
from tests.kit.search.books import BOOKS, SCANNED, SHELF, Book, Scan, document
from tests.kit.search.test_laws import filled

LETTERS = Table("search-letters", pk="PK", sk="SK")


class Letter(Item, table=LETTERS, pk="LETTERS", sk="LETTER#{book_id}"):
    """What somebody wrote about a book, in a table of its own."""

    book_id: Attribute[str]
    text: Attribute[str] = attribute(default="")


def all_letters() -> Query[Letter]:
    return Letter.query()


WITH_LETTERS = Catalog(
    name="search.letters",
    item_type=Book,
    document=document,
    weights={"title": 8.0, "body": 1.0, "letters": 0.5},
    sources=SCANNED.sources,
    filters=("shelf", "tag"),
    texts=(Texts("letters", Letter, lambda letter: Text(letter.book_id, "letter", letter.text), (all_letters(),)),),
)


class Library:
    """A store with books, an index, and the worker that keeps it."""

    def __init__(self, engine: Engine, search: Search) -> None:
        self.store = EmbeddedStore(engine)
        self.store.create(HOUSE, SHELF, LETTERS)
        self.search = search
        self._engine = engine

    def follow(self, *catalogs: Catalog[Book]) -> int:
        """Follow the changes as a process that was just started does."""
        store = self.store.asynchronous
        handlers = [each for c in catalogs for each in following_all(self.search, store, c, c.name)]
        worker = ChangeWorker(store, self._engine.call_async, handlers, SystemClock())
        return asyncio.run(worker.drain())

    def switch_stream_off_and_on(self, table: Table) -> None:
        self._engine.call("UpdateTable", {"TableName": table.name, "StreamSpecification": {"StreamEnabled": False}})
        self.store.create(table)

    def found(self, text: str, catalog: Catalog[Book] = SCANNED) -> list[str]:
        return sorted(hit.id for hit in asyncio.run(self.search.find(catalog, text)).hits)


@pytest.fixture
def library(search: Search) -> Iterator[Library]:
    with Engine.temporary(background=False) as engine:
        yield Library(engine, search)


# -- texts that come later


def test_a_text_is_added_later_and_changes_without_the_rest_of_its_document(library: Library) -> None:
    library.store.write(Put(Book(id="1", title="Atlas", tags=("maps",))))
    library.follow(SCANNED)
    assert library.found("mountains") == []
    library.store.write(Put(Scan(book_id="1", page="1", text="Rivers and mountains")))
    library.store.write(Put(Scan(book_id="1", page="2", text="Lakes")))
    library.follow(SCANNED)
    assert library.found("mountain lake atlas tag:maps") == ["1"]
    (hit,) = asyncio.run(library.search.find(SCANNED, "lakes")).hits
    assert str(hit.highlights["pages"]) == "Rivers and mountains\n<mark>Lakes</mark>"
    library.store.write(Put(Scan(book_id="1", page="1", text="Deserts")))
    library.follow(SCANNED)
    assert (library.found("mountains"), library.found("deserts lakes atlas")) == ([], ["1"])
    library.store.write(Put(Book(id="1", title="Globe")))
    library.store.write(Delete(Scan(book_id="1", page="2").own_key))
    library.follow(SCANNED)
    assert (library.found("atlas"), library.found("lakes"), library.found("globe deserts")) == ([], [], ["1"])


_WRITES = st.lists(
    st.one_of(
        st.builds(Book, id=st.sampled_from("12"), title=st.sampled_from(("atlas", "globe", "")), hidden=st.booleans()),
        st.builds(
            Scan,
            book_id=st.sampled_from("12"),
            page=st.sampled_from("ab"),
            text=st.sampled_from(("lakes", "hills", "")),
        ),
        st.sampled_from((Book(id="1").own_key, Book(id="2").own_key, Scan(book_id="1", page="a").own_key)),
    ),
    max_size=12,
)


@settings(max_examples=8, deadline=None)
@given(_WRITES)
def test_changes_that_are_followed_together_are_found_as_if_one_by_one(writes: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, Engine.temporary(background=False) as engine:
        searches = [Search(Path(folder, name), CursorKeys(b"k" * 32)) for name in ("one.db", "all.db")]
        library, other = Library(engine, searches[0]), searches[1]
        store = library.store.asynchronous
        for write in writes:
            library.store.write(Put(write) if isinstance(write, Item) else Delete(write))
        (one_by_one,) = following_all(library.search, store, SCANNED, "one")
        (together,) = following_all(other, store, SCANNED, "all")
        for handler in (replace(one_by_one, together=None), together):
            asyncio.run(ChangeWorker(store, engine.call_async, [handler], SystemClock()).drain())
        for text in ("", "atlas", "globe", "lakes", "hills"):
            found = asyncio.run(other.find(SCANNED, text))
            assert sorted(hit.id for hit in found.hits) == library.found(text), text
        for search in searches:
            search.close()


def test_a_text_waits_for_its_document_and_goes_and_comes_with_it(library: Library) -> None:
    library.store.write(Put(Scan(book_id="1", page="1", text="Mountains")))
    library.follow(SCANNED)
    assert library.found("mountains") == []
    for hidden, expected in ((False, ["1"]), (True, []), (False, ["1"])):
        library.store.write(Put(Book(id="1", hidden=hidden)))
        library.follow(SCANNED)
        assert library.found("mountains") == expected


def test_texts_of_another_table_are_followed_too(library: Library) -> None:
    library.store.write(Put(Book(id="1", title="Atlas")))
    library.store.write(Put(Letter(book_id="1", text="Wonderful")))
    library.follow(WITH_LETTERS)
    assert library.found("atlas wonderful", WITH_LETTERS) == ["1"]
    library.store.write(Put(Letter(book_id="1", text="Boring")))
    library.follow(WITH_LETTERS)
    assert (library.found("wonderful", WITH_LETTERS), library.found("boring", WITH_LETTERS)) == ([], ["1"])


def test_texts_and_documents_are_one_handler_if_they_share_a_table(search: Search) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine).asynchronous
        assert [each.name for each in following_all(search, store, SCANNED, "s")] == ["s"]
        assert following(search, store, SCANNED, "s").table is SHELF
        assert [each.table for each in following_all(search, store, WITH_LETTERS, "s")] == [SHELF, LETTERS]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_texts_in_any_order_and_any_number_of_times_end_alike(data: st.DataObject) -> None:
    versions = [
        (part, number, data.draw(st.none() | st.sampled_from(("red", "green", "blue"))))
        for part in ("1", "2")
        for number in range(data.draw(st.integers(1, 3)))
    ]
    changes = data.draw(st.permutations(versions)) + data.draw(st.lists(st.sampled_from(versions), max_size=4))
    before = data.draw(st.integers(0, len(changes)))
    last = {part: text for part, _, text in versions}
    with filled([]) as search:

        async def story() -> list[str]:
            for place, (part, number, text) in enumerate(changes):
                if place == before:
                    await search.apply(SCANNED, None, Book(id="b", title="title"), sequence="1")
                await search.put_text(SCANNED, "b", "pages", part, text, sequence=str(number))
            if before == len(changes):
                await search.apply(SCANNED, None, Book(id="b", title="title"), sequence="1")
            return [w for w in ("red", "green", "blue") if (await search.find(SCANNED, f"{w} title")).hits]

        assert asyncio.run(story()) == [w for w in ("red", "green", "blue") if w in last.values()]


def test_a_text_for_a_field_that_has_none_is_refused(search: Search) -> None:
    with pytest.raises(ValueError, match="declares no texts for 'title'; add Texts"):
        asyncio.run(search.put_text(SCANNED, "1", "title", "1", "x", sequence="1"))
    with pytest.raises(ValueError, match="texts go into 'pages', which has no weight"):
        Catalog("x", Book, document, {"title": 1.0}, (), texts=SCANNED.texts)


# -- building


def test_building_anew_brings_documents_and_texts_and_drops_what_is_gone(library: Library) -> None:
    library.store.write(Put(Book(id="1", title="Atlas", tags=("maps",))))
    library.store.write(Put(Scan(book_id="1", page="1", text="Mountains")))
    library.follow(SCANNED)
    asyncio.run(library.search.apply(SCANNED, None, Book(id="gone", tags=("lost",)), sequence="1"))
    asyncio.run(library.search.put_text(SCANNED, "1", "pages", "7", "vanished", sequence="1"))
    assert library.found("vanished") == ["1"]
    progress: list[int] = []
    assert asyncio.run(build_anew(library.search, library.store.asynchronous, SCANNED, progress.append)) == 2
    assert progress[-1] == 2
    assert (library.found("atlas mountains"), library.found("vanished"), library.found("")) == (["1"], [], ["1"])
    page = asyncio.run(library.search.find(SCANNED, "", facets=("tag",)))
    assert [each.value for each in page.facets["tag"]] == ["maps"]
    assert len(source_queries(SCANNED)) == 2


class Killed(Exception):
    """The process ends here."""


def test_tables_with_new_streams_whose_numbers_begin_again_are_followed_as_before(library: Library) -> None:
    for number in range(9):
        library.store.write(Put(Book(id="1", title=f"Atlas {number}")))
        library.store.write(Put(Letter(book_id="1", text=f"Lakes {number}")))
    library.follow(WITH_LETTERS)
    for table in (SHELF, LETTERS):
        library.switch_stream_off_and_on(table)
    library.follow(WITH_LETTERS)
    library.store.write(Put(Book(id="1", title="Globe")))
    library.store.write(Put(Letter(book_id="1", text="Hills")))
    library.follow(WITH_LETTERS)
    assert (library.found("atlas", WITH_LETTERS), library.found("lakes", WITH_LETTERS)) == ([], [])
    assert library.found("globe hills", WITH_LETTERS) == ["1"]


def test_a_build_goes_on_with_the_source_that_was_not_read_to_its_end(search: Search) -> None:
    read: list[str] = []

    def source(name: str, *, killed: bool = False) -> AsyncIterator[Document | None]:
        async def documents() -> AsyncIterator[Document | None]:
            read.append(name)
            yield Document(f"{name}1", {"title": name})
            if killed:
                raise Killed
            yield Document(f"{name}2", {"title": name})

        return documents()

    async def build(killed: str) -> int:
        names = ("first", "second", "third")
        sources = {name: (lambda name=name: source(name, killed=name == killed)) for name in names}
        return await search.rebuild_from(BOOKS, sources)

    with pytest.raises(Killed):
        asyncio.run(build("second"))
    assert not asyncio.run(search.built(BOOKS))
    assert len(asyncio.run(search.find(BOOKS, "first")).hits) == 2, "it is used meanwhile"
    assert asyncio.run(build("")) == 6
    assert read == ["first", "second", "second", "third"]
    assert asyncio.run(search.built(BOOKS))
    assert asyncio.run(search.find(BOOKS, "")).total == 6
    assert asyncio.run(build("")) == 6
    assert read[4:] == ["first", "second", "third"], "after its end it begins anew"
    with pytest.raises(Killed):
        asyncio.run(build("third"))
    assert asyncio.run(search.built(BOOKS)), "the build before is whole"
    del read[:]
    asyncio.run(build(""))
    assert read == ["third"]


def test_a_build_that_was_left_for_long_begins_anew(search: Search, tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[Document | None]:
        yield Document("old", {"title": "old"})
        raise Killed

    async def fine() -> AsyncIterator[Document | None]:
        yield Document("new", {"title": "new"})

    with pytest.raises(Killed):
        asyncio.run(search.rebuild_from(BOOKS, {"one": fine, "two": broken}))
    connection = apsw.Connection(str(tmp_path / "search.db"))
    connection.execute("UPDATE catalogs SET begun = begun - 13 * 3600")
    connection.close()
    read: list[str] = []

    async def noted() -> AsyncIterator[Document | None]:
        read.append("one")
        async for each in fine():
            yield each

    asyncio.run(search.rebuild_from(BOOKS, {"one": noted, "two": fine}))
    assert read == ["one"]
    assert asyncio.run(search.find(BOOKS, "")).total == 1


_BUILDER = """
    import asyncio, sys
    from pathlib import Path
    from partita.kit.search import Document, Search
    from partita.table import CursorKeys
    from tests.kit.search.books import BOOKS

    async def whole():
        for number in range(1200):
            yield Document(f"w{number}", {"title": "whole"})

    async def endless():
        for number in range(10**9):
            if number == 1600:
                print("killed here", flush=True)
                await asyncio.sleep(600)
            yield Document(f"e{number}", {"title": "endless"})

    search = Search(Path(sys.argv[1]), CursorKeys(b"s" * 32))
    asyncio.run(search.rebuild_from(BOOKS, {"whole": whole, "endless": endless}))
"""


def test_a_process_that_is_killed_while_it_builds_leaves_a_build_that_goes_on(search: Search, tmp_path: Path) -> None:
    program = [sys.executable, "-c", textwrap.dedent(_BUILDER), str(tmp_path / "search.db")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]) as builder:
        assert builder.stdout is not None
        assert builder.stdout.readline() == "killed here\n"
        assert asyncio.run(search.find(BOOKS, "whole")).total == 1200, "it is used meanwhile"
        assert asyncio.run(search.find(BOOKS, "endless")).total >= 1000
        builder.kill()

    def never() -> AsyncIterator[Document | None]:
        raise AssertionError("this source was read to its end before")

    async def rest() -> AsyncIterator[Document | None]:
        for number in range(5):
            yield Document(f"e{number}", {"title": "endless"})

    assert asyncio.run(search.rebuild_from(BOOKS, {"whole": never, "endless": rest})) == 1205
    assert asyncio.run(search.built(BOOKS))
    assert asyncio.run(search.find(BOOKS, "whole")).total == 1200


def test_the_file_of_an_earlier_version_is_built_anew(tmp_path: Path) -> None:
    file = tmp_path / "search.db"
    connection = apsw.Connection(str(file))
    connection.execute(
        "CREATE TABLE catalogs (name TEXT PRIMARY KEY, shape TEXT, generation INTEGER, whole INTEGER DEFAULT 0);"
        "INSERT INTO catalogs VALUES ('search.books', 'old', 3, 1);"
        "CREATE VIRTUAL TABLE words_search_books USING fts5(title, body);"
        "CREATE TABLE documents_search_books (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, f_tag TEXT)"
    )
    connection.close()
    search = Search(file, CursorKeys(b"s" * 32))
    try:
        assert not asyncio.run(search.built(BOOKS))
        assert asyncio.run(search.find(BOOKS, "x")).hits == ()
        asyncio.run(search.apply(BOOKS, None, Book(id="1", title="x"), sequence="1"))
        assert asyncio.run(search.find(BOOKS, "x")).total == 1
    finally:
        search.close()


def test_words_of_deleted_documents_that_are_to_be_forgotten_are_nowhere_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "search.db"
    search = Search(file, CursorKeys(b"s" * 32), durability="off")

    async def story() -> None:
        async def nothing() -> AsyncIterator[Document | None]:
            for each in list[Document]():
                yield each

        await search.rebuild_from(BOOKS, {"items": nothing})
        for number in range(60):
            name = f"zebulon{number} quark"
            await search.put(BOOKS, name, Document(name, {"title": name}, {"tag": name}), sequence=f"{number}")
        for number in range(60):
            await search.put(BOOKS, f"zebulon{number} quark", None, sequence=f"{number + 60}")
        await search.forget(BOOKS, "quark")

    try:
        asyncio.run(story())
    finally:
        search.close()
    left = file.read_bytes()
    assert (b"zebulon" in left, b"quark" in left) == (False, False)
