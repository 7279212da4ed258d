"""Rows that were read before are read once, and never taken for what they were."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Annotated, Any

import orjson
import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, field_validator

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Put, Table, Update, attribute, key_part
from partita.table.shared_rows import RowCache, SharedRow


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
    first = store.get(thing.get(thing.thing_id("1"), thing.part("a")))
    assert store.get(thing.get(thing.thing_id("1"), thing.part("a"))) is first
    assert store.page(thing.query(thing.thing_id("1"))).items[0] is first
    assert store.batch_get([thing.key(thing.thing_id("1"), thing.part("a"))])[0] is first


def test_a_shared_row_is_read_as_each_type_once_and_as_a_row_of_its_own_would_be() -> None:
    _, thing, bag = _schema()
    for item in (thing(thing_id="1", part="a", title="One"), bag(bag_id="1", holds={"x": 1})):
        row, shared = item.to_row(), SharedRow(item.to_row())
        for _ in range(2):
            assert [kind.from_own_row(shared) for kind in (thing, bag)] == [
                kind.from_own_row(row) for kind in (thing, bag)
            ]
        other = bag if isinstance(item, thing) else thing
        assert shared.items_read[other.__layout__.reader] is None
        # What can be changed is made for each reader.
        assert (type(item).from_own_row(shared) is type(item).from_own_row(shared)) == isinstance(item, thing)


def test_what_has_changed_is_read_anew_and_what_came_back_is_right(shop: Any) -> None:
    store, thing, _ = shop
    key = thing.key(thing.thing_id("1"), thing.part("a"))
    store.write(Put(thing(thing_id="1", part="a", title="One")))
    for title in ("Two", "One", "Two"):
        store.write(Update(key, thing.title.set(title)))
        assert store.get(thing.get(thing.thing_id("1"), thing.part("a"))).title == title
    assert store.update(Update(key, thing.title.set("Three"))).title == "Three"


def test_an_item_that_can_be_changed_is_nobody_elses(shop: Any) -> None:
    store, _, bag = shop
    store.write(Put(bag(bag_id="1", holds={"apple": 1})))
    store.get(bag.get(bag.bag_id("1"))).holds["apple"] = 99
    assert store.get(bag.get(bag.bag_id("1"))).holds == {"apple": 1}


def test_whatever_could_be_changed_in_an_item_makes_it_nobody_elses() -> None:
    table = Table("changeable", pk="PK", sk="SK")

    class Note(BaseModel):
        model_config = ConfigDict(frozen=True, extra="allow")

    class Thawed(Item, table=table, pk="THAWED#{number}", sk="X"):
        model_config = ConfigDict(frozen=False)
        number: Attribute[str] = key_part()

    class Loose(Item, table=table, pk="LOOSE#{number}", sk="X"):
        number: Attribute[str] = key_part()
        note: Attribute[Note]

    class Made(Item, table=table, pk="MADE#{number}", sk="X"):
        number: Attribute[str] = key_part()
        words: Attribute[str]

        @field_validator("words")
        @classmethod
        def _split(cls, words: str) -> Any:
            return words.split()

    class Turned(Item, table=table, pk="TURNED#{number}", sk="X"):
        number: Attribute[str] = key_part()
        words: Attribute[Annotated[str, AfterValidator(lambda words: words.split())]]

    class Plain(Item, table=table, pk="PLAIN#{number}", sk="X"):
        number: Attribute[str] = key_part()
        words: Attribute[tuple[str, ...] | None] = attribute(default=None)

    kinds = (Thawed, Loose, Made, Turned, Plain)
    assert [kind.__layout__.lasting for kind in kinds] == [False, False, False, False, True]


def test_what_a_type_does_not_know_is_given_to_each_writer_for_itself(shop: Any) -> None:
    store, thing, _ = shop
    row = thing(thing_id="1", part="a", title="One").to_row() | {"colours": {"L": [{"S": "red"}]}}
    store.engine.call("PutItem", {"TableName": "things", "Item": row})
    store.get(thing.get(thing.thing_id("1"), thing.part("a"))).to_row()["colours"]["L"].append({"S": "blue"})
    assert store.get(thing.get(thing.thing_id("1"), thing.part("a"))).to_row()["colours"] == {"L": [{"S": "red"}]}


def test_a_type_that_is_declared_later_takes_its_rows(shop: Any) -> None:
    store, thing, _ = shop
    store.write(Put(thing(thing_id="1", part="COVER", title="One")))
    assert store.get(thing.get(thing.thing_id("1"), thing.part("COVER"))) is not None

    class Cover(Item, table=thing.__table__, pk="THING#{thing_id}", sk="COVER"):
        thing_id: Attribute[str] = key_part()
        title: Attribute[str]

    assert [type(each) for each in store.page(Cover.query(Cover.thing_id("1")))] == [Cover]
    assert store.page(thing.query(thing.thing_id("1"))).items == ()


def test_a_row_that_others_read_cannot_be_changed() -> None:
    row = SharedRow({"PK": {"S": "a"}})
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
    for made in (copy.copy(row), copy.deepcopy(row), pickle.loads(pickle.dumps(row)), dict(row), row.copy()):
        assert type(made) is dict
        assert made == row


def test_only_so_much_is_remembered() -> None:
    known = RowCache(150_000)
    stored = [f"{number:0500d}".encode() for number in range(1000)]
    for each in stored:
        known.add(each, {"PK": {"S": each.decode()}})
        assert known.get(stored[0]) is not None, "what is used stays"
    assert known.get(stored[-1]) is not None
    assert known.get(stored[1]) is None
    assert sum(1 for each in stored if known.get(each)) <= 101


def test_long_rows_and_a_memory_of_nothing_are_not_remembered() -> None:
    known = RowCache(64_000)
    long = b"x" * 1_001
    assert not isinstance(known.add(long, {"PK": {"S": "x"}}), SharedRow)
    assert known.get(long) is None
    assert not isinstance(RowCache(0).add(b"x", {"PK": {"S": "x"}}), SharedRow)
