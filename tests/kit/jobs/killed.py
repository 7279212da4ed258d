"""A process that runs jobs until it is killed: `python -m tests.kit.jobs.killed FOLDER`."""

from __future__ import annotations

import asyncio
import os
import sys

from partita.engine import Engine
from partita.kit.clock import RandomIds, SystemClock
from partita.kit.jobs import Arguments, JobKind, Jobs, JobWorker, Result, Running, child_kind
from partita.kit.jobs.worker import Pace
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.table import Update
from tests.kit.jobs import functions
from tests.kit.jobs.conftest import EFFECTS, Effect


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


async def main(folder: str) -> None:
    with Engine(folder) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        jobs = Jobs(store.asynchronous, SystemClock(), RandomIds())
        jobs.use(KINDS)
        os.write(1, b"!")  # a kill may come from here on
        await JobWorker(jobs, at_once=4, pace=Pace(poll=0.05, lease=1.0, stalls=1000)).run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
