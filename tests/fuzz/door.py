"""Throwing requests at a door and watching it."""

from __future__ import annotations

import gzip
import json
import random
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import psutil

from partita.dynamo.services import target
from tests.fuzz.requests import TABLE, corpus, hostile
from tests.serving import Served

LIMIT = 16 * 1024 * 1024


@dataclass(slots=True)
class Outcome:
    """What came of it."""

    statuses: Counter[int] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    megabytes_before: float = 0.0
    megabytes_after: float = 0.0
    megabytes_most: float = 0.0


class Client:
    """A keep-alive connection that speaks just enough HTTP."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (str(parts.hostname), int(parts.port or 80))
        self._socket: socket.socket | None = None
        self._buffer = b""

    def ask(self, operation: str, body: bytes, how: str = "plain") -> tuple[int, dict[str, str], bytes]:
        """Send a body as it is, `packed` with gzip, in `members` of gzip, or in `chunks`."""
        head = (
            f"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: {target(operation)}\r\n"
            "Content-Type: application/x-amz-json-1.0\r\n"
        )
        if how in ("packed", "members"):
            body = gzip.compress(body, 1) + (gzip.compress(b"", 1) * 80 if how == "members" else b"")
            head += "Content-Encoding: gzip\r\n"
        if how == "chunks":
            head += "Transfer-Encoding: chunked\r\n"
            pieces = (body[at : at + 7] for at in range(0, len(body), 7))
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        else:
            head += f"Content-Length: {len(body)}\r\n"
        self.send(head.encode() + b"\r\n" + body)
        return self.receive()

    def send(self, data: bytes) -> None:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, timeout=60)
            self._buffer = b""
        # A door that refuses early may close while we still send: its answer is there to be read.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)

    def receive(self) -> tuple[int, dict[str, str], bytes]:
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers["content-length"])
        while len(self._buffer) < length:
            self._more()
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        if headers.get("connection") == "close":
            self.close()
        return int(first.split(" ")[1]), headers, body

    def _more(self) -> None:
        assert self._socket is not None
        data = self._socket.recv(1 << 20)
        if not data:
            self.close()
            raise ConnectionError("closed without an answer")
        self._buffer += data

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def fuzz(served: Served, count: int, seed: int) -> Outcome:
    """Send so many hostile requests, with a few huge and a few malformed ones in between."""
    dice = random.Random(seed)
    process = psutil.Process(served.pid)
    outcome = Outcome(megabytes_before=megabytes(process))
    client = Client(served.url)
    requests = _with_a_stream(client)
    for number in range(count):
        operation, body = hostile(dice, requests)
        how = dice.choice(_WAYS) if number % 10 == 0 else "plain"
        _judge(outcome, client, operation, body, how)
        if number % 500 == 250:
            _malformed(outcome, served.url, dice)
        if number % 5000 == 2500:
            _judge(outcome, client, "PutItem", b'{"TableName": "' + b"x" * (LIMIT - 17) + b'"}')
            _judge(outcome, client, "PutItem", b" " * (LIMIT + 1), expected=413)
        if number % 1000 == 0:
            outcome.megabytes_most = max(outcome.megabytes_most, megabytes(process))
    status, _, _ = client.ask("ListTables", b"{}")
    if status != 200 or not process.is_running():
        outcome.failures.append("the door does not serve any more")
    client.close()
    outcome.megabytes_after = megabytes(process)
    outcome.megabytes_most = max(outcome.megabytes_most, outcome.megabytes_after)
    return outcome


def _with_a_stream(client: Client) -> dict[str, list[dict[str, Any]]]:
    """Make the table; what can be asked of it and of its stream."""
    _, _, made = client.ask("CreateTable", json.dumps(TABLE).encode())
    stream = json.loads(made)["TableDescription"]["LatestStreamArn"]
    _, _, described = client.ask("DescribeStream", json.dumps({"StreamArn": stream}).encode())
    return corpus(stream, json.loads(described)["StreamDescription"]["Shards"][0]["ShardId"])


NO_ANSWER = ("TagResource", "UntagResource")
"""DynamoDB answers these with an empty body."""
_WAYS = ("packed", "members", "chunks")


def _judge(
    outcome: Outcome, client: Client, operation: str, body: bytes, how: str = "plain", *, expected: int | None = None
) -> None:
    shown = f"{how} {operation} {body[:300]!r}"
    try:
        status, headers, answer = client.ask(operation, body, how)
        content = json.loads(answer) if answer or operation not in NO_ANSWER else {}
    except (OSError, ValueError, KeyError) as error:
        client.close()
        outcome.failures.append(f"{shown}: {error!r}")
        return
    outcome.statuses[status] += 1
    outcome.codes[str(content.get("__type", "")).rpartition("#")[2] or "answered"] += 1
    if status >= 500 or (expected is not None and status != expected):
        outcome.failures.append(f"{shown}: {status} {answer[:300]!r}")
    if headers.get("x-amz-crc32") != str(crc32(answer)):
        outcome.failures.append(f"{shown}: wrong CRC32")
    if status >= 400 and "__type" not in content:
        outcome.failures.append(f"{shown}: an error without a type")


BROKEN = (
    b"\x00" * 100,
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
    b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    b"DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.\xff\r\nContent-Length: 2\r\n\r\n{}",
    b"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: Nothing.Here\r\nContent-Length: 2\r\n\r\n{}",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x00\x00",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nshort",
)


def _malformed(outcome: Outcome, url: str, dice: random.Random) -> None:
    """One broken request on a connection of its own; any answer but a 5xx will do, and so will none."""
    with _connection(url) as connection:
        connection.send(dice.choice(BROKEN))
        if dice.random() < 0.5 and connection._socket is not None:
            with suppress(OSError):
                connection._socket.shutdown(socket.SHUT_WR)
        if connection._socket is not None:
            connection._socket.settimeout(2)
        try:
            status, _, answer = connection.receive()
        except (OSError, ValueError, KeyError):
            return
        outcome.statuses[status] += 1
        if status >= 500:
            outcome.failures.append(f"malformed: {status} {answer[:300]!r}")


@contextmanager
def _connection(url: str) -> Iterator[Client]:
    client = Client(url)
    try:
        yield client
    finally:
        client.close()


def megabytes(process: psutil.Process) -> float:
    """What a process holds in memory."""
    return float(process.memory_info().rss) / 1e6


def summary(outcome: Outcome, count: int) -> str:
    """A table of what happened."""
    lines = [f"{count:,} hostile requests"]
    lines += [f"  status {status}: {number:,}" for status, number in sorted(outcome.statuses.items())]
    lines += [f"  {code}: {number:,}" for code, number in outcome.codes.most_common()]
    lines.append(
        f"  memory: {outcome.megabytes_before:.0f} MB before, {outcome.megabytes_most:.0f} MB at most seen, "
        f"{outcome.megabytes_after:.0f} MB after"
    )
    lines.append(f"  failures: {len(outcome.failures)}")
    lines += [f"    {failure}" for failure in outcome.failures[:20]]
    return "\n".join(lines)
