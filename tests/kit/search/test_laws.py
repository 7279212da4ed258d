"""What the index finds, counts and sorts is what a few lines of Python over a list of books find, count and sort."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.search import Search, SearchPage
from partita.kit.search.folding import fold, stem, tokens
from partita.table import CursorKeys
from tests.kit.search.books import BOOKS, Book

_TIMES = float(os.environ.get("PARTITA_EXAMPLES", "1"))
"""How many times the usual number of examples."""
EXAMPLES = settings(max_examples=int(30 * _TIMES), deadline=None)

WORDS = (
    "map",
    "maps",
    "mapping",
    "tool",
    "Tools",
    "run",
    "running",
    "Café",
    "cafe",
    "مَكْتَبَة",
    "مكتبه",
    "ሠላም",
    "ሰላም",
    "x",
)
TAGS = ("red", "Blue", "open source", "rouge")
SHELVES = ("a", "b", "ab")

texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
tags = st.lists(st.sampled_from(TAGS), unique=True, max_size=3).map(tuple)
years = st.none() | st.integers(1990, 1995)
books = st.lists(
    st.builds(
        Book,
        id=st.uuids().map(str),
        title=texts,
        body=texts,
        shelf=st.sampled_from(SHELVES),
        tags=tags,
        hidden=st.sampled_from((False, False, False, True)),
        year=years,
    ),
    max_size=12,
    unique_by=lambda book: book.id,
)
wanted = (
    st.sampled_from(TAGS)
    | st.lists(st.sampled_from(TAGS), min_size=1, max_size=2, unique=True).map(tuple)
    | st.frozensets(st.sampled_from(TAGS), max_size=2)
)
filters = st.fixed_dictionaries(
    {},
    optional={"tag": wanted, "shelf": st.sampled_from(SHELVES) | st.frozensets(st.sampled_from(SHELVES), min_size=1)},
)
queries = st.lists(
    st.sampled_from(WORDS)
    | st.sampled_from(WORDS).map("-{}".format)
    | st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(lambda words: f'"{" ".join(words)}"')
    | st.sampled_from(("tag:red", "tag:blue", '-tag:"Open Source"', "tag:none", "shelf:A")),
    max_size=4,
)
sorts = st.sampled_from(("year", "-year", "title", "-title"))


# -- the same without an index


def fits(book: Book, filters: Mapping[str, Any]) -> bool:
    values = {"tag": set(book.tags), "shelf": {book.shelf}}
    for name, want in filters.items():
        if isinstance(want, frozenset):
            if want and not want & values[name]:
                return False
        elif not {want} <= values[name] if isinstance(want, str) else not set(want) <= values[name]:
            return False
    return True


def has(book: Book, part: str, *, unfinished: bool) -> bool:
    """Whether a book has one part of a query that is not excluded."""
    name, colon, value = part.partition(":")
    if colon:
        values = book.tags if name == "tag" else (book.shelf,)
        return fold(value) in {fold(each) for each in values}
    if part.startswith('"'):
        phrase = tokens(part)
        return any(
            words[place : place + len(phrase)] == phrase
            for words in (tokens(book.title), tokens(book.body))
            for place in range(len(words))
        )
    (word,) = tokens(part)
    root = stem(word)
    return any(
        each == word or (root is not None and stem(each) == root) or (unfinished and each.startswith(word))
        for each in tokens(f"{book.title} {book.body}")
    )


def finds(book: Book, query: list[str], match: Literal["all", "any"]) -> bool:
    """Whether a book is what a query wants."""
    last = len(query) - 1
    words: list[bool] = []
    for place, part in enumerate(query):
        excluded = part.startswith("-")
        unfinished = place == last and not (part == "x" and _words(query) == 1)
        there = has(book, part.removeprefix("-"), unfinished=unfinished and not excluded)
        if excluded or ":" in part:
            if there == excluded:
                return False
        else:
            words.append(there)
    return not words or (all(words) if match == "all" else any(words))


def _words(query: list[str]) -> int:
    return sum(":" not in part for part in query)


def matching(all_books: list[Book], query: list[str], filters: Mapping[str, Any], match: Any) -> list[Book]:
    return [book for book in all_books if not book.hidden and fits(book, filters) and finds(book, query, match)]


def in_order(found: list[Book], sort: str) -> list[str]:
    """Sorted, those without a value last in both directions."""
    down = sort.startswith("-")

    def value(book: Book) -> Any:
        return book.year if sort.endswith("year") else fold(book.title)

    with_value = sorted((b for b in found if value(b) is not None), key=lambda b: (value(b), b.id), reverse=down)
    without = sorted((b for b in found if value(b) is None), key=lambda b: b.id, reverse=down)
    return [book.id for book in (*with_value, *without)]


# -- the index


@contextmanager
def filled(all_books: list[Book]) -> Iterator[Search]:
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as search:
        asyncio.run(put(search, all_books))
        yield search


@contextmanager
def opened(folder: Path) -> Iterator[Search]:
    search = Search(folder / "search.db", CursorKeys(b"s" * 32), threads=1)
    try:
        yield search
    finally:
        search.close()


async def put(search: Search, all_books: list[Book]) -> None:
    for number, book in enumerate(all_books):
        await search.apply(BOOKS, None, book, sequence=str(number))


def pages(search: Search, text: str, **options: Any) -> list[SearchPage]:
    async def all_pages() -> list[SearchPage]:
        found = [await search.find(BOOKS, text, **options)]
        while found[-1].next_cursor is not None:
            found.append(await search.find(BOOKS, text, cursor=found[-1].next_cursor, **options))
        return found

    return asyncio.run(all_pages())


def ids(found: list[SearchPage]) -> list[str]:
    return [hit.id for page in found for hit in page.hits]


# -- the laws


@EXAMPLES
@given(books, queries, filters, st.sampled_from(("all", "any")))
def test_words_filters_phrases_and_exclusions_find_what_a_plain_loop_finds(
    all_books: list[Book], query: list[str], filters: dict[str, Any], match: Any
) -> None:
    with filled(all_books) as search:
        found = pages(search, " ".join(query), filters=filters, match=match, limit=3)
    expected = matching(all_books, query, filters, match)
    assert sorted(ids(found)) == sorted(book.id for book in expected)
    assert all(page.total == len(expected) for page in found)
    if match == "any":
        complete = [finds(book, query, "all") for name in ids(found) for book in all_books if book.id == name]
        if _words(query) > 0 and any(":" not in part and not part.startswith("-") for part in query):
            assert complete == sorted(complete, reverse=True), "those with all words come first"


@EXAMPLES
@given(books, queries, filters)
def test_relaxed_words_are_all_words_unless_nothing_has_them(
    all_books: list[Book], query: list[str], filters: dict[str, Any]
) -> None:
    with filled(all_books) as search:
        found = pages(search, " ".join(query), filters=filters, match="relaxed", limit=2)
    strict = matching(all_books, query, filters, "all")
    expected = strict or matching(all_books, query, filters, "any")
    assert sorted(ids(found)) == sorted(book.id for book in expected)
    assert all(page.relaxed == (bool(expected) and not strict) for page in found)


@EXAMPLES
@given(books, queries, filters, st.none() | sorts, st.integers(1, 4))
def test_pages_together_are_the_whole_list_in_its_order(
    all_books: list[Book], query: list[str], filters: dict[str, Any], sort: str | None, limit: int
) -> None:
    text = " ".join(query)
    with filled(all_books) as search:
        in_pages = ids(pages(search, text, filters=filters, sort=sort, limit=limit))
        at_once = ids(pages(search, text, filters=filters, sort=sort, limit=100))
    assert in_pages == at_once
    by_match = any(not part.startswith("-") and ":" not in part for part in query)
    if sort is not None or not by_match:
        assert in_pages == in_order(matching(all_books, query, filters, "all"), sort or BOOKS.order)


@EXAMPLES
@given(books, books, sorts, st.integers(1, 4))
def test_rows_that_are_added_between_pages_shift_nothing(
    all_books: list[Book], added: list[Book], sort: str, limit: int
) -> None:
    with filled(all_books) as search:
        first = asyncio.run(search.find(BOOKS, "", sort=sort, limit=limit))
        for book in added:
            asyncio.run(search.apply(BOOKS, None, book, sequence="1"))
        if first.next_cursor is not None:
            rest = asyncio.run(search.find(BOOKS, "", sort=sort, limit=100, cursor=first.next_cursor))
            order = in_order([book for book in (*all_books, *added) if not book.hidden], sort)
            assert [hit.id for hit in rest.hits] == order[order.index(first.hits[-1].id) + 1 :]


@EXAMPLES
@given(books, queries, filters, st.integers(1, 3))
def test_facets_count_what_people_would_see(
    all_books: list[Book], query: list[str], filters: dict[str, Any], most: int
) -> None:
    with filled(all_books) as search:
        (page,) = pages(search, " ".join(query), filters=filters, facets=("shelf", "tag"), most_values=most, limit=100)
    for name in ("shelf", "tag"):
        # People may add values to any of several, so these must be counted as if none were chosen.
        kept = {each: want for each, want in filters.items() if each != name or not isinstance(want, frozenset)}
        seen = matching(all_books, query, kept, "all")
        counts = Counter(value for book in seen for value in (book.tags if name == "tag" else (book.shelf,)))
        want = filters.get(name, ())
        chosen = {want} if isinstance(want, str) else set(want)
        typed = {fold(part.partition(":")[2]) for part in query if part.startswith(f"{name}:")}
        found = page.facets[name]
        assert {each.value: each.count for each in found}.items() <= {**dict.fromkeys(chosen, 0), **counts}.items()
        assert chosen <= {each.value for each in found}
        assert {each.value for each in found if each.chosen} == chosen | {v for v in counts if fold(v) in typed}
        ordered = sorted(counts, key=lambda value: (-counts[value], value))
        assert set(ordered[:most]) <= {each.value for each in found}
        assert len([each for each in found if not each.chosen]) <= most


@EXAMPLES
@given(books, st.data())
def test_changes_in_any_order_and_any_number_of_times_end_alike(all_books: list[Book], data: st.DataObject) -> None:
    versions = [
        (
            book.id,
            number,
            data.draw(st.sampled_from(("kept", "kept", "gone", "hidden"))),
            {"title": data.draw(texts), "tags": data.draw(tags), "year": data.draw(years)},
        )
        for book in all_books[:4]
        for number in range(data.draw(st.integers(1, 3)))
    ]
    again = st.lists(st.sampled_from(versions)) if versions else st.just([])
    changes = data.draw(st.permutations(versions)) + data.draw(again)
    last: dict[str, Book] = {}
    by_id = {book.id: book for book in all_books}

    def image(identity: str, fate: str, update: dict[str, Any]) -> Book:
        return by_id[identity].model_copy(update={**update, "hidden": fate == "hidden"})

    with filled([]) as search:
        for identity, number, fate, update in changes:
            new = None if fate == "gone" else image(identity, fate, update)
            old = by_id[identity].model_copy(update={"hidden": False})
            asyncio.run(search.apply(BOOKS, old, new, sequence=str(number)))
        for identity, _, fate, update in versions:  # in the order they were made
            last.pop(identity, None)
            if fate == "kept":
                last[identity] = image(identity, fate, update)
        (page,) = pages(search, "", facets=("tag",), limit=100)
        kept = list(last.values())
        assert ids([page]) == in_order(kept, BOOKS.order)
        counts = Counter(tag for book in kept for tag in book.tags)
        assert {each.value: each.count for each in page.facets["tag"]} == counts
        for tag in TAGS:
            found = pages(search, "", filters={"tag": tag}, limit=100)
            assert sorted(ids(found)) == sorted(book.id for book in kept if tag in book.tags)
        for word in ("map", "cafe"):
            assert sorted(ids(pages(search, word, limit=100))) == sorted(b.id for b in kept if finds(b, [word], "all"))


@EXAMPLES
@given(st.lists(st.text(max_size=30), min_size=1, max_size=3), st.text(max_size=8))
def test_any_text_is_a_safe_query(asked: list[str], value: str) -> None:
    with filled([Book(id="1", title="x maps"), Book(id="2", title="é", tags=("red",))]) as search:
        for text in asked:
            for typed in (text, f'tag:"{text}', f"-{text}", f'"{text}"', f"{text}:{text}"):
                options = {"match": "relaxed", "suggest": True, "facets": ("tag",)}
                found = pages(search, typed, filters={"tag": frozenset({value, "red"})}, limit=1, **options)
                assert len(ids(found)) == found[0].total
            assert all(each.count for each in asyncio.run(search.complete(BOOKS, text, filter="tag")))
            assert all(each.count for each in asyncio.run(search.complete(BOOKS, text, field="title")))


@settings(EXAMPLES, max_examples=int(25 * _TIMES))
@given(books, queries, filters, sorts | st.none(), st.sets(st.integers(0, 14)), st.booleans())
def test_ids_narrow_lists_pages_and_counts_like_a_plain_loop(
    all_books: list[Book], query: list[str], filters: dict[str, Any], sort: str | None, places: set[int], only: bool
) -> None:
    named = {all_books[place].id for place in places if place < len(all_books)} | {"nobody"}
    options: dict[str, Any] = {"filters": filters, "sort": sort, "limit": 2, "facets": ("shelf",), "most_values": 9}
    with filled(all_books) as search:
        found = pages(search, " ".join(query), **options, **{"among" if only else "without": named})
    expected = [book for book in matching(all_books, query, filters, "all") if (book.id in named) == only]
    assert sorted(ids(found)) == sorted(book.id for book in expected)
    assert found[0].total == len(expected)
    if sort is not None:
        assert ids(found) == in_order(expected, sort)
    if not isinstance(filters.get("shelf"), frozenset):
        counted = {each.value: each.count for each in found[0].facets["shelf"] if each.count}
        assert counted == Counter(book.shelf for book in expected)
