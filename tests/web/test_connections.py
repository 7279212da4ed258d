"""What one client takes of the server has bounds: memory, time and sockets; the others are served meanwhile."""

from __future__ import annotations

import os
import resource
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.fuzz.people import Who
from tests.fuzz.web import WebFuzzer
from tests.web.serving import Suite, serving

PATIENCE = 1.0
CONNECTIONS = 48
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Suite]:
    bounds = {"PARTITA_RECEIVE_SECONDS": str(PATIENCE), "PARTITA_CONNECTIONS": str(CONNECTIONS)}
    with serving(tmp_path_factory.mktemp("bounded"), "--no-demo", environment=bounds) as found:
        yield found


@contextmanager
def client(suite: Suite) -> Iterator[socket.socket]:
    where = urlsplit(suite.url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=20) as found:
        yield found


def answer(asked: socket.socket) -> bytes:
    """All that comes until the server closes; nothing if it breaks the connection off."""
    said = b""
    with suppress(ConnectionError):
        while more := asked.recv(65536):
            said += more
    return said


def memory(suite: Suite) -> int:
    pages = int(Path(f"/proc/{suite.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def send_until_refused(asked: socket.socket, piece: bytes, most: int) -> int:
    """Send a piece again and again; how many bytes were taken until the server had enough."""
    sent = 0
    asked.settimeout(5)
    with suppress(OSError):
        while sent < most:
            sent += asked.send(piece)
            readable, _, _ = select.select([asked], [], [], 0)
            if readable:
                break
    return sent


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        pytest.param(b"GET /", b"a" * 65536, id="an address without end"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ", b"a" * 65536, id="a header without end"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"X-One: 1\r\n" * 4096, id="headers without end"),
        pytest.param(
            b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1;",
            b"a=b;" * 16384,
            id="an extension of a chunk without end",
        ),
    ],
)
def test_a_head_has_an_end(suite: Suite, start: bytes, piece: bytes) -> None:
    before = memory(suite)
    with client(suite) as attacker:
        attacker.sendall(start)
        taken = send_until_refused(attacker, piece, 150 * 1024 * 1024)
        assert taken < 20 * 1024 * 1024  # what lies in the system's buffers counts too
        began = time.monotonic()
        assert suite.get("/healthz")[0] == 200
        assert time.monotonic() - began < 1
    assert memory(suite) - before < 30 * 1024 * 1024


def test_too_many_headers_are_refused_in_words(suite: Suite) -> None:
    with client(suite) as attacker:
        attacker.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-One: 1\r\n" * 200 + b"\r\n")
        assert answer(attacker).startswith(b"HTTP/1.1 431 Request Header Fields Too Large")


@pytest.mark.parametrize(
    "half",
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: 12", id="of a head"),
        pytest.param(
            b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: 40\r\n\r\nidentity=a",
            id="of a body",
        ),
    ],
)
def test_half_a_request_is_not_waited_for(suite: Suite, half: bytes) -> None:
    with client(suite) as attacker:
        attacker.sendall(half)
        began = time.monotonic()
        assert answer(attacker).startswith(b"HTTP/1.1 408 Request Timeout")
        assert PATIENCE / 2 < time.monotonic() - began < 15


def test_a_byte_now_and_then_is_not_enough(suite: Suite) -> None:
    with client(suite) as attacker:
        attacker.settimeout(0.2)
        attacker.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        began, said = time.monotonic(), b""
        while not said and time.monotonic() - began < 15:
            with suppress(BrokenPipeError, ConnectionResetError):
                attacker.send(b"a")
            with suppress(TimeoutError):
                said = attacker.recv(4096)
        assert said.startswith(b"HTTP/1.1 408")


def test_bodies_that_stop_half_way_share_a_budget_of_memory_and_keep_nobody_else_from_sending(suite: Suite) -> None:
    head = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n"
    sent = b"identity=" + b"a" * 5_000

    def sign_in() -> bytes:
        with client(suite) as person:
            person.sendall(head % len(sent) + sent)
            return answer(person)

    assert sign_in().startswith(b"HTTP/1.1 401")
    before, most = memory(suite), 0
    with ExitStack() as stack:
        for _ in range(CONNECTIONS - 2):
            attacker = stack.enter_context(client(suite))
            with suppress(ConnectionError):
                attacker.sendall(head % 990_000 + b"identity=" + b"a" * 900_000)
            most = max(most, memory(suite))
        assert sign_in().startswith(b"HTTP/1.1 401")
    assert most - before < 38_000_000, f"46 bodies of 0.9 MB came in: {most - before}"
    assert "those that come slowest are refused" in suite.log.read_text()


