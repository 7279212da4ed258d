"""The engine against its neighbours."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.serving import DYNOXIDE, dynoxide_server, moto_server, partita_door

from bench.contestants import PAGE, Boto, Contestant, InProcess, RawSqlite, put_request
from bench.measure import Measured, timed
from partita.engine import Engine

ITEMS = 500
WRITERS = 32
OPERATIONS = ("put", "get", "update", "query of 25", "transaction of 3")
COUNTS = {"put": 150, "get": 300, "update": 150, "query of 25": 100, "transaction of 3": 60}

ENGINE = "engine in process"
BOTO_ENGINE = "boto3 in process"
BOTO_DOOR = "boto3 → door"
BOTO_DYNOXIDE = "boto3 → dynoxide on disk"
BOTO_MOTO = "boto3 → moto server"
RAW = "raw SQLite (FULL)"


@dataclass(frozen=True, slots=True)
class EngineResult:
    """What one run found out."""

    measured: Measured
    start_seconds: float
    door_megabytes: float


def compare(rounds: int, say: Callable[[str], None], *, short: bool = False) -> EngineResult:
    """All contestants, interleaved; if only to see whether it runs, few operations of few."""
    folder = Path(tempfile.mkdtemp(prefix="partita-bench-"))
    measured = Measured()
    try:
        with ExitStack() as stack:
            for name in ("engine", "boto", "door", "dynoxide", "raw"):
                (folder / name).mkdir(mode=0o700)
            engine = stack.enter_context(Engine(folder / "engine"))
            boto_engine = stack.enter_context(Engine(folder / "boto"))
            started = time.perf_counter()
            door = stack.enter_context(partita_door(folder / "door"))
            first_start = time.perf_counter() - started
            start_seconds = first_start if short else _start_seconds(folder, 7)
            contestants: dict[str, Contestant] = {ENGINE: InProcess(engine), BOTO_DOOR: Boto(url=door.url)}
            if not short:
                contestants[BOTO_ENGINE] = Boto(engine=boto_engine)
            if DYNOXIDE.exists() and not short:
                dynoxide = stack.enter_context(dynoxide_server(folder / "dynoxide"))
                contestants[BOTO_DYNOXIDE] = Boto(url=dynoxide.url)
            if not short:
                contestants[BOTO_MOTO] = Boto(url=stack.enter_context(moto_server()).url)
            contestants[RAW] = RawSqlite(folder / "raw")
            for name, contestant in contestants.items():
                say(f"filling {name}")
                for number in range(PAGE if short else ITEMS):
                    contestant.put(number)
            for at in range(rounds):
                say(f"round {at + 1} of {rounds}")
                for operation in OPERATIONS:
                    for name, contestant in contestants.items():
                        # moto takes half a second for a transaction: a few of its operations tell enough.
                        share = 0.05 if name == BOTO_MOTO or short else 1.0
                        measured.add(name, operation, _run(contestant, operation, at, share))
                for way, together in TOGETHER.items():
                    measured.add(ENGINE, way, together(engine, at, 5 if short else 100))
            megabytes = psutil.Process(door.pid).memory_info().rss / 1e6
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return EngineResult(measured, start_seconds, megabytes)


def _run(contestant: Contestant, operation: str, at: int, share: float) -> float:
    count = max(3, int(COUNTS[operation] * share))
    fresh = ITEMS + at * 1000
    match operation:
        case "put":
            return timed(contestant.put, count, fresh)
        case "get":
            return timed(lambda number: contestant.get(number % ITEMS), count)
        case "update":
            return timed(lambda number: contestant.update(number % ITEMS), count)
        case "query of 25":
            return timed(lambda number: contestant.query(number % (ITEMS // PAGE)), count)
    return timed(contestant.transact, count, 100_000 + at * 1000)


def _start_seconds(folder: Path, times: int) -> float:
    """From the command until the door listens, with compiled modules, as whoever has installed it has them."""
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    taken = []
    for number in range(times + 1):  # the first one compiles
        data = folder / f"start-{number}"
        data.mkdir(mode=0o700)
        started = time.perf_counter()
        with partita_door(data, environment=compiled):
            taken.append(time.perf_counter() - started)
    return statistics.median(taken[1:])


def _threads(engine: Engine, at: int, each: int) -> float:
    """Microseconds per put of 32 threads together."""
    contestant = InProcess.__new__(InProcess)
    contestant.engine = engine

    def write(writer: int) -> None:
        for number in range(each):
            contestant.put(1_000_000 + at * 10_000 + writer * each + number)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - begun) / (each * WRITERS) * 1e6


def _coroutines(engine: Engine, at: int, each: int) -> float:
    """The same of 32 coroutines of one event loop, as in a web server."""

    async def write(writer: int) -> None:
        for number in range(each):
            request = put_request(2_000_000 + at * 10_000 + writer * each + number)
            await engine.call_async("PutItem", request)

    async def together() -> None:
        await asyncio.gather(*map(write, range(WRITERS)))

    begun = time.perf_counter()
    asyncio.run(together())
    return (time.perf_counter() - begun) / (each * WRITERS) * 1e6


THREADS, COROUTINES = "32 threads", "32 coroutines"
TOGETHER = {THREADS: _threads, COROUTINES: _coroutines}
