"""Starting, stopping, and where a door may stand."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from threading import Thread

import pytest

from partita.engine.door import Door, DoorThread, UnprotectedHostError, serve
from tests.engine.door.conftest import OpenDoor
from tests.engine.door.wire import Client, StandIn, head, post


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.7", "example.org", "localhost.example.org"])
@pytest.mark.parametrize("keys", [None, {}])
def test_a_door_to_other_machines_needs_keys(host: str, keys: dict[str, str] | None) -> None:
    with pytest.raises(UnprotectedHostError, match="Configure access keys, or listen on 127"):
        Door(StandIn(), host=host, keys=keys)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost", "LOCALHOST"])
def test_a_door_to_this_machine_needs_none(host: str) -> None:
    assert Door(StandIn(), host=host) is not None


def test_with_keys_a_door_may_stand_anywhere() -> None:
    with DoorThread(StandIn(), host="0.0.0.0", keys={"a": "b"}) as door, Client(door.port) as client:
        assert client.ask("Echo").status == 400


def test_the_url_is_one_to_connect_to() -> None:
    with DoorThread(StandIn(), host="localhost") as door:
        assert door.url in (f"http://127.0.0.1:{door.port}", f"http://[::1]:{door.port}")


def test_a_port_that_is_taken_is_an_error_where_it_was_asked_for(door: DoorThread) -> None:
    with pytest.raises(OSError, match="in use"):
        DoorThread(StandIn(), port=door.port).start()


def test_a_door_can_be_opened_on_a_loop_of_ones_own() -> None:
    async def main() -> bytes:
        door = await serve(StandIn(), port=0)
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(post("Echo", b"hello", Connection="close"))
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        await door.stop()
        await door.stop()
        return answer

    assert asyncio.run(main()).endswith(b"\r\n\r\nhello")


def test_a_door_that_is_not_started_has_no_port() -> None:
    with pytest.raises(RuntimeError, match="not started"):
        _ = Door(StandIn()).port


def test_stopping_answers_what_runs_and_closes_the_rest(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door()
    with Client(door.port) as busy, Client(door.port) as idle, Client(door.port) as halfway:
        idle.ask("Echo")
        halfway.ask("Echo")
        halfway.send(head("Echo", Content_Length="9") + b"half")
        busy.send(post("Hold", b"1") + post("Echo", b"2"))
        done = backend.held.get(timeout=20)
        stopping = Thread(target=door.stop)
        stopping.start()
        assert idle.is_closed()
        assert halfway.is_closed()
        with pytest.raises(ConnectionError):
            socket.create_connection(("127.0.0.1", door.port), timeout=20)
        done(b"1")
        first, second = busy.response(), busy.response()
        assert (first.body, first.headers["connection"]) == (b"1", "keep-alive")
        assert (second.body, second.headers["connection"]) == (b"2", "close")
        assert busy.is_closed()
        busy.close()
        stopping.join(timeout=20)
        assert not stopping.is_alive()


def test_what_is_sent_after_the_last_answer_is_not_run(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door()
    with Client(door.port) as client, Client(door.port) as idle:
        idle.ask("Echo")
        client.send(post("Hold"))
        done = backend.held.get(timeout=20)
        stopping = Thread(target=door.stop)
        stopping.start()
        assert idle.is_closed()
        done(b"last")
        assert client.response().headers["connection"] == "close"
        client.send(post("Echo") * 3)
        assert client.is_closed()
    stopping.join(timeout=20)
    assert [operation for operation, _ in backend.calls] == ["Echo", "Hold"]


def test_stopping_does_not_wait_for_ever(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door(stop_seconds=0.1)
    with Client(door.port) as client:
        client.send(post("Hold"))
        done = backend.held.get(timeout=20)
        door.stop()
        assert client.is_closed()
        done(b"nobody is there any more")


def test_a_client_that_stays_after_its_last_answer_does_not_hold_up_the_stop(
    open_door: OpenDoor, backend: StandIn
) -> None:
    door = open_door(receive_seconds=0.2)
    with Client(door.port) as client:
        client.send(post("Hold"))
        done = backend.held.get(timeout=20)
        stopping = Thread(target=door.stop)
        stopping.start()
        done(b"x")
        stopping.join(timeout=4)
        assert not stopping.is_alive()


def test_a_door_can_be_stopped_twice(open_door: OpenDoor) -> None:
    door = open_door()
    door.stop()
    door.stop()
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", door.port), timeout=20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_that_runs_a_door_stops_at_a_signal(number: signal.Signals) -> None:
    program = (
        "from partita.engine.door import run\n"
        "class Echo:\n"
        "    def answer(self, operation, body, done): done(body)\n"
        "run(Echo(), port=0, ready=lambda door: print(door.port, flush=True))\n"
        "print('stopped', flush=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        with Client(int(process.stdout.readline())) as client:
            assert client.ask("Echo", b"hello").body == b"hello"
            process.send_signal(number)
            assert client.is_closed()
        assert process.stdout.readline() == b"stopped\n"
        assert process.wait(timeout=20) == 0
