"""Analytics: numbers of windows from rollups and summaries, and what they cost."""

from __future__ import annotations

import pytest

from partita.apps.enablement.inputs import Approval, NewReport, Reason
from partita.apps.enablement.schema import Event, Rollup, RollupOf, Series, Stats, Summary
from partita.apps.enablement.service.summaries import WINDOWS, days_until
from partita.apps.enablement.system import build
from partita.kit.jobs import JobWorker
from partita.kit.problems import Forbidden, NotFound
from partita.table import Put
from partita.table.types import timestamp
from tests.apps.enablement.conftest import ADMIN, ANNA, CARL, CARLA, VERA, Portal, reading
from tests.apps.enablement.telling import accounts
from tests.apps.house import jobs_of, person, worker_of

pytestmark = pytest.mark.anyio


NOON = "2026-09-01T12:00:00.000000Z"
ROLLED: tuple[RollupOf, ...] = ("views", "downloads", "active_users", "searches")


async def _caught_up(portal: Portal, jobs: JobWorker) -> None:
    await worker_of(portal.kit, build(portal.kit)).drain()
    await jobs.drain()


async def test_a_window_is_compared_with_the_one_before_and_a_day_without_anything_is_there(portal: Portal) -> None:
    content = await portal.released(product_suite="Atlas")
    jobs = jobs_of(portal.kit, build(portal.kit))
    portal.clock.to("2026-03-10")
    await portal.service.events.viewed(VERA, content)
    await worker_of(portal.kit, build(portal.kit)).drain()  # a stream keeps its records for a day
    portal.clock.to("2026-03-18")
    for viewer in (VERA, ANNA):
        await portal.service.events.viewed(viewer, content)
    await portal.service.events.downloaded(VERA, content)
    await portal.service.events.searched(VERA, "Discount Table", 0)
    await portal.service.events.searched(VERA, "Atlas", 4)
    await worker_of(portal.kit, build(portal.kit)).drain()
    await portal.service.summaries.make(7)
    seen = await portal.service.analytics.overview(ANNA, 7)
    assert [each.day for each in seen.by_day][:: len(seen.by_day) - 1] == ["2026-03-12", "2026-03-18"]
    assert [each.views for each in seen.by_day] == [0, 0, 0, 0, 0, 0, 2]
    assert (seen.totals.views, seen.totals.downloads, seen.totals.people) == (2, 1, 2)
    assert (seen.totals.searches, seen.totals.in_vain) == (2, 1)
    assert (seen.before.views, seen.before.people) == (1, 1)
    assert [(each.content_id, each.views, each.downloads) for each in seen.most_used] == [(content.content_id, 2, 1)]
    assert [(each.suite, each.views) for each in seen.by_suite] == [("Atlas", 2)]
    assert [(each.words, each.times) for each in seen.searched_in_vain] == [("discount table", 1)]
    assert not seen.making
    await jobs.drain()


async def test_a_summary_is_made_when_somebody_looks_and_it_is_older_than_a_quarter_of_an_hour(portal: Portal) -> None:
    content = await portal.released()
    jobs = jobs_of(portal.kit, build(portal.kit))
    await portal.service.summaries.make(30)
    await portal.service.events.viewed(VERA, content)
    await _caught_up(portal, jobs)
    fresh = await portal.service.analytics.overview(ANNA, 30)
    assert (fresh.totals.views, fresh.totals.people, fresh.making) == (1, 0, False)
    portal.clock.on(minutes=16)
    old = await portal.service.analytics.overview(ANNA, 30)
    assert (old.totals.people, old.making, old.as_of) == (0, True, fresh.as_of)
    await jobs.drain()
    new = await portal.service.analytics.overview(ANNA, 30)
    assert (new.totals.people, new.making) == (1, False)
    assert (new.as_of or "") > (fresh.as_of or "")


