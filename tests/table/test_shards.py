"""A spread index finds everything in one order, and leaves the documented attribute as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Delete, Item, Put, SchemaError, Table, Update, attribute, key_part, number

TASKS = Table("tasks", pk="id")
BY_STATE = TASKS.index("byState", pk="state", sk="at", shards=8)
BY_PRIORITY = TASKS.index("byPriority", pk=number("priority"), sk="at", shards=4)
BY_OWNER = TASKS.index("byOwner", pk="owner", sk="at", shards=2)
PLAIN = TASKS.index("plain", pk="state", sk="at")


class Task(Item, table=TASKS, keys={"owner": "OWNER#{name}"}):
    """Spread by a text, by a number, and by a template."""

    id: Attribute[str]
    at: Attribute[str]
    state: Attribute[Literal["open", "done"] | None] = attribute(default="open")
    priority: Attribute[int] = attribute(default=3)
    name: Attribute[str | None] = attribute(default=None)


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(TASKS)
        store.batch_write(Put(Task(id=f"{task}", at=f"{task:03}", name="ada")) for task in range(60))
        yield store


def test_a_text_a_number_and_a_template_are_spread_alike(store: EmbeddedStore) -> None:
    queries = (
        Task.query(BY_STATE, Task.state("open")),
        Task.query(BY_PRIORITY, Task.priority(3)),
        Task.query(BY_OWNER, Task.name("ada")),
    )
    for query in queries:
        assert [task.at for task in store.stream(query.newest_first())] == [f"{task:03}" for task in range(59, -1, -1)]
        assert store.count(query) == 60


def test_the_documented_attribute_stays_as_it_is(store: EmbeddedStore) -> None:
    row = store.engine.call("GetItem", {"TableName": "tasks", "Key": {"id": {"S": "7"}}})["Item"]
    assert (row["state"], row["priority"]) == ({"S": "open"}, {"N": "3"})
    assert row["byState_shard"]["S"].startswith("open#")
    assert row["byPriority_shard"]["S"].startswith("3#")
    assert len({task.id for task in store.stream(Task.query(PLAIN, Task.state("open")))}) == 60


def test_a_change_of_the_attribute_moves_the_item_to_the_other_list(store: EmbeddedStore) -> None:
    change = Update(Task.key(Task.id("7")), Task.state.set("done")).when(Task.state.equals("open"))
    store.write(change)
    with pytest.raises(ConditionalCheckFailedError):
        store.write(change)
    assert [task.id for task in store.stream(Task.query(BY_STATE, Task.state("done")))] == ["7"]
    assert store.count(Task.query(BY_STATE, Task.state("open"))) == 59
    store.write(Update(Task.key(Task.id("7")), Task.state.remove()))
    assert store.count(Task.query(BY_STATE, Task.state("done"))) == 0, "without the attribute it leaves the index"
    read = store.get(Task.get(Task.id("7")))
    assert read is not None
    store.write(Put(read))
    assert store.get(Task.get(Task.id("7"))) == read


def test_an_index_with_shards_comes_before_the_items_it_spreads() -> None:
    table = Table("late", pk="id")

    class Late(Item, table=table):
        id: Attribute[str]

    with pytest.raises(SchemaError, match="declare an index with shards before the items it spreads"):
        table.index("byX", pk="x", shards=2)


# -- a table's own key


LOG = Table("log", pk="day", sk="at#id", shards=8)
BY_NAME = LOG.index("byName", pk="name", sk="at#id")


class Entry(Item, table=LOG, sk="{at}#{id}"):
    """Its bucket is a field of its own."""

    day: Attribute[str]
    at: Attribute[str]
    id: Attribute[str]
    name: Attribute[str] = attribute(default="x")


class Total(Item, table=LOG, pk="TOTAL#{what}", sk="{day}"):
    """Its bucket is made by a template."""

    what: Attribute[str] = key_part()
    day: Attribute[str] = key_part()
    count: Attribute[int] = attribute(default=0)


@pytest.fixture
def log() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(LOG)
        store.batch_write(Put(Entry(day="monday", at=f"{at:03}", id="e")) for at in range(60))
        store.batch_write(Put(Total(what="views", day=f"{day:03}")) for day in range(60))
        yield store


def test_a_tables_own_key_is_spread_and_merged_in_order(log: EmbeddedStore) -> None:
    entries = list(log.stream(Entry.query(Entry.day("monday")).newest_first()))
    assert [entry.at for entry in entries] == [f"{at:03}" for at in range(59, -1, -1)]
    assert {entry.day for entry in entries} == {"monday"}
    assert [total.day for total in log.stream(Total.query(Total.what("views")).at_least(Total.day("050")))] == [
        f"{day:03}" for day in range(50, 60)
    ]
    assert log.count(Entry.query(Entry.day("monday"))) == 60
    assert len(list(log.stream(Entry.query(BY_NAME, Entry.name("x"))))) == 60, "an index is as it was"
    rows = log.engine.call("Scan", {"TableName": "log"})["Items"]
    assert len({row["day"]["S"] for row in rows if row["day"]["S"].startswith("monday#")}) == 8


def test_an_item_of_a_spread_table_is_found_changed_and_deleted_by_its_parts(log: EmbeddedStore) -> None:
    key = Entry.key(Entry.day("monday"), Entry.at("007"), Entry.id("e"))
    log.write(Update(key, Entry.name.set("y")))
    found = log.get(Entry.get(Entry.day("monday"), Entry.at("007"), Entry.id("e")))
    assert found == Entry(day="monday", at="007", id="e", name="y")
    assert found.own_key == key
    assert log.batch_get([key]) == [found]
    log.write(Delete(key).if_there())
    assert log.get(Entry.get(Entry.day("monday"), Entry.at("007"), Entry.id("e"))) is None


def test_a_table_without_a_sort_key_cannot_be_spread() -> None:
    with pytest.raises(SchemaError, match="a table is spread by its sort key"):
        Table("flat", pk="id", shards=2)