def test_whoever_never_asks_is_not_kept(suite: Suite) -> None:
    with client(suite) as attacker:
        assert answer(attacker) == b""


def test_a_body_that_keeps_coming_may_take_its_time(suite: Suite) -> None:
    body = b"identity=" + b"a" * 4096
    with client(suite) as slow:
        slow.sendall(
            b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        began, at = time.monotonic(), 0
        while at < len(body):
            slow.sendall(body[at : at + 512])
            at += 512
            select.select([slow], [], [], PATIENCE / 4)
        assert time.monotonic() - began > PATIENCE
        assert answer(slow).startswith(b"HTTP/1.1 401")  # heard to its end


def test_when_all_connections_are_taken_the_one_that_waited_longest_goes(suite: Suite) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(client(suite)) for _ in range(3 * CONNECTIONS)]
        began = time.monotonic()
        assert suite.get("/healthz")[0] == 200
        assert time.monotonic() - began < PATIENCE * 0.9  # it did not have to wait for their time to be over
        idle[0].settimeout(5)
        assert answer(idle[0]) == b""
    assert "connections: all" in suite.log.read_text()


def test_a_connection_that_is_answered_stays_while_idle_ones_go(suite: Suite) -> None:
    with ExitStack() as stack, client(suite) as busy:
        for _ in range(12):
            busy.sendall(HEALTH)
            said = b""
            while not said.endswith(b'{"status":"ok"}'):
                said += busy.recv(4096) or pytest.fail("it was closed")
            for _ in range(CONNECTIONS // 4):
                stack.enter_context(client(suite))


def test_an_answer_that_nobody_takes_is_broken_off(suite: Suite) -> None:
    page = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with client(suite) as attacker:
        attacker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        attacker.settimeout(30)
        with suppress(OSError):
            for _ in range(400):
                attacker.sendall(page)
        left = _closed_by_the_server(suite, attacker, PATIENCE * 2 + 15)
    assert left


def _closed_by_the_server(suite: Suite, attacker: socket.socket, seconds: float) -> bool:
    """Whether the server ends a connection, seen by its own list of sockets."""
    port = f":{attacker.getsockname()[1]:04X}"
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        mine = [row for row in rows if row[2].endswith(port) and row[3] == "01"]
        if not mine:
            return True
        select.select([], [], [], 0.1)
    return False


def test_a_process_with_few_files_still_serves(tmp_path: Path) -> None:
    few = 160
    with serving(tmp_path, "--no-demo", through=("sh", "-c", f'ulimit -n {few}; exec "$@"', "sh")) as suite:
        with ExitStack() as stack:
            for _ in range(200):
                stack.enter_context(client(suite))
            assert suite.get("/healthz")[0] == 200
            assert len(os.listdir(f"/proc/{suite.pid}/fd")) < few
        assert "connections: all" in suite.log.read_text()


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_no_header_lets_guesses_come_from_elsewhere(suite: Suite, header: str) -> None:
    """Without trusted proxies, a client's address is that of its connection, whatever it says."""
    statuses: list[int] = []
    guess = urlencode({"identity": f"nobody-{header.lower()}", "password": "a guess"}).encode()
    while len(statuses) < 21 and 429 not in statuses:
        says = f"{'for=' if header == 'Forwarded' else ''}198.51.100.{len(statuses)}"
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{suite.url}/sign-in", guess, {header: says}), timeout=60)
        statuses.append(refused.value.code)
        refused.value.close()
    # A quarter of an hour may have begun in between, and then there are ten more.
    assert statuses == [401] * (len(statuses) - 1) + [429]
    assert len(statuses) > 10


def test_hostile_requests_bring_no_5xx_and_little_memory(suite: Suite) -> None:
    """The short mode of the fuzzer for pages and APIs, as a visitor; `make fuzz` runs the long one, as everybody."""
    outcome = WebFuzzer(suite.url, suite.pid, [Who()], seed=11).run(250)
    assert outcome.failures == []
    assert outcome.statuses[200] > 5, "some requests should work"
    assert memory(suite) < 300 * 1024 * 1024
