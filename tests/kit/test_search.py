from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import escape

from partita.kit.search import Catalog, Document, Search
from partita.kit.search.marks import marked
from partita.kit.search.words import match_expression
from partita.table import Attribute, CursorKeys, Item, Table, attribute
from partita.table.errors import InvalidCursorError

SHELF = Table("search-shelf", pk="id")


class Book(Item, table=SHELF):
    id: Attribute[str]
    title: Attribute[str] = attribute(default="")
    body: Attribute[str] = attribute(default="")
    shelf: Attribute[str] = attribute(default="a")
    tags: Attribute[tuple[str, ...]] = attribute(default=())
    hidden: Attribute[bool] = attribute(default=False)


def _document(book: Book) -> Document | None:
    if book.hidden:
        return None
    return Document(book.id, {"title": book.title, "body": book.body}, {"shelf": book.shelf, "tag": book.tags})


BOOKS = Catalog("search.books", Book, _document, {"title": 8.0, "body": 1.0}, (), ("shelf", "tag"))


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    search = Search(tmp_path / "search.db", CursorKeys(b"s" * 32))
    yield search
    search.close()


async def _fill(search: Search, *books: Book) -> None:
    for number, book in enumerate(books):
        await search.apply(BOOKS, None, book, sequence=str(number))


def _found(search: Search, text: str, **filters: str | tuple[str, ...] | frozenset[str]) -> list[str]:
    page = asyncio.run(search.find(BOOKS, text, filters=filters))
    assert page.total == len(page.hits)
    return [hit.id for hit in page.hits]


def test_all_words_in_any_order_and_the_start_of_the_last(search: Search) -> None:
    asyncio.run(
        _fill(
            search,
            Book(id="1", title="Automation tool"),
            Book(id="2", title="A tool for gardeners", body="No automation here but automation anyway"),
            Book(id="3", title="Automation only"),
        )
    )
    assert sorted(_found(search, "tool automation")) == ["1", "2"]
    assert sorted(_found(search, "automation to")) == ["1", "2"]
    assert _found(search, "auto tool") == []
    assert _found(search, "automation o") == ["3"]
    assert _found(search, "o") == []
    assert _found(search, "a+") == ["2"], "a letter alone is a word"


def test_a_match_in_the_title_comes_before_one_in_the_text(search: Search) -> None:
    asyncio.run(
        _fill(search, Book(id="text", title="Other", body="maps"), Book(id="title", title="Maps", body="Other"))
    )
    assert _found(search, "maps") == ["title", "text"]


def test_accents_and_case_make_no_difference(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="Café Ångström")))
    assert _found(search, "cafe angstrom") == _found(search, "CAFÉ") == _found(search, "cafe\u0301") == ["1"]


def test_filters_narrow_by_one_or_by_one_of_several_values(search: Search) -> None:
    asyncio.run(
        _fill(search, Book(id="1", title="x", shelf="a", tags=("red", "blue")), Book(id="2", title="x", shelf="ab"))
    )
    assert _found(search, "x", shelf="a") == _found(search, "x", tag="blue") == ["1"]
    assert _found(search, "x", tag="re") == []


def test_a_filter_wants_one_text_or_all_of_several_or_any_of_them(search: Search) -> None:
    books = [Book(id=str(number), title="x", tags=tags) for number, tags in enumerate((("red", "blue"), ("red",), ()))]
    asyncio.run(_fill(search, *books))
    assert _found(search, "x", tag="red") == ["0", "1"]
    assert _found(search, "x", tag=("blue", "red")) == ["0"]
    assert _found(search, "x", tag=frozenset({"blue", "green"})) == ["0"]
    assert _found(search, "x", tag=frozenset({"blue", "red"}), shelf="a") == ["0", "1"]


def test_a_cursor_of_all_does_not_go_on_in_any(search: Search) -> None:
    books = [Book(id=str(number), title="x", tags=("red", "blue")) for number in range(3)]
    asyncio.run(_fill(search, *books))
    page = asyncio.run(search.find(BOOKS, "x", filters={"tag": ("blue", "red")}, limit=1))
    with pytest.raises(InvalidCursorError):
        asyncio.run(search.find(BOOKS, "x", filters={"tag": frozenset({"blue", "red"})}, cursor=page.next_cursor))


def test_what_matched_is_marked_and_everything_else_is_escaped(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="<script>alert(1)</script> maps \x02")))
    (hit,) = asyncio.run(search.find(BOOKS, "map")).hits
    assert str(hit.highlights["title"]) == "&lt;script&gt;alert(1)&lt;/script&gt; <mark>maps</mark> \x02"


