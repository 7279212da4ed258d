"""Every call can be observed: what was asked, of what, how much came of it, what it cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError, TransactionCanceledError
from partita.dynamo.requests import GetItem, Scan, TransactGetItems
from partita.engine import Engine, FaultPlan
from partita.store import EmbeddedStore, Observation
from partita.store.dynamo import DynamoStore, fixed
from partita.store.observe import measured, observation
from partita.table import Delete, Put, Transaction, Update
from tests.store.listener import SILENCE, listening
from tests.table.forum import BY_STARS, FORUM, Member, Post

ADA = Member.key(Member.member_id("ada"))


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        made = EmbeddedStore(engine)
        made.create(FORUM)
        yield made


@pytest.fixture
def seen(store: EmbeddedStore) -> list[Observation]:
    found: list[Observation] = []
    store.observe(found.append)
    return found


def _told(call: Observation) -> tuple[str, str | None, int, float, str | None]:
    assert call.seconds > 0
    return call.operation, call.index, call.items, call.units, call.error


def test_writes_and_reads_of_one_item_count_it(store: EmbeddedStore, seen: list[Observation]) -> None:
    store.write(Put(Member(member_id="ada", name="Ada")))
    store.write(Update(ADA, Member.name.set("Ada L.")))
    store.update(Update(ADA, Member.post_count.add(1)))
    store.get(Member.get(Member.member_id("ada")))
    store.get(Member.get(Member.member_id("nobody")).consistently())
    store.write(Delete(ADA))
    assert [_told(call) for call in seen] == [
        ("PutItem", None, 1, 1.0, None),
        ("UpdateItem", None, 1, 1.0, None),
        ("UpdateItem", None, 1, 1.0, None),
        ("GetItem", None, 1, 0.5, None),
        ("GetItem", None, 0, 1.0, None),
        ("DeleteItem", None, 1, 1.0, None),
    ]
    assert {call.tables for call in seen} == {("forum",)}


def test_lists_batches_and_transactions_count_what_came_of_them(store: EmbeddedStore, seen: list[Observation]) -> None:
    store.batch_write(Put(Post(member_id="ada", post_id=f"{number}", stars=5)) for number in range(3))
    store.page(Post.query(BY_STARS, Post.stars(5)), limit=2)
    store.count(Post.query(BY_STARS, Post.stars(5)))
    store.batch_get(
        [Post.key(Post.member_id("ada"), Post.post_id("1")), Post.key(Post.member_id("ada"), Post.post_id("9"))]
    )
    store.transact(
        Transaction(
            Put(Member(member_id="ada", name="Ada")), Delete(Post.key(Post.member_id("ada"), Post.post_id("2")))
        )
    )
    assert [(call.operation, call.tables, call.index, call.items) for call in seen] == [
        ("BatchWriteItem", ("forum",), None, 3),
        ("Query", ("forum",), "byStars", 3),
        ("Query", ("forum",), "byStars", 3),
        ("BatchGetItem", ("forum",), None, 1),
        ("TransactWriteItems", ("forum",), None, 2),
    ]
    assert all(call.units > 0 for call in seen)


def test_what_a_batch_leaves_undone_is_not_counted() -> None:
    with Engine.temporary(faults=FaultPlan(seed=5, partial_batch=0.7)) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        seen: list[Observation] = []
        store.observe(seen.append)
        store.batch_write(Put(Member(member_id=f"{number}", name="x")) for number in range(25))
        assert len(seen) > 1
        assert sum(call.items for call in seen) == 25


def test_a_refused_write_counts_nothing_and_says_why(store: EmbeddedStore, seen: list[Observation]) -> None:
    new = Put(Member(member_id="ada", name="Ada")).if_new()
    store.write(new)
    with pytest.raises(ConditionalCheckFailedError):
        store.write(new)
    with pytest.raises(TransactionCanceledError):
        store.transact(Transaction(new))
    assert [(call.operation, call.items, call.error) for call in seen[1:]] == [
        ("PutItem", 0, "ConditionalCheckFailedException"),
        ("TransactWriteItems", 0, "TransactionCanceledException"),
    ]


def test_the_async_face_tells_the_same_observers(store: EmbeddedStore, seen: list[Observation]) -> None:
    async def program() -> None:
        await store.asynchronous.write(Put(Member(member_id="ada", name="Ada")))
        with pytest.raises(ConditionalCheckFailedError):
            await store.asynchronous.write(Put(Member(member_id="ada", name="Ada")).if_new())

    asyncio.run(program())
    assert [(call.operation, call.items, call.error) for call in seen] == [
        ("PutItem", 1, None),
        ("PutItem", 0, "ConditionalCheckFailedException"),
    ]


def test_a_cancelled_call_is_told_too() -> None:
    seen: list[Observation] = []

    async def program(store: DynamoStore) -> None:
        asking = asyncio.create_task(store.asynchronous.get(Member.get(Member.member_id("ada"))))
        while not listener.asked:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await store.dynamo.close_async()

    with listening(lambda _asked: SILENCE) as listener:
        store = DynamoStore(endpoint_url=listener.url, region="us-east-1", credentials=fixed("any", "any"))
        store.observe(seen.append)
        asyncio.run(program(store))
    assert [(call.operation, call.items, call.error) for call in seen] == [("GetItem", 0, "CancelledError")]


def test_requests_that_no_verb_sends_are_told_as_well(store: EmbeddedStore) -> None:
    store.write(Put(Member(member_id="ada", name="Ada")))
    get = GetItem(table="forum", key=ADA.wire)
    gets = measured(TransactGetItems(gets=(get, GetItem(table="forum", key=Member.key(Member.member_id("no")).wire))))
    scan = measured(Scan(table="forum"))
    both, all_of_it = (observation(request, store.transport.send(request), 0.1, None) for request in (gets, scan))
    assert (both.operation, both.tables, both.items, both.units) == ("TransactGetItems", ("forum",), 1, 4.0)
    assert (all_of_it.operation, all_of_it.items, all_of_it.units) == ("Scan", 1, 2.0)


def test_without_observers_nobody_asks_what_a_call_costs(store: EmbeddedStore) -> None:
    request = GetItem(table="forum", key=ADA.wire)
    assert measured(request).capacity == "INDEXES"
    assert "ConsumedCapacity" not in store.transport.send(request)
