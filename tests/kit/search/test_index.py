from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from partita.kit.search import Catalog, Search
from partita.kit.search.marks import marked
from partita.table import CursorKeys
from partita.table.errors import InvalidCursorError
from tests.kit.search.books import BOOKS, Book, document


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


@pytest.mark.parametrize("same", [3, 230])
def test_the_best_come_first_and_of_equals_the_first_id_however_many_are_equal(search: Search, same: int) -> None:
    """So many equal scores that they do not tell which come first, and few, between better and worse ones."""
    titles = ["word", *["word and more"] * same, "word and more and ever more"]
    shelved = [Book(id=f"{(7 * n) % 241:03}", title=title) for n, title in enumerate(titles)]

    async def pages() -> list[str]:
        await _fill(search, *shelved)
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await search.find(BOOKS, "word", limit=9, cursor=cursor)
            found += [hit.id for hit in page.hits]
            cursor = page.next_cursor
            if cursor is None:
                return found

    equal = sorted(book.id for book in shelved[1:-1])
    assert asyncio.run(pages()) == [shelved[0].id, *equal, shelved[-1].id]


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
    other = Catalog("search.books", Book, document, {"title": 8.0}, (), ("shelf", "tag"))
    assert not asyncio.run(search.built(other))
    assert asyncio.run(search.find(other, "x")).hits == ()


def test_before_anything_was_written_nothing_is_found(search: Search) -> None:
    assert _found(search, "anything") == []


@pytest.mark.parametrize("text", ["***", '""', "()", "_", "-", "-*", "\x00"])
def test_text_without_words_finds_nothing(search: Search, text: str) -> None:
    asyncio.run(_fill(search, Book(id="1", title="x")))
    assert _found(search, text) == []


def test_no_text_lists_everything(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="x"), Book(id="2"), Book(id="3", hidden=True)))
    assert _found(search, "") == _found(search, "  ") == ["2", "1"]


def test_one_call_gives_hits_total_and_facets(search: Search) -> None:
    books = (
        Book(id="1", title="map", shelf="a", tags=("red", "blue"), year=2001),
        Book(id="2", title="map", shelf="b", tags=("red",), year=2003),
        Book(id="3", title="tool", shelf="b", tags=("red",), year=2002),
    )
    asyncio.run(_fill(search, *books))
    filters: dict[str, Any] = {"shelf": frozenset({"a"}), "tag": ("red",)}
    page = asyncio.run(search.find(BOOKS, "maps", filters=filters, facets=("shelf", "tag"), sort="-year"))
    assert ([hit.id for hit in page.hits], page.total) == (["1"], 1)
    shelves = [(each.value, each.count, each.chosen) for each in page.facets["shelf"]]
    tags = [(each.value, each.count, each.chosen) for each in page.facets["tag"]]
    assert shelves == [("a", 1, True), ("b", 1, False)], "any of: as if no shelf were chosen"
    assert tags == [("blue", 1, False), ("red", 1, True)], "all of: among what is listed"
    assert asyncio.run(search.find(BOOKS, "maps", filters=filters)).facets == {}


def test_a_list_without_words_can_be_compared_so_that_its_page_can_be_kept(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="map", tags=("red",))))
    one, other = (asyncio.run(search.find(BOOKS, "", facets=("tag",))) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)


def test_sorts_and_filters_that_are_not_declared_are_refused(search: Search) -> None:
    with pytest.raises(ValueError, match="has no sort '-pages'; declared are year, title"):
        asyncio.run(search.find(BOOKS, "x", sort="-pages"))
    with pytest.raises(ValueError, match="has no filter 'colour'; declared are shelf, tag"):
        asyncio.run(search.find(BOOKS, "x", filters={"colour": "red"}))
    with pytest.raises(ValueError, match="has no filter 'colour'"):
        asyncio.run(search.find(BOOKS, "x", facets=("colour",)))
    with pytest.raises(ValueError, match="has no sort"):
        Catalog("search.books", Book, document, {"title": 8.0}, (), sorts=("year",), order="-title")


def test_no_value_of_a_filter_is_no_restriction(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="x")))
    assert _found(search, "x", tag=frozenset()) == _found(search, "x", tag=()) == ["1"]


