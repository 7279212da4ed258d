"""Nothing a client does takes more than its share of memory, time or connections."""

from __future__ import annotations

import gc
import gzip
import re
import socket
import subprocess
import sys
import tracemalloc
from contextlib import ExitStack
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.limits import REQUEST_BYTES
from partita.engine.door import DoorThread
from partita.engine.door.admission import Admissions
from partita.engine.door.budget import Budget
from partita.engine.door.limits import DoorLimits
from partita.engine.door.reader import RequestReader
from tests.engine.door.conftest import OpenDoor
from tests.engine.door.wire import Client, StandIn, chunk, head, post

TOO_LARGE = "com.amazon.coral.service#RequestEntityTooLargeException"


def test_a_body_of_16_mb_comes_in_whole(client: Client) -> None:
    assert client.ask("Size", b"x" * REQUEST_BYTES).body == b'{"Size":%d}' % REQUEST_BYTES


def test_a_body_one_byte_over_is_refused_and_its_sender_can_read_why(client: Client, backend: StandIn) -> None:
    client.send(post("Size", b"x" * (REQUEST_BYTES + 1)))
    _assert_refused(client, 413, TOO_LARGE)
    assert backend.calls == []


def test_a_body_that_announces_too_much_is_refused_before_it_is_sent(client: Client) -> None:
    client.send(head("Size", Content_Length=str(REQUEST_BYTES + 1)))
    _assert_refused(client, 413, TOO_LARGE)


def test_a_chunked_body_is_refused_where_it_goes_over(open_door: OpenDoor, backend: StandIn) -> None:
    with Client(open_door(body_bytes=1000).port) as client:
        client.send(head("Size", Transfer_Encoding="chunked") + chunk(b"x" * 600))
        client.send(chunk(b"x" * 401))
        _assert_refused(client, 413, TOO_LARGE)
    assert backend.calls == []


def test_a_chunked_body_up_to_the_limit_comes_in(open_door: OpenDoor) -> None:
    with Client(open_door(body_bytes=1000).port) as client:
        client.send(head("Size", Transfer_Encoding="chunked") + chunk(b"x" * 600) + chunk(b"x" * 400) + chunk(b""))
        assert client.response().body == b'{"Size":1000}'


def test_requests_before_one_that_is_too_large_are_answered(client: Client, backend: StandIn) -> None:
    client.send(post("Hold") + head("Size", Content_Length=str(REQUEST_BYTES + 1)) + b"x" * 100_000)
    backend.held.get(timeout=20)(b"first")
    assert client.response().body == b"first"
    _assert_refused(client, 413, TOO_LARGE)


def test_who_keeps_sending_after_a_refusal_is_cut_off(open_door: OpenDoor) -> None:
    with Client(open_door(body_bytes=1000, linger_bytes=100_000).port) as client:
        client.send(head("Size", Content_Length="1000000000"))
        assert client.response().status == 413
        with pytest.raises(ConnectionError):
            client.send(b"x" * 50_000_000)


def test_a_gzip_bomb_is_not_unpacked(client: Client, backend: StandIn) -> None:
    bomb = gzip.compress(b"0" * (64 * 1024 * 1024))
    assert len(bomb) < 100_000
    answer = client.ask("Size", bomb, Content_Encoding="gzip")
    assert (answer.status, orjson.loads(answer.body)["__type"]) == (413, TOO_LARGE)
    assert backend.calls == []


def test_a_head_that_is_too_large_is_refused(client: Client) -> None:
    client.send(post("Echo", X_Filler="x" * 16_384))
    _assert_refused(client, 400, "com.amazon.coral.service#RequestHeaderFieldsTooLargeException")


def test_a_head_below_the_limit_is_read(client: Client) -> None:
    assert client.ask("Echo", X_Filler="x" * 16_000).status == 200


@pytest.mark.parametrize(
    "endless",
    [
        b"POST / HTTP/1.1\r\nX-Endless: ",
        b"POST /",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Endless: ",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;endless=",
    ],
)
def test_a_head_a_trailer_or_an_extension_without_end_is_refused(client: Client, endless: bytes) -> None:
    client.send(endless)
    client.send(b"x" * 2_000_000)
    _assert_refused(client, 400, "com.amazon.coral.service#RequestHeaderFieldsTooLargeException")


def test_empty_lines_without_end_are_refused(client: Client) -> None:
    client.send(b"\r\n" * 500_000)
    assert client.response().status == 400


@pytest.mark.parametrize("start", [b"POST / HT", head("Echo", Content_Length="4") + b"12"])
def test_a_request_that_does_not_arrive_in_time_is_refused(open_door: OpenDoor, start: bytes) -> None:
    with Client(open_door(receive_seconds=0.1).port) as client:
        client.send(start)
        _assert_refused(client, 408, "com.amazon.coral.service#RequestTimeoutException")


@pytest.mark.parametrize("start", [b"", head("Echo", Content_Length="1000000")])
def test_bytes_that_trickle_in_gain_no_time(open_door: OpenDoor, start: bytes) -> None:
    with Client(open_door(receive_seconds=0.2).port) as client:
        client.send(start)
        assert _trickle(client, b"G" if not start else b"x").startswith(b"HTTP/1.1 4")


