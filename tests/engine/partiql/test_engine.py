"""Statements on the engine as a whole: event loops, other processes, bad weather."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from partita.dynamo.errors import ThroughputExceededError, TransactionCanceledError, TransactionConflictError
from partita.engine import Engine, FaultPlan
from tests.engine.tables import create, put, python_items

_INSERT = "INSERT INTO music VALUE {'pk': 'a', 'n': 1}"
_READ = "SELECT * FROM music WHERE pk = 'a'"


def _wire(operation: str, statement: str) -> dict[str, Any]:
    member = {"BatchExecuteStatement": "Statements", "ExecuteTransaction": "TransactStatements"}.get(operation)
    return {"Statement": statement} if member is None else {member: [{"Statement": statement}]}


_OPERATIONS = ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")


def test_statements_run_on_an_event_loop() -> None:
    async def play(engine: Engine) -> list[Any]:
        await engine.call_async("ExecuteStatement", {"Statement": _INSERT})
        return [await engine.call_async(operation, _wire(operation, _READ)) for operation in _OPERATIONS]

    with Engine.temporary(background=False) as engine:
        create(engine, "music")
        one, batch, transaction = asyncio.run(play(engine))
    assert python_items(one) == [{"pk": "a", "n": 1}]
    assert batch["Responses"][0]["Item"] == transaction["Responses"][0]["Item"] == one["Items"][0]


@pytest.mark.parametrize("operation", _OPERATIONS)
@pytest.mark.parametrize("statement", [_READ, _INSERT])
def test_a_table_that_another_process_made_is_known_to_every_kind_of_statement(
    tmp_path: Path, operation: str, statement: str
) -> None:
    settings: dict[str, Any] = {"durability": "off", "background": False}
    with Engine(tmp_path, **settings) as first, Engine(tmp_path, **settings) as second:
        create(first, "music")
        put(first, "music", pk="other")
        answer = second.call(operation, _wire(operation, statement))
    assert "Error" not in str(answer)


def test_bad_weather_strikes_statements_too() -> None:
    with Engine.temporary(background=False, faults=FaultPlan(throttle=1.0, tables=frozenset({"music"}))) as engine:
        create(engine, "music")
        create(engine, "films")
        for operation in _OPERATIONS:
            for statement in (_READ, _INSERT):
                with pytest.raises(ThroughputExceededError):
                    engine.call(operation, _wire(operation, statement))
                engine.call(operation, _wire(operation, statement.replace("music", "films").replace("'a'", "'b'")))
                if statement == _INSERT:
                    engine.call("DeleteItem", {"TableName": "films", "Key": {"pk": {"S": "b"}}})


def test_statements_meet_other_transactions_in_bad_weather() -> None:
    with Engine.temporary(background=False, faults=FaultPlan(conflict=1.0)) as engine:
        create(engine, "music")
        with pytest.raises(TransactionConflictError):
            engine.call("ExecuteStatement", {"Statement": _INSERT})
        with pytest.raises(TransactionCanceledError) as canceled:
            engine.call("ExecuteTransaction", {"TransactStatements": [{"Statement": _INSERT}, {"Statement": _INSERT}]})
        assert sorted(reason["Code"] for reason in canceled.value.reasons) == ["None", "TransactionConflict"]
        assert engine.call("ExecuteStatement", {"Statement": _READ})["Items"] == []
