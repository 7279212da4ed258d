"""The clock: what is due is found by an index, done once, and nothing is forgotten after a break."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import Validity
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.clock import SCHEDULES, jobs
from partita.apps.enablement.system import build
from partita.kit.permissions import House
from partita.table import Put, Update
from tests.apps.enablement.conftest import ANNA, Portal, portal_in, reading
from tests.apps.house import BAD_WEATHER, jobs_of, person

pytestmark = pytest.mark.anyio


async def _status(portal: Portal, content: Content) -> str:
    return (await portal.service.changing.content(content.content_id)).status


class TestExpiry:
    async def test_a_day_is_the_last_valid_one_and_a_moment_exact(self, portal: Portal) -> None:
        day = await portal.released("Day", expiry_date="2026-03-05")
        moment = await portal.released("Moment", expiry_date="2026-03-05T10:00:00Z")
        portal.clock.to("2026-03-05", hour=9)
        assert (await portal.service.clock.expire_due())["expired"] == 0
        portal.clock.to("2026-03-05", hour=10)
        assert await portal.service.clock.expire_due() == {"due": 1, "expired": 1, "skipped": 0, "errors": 0}
        assert [await _status(portal, each) for each in (day, moment)] == ["Approved", "Expired"]
        portal.clock.to("2026-03-06", hour=0)
        assert (await portal.service.clock.expire_due())["expired"] == 1
        row = await portal.row(day.content_id)
        assert row["expiry_date"] == "2026-03-05"
        assert {"expiry_day", "expiry_key", "due_day", "review_state"}.isdisjoint(row)

    async def test_after_a_break_every_missed_day_is_visited(self, portal: Portal) -> None:
        await portal.service.clock.expire_due()
        days = [f"2026-03-{day:02}" for day in range(5, 25)]
        for day in days:
            await portal.released(day, expiry_date=day)
        portal.clock.to("2026-04-20")
        assert (await portal.service.clock.expire_due())["expired"] == len(days)

    async def test_what_is_written_late_for_yesterday_is_found(self, portal: Portal) -> None:
        released = await portal.released(expiry_date="2026-03-04")
        portal.clock.to("2026-03-05", hour=0)
        await portal.service.clock.expire_due()
        # A machine whose clock is behind writes into a day that seems over.
        late = await portal.released("Late", expiry_date="2026-04-01")
        keys = (Content.expiry_day.set("2026-03-04"), Content.expiry_key.set(f"2026-03-04T23:59:59Z#{late.content_id}"))
        changed = Update(late.own_key, Content.expiry_date.set("2026-03-04T23:59:59Z"), *keys)
        await portal.kit.store.write(changed)
        portal.clock.on(minutes=5)
        await portal.service.clock.expire_due()
        assert [await _status(portal, each) for each in (released, late)] == ["Expired", "Expired"]

    async def test_what_was_prolonged_or_is_gone_is_skipped(self, portal: Portal) -> None:
        released = await portal.released(expiry_date="2026-03-04")
        await portal.kit.store.write(Update(released.own_key, Content.expiry_date.set("2027-01-01")))
        portal.clock.to("2026-03-06")
        assert await portal.service.clock.expire_due() == {"due": 1, "expired": 0, "skipped": 1, "errors": 0}

    async def test_one_bad_row_stops_no_other_and_costs_no_more_with_every_day(self, portal: Portal) -> None:
        await portal.service.clock.expire_due()
        good = await portal.released("Good", expiry_date="2026-03-04")
        # Another program made this id: no row of the history can have it.
        key = "2026-03-05T00:00:00.000000Z#a#b"
        bad = good.model_copy(update={"content_id": "a#b", "expiry_key": key})
        await portal.kit.store.write(Put(bad))
        for day, days in (("2026-03-06", 5), ("2026-03-20", 16), ("2026-03-21", 2)):
            portal.clock.to(day)
            with reading(portal) as units:
                numbers = await portal.service.clock.expire_due()
            assert numbers["errors"] == 1
            assert len(units) <= 1 + days
        assert await _status(portal, good) == "Expired"

    @pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
    async def test_run_by_many_at_once_each_item_expires_once(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            items = [await portal.released(str(number), expiry_date="2026-03-04") for number in range(12)]
            portal.clock.to("2026-03-06")
            others = [EnablementService(portal.kit).clock for _ in range(4)]
            runs = await asyncio.gather(*(clock.expire_due() for clock in others))
            assert sum(run["expired"] for run in runs) == len(items)
            assert sum(run["errors"] for run in runs) == 0
            for item in items:
                actions = [each.action async for each in portal.kit.store.stream(schema.history_of(item.content_id))]
                assert Counter(actions)["expired"] == 1

    async def test_it_reads_in_proportion_to_what_is_due(self, portal: Portal) -> None:
        for number in range(40):
            await portal.released(f"Other {number}", expiry_date="2027-01-01")
        portal.clock.to("2026-03-05")
        await portal.service.clock.expire_due()
        with reading(portal) as units:
            await portal.service.clock.expire_due()
        assert sum(units) <= 1
        for number in range(10):
            await portal.released(f"Due {number}", expiry_date="2026-03-05T13:00:00Z")
        portal.clock.to("2026-03-05", hour=14)
        with reading(portal) as units:
            assert (await portal.service.clock.expire_due())["expired"] == 10
        assert sum(units) <= 1 + 10 * 2


@pytest.fixture
def told(portal: Portal) -> list[tuple[str, str, Any]]:
    """What people were told: on which day, of what, and which step."""
    told: list[tuple[str, str, Any]] = []

    async def tell(row: schema.Fanout, _due: Any) -> bool:
        assert row.details is not None
        told.append((portal.clock.at.date().isoformat(), row.cause, row.details["step"]))
        await portal.kit.store.write(Update(row.own_key, schema.Fanout.due_day.remove()))
        return True

    portal.service.clock.handle("fanout", tell)
    return told


class TestReminders:
    async def _run(self, portal: Portal, *days: str) -> None:
        for day in days:
            portal.clock.to(day)
            for _ in range(3):  # what one run stores, the next one tells
                await portal.service.clock.run_due()

    async def test_an_owner_is_reminded_of_a_review_four_times(self, portal: Portal, told: list[Any]) -> None:
        await portal.released(review_due_date="2026-04-10")
        await self._run(portal, "2026-03-26", "2026-03-27", "2026-04-09", "2026-04-10", "2026-04-17", "2026-04-24")
        await self._run(portal, "2026-05-08")
        assert told == [
            ("2026-03-27", "review", -14),
            ("2026-04-10", "review", 0),
            ("2026-04-17", "review", 7),
            ("2026-04-24", "review", 14),
        ]

    async def test_after_a_break_only_the_latest_step_of_a_date_is_told(self, portal: Portal, told: list[Any]) -> None:
        await portal.released(review_due_date="2026-04-10", expiry_date="2026-12-24")
        await self._run(portal, "2026-04-19", "2026-04-20")
        assert told == [("2026-04-19", "review", 7)]

    async def test_dates_of_two_kinds_are_both_told(self, portal: Portal, told: list[Any]) -> None:
        released = await portal.released(review_due_date="2026-04-10", expiry_date="2026-04-10")
        await self._run(portal, "2026-03-27")
        assert sorted(told) == [("2026-03-27", "expiry", -14), ("2026-03-27", "review", -14)]
        assert (await portal.service.changing.content(released.content_id)).due_day == "2026-04-10"

    async def test_a_reminder_is_bookkeeping_and_no_version(self, portal: Portal, told: list[Any]) -> None:
        released = await portal.released(review_due_date="2026-04-10")
        await self._run(portal, "2026-03-27")
        after = await portal.service.changing.content(released.content_id)
        assert (after.version, after.last_updated, len(told)) == (released.version, released.last_updated, 1)

    async def test_a_reminder_that_waits_survives_an_edit(self, portal: Portal, told: list[Any]) -> None:
        released = await portal.released(review_due_date="2026-04-10")
        portal.clock.to("2026-03-28")
        await portal.service.lifecycle.plan(ANNA, released.content_id, Validity(expiry_date="2027-12-31"))
        await self._run(portal, "2026-03-28")
        assert told == [("2026-03-28", "review", -14)]

    async def test_what_cannot_be_done_yet_waits_however_long(self, portal: Portal) -> None:
        portal.service.clock.handle("fanout", _not_yet)
        await portal.released(review_due_date="2026-04-10")
        await self._run(portal, "2026-03-27", "2026-03-29", "2026-04-05", "2026-04-06")
        assert (await portal.service.clock.run_due())["skipped"] == 1

    async def test_run_by_many_at_once_each_reminder_is_stored_once(self, portal: Portal, told: list[Any]) -> None:
        for number in range(8):
            await portal.released(str(number), review_due_date="2026-04-10")
        portal.clock.to("2026-03-27")
        clocks = [EnablementService(portal.kit).clock for _ in range(4)]
        for clock in clocks:
            clock.handle("fanout", _not_yet)
        runs = await asyncio.gather(*(clock.run_due() for clock in clocks))
        assert sum(run["errors"] for run in runs) == 0
        await portal.service.clock.run_due()
        assert len(told) == 8


async def _not_yet(row: Any, due: Any) -> bool:
    return False


async def test_the_clock_runs_as_jobs(portal: Portal) -> None:
    system = build(portal.kit)
    worker = jobs_of(portal.kit, system)
    await portal.released(expiry_date="2026-03-04")
    portal.clock.to("2026-03-06")
    expire = next(kind for kind in system.jobs if kind.name == "enablement.expire")
    job = await portal.kit.jobs.start(expire, {}, None)
    await worker.drain()
    ended = await portal.kit.jobs.find(person("keeper", House.MANAGE_JOBS), job.job_id)
    assert (ended.state, ended.result_message) == ("done", "1 due, 1 expired, 0 skipped, 0 errors.")
    due = await portal.kit.jobs.start("enablement.due", {}, None, key=SCHEDULES[1].key)
    await worker.drain()
    assert await portal.kit.jobs.look(due.job_id) is None, "with nothing due, a minute leaves no entry in the lists"
    assert {schedule.kind for schedule in SCHEDULES} == {kind.name for kind in jobs(portal.service.clock)}