def test_empty_lines_that_trickle_in_gain_no_time(open_door: OpenDoor) -> None:
    with Client(open_door(idle_seconds=0.2).port) as client:
        assert _trickle(client, b"\r\n") == b""


def test_the_time_to_arrive_begins_anew_with_each_request(open_door: OpenDoor) -> None:
    with Client(open_door(receive_seconds=0.3).port) as client:
        for _ in range(2):
            client.send(post("Echo", b"whole") + head("Echo", Content_Length="4"))
            assert client.response().body == b"whole"
            client.send(b"rest")
            assert client.response().body == b"rest"
        client.send(b"POST")
        assert client.response().status == 408


def test_an_idle_connection_is_closed(open_door: OpenDoor) -> None:
    with Client(open_door(idle_seconds=0.1).port) as client:
        assert client.ask("Echo").status == 200
        assert client.is_closed()


def test_a_connection_that_never_asks_is_closed(open_door: OpenDoor) -> None:
    with Client(open_door(idle_seconds=0.1).port) as client:
        assert client.is_closed()


def test_a_client_whose_request_runs_is_not_idle(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door(idle_seconds=0.1, receive_seconds=0.1, send_seconds=0.1)
    with Client(door.port) as client, Client(door.port) as idle:
        client.send(post("Hold"))
        done = backend.held.get(timeout=20)
        assert idle.is_closed()
        done(b"still here")
        assert client.response().body == b"still here"


def test_a_client_that_does_not_read_is_cut_off(open_door: OpenDoor) -> None:
    door = open_door(connections=1, send_seconds=0.2)
    with Client(door.port) as client:
        client.send(post("Big", b"50000000"))
        # The only place is free again when the server has given up on the one who holds it.
        _until_admitted(door)
        with pytest.raises(ConnectionError):
            client.response()


def test_a_slow_reader_is_not_cut_off(open_door: OpenDoor) -> None:
    with Client(open_door(send_seconds=0.2).port) as client:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        client.send(post("Big", b"20000000"))
        client.socket.settimeout(0.02)
        size = 0
        for turn in range(1_000_000):
            if turn % 8 == 0:
                # An idle wait on another socket paces the reading, so that it takes longer than the limit.
                _wait_a_little()
            try:
                data = client.socket.recv(65536)
            except TimeoutError:
                continue
            assert data, "the server gave up on a client that reads"
            size += len(data)
            if size > 20_000_000:
                break
        assert size > 20_000_000


def test_answers_nobody_reads_hold_back_the_requests_behind_them(door: DoorThread, backend: StandIn) -> None:
    with Client(door.port) as client, Client(door.port) as other:
        client.send(post("Big", b"4000000") * 50)
        counts = []
        for _ in range(200):
            assert other.ask("Echo").status == 200
            counts.append(_bigs(backend))
        assert counts[-1] == counts[-50] < 10
        for _ in range(50):
            assert len(client.response().body) == 4_000_010
    assert _bigs(backend) == 50


def test_requests_wait_while_one_runs(client: Client, backend: StandIn, door: DoorThread) -> None:
    client.send(post("Hold") + post("Echo", b"x" * 1000) * 100)
    done = backend.held.get(timeout=20)
    with Client(door.port) as other:
        assert other.ask("Raise").status == 400
    assert [operation for operation, _ in backend.calls] == ["Hold", "Raise"]
    done(b"first")
    assert client.response().body == b"first"
    assert all(client.response().body == b"x" * 1000 for _ in range(100))


def test_nothing_more_is_read_while_requests_wait(client: Client, backend: StandIn) -> None:
    client.send(post("Hold"))
    done = backend.held.get(timeout=20)
    client.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):
        client.send(post("Size", b"x" * 1_000_000) * 64)
    done(b"first")
    client.socket.settimeout(20)
    assert client.response().body == b"first"
    assert client.response().body == b'{"Size":1000000}'


def test_if_all_connections_are_busy_others_are_told_to_come_back(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door(connections=2)
    with Client(door.port) as first, Client(door.port) as second:
        first.send(post("Hold"))
        second.send(post("Hold"))
        answers = [backend.held.get(timeout=20) for _ in range(2)]
        with Client(door.port) as third:
            _assert_refused(third, 503, "com.amazon.coral.service#ServiceUnavailableException")
        for each in answers:
            each(b"{}")
        assert (first.response().status, second.response().status) == (200, 200)
    _until_admitted(door)


def test_who_has_never_asked_and_waits_longest_makes_room(
    open_door: OpenDoor, caplog: pytest.LogCaptureFixture
) -> None:
    door = open_door(connections=3)
    with Client(door.port) as known, Client(door.port) as idle, Client(door.port):
        assert known.ask("Echo").status == 200
        for _ in range(2):
            with Client(door.port) as new:
                assert new.ask("Echo").status == 200
                assert known.ask("Echo").status == 200
        assert idle.is_closed()
    assert caplog.text.count("all 3 connections are in use") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit")
@pytest.mark.parametrize(("files", "idle"), [(128, 200), (4096, 1100)])
def test_idle_connections_keep_nobody_out(tmp_path: Path, files: int, idle: int) -> None:
    command = f"ulimit -n {files} && exec {sys.executable} -m partita dynamodb --data {tmp_path / 'data'} --port 0"
    log = tmp_path / "log"
    with (
        log.open("w") as told,
        subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, stderr=told, text=True) as door,
    ):
        assert door.stdout is not None
        try:
            found = re.search(r"http://[\d.]+:(\d+)", door.stdout.readline())
            assert found is not None
            port = int(found[1])
            with ExitStack() as held:
                for _ in range(idle):
                    held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
                for _ in range(20):
                    with Client(port) as client:
                        assert client.ask("ListTables").status == 200
        finally:
            door.terminate()
            door.wait(30)
    assert log.read_text().count("connections are in use") == 1