async def test_adoption_is_how_many_of_those_who_had_an_earlier_version_have_the_current_one(portal: Portal) -> None:
    content = await portal.released()
    readers = [person(f"r{number}", "enablement:content:read") for number in range(4)]
    for viewer in readers[:3]:
        await portal.service.events.downloaded(viewer, content)
    proposal = await portal.proposed(content.content_id)
    portal.clock.on(hours=1)
    content = await portal.service.lifecycle.approve(ANNA, content.content_id, Approval(version=proposal.version))
    for viewer in (readers[0], readers[3]):
        await portal.service.events.downloaded(viewer, content)
    await worker_of(portal.kit, build(portal.kit)).drain()
    await portal.service.summaries.make(7)
    (row,) = (await portal.service.analytics.overview(ANNA, 7)).adoption
    assert (row.major, row.had_earlier, row.have_current) == (2, 3, 1)
    mine = await portal.service.analytics.of_content(CARLA, content.content_id, adoption=True)
    assert (mine.had_earlier, mine.have_current, mine.stats.downloads, mine.stats.people) == (3, 1, 5, 4)
    assert len(mine.by_day) == 30


async def test_stale_content_is_overdue_expired_reported_or_unused(portal: Portal) -> None:
    overdue = await portal.released("Overdue", review_due_date="2026-03-10")
    reported = await portal.released("Reported", review_due_date="2027-03-10")
    expired = await portal.released("Expired")
    await portal.service.reports.add(VERA, reported.content_id, NewReport(text="This is out of date."))
    await portal.service.lifecycle.expire(ANNA, expired.content_id, Reason())
    await worker_of(portal.kit, build(portal.kit)).drain()
    portal.clock.to("2026-06-20")
    young = await portal.released("Young")
    await portal.service.events.viewed(VERA, overdue)
    await worker_of(portal.kit, build(portal.kit)).drain()
    stale = await portal.service.analytics.stale(ANNA)
    assert [each.title for each in stale.overdue] == ["Overdue"]
    assert [each.title for each in stale.expired] == ["Expired"]
    assert [(each.title, len(reports)) for each, reports in stale.reported] == [("Reported", 1)]
    assert [each.title for each, _ in stale.unused] == ["Reported"]
    assert young.title not in {each.title for each, _ in stale.unused}


async def test_who_may_see_which_numbers(portal: Portal) -> None:
    content, draft = await portal.released(), await portal.draft()
    await portal.service.summaries.make(7)
    analytics = portal.service.analytics
    for viewer in (VERA, CARLA):
        for numbers in (analytics.overview, analytics.content, analytics.searches, analytics.users):
            with pytest.raises(Forbidden):
                await numbers(viewer, 7)
        with pytest.raises(Forbidden):
            await analytics.stale(viewer)
    with pytest.raises(Forbidden):
        await analytics.users(ANNA, 7)
    assert await analytics.users(ADMIN, 7) == ()
    for viewer in (CARLA, ANNA, ADMIN):
        assert (await analytics.of_content(viewer, content.content_id)).stats.views == 0
    for stranger in (VERA, CARL):
        with pytest.raises(Forbidden):
            await analytics.of_content(stranger, content.content_id)
        with pytest.raises(NotFound):
            await analytics.of_content(stranger, draft.content_id)


async def _half_a_year_of_use(portal: Portal, contents: list[str], people: int) -> None:
    """The numbers of half a year of heavy use, written as the change stream would have left them."""
    rows: list[Put] = []
    for day in days_until(portal.clock.at.date().isoformat(), 180):
        rows += [Put(Rollup(what=what, day=day, subject="all", count=123_456)) for what in ROLLED]
        rows.append(Put(Rollup(what="searches", day=day, subject="in_vain", count=12_345)))
        rows += [Put(Rollup(what="user_events", day=day, subject=f"user-{n}", count=77)) for n in range(people)]
        rows += [Put(Rollup(what="no_result", day=day, subject=f"words {n}", count=7)) for n in range(20)]
        rows += [Put(Series(of_content=each, day=day, views=1000, downloads=500)) for each in contents]
    rows += [Put(Stats(of_content=each, views=10**6, stats_of="released")) for each in contents]
    await portal.kit.store.batch_write(rows)


