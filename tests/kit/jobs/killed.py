"""A process that runs jobs until it is killed."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

from partita.apps.fus import system as fus
from partita.bootstrap import build
from partita.kit.jobs import Arguments, JobKind, JobWorker, Result, Running, child_kind
from partita.kit.jobs.worker import Pace
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.table import Update
from tests.kit.jobs import functions
from tests.kit.jobs.conftest import EFFECTS, Effect
from tests.starters import Anybody


async def steps(running: Running, arguments: Arguments) -> Result:
    """Each step counts an effect up by one, with its checkpoint: after all kills, every count must be one."""
    total: int = arguments["steps"]
    for step in range(running.saved or 0, total):
        await running.progress("Steps", done=step, total=total)
        await asyncio.sleep(arguments["pause"])
        effect = Effect.key(Effect.id(f"{running.job_id}-{step}"))
        await running.checkpoint(step + 1, Update(effect, Effect.count.add(1)).or_new())
    return Result("All steps done.")


KINDS = (
    JobKind("test.steps", "Steps", steps),
    child_kind("test.count", "Count", functions.count),
)


def suite_in(folder: Path) -> Suite:
    """A suite with fus, whose imports are among the jobs; everything on one folder."""
    suite = build(Settings(data=folder, fetch=False), builders=[fus.build])
    suite.kit.tables.create(EFFECTS)
    suite.kit.jobs.use(KINDS)
    suite.kit.jobs.starters = Anybody(suite.kit.accounts)
    return suite


def work(folder: Path, ready: Connection) -> None:
    asyncio.run(_work(folder, ready))


async def _work(folder: Path, ready: Connection) -> None:
    suite = suite_in(folder)
    ready.send_bytes(b"!")
    await JobWorker(suite.kit.jobs, at_once=4, pace=Pace(poll=0.05, lease=1.0, stalls=1000)).run()
