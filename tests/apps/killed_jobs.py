"""A system whose process is killed again and again while it does a job, until the job is done."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from partita.apps.kelifax import system as kelifax
from partita.apps.worthwatch import system as worthwatch
from partita.bootstrap import build
from partita.kit.jobs import Job, JobWorker
from partita.kit.jobs.schema import job
from partita.kit.jobs.worker import Pace
from partita.kit.kit import Kit
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from tests.forked import victim

KILLS = int(os.environ.get("PARTITA_KILLS", "2"))
ROWS = 20 * (KILLS + 1)
"""Of a file that is imported: twenty between two kills."""
TIMEOUT = 120 + 20 * KILLS
_SECONDS = 90
_BUILDERS = {"kelifax": kelifax.build, "worthwatch": worthwatch.build}
RowsDone = Callable[[Job], int]


def suite_in(folder: Path, system: str) -> Suite:
    """One system alone, on a folder that several processes use."""
    return build(Settings(data=folder, fetch=False), builders=[_BUILDERS[system]])


def work(folder: Path, system: str, ready: Connection) -> None:
    asyncio.run(_work(folder, system, ready))


async def _work(folder: Path, system: str, ready: Connection) -> None:
    suite = suite_in(folder, system)
    ready.send_bytes(b"!")
    await JobWorker(suite.kit.jobs, at_once=1, pace=Pace(poll=0.05, lease=1.0, stalls=1000)).run()


def killed_at_work(folder: Path, system: str, kit: Kit, started: Job, rows_done: RowsDone) -> Job:
    """Let processes do a job; each is killed when twenty more rows are done, and the last one ends it."""
    running = victim(work, folder, system)
    try:
        for number in range(KILLS):
            running.await_ready()
            _await(kit, started, rows_done, 1 + number * 20)
            running.kill()
            running = victim(work, folder, system)
        ended = _await(kit, started, rows_done, ROWS * 10)
    finally:
        running.kill()
    assert ended.state == "done", (ended.error, ended.detail)
    assert ended.attempts > 1, "nobody was killed at work"
    print(f"{system}: {ROWS} rows, {KILLS} kills, {ended.attempts} attempts", flush=True)
    return ended


def _await(kit: Kit, started: Job, rows_done: RowsDone, rows: int) -> Job:
    """The job as it is when it has done so many rows, or has ended."""
    until = time.monotonic() + _SECONDS
    while True:
        now = kit.tables.get(job(started.job_id).consistently())
        assert now is not None
        if now.state in ("done", "failed") or rows_done(now) >= rows:
            return now
        assert time.monotonic() < until, (now.state, now.checkpoint)
        time.sleep(0.002)
