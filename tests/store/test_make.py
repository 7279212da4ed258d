"""A table is made with what its schema declares, gets what it lacks, and says where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.store.dynamo import DynamoStore, fixed
from partita.table import Attribute, Index, Item, Put, Table, TableDiffersError, attribute, key_part
from tests.serving import moto_server, partita_door


@pytest.fixture(scope="module", params=["embedded", "without a thread", "door", "moto"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with ExitStack() as stack:
        if request.param in ("embedded", "without a thread"):
            yield EmbeddedStore(stack.enter_context(Engine.temporary(background=request.param == "embedded")))
            return
        server = partita_door(tmp_path_factory.mktemp("door")) if request.param == "door" else moto_server()
        url = stack.enter_context(server).url
        over_http = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
        stack.callback(over_http.close)
        yield over_http


@pytest.fixture
def name() -> str:
    """A table name of its own for every test."""
    return f"sheds-{uuid4().hex}"


def _schema(name: str, *, index: bool = False, **settings: Any) -> tuple[Table, Any, Index | None]:
    table = Table(name, pk="PK", **settings)
    by_owner = table.index("byOwner", pk="owner", sk="PK") if index else None

    class Shed(Item, table=table, pk="SHED#{shed_id}"):
        shed_id: Attribute[str] = key_part()
        owner: Attribute[str]
        gone_at: Attribute[int | None] = attribute(default=None)

    return table, Shed, by_owner


def test_an_index_that_a_table_lacks_is_added_and_finds_what_was_written_before(store: Store, name: str) -> None:
    old, shed, _ = _schema(name)
    store.create(old)
    store.batch_write(Put(shed(shed_id=str(number), owner="ada")) for number in range(30))
    new, shed, by_owner = _schema(name, index=True)
    store.create(new)
    assert store.count(shed.query(by_owner, owner="ada")) == 30


def test_many_may_make_the_same_table_at_once(store: Store, name: str, request: pytest.FixtureRequest) -> None:
    if request.node.callspec.params["store"] == "moto":
        pytest.skip("moto answers 500 where an index that is there is added again")
    store.create(_schema(name)[0])
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: store.create(_schema(name, index=True)[0]), range(4)))
    table, shed, by_owner = _schema(name, index=True)
    store.create(table)
    store.write(Put(shed(shed_id="1", owner="ada")))
    assert store.count(shed.query(by_owner, owner="ada")) == 1


@pytest.mark.parametrize("other", [Table("x", pk="id"), Table("x", pk="PK", sk="SK")], ids=["name", "sort key"])
def test_another_key_is_refused_with_both(store: Store, name: str, other: Table) -> None:
    store.create(_schema(name)[0])
    other.name = name
    shown = " . ".join(key.name for key in other.keys)
    with pytest.raises(TableDiffersError, match=f"{name} has the key PK, and the schema says {shown}. A key cannot"):
        store.create(other)


def test_an_index_of_another_key_is_refused_with_both(store: Store, name: str) -> None:
    store.create(_schema(name, index=True)[0])
    table = Table(name, pk="PK")
    table.index("byOwner", pk="owner")
    with pytest.raises(TableDiffersError, match=r"byOwner has the key owner . PK, and the schema says owner\."):
        store.create(table)


def test_a_local_index_cannot_come_later(store: Store, name: str) -> None:
    store.create(Table(name, pk="PK", sk="SK"))
    table = Table(name, pk="PK", sk="SK")
    table.local_index("byOwner", sk="owner")
    with pytest.raises(TableDiffersError, match="was made without the local index byOwner, and cannot get it later"):
        store.create(table)


def test_expiry_may_be_declared_later_but_not_by_another_attribute(store: Store, name: str) -> None:
    store.create(_schema(name)[0])
    for _ in range(2):
        store.create(_schema(name, ttl="gone_at")[0])
    with pytest.raises(TableDiffersError, match=f"Items of {name} expire by gone_at, and the schema says left_at"):
        store.create(_schema(name, ttl="left_at")[0])


def test_a_table_made_by_somebody_else_may_have_more(store: Store, name: str) -> None:
    store.create(_schema(name, index=True)[0])
    store.create(_schema(name)[0])
