"""Weather on request: each kind, only where asked, and the same again with the same seed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from partita.dynamo.errors import ThroughputExceededError, TransactionCanceledError, TransactionConflictError
from partita.engine import Engine, FaultPlan
from partita.engine.faults import FaultPlanError
from tests.engine.tables import create, get, index, put, python_items, update

KEY = {"pk": {"S": "a"}}


def _engine(**plan: Any) -> Engine:
    return Engine.temporary(background=False, faults=FaultPlan(**plan))


def _outcomes(engine: Engine, work: Callable[[int], Any], count: int = 40) -> list[str]:
    found = []
    for number in range(count):
        try:
            work(number)
            found.append("done")
        except Exception as error:
            found.append(type(error).__name__)
    return found


def test_a_plan_without_faults_changes_nothing() -> None:
    with _engine() as engine:
        create(engine)
        put(engine, pk="a", x=1)
        assert get(engine, pk="a") == {"pk": "a", "x": 1}


@pytest.mark.parametrize("plan", [{"throttle": 1.5}, {"conflict": -0.1}, {"latency": 61}, {"staleness": -1}])
def test_a_plan_is_checked(plan: dict[str, Any]) -> None:
    with pytest.raises(FaultPlanError):
        FaultPlan(**plan)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_weather(seed: int) -> None:
    runs = []
    for _ in range(2):
        with _engine(seed=seed, throttle=0.3, conflict=0.3) as engine:
            create(engine)
            runs.append(_outcomes(engine, lambda number: put(engine, pk=str(number))))
    assert runs[0] == runs[1]
    assert set(runs[0]) == {"done", "ThroughputExceededError", "TransactionConflictError"}


def test_different_seeds_give_different_weather() -> None:
    runs = []
    for seed in (1, 2):
        with _engine(seed=seed, throttle=0.5) as engine:
            create(engine)
            runs.append(_outcomes(engine, lambda number: put(engine, pk=str(number))))
    assert runs[0] != runs[1]


def test_a_throttled_request_is_not_done() -> None:
    with _engine(throttle=1) as engine:
        create(engine)
        works: list[Callable[[], Any]] = [
            lambda: put(engine, pk="a"),
            lambda: get(engine, pk="a"),
            lambda: engine.call("Scan", {"TableName": "music"}),
        ]
        for work in works:
            with pytest.raises(ThroughputExceededError):
                work()
        assert engine.call("DescribeTable", {"TableName": "music"})["Table"]["ItemCount"] == 0


def test_a_conflict_meets_writes_and_transactions_and_no_plain_reads() -> None:
    with _engine(conflict=1) as engine:
        create(engine)
        assert get(engine, pk="a") is None
        works: list[Callable[[], Any]] = [
            lambda: put(engine, pk="a"),
            lambda: update(engine, {"pk": "a"}, "REMOVE x"),
            lambda: engine.call("DeleteItem", {"TableName": "music", "Key": KEY}),
        ]
        for work in works:
            with pytest.raises(TransactionConflictError):
                work()
        for operation, entries in (
            ("TransactWriteItems", [{"Put": {"TableName": "music", "Item": {"pk": {"S": name}}}} for name in "abc"]),
            ("TransactGetItems", [{"Get": {"TableName": "music", "Key": {"pk": {"S": name}}}} for name in "abc"]),
        ):
            with pytest.raises(TransactionCanceledError) as caught:
                engine.call(operation, {"TransactItems": entries})
            assert sorted(reason["Code"] for reason in caught.value.reasons) == ["None", "None", "TransactionConflict"]


def test_a_partial_write_batch_does_a_part_and_gives_the_rest_back() -> None:
    with _engine(partial_batch=1) as engine:
        create(engine)
        rest: Any = {"music": [{"PutRequest": {"Item": {"pk": {"S": str(number)}}}} for number in range(20)]}
        rounds = 0
        while rest:
            answer = engine.call("BatchWriteItem", {"RequestItems": rest})["UnprocessedItems"]
            left = len(answer.get("music", []))
            assert left < len(rest["music"]), "at least one item of a batch is processed"
            rest, rounds = answer, rounds + 1
        assert rounds > 1
        assert engine.call("DescribeTable", {"TableName": "music"})["Table"]["ItemCount"] == 20


def test_a_partial_read_batch_does_a_part_and_gives_the_rest_back() -> None:
    with _engine(partial_batch=1) as engine:
        create(engine)
        for number in range(20):
            put(engine, pk=str(number))
        keys = [{"pk": {"S": str(number)}} for number in range(20)]
        rest: Any = {"music": {"Keys": keys, "ProjectionExpression": "pk", "ConsistentRead": True}}
        found = []
        while rest:
            answer = engine.call("BatchGetItem", {"RequestItems": rest})
            assert answer["Responses"]["music"], "at least one item of a batch is processed"
            found.extend(answer["Responses"]["music"])
            rest = answer["UnprocessedKeys"]
            assert not rest or rest["music"]["ConsistentRead"] is True
        assert sorted(item["pk"]["S"] for item in found) == sorted(str(number) for number in range(20))


def test_only_the_named_tables_have_weather() -> None:
    with _engine(throttle=1, tables=frozenset({"stormy"})) as engine:
        create(engine, "stormy")
        create(engine, "calm")
        put(engine, "calm", pk="a")
        with pytest.raises(ThroughputExceededError):
            put(engine, "stormy", pk="a")
        for operation, request in (
            ("BatchGetItem", {"RequestItems": {"stormy": {"Keys": [KEY]}}}),
            ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "stormy", "Key": KEY}}]}),
            ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "stormy", "Item": KEY}}]}),
        ):
            with pytest.raises(ThroughputExceededError):
                engine.call(operation, request)


def test_latency_makes_requests_wait() -> None:
    with _engine(latency=0.05, seed=1) as engine:
        create(engine)
        started = time.perf_counter()
        for number in range(5):
            put(engine, pk=str(number))
        assert time.perf_counter() - started > 0.02


def test_an_eventually_consistent_read_may_see_the_past_and_a_strong_one_never_does() -> None:
    with _engine(stale=1, staleness=60) as engine:
        create(engine, gsis=[index("byG", "g")])
        put(engine, pk="a", x=1, g="x")
        request = {"TableName": "music", "Key": KEY}
        assert engine.call("GetItem", request)["Item"]["x"] == {"N": "1"}
        put(engine, pk="a", x=2, g="x")
        assert engine.call("GetItem", request)["Item"]["x"] == {"N": "1"}
        assert engine.call("GetItem", {**request, "ConsistentRead": True})["Item"]["x"] == {"N": "2"}
        (seen,) = python_items(engine.call("Scan", {"TableName": "music", "IndexName": "byG"}))
        assert seen["x"] == 1
        batch = {"RequestItems": {"music": {"Keys": [KEY], "ConsistentRead": True}}}
        assert engine.call("BatchGetItem", batch)["Responses"]["music"][0]["x"] == {"N": "2"}


def test_the_past_ends_after_a_while() -> None:
    with _engine(stale=1, staleness=0.000001) as engine:
        create(engine)
        put(engine, pk="a", x=1)
        request = {"TableName": "music", "Key": KEY}
        engine.call("GetItem", request)
        put(engine, pk="a", x=2)
        assert engine.call("GetItem", request)["Item"]["x"] == {"N": "2"}
