"""The same promises where requests are throttled and transactions conflict, and over the network."""

from __future__ import annotations

import asyncio

import pytest

from partita.engine import Engine, FaultPlan
from partita.engine.door import DoorThread
from partita.kit.clock import RandomIds, SystemClock
from partita.kit.jobs import Arguments, JobKind, Jobs, Running
from partita.kit.jobs.schema import job
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.store.dynamo import DynamoStore, fixed
from partita.store.store import AsyncStore
from partita.table import Update
from tests.kit.jobs.conftest import ADA, EFFECTS, Effect, Office, at_work, effect

pytestmark = pytest.mark.anyio


async def _steps(running: Running, arguments: Arguments) -> None:
    for step in range(running.saved or 0, 5):
        one = Update(Effect.key(Effect.id(f"{running.job_id}-{step}")), Effect.count.add(1)).or_new()
        await running.checkpoint(step + 1, one)


async def _ten_jobs(store: AsyncStore, office: Office) -> None:
    office.jobs.use([JobKind("test.steps", "Steps", _steps, retries=100)])
    async with at_work(*(office.worker() for _ in range(3))):
        started = await asyncio.gather(*(office.jobs.start("test.steps", {}, ADA, key=str(n)) for n in range(10)))
        for each in started:
            while (now := await store.get(job(each.job_id).consistently())) is None or now.is_open:
                await asyncio.sleep(0.01)
            assert now.state == "done", now
            counts = [await store.get(effect(f"{each.job_id}-{step}")) for step in range(5)]
            assert [found.count for found in counts if found] == [1] * 5


async def test_in_bad_weather_every_effect_is_had_once() -> None:
    weather = FaultPlan(seed=7, throttle=0.1, conflict=0.1, partial_batch=0.1)
    with Engine.temporary(faults=weather) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        office = Office(engine, store, Jobs(store.asynchronous, SystemClock(), RandomIds()))
        await asyncio.wait_for(_ten_jobs(store.asynchronous, office), 60)


async def test_over_the_network_every_effect_is_had_once() -> None:
    with Engine.temporary() as engine, DoorThread(engine) as door:
        EmbeddedStore(engine).create(HOUSE, EFFECTS)
        store = DynamoStore(endpoint_url=door.url, region="us-east-1", credentials=fixed("any", "any"))
        office = Office(engine, EmbeddedStore(engine), Jobs(store.asynchronous, SystemClock(), RandomIds()))
        try:
            await asyncio.wait_for(_ten_jobs(store.asynchronous, office), 60)
        finally:
            await store.dynamo.close_async()
            store.close()