def _assert_refused(client: Client, status: int, kind: str) -> None:
    answer = client.response()
    assert (answer.status, orjson.loads(answer.body)["__type"]) == (status, kind)
    assert answer.headers["connection"] == "close"
    assert client.is_closed()


def _trickle(client: Client, data: bytes) -> bytes:
    client.socket.settimeout(0.02)
    for _ in range(1000):
        try:
            client.send(data)
            return client.socket.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:
            return b""
    raise AssertionError("the server waits for ever")


def _until_admitted(door: DoorThread) -> None:
    for _ in range(100_000):
        with Client(door.port) as client:
            try:
                if client.ask("Echo").status == 200:
                    return
            except ConnectionError:
                continue
    raise AssertionError("the server keeps a place for a client that is gone")


def _wait_a_little() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.settimeout(0.01)
        with pytest.raises(TimeoutError):
            one.recv(1)


def _bigs(backend: StandIn) -> int:
    return sum(operation == "Big" for operation, _ in backend.calls)


def test_a_body_in_small_chunks_takes_no_more_memory_than_its_bytes() -> None:
    reader = RequestReader(Admissions(), DoorLimits(), Budget(REQUEST_BYTES))
    reader.feed(head("Size", Transfer_Encoding="chunked"))
    piece = chunk(b"ab") * 10_000
    tracemalloc.start()
    try:
        for _ in range(100):
            reader.feed(piece)
        assert tracemalloc.get_traced_memory()[0] < 8_000_000  # of two megabytes; as an object for each chunk it was 60
    finally:
        tracemalloc.stop()
    reader.feed(chunk(b""))
    assert reader.requests[0].body == b"ab" * 1_000_000


def test_all_bodies_together_have_a_limit_which_is_given_back(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door(all_bodies_bytes=1500)
    with Client(door.port) as first, Client(door.port) as second:
        first.send(post("Hold", b"x" * 1000))
        answer = backend.held.get(timeout=20)
        second.send(post("Size", b"x" * 1000))
        _assert_refused(second, 503, "com.amazon.coral.service#ServiceUnavailableException")
        answer(b"first")
        assert first.response().body == b"first"
        with Client(door.port) as third:
            assert third.ask("Size", b"x" * 1400).body == b'{"Size":1400}'


def test_what_is_unpacked_counts_too(open_door: OpenDoor, backend: StandIn) -> None:
    door = open_door(all_bodies_bytes=150_000)
    with Client(door.port) as first, Client(door.port) as second:
        first.send(post("Hold", gzip.compress(b"x" * 100_000), Content_Encoding="gzip"))
        answer = backend.held.get(timeout=20)
        second.send(post("Size", gzip.compress(b"x" * 100_000), Content_Encoding="gzip"))
        assert second.response().status == 503
        answer(b"first")
        assert first.response().body == b"first"
        assert second.ask("Size", gzip.compress(b"x" * 100_000), Content_Encoding="gzip").body == b'{"Size":100000}'


def test_of_a_gzip_bomb_nothing_stays(open_door: OpenDoor) -> None:
    """An error holds its traceback, which held all that had been unpacked, until garbage was collected."""
    bomb = gzip.compress(b"0" * (40 * 1024 * 1024))
    broken = gzip.compress(b"0" * (8 * 1024 * 1024))[:-10]
    readers = [RequestReader(Admissions(), DoorLimits(), Budget(REQUEST_BYTES)) for _ in range(6)]
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for reader, body in zip(readers, (bomb, broken) * 3, strict=True):
            reader.feed(post("Size", body, Content_Encoding="gzip"))
            assert reader.requests[0].refusal is not None
        assert tracemalloc.get_traced_memory()[0] < 5_000_000
    finally:
        tracemalloc.stop()
        gc.enable()


@given(st.lists(st.sampled_from(["whole", "half", "refused", "gone"]), max_size=12))
def test_whatever_becomes_of_requests_their_memory_is_given_back(ends: list[str]) -> None:
    budget = Budget(REQUEST_BYTES)
    for end in ends:
        reader = RequestReader(Admissions(), DoorLimits(body_bytes=100), budget)
        sent = post("Size", b"x" * (150 if end == "refused" else 50))
        reader.feed(sent[:-20] if end == "half" else sent)
        reader.close()
    assert budget.left == REQUEST_BYTES
