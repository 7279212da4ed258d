"""Three machines on one DynamoDB, one with a clock that is an hour ahead: it is killed, and the tables fall silent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from partita.kit.jobs.schema import Job, all_jobs, schedule_mark
from partita.kit.notifications.stores import moment
from tests.kit.jobs.conftest import effect
from tests.machines.machine import BEATS, STEPS
from tests.machines.place import Place, until

HOUR = 3600.0


@pytest.mark.timeout(600)
def test_an_hour_ahead_killed_and_cut_off_they_lose_nothing_and_do_nothing_twice(place: Place) -> None:
    wrong = place.start("wrong", ahead=HOUR, works=True, begins=True)
    until(lambda: _count(place, f"step {STEPS // 2 - 1}") == 1)
    until(lambda: _count(place, "beats") > 0)
    until(lambda: place.holder() != "")
    first_holder = place.holder()
    right = place.start_all("one", "two", works=True)
    place.write(12)
    machines = [wrong, *right]
    place.everybody_finds_everything(machines)

    # Cursors: a list that is begun at one machine goes on at the others.
    for first in range(3):
        found: list[str] = []
        cursor, turn = None, first
        while cursor is not None or turn == first:
            slugs, cursor = machines[turn % 3].page(cursor)
            found += slugs
            turn += 1
        assert sorted(found) == sorted(place.slugs)

    # Leases: whatever the one with the wrong clock had, others take over.
    wrong.kill()
    until(lambda: _job(place, "test.steps").state == "done")
    assert [_count(place, f"step {step}") for step in range(STEPS)] == [1] * STEPS
    assert _job(place, "test.steps").attempts > 1
    until(lambda: place.holder() not in ("", first_holder))

    # The tables fall silent: it is told, nobody waits for ever, and all is well when they talk again.
    place.proxy.fall_silent()
    for each in right:
        assert each.get("/readyz").status == 503
        assert each.get("/healthz").status == 200
    place.write(3)
    place.proxy.be_well()
    until(lambda: all(each.get("/readyz").status == 200 for each in right))
    place.everybody_finds_everything(right)

    # Schedules: each due time, by whichever clock, started at most one job, and it did its work once.
    jobs = [job for job in place.store.stream(all_jobs()) if job.kind == BEATS.kind]
    mark = place.store.get(schedule_mark(BEATS.name))
    assert mark is not None
    created = [moment(job.created_at) for job in jobs]
    assert min(created) > datetime.now(UTC) + timedelta(minutes=30), (
        "what was started an hour early is not started again"
    )
    assert len(jobs) <= (moment(mark.last_due) - min(created)).total_seconds() + 2
    assert 1 <= _count(place, "beats") <= len(jobs)


def _job(place: Place, kind: str) -> Job:
    return next(job for job in place.store.stream(all_jobs()) if job.kind == kind)


def _count(place: Place, what: str) -> int:
    found = place.store.get(effect(what))
    return 0 if found is None else found.count
