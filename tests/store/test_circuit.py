"""An endpoint that does not answer: nobody waits longer than is allowed, and soon nobody waits at all."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from partita.dynamo.errors import ResourceNotFoundError, ThrottlingError
from partita.store.address import Timeouts
from partita.store.answers import ConnectionFailedError
from partita.store.circuit import Circuit, NotAnsweringError
from tests.store.faces import FACES, THRICE, connected
from tests.store.listener import SILENCE, Asked, Reply, listening, said
from tests.table.forum import Member

ANN = Member(member_id="ann", name="Ann")


@pytest.mark.parametrize("face", FACES)
def test_a_silent_endpoint_is_given_up_in_time_and_then_not_asked_until_somebody_tries(face: str) -> None:
    now = 100.0
    silent = True

    def script(_asked: Asked) -> Reply:
        return SILENCE if silent else said({"Item": ANN.to_row()})

    retries = replace(THRICE, attempts=50, seconds=0.2, circuit=Circuit(rest=2.0, monotonic=lambda: now))
    # A blocking face ends the exchange that it is at.
    timeouts = Timeouts(connect=10.0, read=30.0 if face == "async" else 0.25, idle=60.0)
    with listening(script) as listener, connected(face, listener.url, retries=retries, timeouts=timeouts) as store:
        begun = time.monotonic()
        with pytest.raises(ConnectionFailedError) as late:
            store.get()
        assert not isinstance(late.value, NotAnsweringError)
        assert time.monotonic() - begun < 15, "fifty tries of thirty seconds would take half an hour"
        asked = len(listener.asked)
        for _ in range(3):
            with pytest.raises(NotAnsweringError):
                store.get()
        assert len(listener.asked) == asked
        now += 2.0
        silent = False
        assert store.get() == ANN
        assert store.get() == ANN


def test_while_one_tries_the_others_do_not_wait() -> None:
    now = 0.0
    circuit = Circuit(rest=2.0, monotonic=lambda: now)
    circuit.leave(circuit.enter(), ConnectionFailedError("no"))
    now = 2.0
    begun = circuit.enter()
    with pytest.raises(NotAnsweringError):
        circuit.enter()
    circuit.leave(begun, None)
    circuit.enter()


def test_whatever_else_an_endpoint_says_is_an_answer() -> None:
    circuit = Circuit()
    for error in (ThrottlingError("slowly"), ResourceNotFoundError("no such table"), None):
        circuit.leave(circuit.enter(), error)
        circuit.enter()


def test_one_that_waited_too_long_while_others_were_answered_stops_nobody() -> None:
    now = 0.0
    circuit = Circuit(monotonic=lambda: now)
    begun = circuit.enter()
    now = 1.0
    circuit.leave(circuit.enter(), None)
    now = 5.0
    circuit.leave(begun, ConnectionFailedError("late"))
    circuit.enter()
