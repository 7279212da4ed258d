"""Whatever people and owners do: one open job per key, its guard with it, and effects with their checkpoint."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine import Engine
from partita.kit.clock import RandomIds
from partita.kit.jobs import Arguments, Job, JobKind, Jobs, Running
from partita.kit.jobs.holds import Hold, Refused
from partita.kit.jobs.schema import due_jobs, job_key
from partita.kit.problems import Conflict
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.table import Update
from partita.table.types import timestamp
from tests.kit.conftest import HandClock
from tests.kit.jobs.conftest import ADMIN, EFFECTS, Effect, Office

KEYS = ("a", "b", None)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("start", "take", "save", "finish", "fail", "put back", "beat", "cancel", "retry", "late")),
        st.integers(0, 5),
    ),
    min_size=20,
    max_size=60,
)


async def _never(_running: Running, _arguments: Arguments) -> None: ...


class World:
    """Jobs, whoever holds or once held one, and what their checkpoints should have done."""

    def __init__(self, office: Office, clock: HandClock) -> None:
        self.office, self.clock = office, clock
        self.jobs: list[Job] = []
        self.holds: list[Hold] = []
        self.saved = 0

    async def do(self, what: str, which: int) -> None:
        jobs, store = self.office.jobs, self.office.jobs.store
        hold = self.holds[which % len(self.holds)] if self.holds else None
        job_id = self.jobs[which % len(self.jobs)].job_id if self.jobs else None
        with suppress(Refused, Conflict):
            if what == "start":
                started = await jobs.start("test.work", {}, ADMIN, key=KEYS[which % 3])
                if started.job_id not in {each.job_id for each in self.jobs}:
                    self.jobs.append(started)
            elif what == "late":
                self.clock.forward(seconds=40)  # every lease has run out that was not renewed since
            elif what == "take":
                due = [each async for each in store.stream(due_jobs(timestamp(self.clock.now())))]
                if due:
                    taken = await Hold.take(store, self.clock, due[which % len(due)], owner="x", seconds=30)
                    assert taken is not None
                    self.holds.append(taken)
            elif what == "cancel" and job_id:
                await jobs.cancel(ADMIN, job_id)
            elif what == "retry" and job_id:
                await jobs.retry(ADMIN, job_id)
            elif hold is not None:
                owner = (await self.office.now(hold.job.job_id)).token == hold.token
                await self._as_owner(what, hold)
                assert owner, f"{what} was written by somebody who had lost the job"

    async def _as_owner(self, what: str, hold: Hold) -> None:
        if what == "save":
            await hold.save("1", writes=(Update(Effect.key(Effect.id("all")), Effect.count.add(1)).or_new(),))
            self.saved += 1
        elif what == "finish":
            await hold.finish("done", 14)
        elif what == "fail":
            await hold.finish("failed", 14)
        elif what == "put back":
            await hold.put_back(timestamp(self.clock.now()))
        elif what == "beat":
            await hold.renew()

    async def check(self) -> None:
        now = [await self.office.now(each.job_id) for each in self.jobs]
        for key in ("a", "b"):
            holders = [each.job_id for each in now if each.once_key == key and each.is_open]
            guard = await self.office.jobs.store.get(job_key("test.work", key))
            assert holders == ([guard.of_job] if guard else [])
        for each in now:
            assert (each.due_at is not None) == each.is_open
            assert (each.token is not None) == (each.state == "running")
            assert (each.expires_at is not None) == (not each.is_open) == (each.finished_at is not None)
        owners = [each for each in self.holds if (await self.office.now(each.job.job_id)).token == each.token]
        assert len({each.job.job_id for each in owners}) == len(owners)
        assert await self.office.count("all") == self.saved


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_one_open_job_per_key_one_owner_per_job_and_every_effect_with_its_checkpoint(
    steps: list[tuple[str, int]],
) -> None:
    clock = HandClock()
    with Engine.temporary(background=False, clock=lambda: clock.now().timestamp()) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        jobs = Jobs(store.asynchronous, clock, RandomIds())
        jobs.use([JobKind("test.work", "Work", _never)])
        world = World(Office(engine, store, jobs), clock)

        async def story() -> None:
            for what, which in steps:
                await world.do(what, which)
                await world.check()

        asyncio.run(story())
