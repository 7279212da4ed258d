"""Ctrl-C in the main thread, in the middle of a write: others' writes are done once, and nobody waits for ever."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from unittest.mock import patch

import apsw
import pytest

from partita.engine import Engine, writer
from partita.engine.writer import Transaction
from tests.engine.tables import create, get, put


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

        def write(self, statement: str, *given: object) -> apsw.Cursor:
            done = writer.write(statement, *given)  # type: ignore[arg-type]
            if statement == "COMMIT":
                raise KeyboardInterrupt
            return done

    with patch.object(engine.database, "writer", Interrupting()), pytest.raises(KeyboardInterrupt):
        _add(engine)
    _add(engine)
    assert engine.call("GetItem", {"TableName": "music", "Key": {"pk": {"S": "sum"}}})["Item"]["n"] == {"N": "2"}


class _Interruption:
    """Ctrl-C at the nth place of the writer's code where Python looks for signals: where functions begin and end."""

    def __init__(self, place: int) -> None:
        self._left = place
        self.came = False

    def __call__(self, frame: FrameType, _event: str, _given: object) -> None:
        if frame.f_code.co_filename == writer.__file__:
            self._left -= 1
            if self._left == 0:
                self.came = True
                raise KeyboardInterrupt  # which ends profiling too


def _lead_interrupted(engine: Engine, place: int) -> tuple[bool, list[threading.Thread]]:
    """Lead a group with others' writes until Ctrl-C: whether it came, and the others."""
    others = [threading.Thread(target=_add, args=(engine,), daemon=True) for _ in range(2)]
    begin = [each.start for each in others]

    def gather() -> None:
        while begin:
            begin.pop()()
        while len(engine.writer._queue) <= len(others) and threading.current_thread() is threading.main_thread():
            pass

    interruption = _Interruption(place)
    with patch.object(engine.writer, "_gather", gather):
        sys.setprofile(interruption)
        try:
            engine.writer.run(lambda _: None)
        except KeyboardInterrupt:
            pass
        else:
            assert not interruption.came, f"Ctrl-C was lost at place {place}"
        finally:
            sys.setprofile(None)
        return interruption.came, [each for each in others if each.ident is not None]


def test_wherever_ctrl_c_comes_others_are_written_once_and_go_on(engine: Engine) -> None:
    place = written = 0
    came = True
    while came:
        place += 1
        came, others = _lead_interrupted(engine, place)
        for each in others:
            each.join(20)
        assert not any(each.is_alive() for each in others), f"somebody waits for ever after Ctrl-C at place {place}"
        written += len(others)
        found = get(engine, pk="sum") or {"n": 0}
        assert found["n"] == written, f"place {place}"
    assert written > 50
    put(engine, pk="later")


def test_somebody_who_waits_and_is_interrupted_holds_up_nobody_behind(engine: Engine) -> None:
    """Whoever leads wakes the next in the queue, who may have gone."""
    free, leading = threading.Event(), threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def slow(_: Transaction) -> None:
        leading.set()
        free.wait(20)

    leader = threading.Thread(target=engine.writer.run, args=(slow,), daemon=True)
    behind = threading.Thread(target=_add, args=(engine,), daemon=True)

    def interrupt() -> None:
        while not engine.writer._queue:
            pass
        behind.start()
        while len(engine.writer._queue) < 2:
            pass
        signal.pthread_kill(main, signal.SIGUSR1)

    leader.start()
    assert leading.wait(20)
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)  # whoever runs tests may be deaf to SIGINT
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            _add(engine)
    finally:
        signal.signal(signal.SIGUSR1, before)
    free.set()
    behind.join(20)
    assert not behind.is_alive()
    leader.join(20)
    assert get(engine, pk="sum") == {"pk": "sum", "n": 1}, "the one who gave up has written nothing"
