"""Rows that were read before are read once, and never taken for what they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Put, Table, Update, attribute, key_part
from partita.table.known import KnownRow, KnownRows


def _schema() -> tuple[Table, type[Any], type[Any]]:
    table = Table("things", pk="PK", sk="SK")

    class Thing(Item, table=table, pk="THING#{thing_id}", sk="{part}"):
        thing_id: Attribute[str] = key_part()
        part: Attribute[str] = key_part()
        title: Attribute[str]
        words: Attribute[tuple[str, ...]] = attribute(default=())

    class Bag(Item, table=table, pk="BAG#{bag_id}", sk="METADATA"):
        bag_id: Attribute[str] = key_part()
        holds: Attribute[dict[str, int]] = attribute(default_factory=dict)

    return table, Thing, Bag


@pytest.fixture
def shop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    table, thing, bag = _schema()
    with Engine(tmp_path_factory.mktemp("known")) as engine:
        store = EmbeddedStore(engine)
        store.create(table)
        yield store, thing, bag


def test_what_is_stored_the_same_is_the_same_item(shop: Any) -> None:
    store, thing, _ = shop
    store.write(Put(thing(thing_id="1", part="a", title="One", words=("x",))))
    first = store.get(thing.get(thing_id="1", part="a"))
    assert store.get(thing.get(thing_id="1", part="a")) is first
    assert store.page(thing.query(thing_id="1")).items[0] is first
    assert store.batch_get([thing.key(thing_id="1", part="a")])[0] is first


def test_what_has_changed_is_read_anew_and_what_came_back_is_right(shop: Any) -> None:
    store, thing, _ = shop
    key = thing.key(thing_id="1", part="a")
    store.write(Put(thing(thing_id="1", part="a", title="One")))
    for title in ("Two", "One", "Two"):
        store.write(Update(key, thing.title.set(title)))
        assert store.get(thing.get(thing_id="1", part="a")).title == title
    assert store.update(Update(key, thing.title.set("Three")), thing).title == "Three"


def test_an_item_that_can_be_changed_is_nobody_elses(shop: Any) -> None:
    store, _, bag = shop
    store.write(Put(bag(bag_id="1", holds={"apple": 1})))
    store.get(bag.get(bag_id="1")).holds["apple"] = 99
    assert store.get(bag.get(bag_id="1")).holds == {"apple": 1}


def test_a_type_that_is_declared_later_takes_its_rows(shop: Any) -> None:
    store, thing, _ = shop
    store.write(Put(thing(thing_id="1", part="COVER", title="One")))
    assert store.get(thing.get(thing_id="1", part="COVER")) is not None

    class Cover(Item, table=thing.__table__, pk="THING#{thing_id}", sk="COVER"):
        thing_id: Attribute[str] = key_part()
        title: Attribute[str]

    assert [type(each) for each in store.page(Cover.query(thing_id="1"))] == [Cover]
    assert store.page(thing.query(thing_id="1")).items == ()


def test_a_row_that_others_read_cannot_be_changed() -> None:
    row = KnownRow({"PK": {"S": "a"}})
    changes: list[Callable[[], Any]] = [
        lambda: row.__setitem__("PK", {"S": "b"}),
        lambda: row.pop("PK"),
        lambda: row.update(PK={"S": "b"}),
        lambda: row.setdefault("SK", {"S": "b"}),
        lambda: row.__delitem__("PK"),
        row.clear,
    ]
    for change in changes:
        with pytest.raises(TypeError, match="change a copy"):
            change()
    assert {**row, "SK": {"S": "b"}} == {"PK": {"S": "a"}, "SK": {"S": "b"}}
    assert orjson.dumps(row) == b'{"PK":{"S":"a"}}'


def test_only_so_much_is_remembered() -> None:
    known = KnownRows(64_000)
    stored = [f"{number:0500d}".encode() for number in range(1000)]
    for each in stored:
        known.add(each, {"PK": {"S": each.decode()}})
        assert known.get(stored[0]) is not None, "what is used stays"
    assert known.get(stored[-1]) is not None
    assert known.get(stored[1]) is None
    assert sum(len(each) for each in stored if known.get(each)) <= 64_000 + 500


def test_long_rows_and_a_memory_of_nothing_are_not_remembered() -> None:
    known = KnownRows(64_000)
    long = b"x" * 1_001
    assert not isinstance(known.add(long, {"PK": {"S": "x"}}), KnownRow)
    assert known.get(long) is None
    assert not isinstance(KnownRows(0).add(b"x", {"PK": {"S": "x"}}), KnownRow)
