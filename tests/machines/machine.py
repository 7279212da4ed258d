"""A machine as a process that is forked, with quick leases, a schedule and a job of the tests' own, and any clock."""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import uvicorn
from pydantic import SecretStr

from partita.apps.kelifax import system as kelifax
from partita.bootstrap import build
from partita.kit.changes import pace
from partita.kit.clock import SystemClock
from partita.kit.jobs import Arguments, JobKind, JobWorker, Result, Running, Schedule
from partita.kit.jobs.worker import Pace
from partita.kit.keys import place_of
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.store.dynamo import DynamoStore
from partita.table import Update, Write
from partita.web.app import create_app
from tests.kit.jobs.conftest import Effect

LEASE_SECONDS = 3.0
STEPS = 4
BEATS = Schedule("test.beats", "test.beat", every=timedelta(seconds=1))


def machine(folder: Path, endpoint: str, seconds_ahead: float, begins: bool, ready: Connection) -> None:
    """Serve Kelifax until killed; tells its port when it does. One that `begins` starts the job of steps."""
    if seconds_ahead:
        set_clock_ahead(seconds_ahead)
    pace.OVER_THE_NETWORK = replace(pace.OVER_THE_NETWORK, lease=LEASE_SECONDS)
    settings = Settings(
        data=folder,
        backend="dynamodb",
        endpoint_url=endpoint,
        region="us-east-1",
        secret=SecretStr("the same on all machines, and long enough for that"),
        fetch=False,
    )
    asyncio.run(_serve(settings, begins, ready))


def set_clock_ahead(seconds: float) -> None:
    """Everything in this process that asks for the time of day is told another one; seconds pass as ever."""
    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + seconds
    time.time_ns = lambda: now_ns() + int(seconds * 1e9)
    more = timedelta(seconds=seconds)
    SystemClock.now = lambda self: datetime.now(UTC) + more  # type: ignore[method-assign]  # noqa: ARG005
    (DynamoStore.__init__.__kwdefaults__ or {})["clock"] = time.time  # it was loaded before


async def _serve(settings: Settings, begins: bool, ready: Connection) -> None:
    suite = _with_work(build(settings, builders=[kelifax.build]))
    if begins:
        await suite.kit.jobs.start("test.steps", {}, None)
    listener = socket.create_server(("127.0.0.1", 0))

    class Telling(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.send_bytes(str(listener.getsockname()[1]).encode())

    await Telling(uvicorn.Config(create_app(suite), log_config=None, ws="none", lifespan="on")).serve([listener])


def _with_work(suite: Suite) -> Suite:
    jobs = suite.kit.jobs
    jobs.use([JobKind("test.steps", "Steps", _steps), JobKind("test.beat", "A beat", _beat)])
    quick = Pace(poll=0.3, lease=LEASE_SECONDS)
    return replace(suite, jobs=JobWorker(jobs, [BEATS], pace=quick, place=place_of(suite.kit.settings)))


async def _steps(running: Running, _arguments: Arguments) -> Result:
    """Each step has its effect with its checkpoint. Whoever begins it stops halfway, and lives on."""
    for step in range(running.saved or 0, STEPS):
        if running.attempt == 1 and step == STEPS // 2:
            await asyncio.Event().wait()
        await running.checkpoint(step + 1, _counted(f"step {step}"))
    return Result("All steps done.")


async def _beat(running: Running, _arguments: Arguments) -> None:
    if running.saved is None:
        await running.checkpoint(1, _counted("beats"))


def _counted(what: str) -> Write:
    return Update(Effect.key(Effect.id(what)), Effect.count.add(1)).or_new()
