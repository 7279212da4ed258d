"""`python -m bench.doors`: what one and two workers of `partita dynamodb` answer in a second, and what that costs."""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, cast

import orjson
import psutil
import uvloop
from tests.serving import partita_door

from bench.contestants import PAGE, TABLE, get_request, put_request, query_request
from partita.engine import Engine

ITEMS = 2_500
CONNECTIONS = 32
OPERATIONS: dict[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "get": ("GetItem", lambda number: get_request(number % ITEMS)),
    "put": ("PutItem", put_request),
    "query of 25": ("Query", lambda number: query_request(number % (ITEMS // PAGE))),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.doors")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    found: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for _ in range(options.rounds):
        for workers in options.workers:
            with tempfile.TemporaryDirectory(prefix="partita-doors-") as folder:
                for name, figures in _round(Path(folder), workers, options.seconds):
                    found.setdefault((workers, name), []).append(figures)
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, medians of {options.rounds} rounds")
    for (workers, name), rounds in sorted(found.items(), key=lambda entry: entry[0][1]):
        rate, cost = (statistics.median(figures) for figures in zip(*rounds, strict=True))
        print(
            f"{name:12} {workers} workers  {rate:8,.0f} a second  {cost:6,.0f} µs of the server's processor time each"
        )


def _round(folder: Path, workers: int, seconds: float) -> Iterator[tuple[str, tuple[float, float]]]:
    with Engine(folder, background=False, durability="off") as engine:
        engine.call("CreateTable", TABLE)
        for number in range(ITEMS):
            engine.call("PutItem", put_request(number))
    with partita_door(folder, "--workers", str(workers)) as served:
        for name, (operation, request) in OPERATIONS.items():
            begun, before = time.perf_counter(), _cpu(served.pid)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                done = runner.run(_load(served.url, operation, request, seconds))
            yield (
                name,
                (done / (time.perf_counter() - begun), (_cpu(served.pid) - before) / done * 1e6),
            )


def _cpu(pid: int) -> float:
    parent = psutil.Process(pid)
    return sum(sum(process.cpu_times()[:2]) for process in (parent, *parent.children()))


async def _load(url: str, operation: str, request: Callable[[int], dict[str, Any]], seconds: float) -> int:
    """Connections that ask again as soon as they are answered; how many answers came."""
    host, port = url.removeprefix("http://").split(":")
    numbers = count()
    ends = time.perf_counter() + seconds
    loop = asyncio.get_running_loop()
    clients = []
    for _ in range(CONNECTIONS):
        _, client = await loop.create_connection(lambda: _Client(operation, request, numbers, ends), host, int(port))
        clients.append(client)
    await asyncio.gather(*(client.over for client in clients))
    return sum(client.answers for client in clients)


class _Client(asyncio.Protocol):
    def __init__(
        self, operation: str, request: Callable[[int], dict[str, Any]], numbers: Iterator[int], ends: float
    ) -> None:
        self._head = f"POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.{operation}\r\ncontent-length: "
        self._request = request
        self._numbers = numbers
        self._ends = ends
        self._received = b""
        self.answers = 0
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, mark, body = self._received.partition(b"\r\n\r\n")
        if not mark:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.over.set_exception(RuntimeError(self._received[:500].decode()))
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        self._received = b""
        self.answers += 1
        if time.perf_counter() < self._ends:
            self._ask()
        else:
            self._transport.close()
            self.over.set_result(None)

    def _ask(self) -> None:
        body = orjson.dumps(self._request(next(self._numbers)))
        self._transport.write(f"{self._head}{len(body)}\r\n\r\n".encode() + body)


if __name__ == "__main__":
    main()
