"""The way in for event loops."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError, InternalServerError, ValidationError
from partita.dynamo.requests import GetItem, PutItem
from partita.engine import Engine, FaultPlan
from tests.engine.tables import create, get


def _update(name: str) -> dict[str, Any]:
    return {
        "TableName": "music",
        "Key": {"pk": {"S": name}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }


def test_many_writes_at_once_all_arrive(engine: Engine) -> None:
    create(engine)

    async def run() -> list[Any]:
        return await asyncio.gather(*(engine.call_async("UpdateItem", _update("counter")) for _ in range(500)))

    assert asyncio.run(run()) == [{}] * 500
    assert get(engine, pk="counter") == {"pk": "counter", "n": 500}


def test_errors_reach_the_one_who_waits(engine: Engine) -> None:
    create(engine)

    async def run() -> tuple[Any, ...]:
        put = {"TableName": "music", "Item": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)"}
        return await asyncio.gather(
            engine.call_async("PutItem", put),
            engine.call_async("PutItem", put),
            engine.call_async("PutItem", {"TableName": "music", "Item": {}}),
            engine.call_async("ListTables", {}),
            return_exceptions=True,
        )

    first, second, third, fourth = asyncio.run(run())
    assert {type(first), type(second)} == {dict, ConditionalCheckFailedError}
    assert isinstance(third, ValidationError)
    assert fourth == {"TableNames": ["music"]}


def test_request_values_run_too(engine: Engine) -> None:
    create(engine)
    key = {"pk": {"S": "a"}}

    async def run() -> Any:
        await engine.execute_async(PutItem(table="music", item=key))
        return await engine.execute_async(GetItem(table="music", key=key))

    assert asyncio.run(run()) == {"Item": key} == engine.execute(GetItem(table="music", key=key))


def test_threads_and_loops_write_side_by_side(engine: Engine) -> None:
    create(engine)

    async def run() -> None:
        loops = [engine.call_async("UpdateItem", _update("counter")) for _ in range(50)]
        threads = [asyncio.to_thread(engine.call, "UpdateItem", _update("counter")) for _ in range(50)]
        await asyncio.gather(*loops, *threads)

    asyncio.run(run())
    assert get(engine, pk="counter") == {"pk": "counter", "n": 100}


def test_loops_of_several_threads_each_get_their_own_answers(engine: Engine) -> None:
    create(engine)

    async def run(name: str) -> list[int]:
        found = []
        for _ in range(3):
            answers = await asyncio.gather(
                *(engine.call_async("UpdateItem", {**_update(name), "ReturnValues": "UPDATED_NEW"}) for _ in range(20))
            )
            found += [int(answer["Attributes"]["n"]["N"]) for answer in answers]
        return found

    with ThreadPoolExecutor(4) as threads:
        names = [f"counter-{number}" for number in range(4)]
        assert list(threads.map(lambda name: asyncio.run(run(name)), names)) == [[*range(1, 61)]] * 4


def test_somebody_who_stops_waiting_hurts_nobody(engine: Engine) -> None:
    create(engine)

    async def leave() -> None:
        tasks = [asyncio.ensure_future(engine.call_async("UpdateItem", _update(str(number)))) for number in range(20)]
        await asyncio.sleep(0)
        tasks[0].cancel()

    async def run() -> Any:
        return await asyncio.wait_for(engine.call_async("UpdateItem", _update("after")), 20)

    for _ in range(5):
        asyncio.run(leave())
    assert asyncio.run(run()) == {}
    assert engine.call("UpdateItem", _update("after")) == {}


def test_faults_do_not_block_the_loop() -> None:
    with Engine.temporary(background=False, faults=FaultPlan(latency=0.01)) as engine:
        create(engine)

        async def run() -> list[Any]:
            return await asyncio.gather(*(engine.call_async("UpdateItem", _update("counter")) for _ in range(20)))

        assert asyncio.run(run()) == [{}] * 20


@pytest.mark.parametrize("operation", ["UpdateItem", "GetItem", "ListTables"])
def test_a_closed_engine_says_so(operation: str) -> None:
    engine = Engine.temporary(background=False)
    create(engine)
    engine.close()
    request = _update("a") if operation == "UpdateItem" else {"TableName": "music", "Key": {"pk": {"S": "a"}}}

    async def run() -> Any:
        return await engine.call_async(operation, request)

    with pytest.raises(InternalServerError, match="closed"):
        asyncio.run(run())
