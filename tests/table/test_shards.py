"""A spread index finds everything in one order, and leaves the documented attribute as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Put, SchemaError, Table, Update, attribute, number

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
        Task.query(BY_STATE, state="open"),
        Task.query(BY_PRIORITY, priority=3),
        Task.query(BY_OWNER, name="ada"),
    )
    for query in queries:
        assert [task.at for task in store.stream(query.newest_first())] == [f"{task:03}" for task in range(59, -1, -1)]
        assert store.count(query) == 60


def test_the_documented_attribute_stays_as_it_is(store: EmbeddedStore) -> None:
    row = store.engine.call("GetItem", {"TableName": "tasks", "Key": {"id": {"S": "7"}}})["Item"]
    assert (row["state"], row["priority"]) == ({"S": "open"}, {"N": "3"})
    assert row["byState_shard"]["S"].startswith("open#")
    assert row["byPriority_shard"]["S"].startswith("3#")
    assert len({task.id for task in store.stream(Task.query(PLAIN, state="open"))}) == 60


def test_a_change_of_the_attribute_moves_the_item_to_the_other_list(store: EmbeddedStore) -> None:
    change = Update(Task.key(id="7"), Task.state.set("done")).when(Task.state.equals("open"))
    store.write(change)
    with pytest.raises(ConditionalCheckFailedError):
        store.write(change)
    assert [task.id for task in store.stream(Task.query(BY_STATE, state="done"))] == ["7"]
    assert store.count(Task.query(BY_STATE, state="open")) == 59
    store.write(Update(Task.key(id="7"), Task.state.remove()))
    assert store.count(Task.query(BY_STATE, state="done")) == 0, "without the attribute it leaves the index"
    read = store.get(Task.get(id="7"))
    assert read is not None
    store.write(Put(read))
    assert store.get(Task.get(id="7")) == read


def test_an_index_with_shards_comes_before_the_items_it_spreads() -> None:
    table = Table("late", pk="id")

    class Late(Item, table=table):
        id: Attribute[str]

    with pytest.raises(SchemaError, match="declare an index with shards before the items it spreads"):
        table.index("byX", pk="x", shards=2)
