"""Group commit: many writers, one truth; a bad write fails alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ConditionalCheckFailedError, DynamoError, ValidationError
from partita.engine import Engine
from tests.engine.tables import create, get, put, update, values


def _together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run the work on so many threads that start at the same moment; its results or errors."""
    barrier = threading.Barrier(count)

    def run(number: int) -> Any:
        barrier.wait()
        try:
            return work(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.mark.parametrize("durability", ["off", "full"])
def test_32_writers_count_exactly(tmp_path: Path, durability: Any) -> None:
    with Engine(tmp_path, durability=durability, background=False) as engine:
        create(engine)

        def count(_: int) -> None:
            for _ in range(10):
                update(engine, {"pk": "counter"}, "ADD n :one", one=1)

        assert _together(32, count) == [None] * 32
        assert get(engine, pk="counter") == {"pk": "counter", "n": 320}
        assert engine.call("DescribeTable", {"TableName": "music"})["Table"]["ItemCount"] == 1


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["create by sort", "create", "delete", "put here", "put there"]), max_size=14))
def test_a_write_knows_the_tables_that_another_process_made_or_deleted(steps: list[str]) -> None:
    with Engine.temporary(background=False) as here, Engine(here.database.folder, durability="off") as there:
        for step in steps:
            with suppress(DynamoError):
                if step.startswith("create"):
                    create(there, keys="pk sk" if step == "create by sort" else "pk")
                elif step == "delete":
                    there.call("DeleteTable", {"TableName": "music"})
                else:
                    put(here if step == "put here" else there, pk="a")
            assert _verdict(here) == _verdict(there), step


def _verdict(engine: Engine) -> str:
    """What a put of an item without sort key comes to: it depends on the table of this moment."""
    try:
        put(engine, pk="b")
    except DynamoError as error:
        return f"{error.code}: {error.message}"
    return "written"


def test_exactly_one_of_many_conditional_writers_wins(engine: Engine) -> None:
    create(engine)

    def claim(number: int) -> dict[str, Any]:
        item = {"pk": {"S": "name"}, "owner1": {"N": str(number)}}
        request = {"TableName": "music", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
        return engine.call("PutItem", request)

    results = _together(16, claim)
    assert results.count({}) == 1
    assert sum(isinstance(result, ConditionalCheckFailedError) for result in results) == 15


def test_a_bad_write_in_a_group_fails_alone(engine: Engine) -> None:
    create(engine)
    put(engine, pk="text", n="not a number")

    def write(number: int) -> Any:
        if number % 4 == 0:
            return update(engine, {"pk": "text"}, "ADD n :one", one=1)
        return update(engine, {"pk": str(number)}, "ADD n :one", one=1)

    results = _together(32, write)
    assert all(isinstance(result, ValidationError) for result in results[::4])
    assert all(result == {} for number, result in enumerate(results) if number % 4)
    assert engine.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"] == 25


def test_transfers_keep_the_sum(engine: Engine) -> None:
    create(engine)
    for name in "abcd":
        put(engine, pk=name, n=100)

    def transfer(number: int) -> None:
        source, target = "abcd"[number % 4], "abcd"[(number + 1) % 4]
        actions = [
            {
                "Update": {
                    "TableName": "music",
                    "Key": {"pk": {"S": name}},
                    "UpdateExpression": "ADD n :d",
                    **values(d=amount),
                }
            }
            for name, amount in ((source, -number), (target, number))
        ]
        engine.call("TransactWriteItems", {"TransactItems": actions})
        gets = [{"Get": {"TableName": "music", "Key": {"pk": {"S": name}}}} for name in "abcd"]
        seen = engine.call("TransactGetItems", {"TransactItems": gets})["Responses"]
        assert sum(int(each["Item"]["n"]["N"]) for each in seen) == 400

    assert _together(16, transfer) == [None] * 16


def test_readers_see_whole_items_while_writers_write(engine: Engine) -> None:
    create(engine)
    put(engine, pk="a", x=0, y=0)

    def work(number: int) -> None:
        for step in range(20):
            if number % 2:
                put(engine, pk="a", x=step, y=step)
            else:
                item = get(engine, pk="a")
                assert item is not None
                assert item["x"] == item["y"]

    assert _together(8, work) == [None] * 8


def test_an_unforeseen_error_reaches_only_its_own_caller(engine: Engine) -> None:
    """Whatever goes wrong inside one write, the others of its group are done."""
    create(engine)

    def write(number: int) -> Any:
        if number == 3:
            return engine.writer.run(_explode)
        return put(engine, pk=str(number))

    results = _together(8, write)
    assert isinstance(results[3], ZeroDivisionError)
    assert engine.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"] == 7


def _explode(transaction: Any) -> None:
    transaction.execute("UPDATE catalog SET next_id = next_id + 1000")
    raise ZeroDivisionError


def test_a_write_refused_after_it_wrote_leaves_no_trace(engine: Engine) -> None:
    create(engine)

    def half(transaction: Any) -> None:
        transaction.execute("UPDATE catalog SET next_id = 999999")
        raise ValidationError("too late")

    with pytest.raises(ValidationError, match="too late"):
        engine.writer.run(half)
    with engine.database.reader() as connection:
        assert next(connection.execute("SELECT next_id FROM catalog"))[0] < 999999


class _Answers:
    """Collects what `answer` says, from whatever thread."""

    def __init__(self, count: int) -> None:
        self.found: list[bytes | DynamoError] = []
        self._missing = threading.Semaphore(0)
        self._count = count

    def __call__(self, result: bytes | DynamoError) -> None:
        self.found.append(result)
        self._missing.release()

    def wait(self) -> list[bytes | DynamoError]:
        for _ in range(self._count):
            assert self._missing.acquire(timeout=20)
        return self.found


def _body(name: str) -> bytes:
    return orjson.dumps({"TableName": "music", "Item": {"pk": {"S": name}}})


def test_answers_come_as_json(engine: Engine) -> None:
    create(engine)
    answers = _Answers(4)
    engine.answer("PutItem", _body("a"), answers)
    engine.answer("PutItem", b"{}", answers)
    engine.answer("PutItem", b"not json", answers)
    engine.answer("Nonsense", b"{}", answers)
    found = answers.wait()
    assert b"{}" in found
    assert sorted(each.code for each in found if isinstance(each, DynamoError)) == [
        "SerializationException",
        "UnknownOperationException",
        "ValidationException",
    ]
    answers = _Answers(2)
    engine.answer("GetItem", orjson.dumps({"TableName": "music", "Key": {"pk": {"S": "a"}}}), answers)
    engine.answer("ListTables", b"{}", answers)
    assert set(answers.wait()) == {b'{"Item":{"pk":{"S":"a"}}}', b'{"TableNames":["music"]}'}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_listener_that_raises_does_not_stop_the_others(engine: Engine) -> None:
    create(engine)
    answers = _Answers(20)

    def unlucky(_: bytes | DynamoError) -> None:
        raise RuntimeError("the listener's own fault")

    for number in range(20):
        engine.answer("PutItem", _body(f"bad{number}"), unlucky)
        engine.answer("PutItem", _body(str(number)), answers)
    assert answers.wait() == [b"{}"] * 20
    assert put(engine, pk="sync") == {}
