"""People who must read something, and who report: told once of each step, and only those whom it concerns."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.enablement.inputs import Approval, MustReadRequest, NewReport, ReportAnswer
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service.reports import public_id
from partita.apps.enablement.system import build
from tests.apps.enablement.conftest import ANNA, ARNO, CARL, CARLA, VERA
from tests.apps.enablement.telling import Telling, telling_in, viewers
from tests.apps.house import BAD_WEATHER, jobs_of
from tests.kit.notifications.conftest import Crash, Fuse

pytestmark = pytest.mark.anyio
PLEASE = "Please read “How to price Atlas”"
READERS = viewers(["ada", "ben", "cleo"])
NAMES = tuple(each.id for each in READERS)


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as made:
        made.account(*NAMES)
        yield made


async def _ask(portal: Telling, content: Content, day: str, *names: str) -> None:
    await portal.service.reading.ask(ANNA, content.content_id, MustReadRequest(read_by=day, usernames=names or NAMES))


async def _told(portal: Telling) -> dict[str, list[str]]:
    """The moments at which readers were told to read it."""
    return {
        each.id: sorted(row.created_at for row in await portal.told(each) if row.title == PLEASE) for each in READERS
    }


def _days(told: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: [moment[:10] for moment in moments] for name, moments in told.items()}


async def test_whoever_must_read_hears_when_asked_three_days_before_and_on_the_day_until_they_confirm(
    portal: Telling,
) -> None:
    content = await portal.released()
    await _ask(portal, content, "2026-03-20")
    await portal.catch_up()
    (row,) = await portal.told("ada")
    assert (row.about, row.type, row.reason, row.message) == (
        "must_read",
        "warning",
        "because you were asked to read it",
        "Read it by 20 Mar 2026.",
    )
    await portal.service.reading.confirm(READERS[0], content.content_id)
    for day in ("2026-03-16", "2026-03-17", "2026-03-18"):
        portal.clock.to(day)
        await portal.catch_up()
    await portal.service.reading.confirm(READERS[1], content.content_id)
    for day in ("2026-03-19", "2026-03-20", "2026-03-21", "2026-04-20"):
        portal.clock.to(day)
        await portal.catch_up()
        await portal.replay(2)
    assert _days(await _told(portal)) == {
        "ada": ["2026-03-02"],
        "ben": ["2026-03-02", "2026-03-17"],
        "cleo": ["2026-03-02", "2026-03-17", "2026-03-20"],
    }


async def test_asking_more_people_does_not_tell_those_again_who_were_asked_before(portal: Telling) -> None:
    content = await portal.released()
    await _ask(portal, content, "2026-03-20", "ada")
    await portal.catch_up()
    await _ask(portal, content, "2026-03-20", "ben")
    await portal.catch_up()
    assert {name: len(told) for name, told in (await _told(portal)).items()} == {"ada": 1, "ben": 1, "cleo": 0}


async def test_whoever_is_asked_after_a_reminder_hears_no_reminder_of_that_day(portal: Telling) -> None:
    content = await portal.released()
    await _ask(portal, content, "2026-03-20", "ada")
    await portal.catch_up()
    portal.clock.to("2026-03-20", hour=8)
    await _ask(portal, content, "2026-03-20", "ben")
    for _ in range(2):  # the clock remembers whom to tell, and tells them at its next look
        await portal.catch_up()
    assert _days(await _told(portal)) == {"ada": ["2026-03-02", "2026-03-20"], "ben": ["2026-03-20"], "cleo": []}


async def test_nobody_is_asked_to_read_what_they_cannot_read_yet_and_all_are_on_the_day_of_release(
    portal: Telling,
) -> None:
    waiting = await portal.waiting()
    approval = Approval(version=waiting.version, release_on="2026-03-10")
    content = await portal.service.lifecycle.approve(ANNA, waiting.content_id, approval)
    await _ask(portal, content, "2026-03-20")
    await portal.catch_up()
    assert await portal.told(*NAMES) == []
    portal.clock.to("2026-03-10")
    await portal.catch_up()
    await portal.catch_up()
    assert {name: len(told) for name, told in (await _told(portal)).items()} == dict.fromkeys(NAMES, 1)
    proposal = await portal.proposed(content.content_id)
    again = Approval(version=proposal.version, release_on="2026-03-12")
    await portal.service.lifecycle.approve(ANNA, content.content_id, again)
    portal.clock.to("2026-03-12")
    await portal.catch_up()
    await portal.catch_up()
    assert {name: len(told) for name, told in (await _told(portal)).items()} == dict.fromkeys(NAMES, 1)


async def test_a_reminder_of_an_approver_reaches_those_who_have_not_confirmed_of_each_item(portal: Telling) -> None:
    first, second = await portal.released(), await portal.released()
    for content in (first, second):
        await _ask(portal, content, "2026-03-20", "ada", "ben")
        await portal.service.reading.confirm(READERS[1], content.content_id)
    await portal.catch_up()
    portal.clock.to("2026-03-05")
    for content in (first, second):
        await portal.service.reading.remind(ANNA, content.content_id)
    await portal.catch_up()
    told = _days(await _told(portal))
    assert told == {"ada": ["2026-03-02"] * 2 + ["2026-03-05"] * 2, "ben": [], "cleo": []}


async def test_a_new_version_that_asks_again_tells_whoever_confirmed_the_old_one(portal: Telling) -> None:
    content = await portal.released()
    await _ask(portal, content, "2026-04-20", "ada", "ben")
    await portal.catch_up()
    await portal.service.reading.confirm(READERS[0], content.content_id)
    proposal = await portal.proposed(content.content_id)
    portal.clock.to("2026-03-05")
    approval = Approval(version=proposal.version, ask_again=True)
    await portal.service.lifecycle.approve(ANNA, content.content_id, approval)
    for _ in range(2):
        await portal.catch_up()
        await jobs_of(portal.kit, build(portal.kit)).drain()
        await portal.replay(2)
    assert _days(await _told(portal)) == {"ada": ["2026-03-02", "2026-03-05"], "ben": ["2026-03-02"], "cleo": []}


async def test_the_owner_hears_of_a_report_and_whoever_reported_of_the_answer(portal: Telling) -> None:
    content = await portal.released()
    await portal.catch_up()
    before = await portal.told(CARLA)
    report = await portal.service.reports.add(VERA, content.content_id, NewReport(text="Prices are of last year."))
    await portal.catch_up()
    (told,) = [row for row in await portal.told(CARLA) if row not in before]
    assert (told.title, told.message, told.about) == (
        "“How to price Atlas” was reported as out of date",
        "Prices are of last year.",
        "my_work",
    )
    await portal.service.reports.close(ANNA, public_id(report), ReportAnswer(answer="Mended, thank you."))
    await portal.catch_up()
    await portal.replay(3)
    (answer,) = await portal.told(VERA)
    assert (answer.title, answer.message, answer.type) == (
        "Your report on “How to price Atlas” was answered",
        "Mended, thank you.",
        "success",
    )
    assert len(await portal.told(CARLA)) == len(before) + 1
    assert await portal.told(CARL, ARNO) == []


async def test_an_owner_who_reports_their_own_work_hears_nothing_of_it(portal: Telling) -> None:
    content = await portal.released()
    await portal.catch_up()
    before = await portal.told(CARLA)
    report = await portal.service.reports.add(CARLA, content.content_id, NewReport(text="A note to myself."))
    await portal.service.reports.close(CARLA, public_id(report), ReportAnswer(answer="Mended, thank you."))
    await portal.catch_up()
    assert await portal.told(CARLA) == before


async def test_everybody_is_asked_once_in_bad_weather_by_three_processes_at_once(tmp_path: Path) -> None:
    with telling_in(tmp_path, faults=BAD_WEATHER) as portal:
        people = viewers(f"reader{number}" for number in range(20))
        portal.account(*(each.id for each in people))
        content = await portal.released()
        await _ask(portal, content, "2026-03-20", *(each.id for each in people))
        report = await portal.service.reports.add(VERA, content.content_id, NewReport(text="Prices are old here."))
        await asyncio.gather(portal.replay(3), portal.catch_up())
        await portal.service.reports.close(ANNA, public_id(report), ReportAnswer(answer="Mended, thank you."))
        await asyncio.gather(portal.replay(3), portal.catch_up())
        rows = await portal.told(*people)
        assert Counter(row.user_id for row in rows if row.title == PLEASE) == {each.id: 1 for each in people}
        assert len(await portal.told(VERA)) == 1


@pytest.mark.parametrize("blows", range(1, 10))
async def test_told_once_however_far_a_process_came_before_it_died(portal: Telling, blows: int) -> None:
    content = await portal.released()
    await portal.catch_up()
    dying = portal.dying(Fuse(after=blows))
    request = MustReadRequest(read_by="2026-03-20", usernames=NAMES)
    try:
        await dying.reading.ask(ANNA, content.content_id, request)
        await dying.clock.run_due()
    except (Crash, BaseExceptionGroup):
        await portal.catch_up()
        if not any((await _told(portal)).values()):
            await portal.service.reading.ask(ANNA, content.content_id, request)
    await portal.catch_up()
    assert {name: len(told) for name, told in (await _told(portal)).items()} == dict.fromkeys(NAMES, 1)