def test_a_cursor_belongs_to_its_sort(search: Search) -> None:
    asyncio.run(_fill(search, *(Book(id=str(n), title="x", year=n) for n in range(3))))
    cursor = asyncio.run(search.find(BOOKS, "x", sort="year", limit=1)).next_cursor
    with pytest.raises(InvalidCursorError):
        asyncio.run(search.find(BOOKS, "x", sort="-year", cursor=cursor))
    with pytest.raises(InvalidCursorError):
        asyncio.run(search.find(BOOKS, "x", cursor=cursor))


def test_a_change_of_what_lists_are_sorted_by_leaves_the_words_alone(search: Search, tmp_path: Path) -> None:
    old, new = Book(id="1", title="map", year=1), Book(id="1", title="map", year=2)
    asyncio.run(_fill(search, old, Book(id="2", year=1)))

    def words() -> list[object]:
        connection = apsw.Connection(str(tmp_path / "search.db"))
        try:
            return list(connection.execute("SELECT id, block FROM words_search_books_data"))
        finally:
            connection.close()

    before = words()
    asyncio.run(search.apply(BOOKS, old, new, sequence="9"))
    assert _found(search, "") == ["1", "2"]
    assert words() == before


@pytest.mark.parametrize("year", [2**70, -(2**70), True])
def test_numbers_of_any_size_can_be_sorted_by(search: Search, year: int) -> None:
    asyncio.run(_fill(search, Book(id="1", year=0), Book(id="2", year=year)))
    page = asyncio.run(search.find(BOOKS, "", sort="year", limit=1))
    rest = asyncio.run(search.find(BOOKS, "", sort="year", limit=1, cursor=page.next_cursor))
    assert [page.hits[0].id, rest.hits[0].id] == (["1", "2"] if year > 0 else ["2", "1"])


def test_words_are_known_by_the_tables_that_were_made_anew(search: Search) -> None:
    asyncio.run(_fill(search, Book(id="1", title="automation")))
    for catalog in (BOOKS, Catalog("search.books", Book, document, {"title": 8.0}, ()), BOOKS):
        asyncio.run(search.apply(catalog, None, Book(id="1", title="automation"), sequence="1"))
        for _ in range(8):  # on all connections
            assert asyncio.run(search.find(catalog, "automtion", suggest=True)).suggestion == "automation"
            assert asyncio.run(search.complete(catalog, "aut", field="title"))[0].count == 1


def test_relaxed_words_stay_relaxed_on_every_page(search: Search) -> None:
    asyncio.run(_fill(search, *(Book(id=str(n), title="map" if n % 2 else "tool") for n in range(5))))

    async def story() -> list[str]:
        found: list[str] = []
        cursor = None
        while True:
            page = await search.find(BOOKS, "map tool", match="relaxed", limit=2, cursor=cursor)
            assert (page.relaxed, page.total) == (True, 5)
            found += [hit.id for hit in page.hits]
            cursor = page.next_cursor
            if cursor is None:
                return found

    assert sorted(asyncio.run(story())) == ["0", "1", "2", "3", "4"]
    # What comes meanwhile has all words; whoever began to read goes on in the same list.
    cursor = asyncio.run(search.find(BOOKS, "map tool", match="relaxed", limit=2)).next_cursor
    asyncio.run(search.apply(BOOKS, None, Book(id="9", title="map tool"), sequence="9"))
    assert asyncio.run(search.find(BOOKS, "map tool", match="relaxed", limit=9, cursor=cursor)).relaxed


def test_a_value_that_a_document_no_longer_has_no_longer_finds_it(search: Search) -> None:
    old, new = Book(id="1", tags=("red", "blue")), Book(id="1", tags=("red", "green"))
    asyncio.run(_fill(search, old))
    asyncio.run(search.apply(BOOKS, old, new, sequence="1"))
    assert (_found(search, "", tag="blue"), _found(search, "", tag="green")) == ([], ["1"])
    page = asyncio.run(search.find(BOOKS, "", facets=("tag",)))
    assert [(each.value, each.count) for each in page.facets["tag"]] == [("green", 1), ("red", 1)]


def test_a_file_that_somebody_else_is_just_making_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "search.db"
    maker = apsw.Connection(str(file))
    maker.execute("CREATE TABLE other (x); BEGIN; SELECT * FROM other")  # a reader: nobody can switch to WAL now
    search = Search(file, CursorKeys(b"s" * 32))

    async def story() -> None:
        waiting = asyncio.create_task(search.find(BOOKS, "word"))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        maker.execute("COMMIT")
        assert (await waiting).total == 0

    asyncio.run(story())
    search.close()
    maker.close()
