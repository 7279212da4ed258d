"""What pages and the API cost over an answer that is ready: requests per second on one worker, as a ratio."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from bench.measure import Measured
from partita.bootstrap import build
from partita.kit.settings import Settings

CONNECTIONS = 16
READERS, WRITERS = 32, 8
READS_A_SECOND, WRITES_A_SECOND = 8.0, 2.0
"""Of each, where they pause as people do."""
IDLE = 1000
_LONG = "x=" + "y" * 1100


@dataclass(frozen=True, slots=True)
class Route:
    """Something to ask for, and what share of a constant answer's speed is wanted."""

    name: str
    path: str
    kind: str
    wanted: float | None = None


@dataclass(slots=True)
class WebResult:
    """What a run gave."""

    measured: Measured
    routes: list[Route]
    sizes: dict[str, int] = field(default_factory=dict)
    beside: dict[str, Beside] = field(default_factory=dict)
    alone: list[float] = field(default_factory=list)
    """Of each round, within how many seconds 99 of 100 were answered."""
    among_idle: list[float] = field(default_factory=list)
    """The same while many other connections are open that ask for nothing."""


@dataclass(frozen=True, slots=True)
class Beside:
    """How long readers waited beside writers."""

    waits: list[float]
    writes: int

    def __str__(self) -> str:
        half, most = statistics.median(self.waits), _slowest(self.waits)
        return f"{len(self.waits):,} | {self.writes:,} | {half * 1000:.0f} ms | {most * 1000:.0f} ms"


def compare(rounds: int, say: Callable[[str], None], seconds: float = 1.5) -> WebResult:
    """Each route and its constant answer in turn within each round; then readers beside writers."""
    _open_many_files()
    with _server() as (port, token):
        return asyncio.run(_compare(port, token, rounds, say, seconds))