async def test_analytics_of_90_days_costs_at_most_15_units_and_does_not_grow_with_events(portal: Portal) -> None:
    contents = [(await portal.released(f"Guide {number}")).content_id for number in range(12)]
    portal.clock.to("2026-09-01")
    spent: list[float] = []
    portal.kit.store.observe(lambda call: spent.append(call.units))
    await _half_a_year_of_use(portal, contents, people=40)
    await portal.service.summaries.make(90)
    costs = []
    for _ in range(2):
        spent.clear()
        seen = await portal.service.analytics.overview(ANNA, 90)
        costs.append(sum(spent))
        more = (
            Put(Event(date_bucket="2026-09-01", event_id=f"e{n}", event_name="search_opened", timestamp=NOON))
            for n in range(3000)
        )
        await portal.kit.store.batch_write(more)
    assert (seen.totals.views, seen.before.views) == (90 * 123_456, 90 * 123_456)
    assert costs[0] <= 15, costs
    assert costs[1] == costs[0]


async def test_the_page_of_analytics_costs_at_most_15_units_whatever_needs_somebody(portal: Portal) -> None:
    """Everything that it shows is there, each of another owner, with long texts; also at the first look."""
    owners = [f"owner-{number}" for number in range(80)]
    await portal.kit.store.batch_write(accounts([*owners, *(f"user-{number}" for number in range(40))]))
    pattern = await portal.released(product_suite="Atlas", summary="Sentence. " * 48, review_due_date="2026-03-10")
    contents = [
        pattern.model_copy(
            update={
                "content_id": f"c{number}",
                "title": f"Guide {number} " + "x" * 100,
                "owner_user_id": owners[number],
                "status": "Expired" if number % 4 == 3 else "Approved",
            }
        )
        for number in range(80)
    ]
    await portal.kit.store.batch_write(map(Put, contents))
    for number in range(8):
        await portal.service.reports.add(VERA, f"c{4 * number}", NewReport(text="This is out of date. " * 10))
    portal.clock.to("2026-09-01")
    await _half_a_year_of_use(portal, [each.content_id for each in contents[:40]], people=40)
    jobs = jobs_of(portal.kit, build(portal.kit))
    for viewer in (ANNA, ADMIN):
        for days in WINDOWS:
            for _ in range(2):
                with reading(portal) as units:
                    found = await portal.service.analytics.dashboard(viewer, days, 5)
                assert sum(units) <= 15, (days, found.overview.as_of, units)
                await jobs.drain()
    lists = (found.overdue, found.expired, found.reported, found.unused, found.people)
    assert [len(each) for each in lists] == [5, 5, 5, 5, 10]
    assert len(found.owners) >= 9
    assert found.people[0].name.startswith("User-")
    assert [each.views for each in found.overview.by_day] == [123_456] * 90


async def test_numbers_by_day_are_current_whatever_the_summary_knows(portal: Portal) -> None:
    content = await portal.released()
    worker = worker_of(portal.kit, build(portal.kit))

    async def use(day: str) -> None:
        portal.clock.to(day)
        for viewer in (VERA, ANNA):
            await portal.service.events.viewed(viewer, content)
        await portal.service.events.searched(VERA, "Prices", 0)
        await worker.drain()

    await use("2026-03-10")
    await use("2026-03-11")
    await portal.service.summaries.make(7)
    await use("2026-03-12")
    for day, expected in (
        ("2026-03-12", [2, 2, 2]),
        ("2026-03-13", [2, 2, 2, 0]),
        ("2026-03-17", [2, 2, 0, 0, 0, 0, 0]),
    ):
        portal.clock.to(day)
        seen = await portal.service.analytics.overview(ANNA, 7)
        assert [each.views for each in seen.by_day][-len(expected) :] == expected, day
        assert [each.in_vain for each in seen.by_day][-len(expected) :] == [each // 2 for each in expected]
        assert [each.people for each in seen.by_day][-len(expected) :] == expected


async def test_a_summary_of_an_earlier_edition_is_made_anew(portal: Portal) -> None:
    await portal.released()
    jobs = jobs_of(portal.kit, build(portal.kit))
    old = Summary(
        days=30, made_at=timestamp(portal.clock.now()), rankings={"content": [["c1", 4, 2]], "users": [["u", 1]]}
    )
    await portal.kit.store.write(Put(old))
    found = await portal.service.analytics.dashboard(ADMIN, 30, 5)
    assert (found.overview.as_of, found.overview.making) == (None, True)
    await jobs.drain()
    assert (await portal.service.analytics.dashboard(ADMIN, 30, 5)).overview.as_of is not None
