"""Ctrl-C in the main thread, in the middle of a write: others' writes are done once, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from unittest.mock import patch

import apsw
import pytest

from partita.engine import Engine
from partita.engine.writer import Transaction
from tests.engine.tables import create, put


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.temporary(background=False) as engine:
        create(engine)
        yield engine


def _count(engine: Engine) -> int:
    return int(engine.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"])


def _add(engine: Engine) -> None:
    values = {":one": {"N": "1"}}
    request = {"TableName": "music", "Key": {"pk": {"S": "sum"}}, "UpdateExpression": "ADD n :one"}
    engine.call("UpdateItem", {**request, "ExpressionAttributeValues": values})


def _together(engine: Engine, interrupt_at: str, number: int = 4) -> list[threading.Thread]:
    """Others' writes, in one group with one of the main thread, which is interrupted."""
    others = [threading.Thread(target=_add, args=(engine,)) for _ in range(number)]

    def gather() -> None:
        for each in others:
            each.start()
        while len(engine.writer._queue) <= number:
            pass
        if interrupt_at == "gathering":
            raise KeyboardInterrupt

    def job(_: Transaction) -> None:
        if interrupt_at == "working":
            raise KeyboardInterrupt

    with patch.object(engine.writer, "_gather", gather), pytest.raises(KeyboardInterrupt):
        engine.writer.run(job)
    return others


@pytest.mark.parametrize("interrupt_at", ["gathering", "working"])
def test_others_go_on(engine: Engine, interrupt_at: str) -> None:
    others = _together(engine, interrupt_at)
    for each in others:
        each.join(20)
    assert not any(each.is_alive() for each in others)
    assert engine.call("GetItem", {"TableName": "music", "Key": {"pk": {"S": "sum"}}})["Item"]["n"] == {"N": "4"}
    put(engine, pk="later")
    assert _count(engine) == 2


def test_what_was_committed_is_not_written_again(engine: Engine) -> None:
    writer = engine.database.writer

    class Interrupting:
        """Ctrl-C comes while the disk takes the commit."""

        def __getattr__(self, name: str) -> object:
            return getattr(writer, name)

        def execute(self, statement: str, *given: object) -> apsw.Cursor:
            done = writer.execute(statement, *given)  # type: ignore[arg-type]
            if statement == "COMMIT":
                raise KeyboardInterrupt
            return done

    with patch.object(engine.database, "writer", Interrupting()), pytest.raises(KeyboardInterrupt):
        _add(engine)
    _add(engine)
    assert engine.call("GetItem", {"TableName": "music", "Key": {"pk": {"S": "sum"}}})["Item"]["n"] == {"N": "2"}
