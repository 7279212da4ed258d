"""What a store cannot do is said with what was given and what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from partita.dynamo.errors import ResourceNotFoundError, ValidationError
from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.store.dynamo import DynamoStore, fixed
from partita.table import Attribute, Delete, Item, Key, ModelError, Put, Table, Transaction, Update, key_part
from tests.serving import moto_server, partita_door

SHEDS = Table("sheds", pk="PK")
EMPTY = Table("empty", pk="PK")
LATE = EMPTY.index("late", pk="owner")


class Shed(Item, table=SHEDS, pk="SHED#{shed_id}"):
    shed_id: Attribute[str] = key_part()
    owner: Attribute[str]


class Hut(Item, table=EMPTY, pk="HUT#{hut_id}"):
    hut_id: Attribute[str] = key_part()
    owner: Attribute[str]


SHED = Shed(shed_id="1", owner="ada")
KEY: Key[Shed] = SHED.own_key
MOVE = Update(KEY, Shed.owner.set("ben"))


@pytest.fixture(scope="module", params=["embedded", "door", "moto"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with ExitStack() as stack:
        if request.param == "embedded":
            yield EmbeddedStore(stack.enter_context(Engine.temporary()))
            return
        server = partita_door(tmp_path_factory.mktemp("door")) if request.param == "door" else moto_server()
        url = stack.enter_context(server).url
        over_http = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
        stack.callback(over_http.close)
        yield over_http


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.get(Shed.get(Shed.shed_id("1"))),
        lambda store: store.page(Shed.query(Shed.shed_id("1"))),
        lambda store: store.write(Put(SHED)),
        lambda store: store.transact(Transaction(Put(SHED))),
        lambda store: store.batch_get([KEY]),
        lambda store: store.batch_write([Put(SHED)]),
    ],
)
def test_a_table_that_is_not_there_is_named_with_the_way_to_make_it(store: Store, use: Callable[[Store], Any]) -> None:
    with pytest.raises(ResourceNotFoundError, match=r"there is no table sheds\. Make it with store\.create\(…\)"):
        use(store)


def test_the_other_face_says_the_same(store: Store) -> None:
    async def use() -> None:
        try:
            await store.asynchronous.get(Shed.get(Shed.shed_id("1")))
        finally:
            if isinstance(store, DynamoStore):
                await store.dynamo.close_async()

    with pytest.raises(ResourceNotFoundError, match="there is no table sheds"):
        asyncio.run(use())


def test_an_index_that_was_declared_after_the_table_was_made_comes_with_the_way_to_add_it() -> None:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(Table("empty", pk="PK"))
        query = Hut.query(LATE, Hut.owner("ada"))
        with pytest.raises(ValidationError, match=r"index: late: an index .* is added with store\.create\(…\)"):
            store.page(query)
        store.create(EMPTY)
        assert store.page(query).items == ()


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda store: store.create(Shed), "store.create takes tables, as in store.create(SHELF); not the type Shed"),
        (lambda store: store.get(KEY), "store.get takes a get: Get(key) makes one of a key"),
        (lambda store: store.page(Shed), "store.page takes a query, as in Book.query(…); not the type Shed"),
        (lambda store: list(store.stream(KEY)), "store.page takes a query, as in Book.query(…); not the Key"),
        (lambda store: store.count(Shed), "store.count takes a query, as in Book.query(…); not the type Shed"),
        (lambda store: store.batch_get([SHED]), "store.batch_get takes keys, as in [Book.key(…)]; not the Shed Shed("),
        (lambda store: store.batch_write([MOVE]), "store.batch_write takes Put and Delete; send an Update with"),
        (lambda store: store.write(SHED), "store.write takes a Put, an Update or a Delete;"),
        (lambda store: store.write(Transaction(Put(SHED))), "store.write takes a Put, an Update or a Delete; send sev"),
        (lambda store: store.update(Delete(KEY)), "store.update takes an Update; not"),
        (lambda store: store.transact(Put(SHED)), "store.transact takes a Transaction(…) of writes; not the Put Put("),
    ],
)
def test_a_verb_says_what_it_takes(use: Callable[[Store], Any], said: str) -> None:
    with Engine.temporary(background=False) as engine, pytest.raises(ModelError) as refused:
        use(EmbeddedStore(engine))
    assert str(refused.value).startswith(said)
    assert len(str(refused.value)) < 250
