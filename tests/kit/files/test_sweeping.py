"""The sweep by itself: once a week one process deletes what nothing names, and nothing else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from partita.bootstrap import build
from partita.kit.clock import RandomIds
from partita.kit.files import OwnedFiles, sweep
from partita.kit.files.sweep import TooMuchUnnamed
from partita.kit.files.sweeping import SWEEP, WEEKLY, sweep_kind
from partita.kit.jobs import Job, Jobs, JobWorker
from partita.kit.jobs.schedules import Clockwork
from partita.kit.settings import Settings
from partita.table import Delete, Put, Transaction
from tests.kit.conftest import HandClock
from tests.kit.files.test_uploads import PNG, Place, Thing, _place

pytestmark = pytest.mark.anyio


@pytest.fixture
def place() -> Iterator[Place]:
    with _place() as made:
        yield made


def _office(place: Place) -> Jobs:
    jobs = Jobs(place.store.asynchronous, place.clock, RandomIds())
    owners = [OwnedFiles("things", place.named)]
    jobs.use([sweep_kind(place.files, place.store.asynchronous, place.clock, owners)])
    return jobs


async def _swept(jobs: Jobs) -> Job:
    await jobs.start(SWEEP, {}, None, key=WEEKLY.key)
    await JobWorker(jobs).drain()
    (found,) = (await jobs.all()).items
    return found


async def test_every_week_one_process_of_several_deletes_what_nothing_names(place: Place) -> None:
    names = [await place.uploads.keep("things", PNG, "image/png", seconds=10 * 86_400) for _ in range(4)]
    claimed, orphan, waiting, young = names
    await place.claim(claimed)
    for name in (orphan, young):
        await place.claim(name, name)
        place.store.write(Delete(Thing.key(Thing.id(name))))
    machines = [_office(place) for _ in range(3)]
    clockworks = [Clockwork(jobs, [WEEKLY]) for jobs in machines]
    await asyncio.gather(*(each.start_due() for each in clockworks))
    place.age(days=7)
    _touch(place.folder / young, place.clock.now() - timedelta(hours=20))
    assert sum(await asyncio.gather(*(each.start_due() for each in clockworks))) == 1
    await asyncio.gather(*(JobWorker(jobs).drain() for jobs in machines))
    assert place.kept() == sorted([claimed, waiting, young])
    (job,) = (await machines[0].all()).items
    assert (job.state, job.result_values) == ("done", {"deleted": 1, "bytes": len(PNG), "incoming": 0})
    assert job.result_message == "1 of 3 files were named by nothing and are deleted."


async def test_a_name_that_goes_from_item_to_item_while_the_sweep_looks_stays(place: Place) -> None:
    """It is read where it is not yet, and then where it is no more."""
    name = await place.uploads.keep("things", PNG, "image/png")
    await place.claim(name, "b")
    place.age(days=2)

    async def moved_behind_its_back() -> AsyncIterator[str]:
        for id in ("a", "b"):
            found = place.store.get(Thing.get(Thing.id(id)).consistently())
            if found is not None:
                yield found.file
            if id == "a" and found is None:
                move = Transaction(Delete(Thing.key(Thing.id("b"))), Put(Thing(id="a", file=name)))
                place.store.transact(move)

    owners = [OwnedFiles("things", moved_behind_its_back)]
    now = place.clock.now()
    assert (await sweep(place.files, place.store.asynchronous, owners, now=now, delete=True)).unnamed == ()
    assert await place.files.exists(name)


async def test_if_most_files_have_no_name_the_job_deletes_nothing_and_says_so(place: Place) -> None:
    for number in range(101):
        await place.files.save(f"things/{number}.png", PNG, "image/png")
    place.age(days=2)
    job = await _swept(_office(place))
    assert job.state == "failed"
    assert "101 of 101 files are named by nothing, which is more than half, so nothing was deleted" in (job.error or "")
    assert len(place.kept()) == 101
    owners = [OwnedFiles("things", place.named)]
    with pytest.raises(TooMuchUnnamed):
        await sweep(place.files, place.store.asynchronous, owners, now=place.clock.now(), delete=True, most_share=0.9)
    await sweep(place.files, place.store.asynchronous, owners, now=place.clock.now(), delete=True)
    assert place.kept() == [], "who is asked to delete them does"


async def test_the_suite_sweeps_the_files_of_its_systems_every_week(tmp_path: Path) -> None:
    clock = HandClock()
    suite = build(Settings(data=tmp_path, systems=("fus", "kelifax")), clock=clock)
    try:
        await suite.kit.files.save("kelifax/logos/orphan.png", PNG, "image/png")
        clock.forward(hours=1)
        await suite.jobs._clockwork.start_due()
        clock.forward(days=7)
        await suite.jobs._clockwork.start_due()
        await suite.jobs.drain()
        assert not await suite.kit.files.exists("kelifax/logos/orphan.png")
    finally:
        await suite.close()


def _touch(path: Path, moment: datetime) -> None:
    seconds = moment.timestamp()
    os.utime(path, (seconds, seconds))
