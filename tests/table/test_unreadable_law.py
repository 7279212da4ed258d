"""Laws of rows that do not fit: lists pass over them and tell each once, a single read says what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from partita.store import EmbeddedStore
from partita.table import (
    Attribute,
    ForeignItemError,
    InvalidValueError,
    Item,
    KeyPartError,
    Put,
    Table,
    attribute,
    collection,
    derived,
    key_part,
)
from partita.table.effects import Unreadable
from tests.table.declared import examples, temporary_store

ODD = Table("lawOdd", pk="PK", sk="SK", ttl="expiresAt")
BY_MARK = ODD.index("byMark", pk="mark", sk="SK")
BY_KEYS = ODD.index("byMarkKeys", pk="mark", projection="KEYS_ONLY")


class Colour(StrEnum):
    RED = "red"


class Box(BaseModel):
    width: int


class Parcel(Item, table=ODD, pk="{sender}", sk="PARCEL#{sent}#{number:03}"):
    sender: Attribute[str] = key_part()
    sent: Attribute[date] = key_part()
    number: Attribute[int] = key_part(ge=0, le=500)
    weight: Attribute[Decimal] = attribute(gt=0)
    colour: Attribute[Colour | None] = attribute(default=None)
    box: Attribute[Box] = attribute(default=Box(width=1))
    at: Attribute[datetime | None] = attribute(default=None)
    tags: Attribute[frozenset[int]] = attribute(default=frozenset())
    mark: Attribute[str | None] = attribute(default=None)
    expires_at: Attribute[int | None] = attribute("expiresAt", default=None)
    heavy: Attribute[str] = derived(lambda weight: "heavy" if weight > 10 else "light")


class Price(Item, table=ODD, pk="{sender}", sk="PRICE#{amount}"):
    sender: Attribute[str] = key_part()
    amount: Attribute[Decimal] = key_part()
    kind: Attribute[Literal["price"]] = attribute(default="price")
    note: Attribute[str]
    mark: Attribute[str | None] = attribute(default=None)
    expires_at: Attribute[int | None] = attribute("expiresAt", default=None)


class Mark(Item, table=ODD, pk="{sender}", sk="MARK#{mark_id}"):
    sender: Attribute[str] = key_part()
    mark_id: Attribute[UUID] = key_part()
    mark: Attribute[str | None] = attribute(default=None)
    expires_at: Attribute[int | None] = attribute("expiresAt", default=None)


TYPES: tuple[Any, ...] = (Parcel, Price, Mark)
numbers = st.sampled_from(["0", "1", "-1", "2.5", "1E+20", "123456789012345678901234567890", "1E-100"])
values: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4).map(lambda text: {"S": text}),
        st.sampled_from(["red", "price", "2026-01-01T00:00:00Z", "2026-01-01", "1"]).map(lambda text: {"S": text}),
        numbers.map(lambda number: {"N": number}),
        st.booleans().map(lambda flag: {"BOOL": flag}),
        st.just({"NULL": True}),
        st.just({"B": "AAEC"}),
        st.just({"SS": ["a", "b"]}),
        st.just({"NS": ["1", "2.5"]}),
        st.just({"M": {"width": {"N": "2"}}}),
    ),
    lambda inner: (
        st.lists(inner, max_size=2).map(lambda each: {"L": each})
        | st.dictionaries(st.sampled_from(["width", "x"]), inner, max_size=2).map(lambda each: {"M": each})
    ),
    max_leaves=3,
)
sort_keys = st.one_of(
    st.sampled_from(
        [
            "PARCEL#2026-01-01#001",
            "PARCEL#2026-01-01#1",
            "PARCEL#2026-01-01#0001",
            "PARCEL#2026-01-01#-01",
            "PARCEL#2026-01-01#999",
            "PARCEL#2026-01-01#9999",
            "PARCEL#2026-13-01#001",
            "PARCEL#20260101#001",
            "PARCEL##001",
            "PARCEL#1#2#3",
            "PARCEL#2026-01-01#٣٣٣",
            "PARCEL#2026-01-01#001 ",
            "PARCEL",
            "PRICE#1",
            "PRICE#1.0",
            "PRICE#NaN",
            "PRICE#-0",
            "PRICE#1E+5",
            "PRICE#1E+999999999",
            "PRICE#" + "9" * 60,
            "MARK#00000000-0000-0000-0000-000000000001",
            "MARK#00000000000000000000000000000001",
            "MARK#{00000000-0000-0000-0000-000000000001}",
            "MARK#x",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
    st.text("PARCELKIM#0123456789-", min_size=1, max_size=12),
)
NAMES = ["weight", "colour", "box", "at", "tags", "heavy", "kind", "note", "unknown", "expiresAt"]
garbage = st.tuples(
    sort_keys,
    st.dictionaries(st.sampled_from(NAMES), values, max_size=5),
    st.sampled_from([{}, {"weight": {"N": "1"}, "kind": {"S": "price"}, "note": {"S": "n"}}]),
)


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with temporary_store(clock=lambda: 100.0) as store:
        store.create(ODD)
        yield store


def _expired(row: dict[str, Any]) -> bool:
    return float(row.get("expiresAt", {}).get("N", "1000")) <= 100


def _readable(row: dict[str, Any]) -> Any:
    """What a row is: an item, None where it is of no type, or the type it does not fit."""
    for kind in TYPES:
        if kind.owns(row):
            try:
                return kind.from_row(row)
            except ForeignItemError:
                return kind
    return None


SENDERS = iter(range(1_000_000))


@examples(120)
@given(st.lists(garbage, max_size=8), st.integers(1, 4), st.data())
def test_lists_pass_over_what_does_not_fit_and_tell_each_row_once(
    store: EmbeddedStore, odd: list[Any], limit: int, data: st.DataObject
) -> None:
    sender = f"s{next(SENDERS)}"
    good = Parcel(sender=sender, sent=date(2026, 5, 5), number=5, weight=Decimal(1), mark=sender)
    store.write(Put(good))
    for sort_key, attributes, more in odd:
        row = {"PK": {"S": sender}, "SK": {"S": sort_key}, "mark": {"S": sender}, **more, **attributes}
        store.engine.call("PutItem", {"TableName": ODD.name, "Item": row})
    wanted = {"KeyConditionExpression": "PK = :s", "ExpressionAttributeValues": {":s": {"S": sender}}}
    rows = store.engine.call("Query", {"TableName": ODD.name, **wanted})["Items"]
    living = [row for row in rows if not _expired(row)]
    found = {row["SK"]["S"]: _readable(row) for row in living}
    told: list[Unreadable] = []
    store.unreadable_observers.clear()
    store.observe_unreadable(told.append)
    for kind in TYPES:
        items = [item for item in found.values() if isinstance(item, kind)]
        bad = Counter(f"PK={sender}, SK={key}" for key, item in found.items() if item is kind)
        for query in (
            kind.query(kind.sender(sender)),
            kind.query(kind.sender(sender)).descending(),
            kind.query(BY_MARK, kind.mark(sender)),
            kind.query(BY_KEYS, kind.mark(sender)),
        ):
            _same(list(store.stream(query, chunk=limit)), items)
            assert Counter(each.key for each in told) == bad
            told.clear()
            paged: list[Any] = []
            cursor = None
            while True:
                page = store.page(query, limit=limit, after=cursor)
                paged += page
                cursor = page.next_cursor
                if cursor is None:
                    break
            _same(paged, items)
            assert Counter(each.key for each in told) == bad
            told.clear()
            # Counting looks at keys wherever they tell enough: what does not fit is counted, and never told.
            assert len(items) <= store.count(query) <= len(items) + sum(bad.values())
            told.clear()
    _same(
        list(store.stream(collection(*(kind.query(kind.sender(sender)) for kind in TYPES)))),
        [item for item in found.values() if isinstance(item, Item)],
    )
    told.clear()
    _check_single_reads(store, rows, told)


def _check_single_reads(store: EmbeddedStore, rows: list[dict[str, Any]], told: list[Unreadable]) -> None:
    """By every key that an item could have: the item, nothing where it has expired, or what is wrong."""
    for row in rows:
        for kind in TYPES:
            parts = kind.__layout__.reader.parts(row, whole=False)
            if parts is None:
                continue
            adapters = {name: kind.__attributes__[name].codec for name in kind.__layout__.key_fields}
            try:
                key = kind.key(*(getattr(kind, name)(adapters[name].validated(parts[name])) for name in adapters))
            except (KeyPartError, InvalidValueError):
                continue  # no item has such a key
            if key.wire != {"PK": row["PK"], "SK": row["SK"]}:
                continue
            expected = None if _expired(row) else _readable(row)
            get = kind.get(*(getattr(kind, name)(value) for name, value in key.parts.items()))
            if _expired(row) or isinstance(expected, kind):
                assert store.get(get) == expected
                assert store.batch_get([key]) == [expected]
                assert not told
            else:
                with pytest.raises(ForeignItemError):
                    store.get(get)
                assert store.batch_get([key]) == [None]
                assert [each.key for each in told] == [kind.key_of(row)]
                told.clear()


def _same(found: list[Any], expected: list[Any]) -> None:
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


@examples(60)
@given(st.text("0123456789-+eE.NaN ", min_size=1, max_size=6))
def test_a_key_is_read_only_as_items_spell_it(text: str) -> None:
    row = {"PK": {"S": "s"}, "SK": {"S": f"PRICE#{text}"}, "kind": {"S": "price"}, "note": {"S": "n"}}
    try:
        item = Price.from_row(row)
    except ForeignItemError:
        return
    assert item.to_row() == row
