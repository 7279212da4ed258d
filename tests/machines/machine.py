"""A machine as a process that is forked, with quick leases, any clock, and if asked a schedule and a job of the tests'
own."""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass, replace
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import SecretStr

from partita.bootstrap import build
from partita.commands.serve import serve
from partita.kit.changes import pace
from partita.kit.jobs import Arguments, JobKind, JobWorker, Result, Running, Schedule
from partita.kit.jobs.worker import Pace
from partita.kit.keys import place_of
from partita.kit.search import best_first
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.table import Update, Write
from partita.web import logs
from partita.web.app import create_app
from tests.kit.jobs.conftest import Effect
from tests.machines.clocks import TimeOfDay, set_clock

LEASE_SECONDS = 3.0
STEPS = 4
BEATS = Schedule("test.beats", "test.beat", every=timedelta(seconds=1))
SECRET = "the same on all machines, and long enough for that"
LOG = "machine.log"
BUCKET = "machines"
A_YEAR = 365
"""In days. Whoever has signed in stays so, though tests let days pass."""
_KEYS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What a machine is told."""

    folder: Path
    endpoint: str
    ahead: float = 0.0
    """Seconds that its clock is ahead of all others."""
    time_of_day: Path | None = None
    """The file of a time of day that can be moved."""
    systems: tuple[str, ...] = ("kelifax",)
    files: str = ""
    """Where S3 is, if files are there; then it runs one job at a time, and the clock starts none."""
    secret: str = SECRET
    make_tables: bool = True
    most_ranked: int = best_first.MOST_RANKED
    works: bool = False
    """Whether it runs the tests' own jobs and schedule."""
    begins: bool = False
    """Whether it starts the job of steps."""


def machine(orders: Orders, ready: Connection) -> None:
    """Serve until killed; tells its port when it does."""
    _log_to(orders.folder)
    logs.configure("info")
    os.environ.update(_KEYS)
    if orders.time_of_day is not None:
        time_of_day = TimeOfDay(orders.time_of_day)
        set_clock(lambda: time_of_day.ahead + orders.ahead)
    elif orders.ahead:
        set_clock(lambda: orders.ahead)
    pace.OVER_THE_NETWORK = replace(pace.OVER_THE_NETWORK, lease=LEASE_SECONDS)
    best_first.MOST_RANKED = orders.most_ranked
    settings = Settings(
        data=orders.folder,
        backend="dynamodb",
        endpoint_url=orders.endpoint,
        region="us-east-1",
        secret=SecretStr(orders.secret),
        systems=orders.systems,
        make_tables=orders.make_tables,
        fetch=False,
        session_days=A_YEAR,
        session_idle_hours=A_YEAR * 24,
        **on_s3(orders.files),
    )
    asyncio.run(_serve(settings, orders, ready))


def on_s3(url: str) -> dict[str, Any]:
    """The settings of files in the bucket; none if no address of S3 is given."""
    return {"files": "s3", "s3_bucket": BUCKET, "s3_endpoint_url": url} if url else {}


def served(folder: Path, environment: dict[str, str], ready: Connection) -> None:
    """`partita serve` with this environment; it says in its log where."""
    _log_to(folder)
    os.environ.update({**_KEYS, **environment})
    ready.send_bytes(b"")
    serve(data=folder, port=0, systems="kelifax")


def _log_to(folder: Path) -> None:
    """What this process says goes to a file in its folder."""
    folder.mkdir(exist_ok=True)
    with (folder / LOG).open("ab") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


async def _serve(settings: Settings, orders: Orders, ready: Connection) -> None:
    suite = build(settings)
    if orders.works:
        suite = _with_work(suite)
    if orders.files:
        suite = replace(suite, jobs=_worker(suite, at_once=1))
    if orders.begins:
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
    return replace(suite, jobs=_worker(suite, BEATS))


def _worker(suite: Suite, *schedules: Schedule, at_once: int = 2) -> JobWorker:
    """One that soon takes over from others."""
    kit = suite.kit
    quick = Pace(poll=0.3, lease=LEASE_SECONDS)
    return JobWorker(kit.jobs, schedules, at_once=at_once, pace=quick, place=place_of(kit.settings))


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