def _open_many_files() -> None:
    """Each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * IDLE)), hard))


async def _compare(port: int, token: str, rounds: int, say: Callable[[str], None], seconds: float) -> WebResult:
    result = WebResult(Measured(), await _routes(port))
    for route in result.routes:
        result.sizes[route.name] = await _size(port, route.path)
    for at in range(rounds):
        say(f"round {at + 1} of {rounds}")
        for route in result.routes:
            constant = f"/constant-{route.kind}/{result.sizes[route.name]}"
            for name, path in ((route.name, route.path), (f"constant {route.name}", constant)):
                done = await _load(port, [_get(path)] * CONNECTIONS, seconds)
                result.measured.add("web", name, seconds / len(done) * 1e6)
    say(f"{CONNECTIONS} connections among {IDLE} idle ones")
    await _among_idle(port, result, rounds, seconds)
    say(f"{READERS} readers beside {WRITERS} writers")
    reads = [_get(route.path) for route in result.routes if route.wanted is not None]
    chosen = [reads[number % len(reads)] for number in range(READERS)]
    slugs = await _slugs(port, WRITERS)
    paces = {"as fast as they are answered": (0.0, 0.0), "with pauses": (1 / READS_A_SECOND, 1 / WRITES_A_SECOND)}
    for name, (reading, writing) in paces.items():
        waits, writes = await asyncio.gather(
            _load(port, chosen, seconds * 3, reading), _write(port, token, slugs, seconds * 3, writing)
        )
        result.beside[name] = Beside(waits, writes)
    return result


async def _among_idle(port: int, result: WebResult, rounds: int, seconds: float) -> None:
    """With and without others in turn, so that both have the same weather."""
    asked = [_get(result.routes[0].path)] * CONNECTIONS
    for _ in range(rounds):
        result.alone.append(_slowest(await _load(port, asked, seconds)))
        others = [await asyncio.open_connection("127.0.0.1", port) for _ in range(IDLE)]
        result.among_idle.append(_slowest(await _load(port, asked, seconds)))
        if any(reader.at_eof() for reader, _ in others):
            raise RuntimeError("idle connections were closed while it was measured")
        for _, writer in others:
            writer.close()


def _slowest(waits: list[float]) -> float:
    """Within how many seconds 99 of 100 were answered."""
    return statistics.quantiles(waits, n=100)[98]


async def _slugs(port: int, count: int) -> list[str]:
    listed = orjson.loads(await _body(port, f"/api/kelifax/resources?limit={count}"))
    return [item["resourceSlug"] for item in listed["items"]]


async def _routes(port: int) -> list[Route]:
    (first,) = await _slugs(port, 1)
    return [
        Route("API detail", f"/api/kelifax/resources/{first}", "json", 0.5),
        Route("API list of 20", "/api/kelifax/resources?limit=20", "json", 0.35),
        Route("page of one resource", f"/kelifax/resources/{first}", "html", 0.25),
        Route("page of a list", "/kelifax/resources", "html", 0.25),
        # Addresses as long as these are made anew for everybody.
        Route("page of one resource, made anew", f"/kelifax/resources/{first}?{_LONG}", "html"),
        Route("page of a list, made anew", f"/kelifax/resources?{_LONG}", "html"),
    ]


def section(result: WebResult) -> list[str]:
    """What there is to say of a run."""
    lines = [
        "## The web",
        "",
        f"Requests per second of one worker with {CONNECTIONS} connections, demo data, nobody signed in; beside it the",
        "same server with a constant answer of the same size through the same middleware.",
        "",
        "| | bytes | requests a second | constant | ratio | wanted |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for route in result.routes:
        mine = 1e6 / result.measured.median("web", route.name)
        other = 1e6 / result.measured.median("web", f"constant {route.name}")
        ratio = result.measured.times_as_fast("web", "web", route.name, f"constant {route.name}")
        size = result.sizes[route.name]
        wanted = "" if route.wanted is None else f"≥ {route.wanted}"
        lines.append(f"| {route.name} | {size:,} | {mine:,.0f} | {other:,.0f} | {ratio:.2f} | {wanted} |")
    lines += [
        "",
        f"{READERS} readers beside {WRITERS} writers; wanted are 99 of 100 answers within 50 ms. With pauses a reader",
        f"asks {READS_A_SECOND:.0f} times a second and a writer writes {WRITES_A_SECOND:.0f} times.",
        "",
        "| they go on | answers | edits | half within | 99 of 100 within |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [f"| {name} | {found} |" for name, found in result.beside.items()]
    alone, among = statistics.median(result.alone), statistics.median(result.among_idle)
    ratio = statistics.median(one / other for one, other in zip(result.among_idle, result.alone, strict=True))
    return [
        *lines,
        "",
        f"{CONNECTIONS} connections that ask for the API's detail as fast as they are answered, alone and while",
        f"{IDLE:,} others are open that ask for nothing.",
        "",
        "| | alone | among idle ones | ratio | wanted |",
        "|---|---:|---:|---:|---:|",
        f"| 99 of 100 within | {alone * 1000:.1f} ms | {among * 1000:.1f} ms | {ratio:.2f} | ≤ 1.2 |",
    ]


# -- the load: requests are bytes, answers are read just as far as their length


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\n\r\n".encode()


async def _load(port: int, requests: list[bytes], seconds: float, every: float = 0.0) -> list[float]:
    """One connection per request, each asking once at least and then again and again, at most `every` so many seconds;
    how long it took."""
    ends = time.perf_counter() + seconds
    waits: list[float] = []

    async def ask(request: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        await asyncio.sleep(random.uniform(0, every))
        begun = 0.0
        while not begun or time.perf_counter() < ends:
            begun = time.perf_counter()
            writer.write(request)
            status, _ = await _answer(reader)
            if status != 200:
                raise RuntimeError(f"{request[:80]!r} was answered with {status}")
            waits.append(time.perf_counter() - begun)
            if every:
                await asyncio.sleep(max(0.0, every - waits[-1]))
        writer.close()

    await asyncio.gather(*(ask(request) for request in requests))
    return waits


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line[15:])
    return int(head[9:12]), await reader.readexactly(length)


async def _body(port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    writer.write(_get(path))
    _, body = await _answer(reader)
    writer.close()
    return body


async def _size(port: int, path: str) -> int:
    return len(await _body(port, path))


async def _write(port: int, token: str, slugs: list[str], seconds: float, every: float = 0.0) -> int:
    """Writers that edit resources again and again, each its own; how often it was done."""
    ends = time.perf_counter() + seconds
    done = 0

    async def edit(slug: str) -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        await asyncio.sleep(random.uniform(0, every))
        while time.perf_counter() < ends:
            body = orjson.dumps({"usagePurpose": f"Measured while it was edited, for the time number {done}."})
            writer.write(
                f"PATCH /api/kelifax/moderation/{slug} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
                f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
                + body
            )
            status, answer = await _answer(reader)
            if status != 200:
                raise RuntimeError(f"an edit was answered with {status}: {answer[:200]!r}")
            done += 1
            await asyncio.sleep(every)
        writer.close()

    await asyncio.gather(*map(edit, slugs))
    return done


async def _prepare(settings: Settings) -> str:
    """Demo data, and a token of somebody who may edit."""
    suite = build(settings)
    try:
        kelifax = next(system for system in suite.systems if system.name == "kelifax")
        assert kelifax.demo is not None
        await kelifax.demo()
        await suite.worker.drain()
        accounts = suite.kit.accounts
        made = await accounts.administration.create_account(
            accounts.operator(), "bench", "bench@example.org", "Bench", roles=["kelifax:moderator"]
        )
        session = await accounts.sessions.sign_in("bench", made.password)
        viewer = await accounts.recognition.from_session(session.token)
        await accounts.profile.change_password(viewer, made.password, "a password for measuring")
        session = await accounts.sessions.sign_in("bench", "a password for measuring")
        viewer = await accounts.recognition.from_session(session.token)
        return (await accounts.tokens.create(viewer, "bench", ["kelifax:resource:edit"], 1)).text
    finally:
        await suite.close()


@contextmanager
def _server() -> Iterator[tuple[int, str]]:
    with tempfile.TemporaryDirectory(prefix="partita-web-") as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        environment = {**os.environ, "PARTITA_DATA": folder, "PARTITA_PORT": str(port), "PARTITA_LOG_LEVEL": "warning"}
        token = asyncio.run(_prepare(Settings(data=Path(folder), port=port, fetch=False)))
        served = subprocess.Popen(
            [sys.executable, "-m", "bench.web_app"],
            env=environment,
            cwd=Path(__file__).parent.parent,
        )
        try:
            _wait_for(port, served)
            yield port, token
        finally:
            served.send_signal(signal.SIGTERM)
            served.wait(20)


def _wait_for(port: int, served: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        if served.poll() is not None:
            raise RuntimeError("the server ended before it listened")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")
