"""The face for event loops: a request that is given up takes its connection with it, and loops share nothing."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest
import uvloop

from partita.store.dynamo import DynamoStore, fixed
from tests.store.listener import SILENCE, Asked, Reply, listening, said
from tests.table.forum import Member


def _whoever(asked: Asked) -> Reply:
    name = asked.members["Key"]["PK"]["S"].removeprefix("MEMBER#")
    return SILENCE if name == "silent" else said({"Item": Member(member_id=name, name=name).to_row()})


def _store(url: str, connections: int = 4) -> DynamoStore:
    credentials = fixed("any", "any")
    return DynamoStore(endpoint_url=url, region="us-east-1", credentials=credentials, connections=connections)


async def _get(store: DynamoStore, name: str) -> str:
    found = await store.asynchronous.get(Member.get(Member.member_id(name)))
    assert found is not None
    return found.name


def test_a_cancelled_request_gives_its_place_back_but_not_its_connection() -> None:
    async def program(store: DynamoStore) -> str:
        asking = asyncio.create_task(_get(store, "silent"))
        while not listener.asked:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        name = await _get(store, "ann")
        await store.dynamo.close_async()
        return name

    with listening(_whoever) as listener:
        assert asyncio.run(program(_store(listener.url, connections=1))) == "ann"
        assert [asked.connection for asked in listener.asked] == [1, 2]


def test_each_loop_has_connections_of_its_own() -> None:
    async def program(store: DynamoStore, name: str) -> str:
        await meet(asyncio.get_running_loop())
        found = await _get(store, name)
        await meet(asyncio.get_running_loop())
        await store.dynamo.close_async()
        return found

    async def meet(loop: asyncio.AbstractEventLoop) -> None:
        await loop.run_in_executor(None, both.wait, 20)

    def run(name: str) -> None:
        found[name] = asyncio.run(program(store, name))

    both = threading.Barrier(2)
    found: dict[str, str] = {}
    with listening(_whoever) as listener:
        store = _store(listener.url)
        threads = [threading.Thread(target=run, args=(name,)) for name in ("ann", "ben")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == {"ann": "ann", "ben": "ben"}
        assert listener.connections == 2


def test_one_loop_after_another_may_use_a_store() -> None:
    async def program(store: DynamoStore) -> str:
        name = await _get(store, "ann")
        await store.dynamo.close_async()
        return name

    with listening(_whoever) as listener:
        store = _store(listener.url)
        assert [asyncio.run(program(store)) for _ in range(3)] == ["ann"] * 3
        assert listener.connections == 3


def test_uvloop_does_as_well() -> None:
    async def program(store: DynamoStore) -> list[str]:
        first = [await _get(store, "ann"), await _get(store, "ben")]
        await store.dynamo.close_async()
        return first

    with listening(_whoever) as listener:
        assert uvloop.run(program(_store(listener.url))) == ["ann", "ben"]
        assert listener.connections == 1


def test_what_comes_unasked_ends_the_connection() -> None:
    async def program(store: DynamoStore) -> None:
        await _get(store, "ann")
        listener.push(1, said({}).pieces[0])
        ended = asyncio.get_running_loop().run_in_executor(None, lambda: listener.ended.get(timeout=20))
        assert await ended == 1
        await store.dynamo.close_async()

    with listening(_whoever) as listener:
        asyncio.run(program(_store(listener.url)))


def test_a_store_does_not_hold_on_to_loops_that_are_closed() -> None:
    def once(store: DynamoStore) -> weakref.ref[asyncio.AbstractEventLoop]:
        loop = asyncio.new_event_loop()
        loop.run_until_complete(_get(store, "ann"))
        loop.close()
        return weakref.ref(loop)

    closing = said({"Item": Member(member_id="ann", name="ann").to_row()}, headers={"Connection": "close"})
    with listening(lambda _asked: closing) as listener:
        store = _store(listener.url)
        first, second = once(store), once(store)
        gc.collect()
        assert first() is None
        assert second() is not None
