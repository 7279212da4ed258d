"""Laws of lists: pages walked forward and backward are one list, which counts as many as it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import (
    Attribute,
    InvalidCursorError,
    Item,
    Put,
    Query,
    Table,
    attribute,
    collection,
    key_part,
    number,
    projected,
)
from tests.table.declared import examples, rows_of, temporary_store

NOW = 1_000_000.5


def _declare(name: str, shards: int) -> tuple[Table, dict[str, Any], Any, Any]:
    """A table, whole or spread, its indexes, and two types whose rows lie between each other."""
    table = Table(name, pk="PK", sk="SK", ttl="expiresAt", shards=shards)
    indexes = {
        "whole": table.index("byGroup", pk="group", sk="rank"),
        "keys": table.index("byKeys", pk="group", sk=number("size"), projection="KEYS_ONLY"),
        "some": table.index("bySome", pk="group", sk="rank", projection=("size", "expiresAt")),
        "spread": table.index("spread", pk="group", sk="rank", shards=3),
        "thin": table.index("thin", pk="group", sk="rank", shards=3, projection="KEYS_ONLY"),
    }

    class Entry(Item, table=table, pk="LOG#{log}", sk="{at}"):
        log: Attribute[str] = key_part()
        at: Attribute[str] = key_part()
        kind: Attribute[Literal["entry"]] = attribute(default="entry")
        group: Attribute[str | None] = attribute(default=None)
        rank: Attribute[str] = attribute(default="0")
        size: Attribute[int] = attribute(default=0)
        expires_at: Attribute[int | None] = attribute("expiresAt", default=None, null=True)

    class Note(Item, table=table, pk="LOG#{log}", sk="{at}"):
        log: Attribute[str] = key_part()
        at: Attribute[str] = key_part()
        kind: Attribute[Literal["note"]] = attribute(default="note")
        group: Attribute[str | None] = attribute(default=None)
        rank: Attribute[str] = attribute(default="0")
        size: Attribute[int] = attribute(default=0)

    return table, indexes, Entry, Note


KINDS = {"whole": _declare("lawLog", 1), "spread": _declare("lawSpreadLog", 3)}


class Short(BaseModel):
    at: str
    size: int


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with temporary_store(clock=lambda: NOW) as store:
        store.create(*(table for table, *_ in KINDS.values()))
        yield store


LOG = "l"


def _filled(data: st.DataObject, store: EmbeddedStore, which: str) -> tuple[Any, Any, str, list[Any]]:
    """A log of its own with entries, notes, and rows of nobody between them."""
    table, _, entry, note = KINDS[which]
    log = LOG
    for row in rows_of(store, table):  # which shard a row is in depends on its key: every example has the same
        store.engine.call("DeleteItem", {"TableName": table.name, "Key": {name: row[name] for name in ("PK", "SK")}})
    one = st.fixed_dictionaries(
        {
            "at": st.text("ab#!", min_size=1, max_size=3),
            "group": st.sampled_from([f"g{log}", f"g{log}", None]),
            "rank": st.sampled_from(["0", "1", "2", "20"]),
            "size": st.integers(0, 3),
        }
    )
    rows = data.draw(st.lists(one, max_size=14, unique_by=lambda row: row["at"]), "rows")
    items: list[Any] = []
    for row in rows:
        kind = data.draw(st.sampled_from(["entry", "entry", "entry", "note", "foreign"]), "kind")
        if kind == "note":
            store.write(Put(note(log=log, **row)))
            continue
        expires = data.draw(st.sampled_from([None, None, 1_000_000, 1_000_001, 5]), "expires")
        item = entry(log=log, **row, expires_at=expires)
        if kind == "foreign":
            odd = {**item.to_row(), "kind": {"S": "nobody's"}}
            store.engine.call("PutItem", {"TableName": table.name, "Item": odd})
            continue
        store.write(Put(item))
        items.append(item)
    return entry, note, log, items


def _query(data: st.DataObject, which: str, log: str) -> tuple[Query[Any], Any]:
    """Any list of the entries of a log, and which of them are in it."""
    _, indexes, entry, _ = KINDS[which]
    how = data.draw(st.sampled_from(["table", *indexes]), "list")
    index = None if how == "table" else indexes[how]
    query = entry.query(entry.log(log)) if index is None else entry.query(index, entry.group(f"g{log}"))
    tests: list[Callable[[Any], bool]] = [lambda item: index is None or item.group is not None]
    if data.draw(st.booleans(), "filtered") and how in ("table", "whole", "spread", "some"):
        size = data.draw(st.integers(0, 3), "size")
        query = query.where(entry.size >= size)
        tests.append(lambda item: item.size >= size)
    if data.draw(st.booleans(), "ranged"):
        if how == "table":
            bound = data.draw(st.text("ab#!", min_size=1, max_size=2), "from")
            query = query.at_least(entry.at(bound))
            tests.append(lambda item: item.at >= bound)
        elif how == "keys":
            query = query.between(entry.size(1), entry.size(2))
            tests.append(lambda item: 1 <= item.size <= 2)
        else:
            query = query.after(entry.rank("0")).at_most(entry.rank("2"))
            tests.append(lambda item: "0" < item.rank <= "2")
    if data.draw(st.booleans(), "descending"):
        query = query.descending()
    if data.draw(st.booleans(), "with expired"):
        query = query.with_expired()
    else:
        tests.append(lambda item: item.expires_at is None or item.expires_at > NOW)
    return query, lambda item: all(test(item) for test in tests)


@examples(90)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_list_walked_forward_is_the_same_walked_backward_and_counts_as_many(
    store: EmbeddedStore, which: str, data: st.DataObject
) -> None:
    _, _, log, items = _filled(data, store, which)
    query, wanted = _query(data, which, log)
    limit = data.draw(st.integers(1, 5), "limit")
    page_size = data.draw(st.none() | st.integers(1, 5), "page size")
    expected = sorted((item for item in items if wanted(item)), key=lambda item: item.at)

    everything = list(store.stream(query, chunk=data.draw(st.integers(1, 5), "chunk")))
    assert sorted(everything, key=lambda item: item.at) == expected
    assert store.count(query) == len(expected)

    forward, page = [], store.page(query, limit=limit, page_size=page_size)
    assert page.previous_cursor is None
    forward.append(page)
    while page.next_cursor is not None:
        assert len(page) == limit, "full unless the list ends"
        page = store.page(query, limit=limit, after=page.next_cursor, page_size=page_size)
        forward.append(page)
    assert [item for page in forward for item in page] == everything

    backward = [page]
    while page.previous_cursor is not None:
        page = store.page(query, limit=limit, after=page.previous_cursor, page_size=page_size)
        backward.append(page)
    assert [item for page in reversed(backward) for item in page] == everything
    # Page by page, but that a page walked back to may be the start of the list without knowing it.
    assert [page.items for page in reversed(backward) if page.items] == [page.items for page in forward if page.items]


@examples(40)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_turning_round_at_any_page_leads_to_the_page_before_and_back(
    store: EmbeddedStore, which: str, data: st.DataObject
) -> None:
    _, _, log, _ = _filled(data, store, which)
    query, _ = _query(data, which, log)
    limit = data.draw(st.integers(1, 4), "limit")
    everything = list(store.stream(query))
    page, at = store.page(query, limit=limit), 0
    for forward in data.draw(st.lists(st.booleans(), max_size=8), "steps"):
        cursor = page.next_cursor if forward else page.previous_cursor
        if cursor is None:
            continue
        page = store.page(query, limit=limit, after=cursor)
        at += limit if forward else -limit
        assert list(page) == everything[max(at, 0) : at + limit]


@examples(40)
@given(st.sampled_from(sorted(KINDS)), st.data(), st.integers(1, 2), st.integers(1, 3))
def test_a_page_that_runs_out_of_calls_goes_on_where_it_stopped_in_both_directions(
    store: EmbeddedStore, which: str, data: st.DataObject, page_size: int, limit: int
) -> None:
    _, _, log, _ = _filled(data, store, which)
    query, _ = _query(data, which, log)
    everything = list(store.stream(query))
    most_calls = data.draw(st.integers(3, 4), "calls")  # each shard once at least
    found: list[Any] = []
    pages: list[Any] = []
    cursor: str | None = None
    while True:
        page = store.page(query, limit=limit, after=cursor, page_size=page_size, most_calls=most_calls)
        found += page
        pages.append(page)
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(pages) < 200
    assert found == everything
    for at, page in enumerate(pages):
        if page.previous_cursor is not None:
            before = store.page(query, limit=50, after=page.previous_cursor)
            assert list(before) == [item for earlier in pages[:at] for item in earlier]


@examples(40)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_cursor_of_one_list_is_refused_by_another(store: EmbeddedStore, which: str, data: st.DataObject) -> None:
    entry, _, log, _ = _filled(data, store, which)
    query, _ = _query(data, which, log)
    page = store.page(query, limit=1)
    if page.next_cursor is None:
        return
    cursors = [page.next_cursor, store.page(query, limit=1, after=page.next_cursor).previous_cursor]
    _, indexes, _, note = KINDS[which]
    others: list[Query[Any]] = (
        [
            query.descending() if query.forward else entry.query(entry.log(log)),
            entry.query(entry.log("another")),
            entry.query(indexes["whole"], entry.group("another")),
            note.query(note.log(log)),
            collection(entry.query(entry.log(log)), note.query(note.log(log))),
            query.where(entry.kind.equals("entry")) if query.index is None else query.starting_with("x"),
            entry.query(entry.log(log)).before(entry.at("~")),
        ]
        if query.index is None or query.index.sk[0].type == "S"
        else []
    )
    if query.index is None or query.index.projection == "ALL":  # else both are lists of keys, and the same
        others += [query.shown_as(Short), projected(query, entry.size)]
    for other in others:
        for cursor in cursors:
            if cursor is not None:
                with pytest.raises(InvalidCursorError):
                    store.page(other, limit=1, after=cursor)


@examples(8)
@given(st.data())
def test_a_cursor_works_in_a_later_store_on_the_same_folder(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder: Path = tmp_path_factory.mktemp("engine")
    which = data.draw(st.sampled_from(sorted(KINDS)))
    table, _, entry, _ = KINDS[which]
    limit = data.draw(st.integers(1, 3), "limit")
    found: list[Any] = []
    cursor, log = None, LOG
    while True:
        with Engine(folder) as engine:
            store = EmbeddedStore(engine)
            if not found:
                store.create(table)
                for at in "abcdef":
                    store.write(Put(entry(log=log, at=at)))
            page = store.page(entry.query(entry.log(log)), limit=limit, after=cursor)
            found += page
            cursor = page.next_cursor
            if cursor is None:
                break
    assert [item.at for item in found] == list("abcdef")


@examples(40)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_smaller_model_of_a_list_has_the_same_rows(store: EmbeddedStore, which: str, data: st.DataObject) -> None:
    _, _, log, _ = _filled(data, store, which)
    query, _ = _query(data, which, log)
    whole = [Short(at=item.at, size=item.size) for item in store.stream(query)]
    assert list(store.stream(query.shown_as(Short))) == whole
    assert list(store.page(query.shown_as(Short), limit=50)) == whole
    assert store.count(query.shown_as(Short)) == len(whole)


@examples(30)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_collection_is_all_of_its_lists(store: EmbeddedStore, which: str, data: st.DataObject) -> None:
    entry, note, log, _ = _filled(data, store, which)
    both = collection(entry.query(entry.log(log)), note.query(note.log(log)))
    apart = [*store.stream(entry.query(entry.log(log))), *store.stream(note.query(note.log(log)))]
    assert sorted(map(repr, store.stream(both))) == sorted(map(repr, apart))
    assert store.count(both) == len(apart)