def test_a_long_text_is_cut_around_what_matched() -> None:
    text = "before " * 50 + "the Café of maps " + "after " * 50
    shown = str(marked(text, "cafe ma"))
    assert "the <mark>Café</mark> of <mark>maps</mark> after" in shown
    assert shown.startswith("… before")
    assert shown.endswith("after …")
    assert len(shown) < 260


@given(st.text(), st.text(max_size=10))
def test_marks_add_nothing_but_marks(text: str, wanted: str) -> None:
    short = text[:200]
    plain = re.sub("</?mark>", "", str(marked(short, wanted)))
    assert plain == str(escape(unicodedata.normalize("NFC", short)))


def test_pages_together_are_the_whole_list_and_cursors_belong_to_it(search: Search) -> None:
    asyncio.run(_fill(search, *(Book(id=f"{n:02}", title="same " * (n % 3 + 1)) for n in range(25))))

    async def all_pages() -> list[str]:
        found: list[str] = []
        cursor = None
        while True:
            page = await search.find(BOOKS, "same", limit=7, cursor=cursor)
            assert page.total == 25
            found += [hit.id for hit in page.hits]
            cursor = page.next_cursor
            if cursor is None:
                return found

    found = asyncio.run(all_pages())
    assert len(found) == 25
    assert set(found) == {f"{n:02}" for n in range(25)}
    cursor = asyncio.run(search.find(BOOKS, "same", limit=7)).next_cursor
    assert cursor is not None
    for wrong, text in ((cursor, "other"), ("A" + cursor[1:], "same"), ("%", "same"), ("é", "same")):
        with pytest.raises(InvalidCursorError):
            asyncio.run(search.find(BOOKS, text, limit=7, cursor=wrong))


def test_a_change_that_comes_twice_or_late_changes_nothing(search: Search) -> None:
    old, new = Book(id="1", title="old"), Book(id="1", title="new")

    async def story() -> None:
        await search.apply(BOOKS, None, old, sequence="1")
        await search.apply(BOOKS, old, new, sequence="2")
        await search.apply(BOOKS, None, old, sequence="1")

    asyncio.run(story())
    assert (_found(search, "old"), _found(search, "new")) == ([], ["1"])


def test_what_is_hidden_or_deleted_is_not_found_even_when_an_old_change_comes_again(search: Search) -> None:
    shown, hidden = Book(id="1", title="shown"), Book(id="1", title="shown", hidden=True)

    async def story() -> None:
        await search.apply(BOOKS, None, shown, sequence="1")
        await search.apply(BOOKS, shown, hidden, sequence="2")
        await search.apply(BOOKS, None, shown, sequence="1")
        await search.apply(BOOKS, None, Book(id="2", title="gone"), sequence="3")
        await search.apply(BOOKS, Book(id="2", title="gone"), None, sequence="4")

    asyncio.run(story())
    assert (_found(search, "shown"), _found(search, "gone")) == ([], [])


def test_building_anew_keeps_what_changed_meanwhile_and_drops_what_is_gone(search: Search) -> None:
    async def items() -> AsyncIterator[Book]:
        yield Book(id="1", title="from the table")
        await search.apply(BOOKS, None, Book(id="2", title="changed meanwhile"), sequence="9")
        yield Book(id="2", title="as it was read")

    async def story() -> int:
        await search.apply(BOOKS, None, Book(id="gone", title="gone"), sequence="1")
        assert not await search.built(BOOKS), "changes alone make no whole index"
        return await search.rebuild(BOOKS, items())

    assert asyncio.run(story()) == 2
    assert asyncio.run(search.built(BOOKS))
    assert _found(search, "gone") == _found(search, "read") == []
    assert (_found(search, "table"), _found(search, "meanwhile")) == (["1"], ["2"])


def test_an_index_of_another_shape_is_not_used_until_it_is_built_anew(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="x")))
    other = Catalog("search.books", Book, _document, {"title": 8.0}, (), ("shelf", "tag"))
    assert not asyncio.run(search.built(other))
    assert asyncio.run(search.find(other, "x")).hits == ()


def test_before_anything_was_written_nothing_is_found(search: Search) -> None:
    assert _found(search, "anything") == []


@settings(max_examples=200)
@given(st.text(max_size=30))
def test_any_text_is_a_safe_query(text: str) -> None:
    expression = match_expression(text)
    if expression is not None:
        import apsw

        connection = apsw.Connection(":memory:")
        connection.execute("CREATE VIRTUAL TABLE w USING fts5(a, tokenize = 'unicode61 remove_diacritics 2')")
        connection.execute("SELECT count(*) FROM w WHERE w MATCH ?", (expression,)).fetchall()
        connection.close()


@pytest.mark.parametrize("text", ["", "  ", "***", '""', "()", "_"])
def test_no_words_find_nothing(search: Search, text: str) -> None:
    asyncio.run(_fill(search, Book(id="1", title="x")))
    assert _found(search, text) == []
