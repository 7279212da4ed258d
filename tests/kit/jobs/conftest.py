"""Jobs on a temporary engine, with a table of the tests' own for what jobs do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from partita.engine import Engine
from partita.kit.clock import Clock, RandomIds, SystemClock
from partita.kit.jobs import Job, JobKind, Jobs, JobWorker, Schedule
from partita.kit.jobs.kinds import Run
from partita.kit.jobs.schema import job
from partita.kit.jobs.worker import Pace
from partita.kit.permissions import House, Viewer
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.table import Attribute, Get, Item, Table, attribute

EFFECTS = Table("jobs-effects", pk="id")
QUICK = Pace(poll=0.01, lease=0.4)
ADA = Viewer(user_id="ada", username="ada", name="Ada", via="session")
BEN = Viewer(user_id="ben", username="ben", name="Ben", via="session")
ADMIN = Viewer(user_id="eve", username="eve", name="Eve", permissions=frozenset(House), via="session")


class Effect(Item, table=EFFECTS):
    """What a job has done; a counter, so that twice can be seen."""

    id: Attribute[str]
    count: Attribute[int] = attribute(default=0)


def effect(name: str) -> Get[Effect]:
    return Effect.get(Effect.id(name)).consistently()


@dataclass(slots=True)
class Office:
    """Where jobs are started and run."""

    engine: Engine
    store: EmbeddedStore
    jobs: Jobs

    def kind(self, run: Run, name: str = "test.work", **settings: float) -> JobKind:
        """A kind of job, made known."""
        kind = JobKind(name, "Work", run, **settings)  # type: ignore[arg-type]
        self.jobs.use([kind])
        return kind

    def worker(
        self, *schedules: Schedule, pace: Pace = QUICK, at_once: int = 2, clock: Clock | None = None
    ) -> JobWorker:
        """Another process, as far as jobs can tell: it shares nothing with the others but the table."""
        apart = Jobs(self.jobs.store, clock or self.jobs.clock, RandomIds())
        apart.use(self.jobs._kinds.values())
        return JobWorker(apart, schedules, pace=pace, at_once=at_once)

    async def now(self, job_id: str) -> Job:
        """A job as it is stored."""
        found = await self.jobs.store.get(job(job_id).consistently())
        assert found is not None
        return found

    async def count(self, name: str) -> int:
        """How often an effect was had."""
        found = await self.jobs.store.get(effect(name))
        return found.count if found else 0


@asynccontextmanager
async def at_work(*workers: JobWorker) -> AsyncIterator[None]:
    """Workers that run meanwhile."""
    import asyncio

    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def office() -> Iterator[Office]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        yield Office(engine, store, Jobs(store.asynchronous, SystemClock(), RandomIds()))
