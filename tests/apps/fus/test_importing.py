"""An import is a job: killed anywhere, it goes on; pressed twice, it runs once; every row is reported."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus import schema
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import report as reports
from partita.apps.fus.service.transfer.report import FOLDER, ImportedRow, Journal
from partita.kit.files.schema import Upload
from partita.kit.jobs import JobWorker
from partita.kit.jobs.holds import Hold
from partita.kit.jobs.worker import Pace
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from tests.apps.fus.conftest import account, as_viewer, manager, put
from tests.apps.fus.imports import begun, now, ready
from tests.apps.house import kit_on
from tests.kit.jobs.conftest import at_work
from tests.kit.jobs.kills import go_on, kill

pytestmark = pytest.mark.anyio


def _file(count: int, **more: object) -> bytes:
    return orjson.dumps([{"url": f"https://{number}.example.org", "tags": ["all"], **more} for number in range(count)])


async def _files(kit: Kit) -> list[str]:
    return [file.name async for file in kit.files.listed(FOLDER)]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(1, 40), st.booleans()), max_size=8, unique_by=lambda kill: kill[0]),
    st.sampled_from([0, 300, 20_000]),
)
async def test_killed_at_any_save_it_goes_on_and_no_site_is_added_twice(
    tmp_path_factory: pytest.TempPathFactory, kills: list[tuple[int, bool]], in_checkpoint: int
) -> None:
    with kit_on(tmp_path_factory.mktemp("killed"), FUS) as kit, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(reports, "_MOST_BYTES", in_checkpoint)
        service = FusService(kit)
        await put(service, url="https://3.example.org")
        rows = [{"url": f"https://{number % 12}.example.org", "tags": ["all"]} for number in range(15)]
        started = await begun(service, manager(), orjson.dumps([*rows, {"url": "no"}]))
        kill(monkeypatch, Hold, "save", at=kills)
        await go_on(kit.jobs, len(kills))
        ended = await now(kit, started)
        assert (ended.state, ended.result_values) == ("done", {"added": 11, "there": 4, "refused": 1})
        report = await service.transfer.report(ended)
        assert [row.row for row in report.rows] == list(range(1, 17))
        assert await service.sites.total() == 12
        assert (await service.catalog.browse(tags=["all"])).total == 11
        sites = [site async for site in kit.store.stream(schema.newest_sites())]
        assert len({site.url for site in sites}) == len(sites) == 12
        assert {row.site_id for row in report.rows if row.outcome == "added"} <= {site.site_id for site in sites}


async def test_of_a_large_report_the_checkpoint_holds_the_latest_rows_and_a_file_the_others(
    service: FusService, kit: Kit
) -> None:
    rows = [{"url": f"\U0001f30d{number}\x01" * 300} for number in range(300)]
    started = await begun(service, manager(), orjson.dumps(rows))
    await JobWorker(kit.jobs).drain()
    ended = await now(kit, started)
    assert ended.checkpoint is not None
    assert len(ended.checkpoint) < 25_000
    report = await service.transfer.report(ended)
    assert (len(report.rows), report.refused) == (300, 300)
    assert max(len(row.url) for row in report.rows) <= 301
    (kept,) = await _files(kit)
    assert kept == orjson.loads(ended.checkpoint)["file"], "the file that was imported and older reports are gone"
    waits = [upload.name async for upload in kit.store.scan_whole_table(Upload)]
    assert waits == [kept], "it is deleted when the job is forgotten"


@given(
    st.lists(
        st.builds(
            ImportedRow.of,
            st.integers(1, 9),
            st.text(max_size=400),
            st.sampled_from(("added", "there", "refused")),
            st.text(max_size=400),
            st.none() | st.just("01m"),
        ),
        max_size=8,
    )
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_journal_is_read_as_it_was_saved(kit: Kit, rows: list[ImportedRow]) -> None:
    journal = Journal(kit)
    for number, row in enumerate(rows):
        journal.add(row)
        if number % 3 == 2:
            await journal.move_to_file()
    read = await Journal.load(kit, orjson.loads(orjson.dumps(journal.checkpoint)))
    assert read.report == journal.report
    assert read.checkpoint == journal.checkpoint


async def test_cancelled_it_keeps_what_it_has_added_and_can_be_gone_on_with(
    service: FusService, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = manager()
    started = await begun(service, viewer, _file(30))
    save, halfway = Hold.save, asyncio.Event()

    async def cancelled_halfway(hold: Hold, *arguments: Any, **named: Any) -> None:
        await save(hold, *arguments, **named)
        if not halfway.is_set() and await service.sites.total() == 10:
            halfway.set()
            await kit.jobs.cancel(viewer, started.job_id)

    monkeypatch.setattr(Hold, "save", cancelled_halfway)
    await JobWorker(kit.jobs).drain()
    ended = await now(kit, started)
    assert (ended.state, await service.sites.total()) == ("cancelled", 10)
    assert (await service.transfer.report(ended)).added == 10
    await kit.jobs.retry(viewer, started.job_id)
    await JobWorker(kit.jobs).drain()
    ended = await now(kit, started)
    assert (ended.state, await service.sites.total()) == ("done", 30)
    assert (await service.transfer.report(ended)).added == 30


async def test_two_presses_are_one_run_and_leave_one_file(service: FusService, kit: Kit) -> None:
    viewer, data = manager(), _file(3)
    first, second = await asyncio.gather(begun(service, viewer, data), begun(service, viewer, data))
    assert first.job_id == second.job_id
    assert len(await _files(kit)) == 1
    others = [
        await begun(service, manager(), data),
        await begun(service, viewer, _file(4)),
        await begun(service, viewer, data, folders_as_tags=True),
    ]
    assert len({first.job_id, *(job.job_id for job in others)}) == 4
    await JobWorker(kit.jobs).drain()
    assert (await begun(service, viewer, data)).job_id != first.job_id, "it has ended"
    assert await service.sites.total() == 4


async def test_several_imports_of_the_same_sites_at_once_add_each_once(service: FusService, kit: Kit) -> None:
    started = [await begun(service, manager(), _file(40)) for _ in range(4)]
    async with at_work(*(JobWorker(kit.jobs) for _ in range(3))):
        for each in started:
            await kit.jobs.ended_within(each, 60)
    ended = [await now(kit, each) for each in started]
    reports = [await service.transfer.report(each) for each in ended]
    assert sum(report.added for report in reports) == 40
    assert {report.added + report.there for report in reports} == {40}
    assert await service.sites.total() == 40


async def test_a_file_that_is_gone_is_told(service: FusService, kit: Kit) -> None:
    started = await begun(service, manager(), _file(1))
    await kit.uploads.discard(orjson.loads(started.arguments)["file"])
    await JobWorker(kit.jobs).drain()
    ended = await now(kit, started)
    assert (ended.state, ended.error) == ("failed", "The file is no longer there. Choose it again.")


async def test_what_is_refused_leaves_no_file(service: FusService, kit: Kit) -> None:
    with pytest.raises(Exception, match="empty"):
        await begun(service, manager(), b"")
    assert await _files(kit) == []


@pytest.fixture
async def importer(service: FusService, kit: Kit) -> Viewer:
    ready(service)
    return await as_viewer(kit, await account(kit, "Ida"))


async def test_whoever_imports_hears_once_that_it_is_done(service: FusService, kit: Kit, importer: Viewer) -> None:
    started = await begun(service, importer, _file(2), called="My links.html")
    await JobWorker(kit.jobs).drain()
    (told,) = await kit.notifications.page(importer)
    assert told.words.title == "“My links.html” is imported"
    assert told.words.text == "2 added, 0 already there, 0 refused."
    assert told.link == f"/fus/import/{started.job_id}"


async def test_killed_while_it_tells_it_tells_once(
    service: FusService, kit: Kit, importer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = await begun(service, importer, _file(2))
    kill(monkeypatch, kit.uploads, "discard", at=[(1, True), (2, True)])
    await go_on(kit.jobs, 2)
    assert (await now(kit, started)).state == "done"
    assert len((await kit.notifications.page(importer)).items) == 1


async def test_whoever_imports_hears_that_it_failed_and_why(service: FusService, kit: Kit, importer: Viewer) -> None:
    started = await begun(service, importer, b"{", "json")
    await JobWorker(kit.jobs).drain()
    (told,) = await kit.notifications.page(importer)
    assert told.words.title == "“bookmarks.html” was not imported"
    assert told.words.text.startswith("This is not JSON")
    assert told.link == f"/jobs/{started.job_id}"


async def test_whoever_imports_hears_that_it_was_cancelled_or_given_up(
    service: FusService, kit: Kit, importer: Viewer
) -> None:
    cancelled = await begun(service, importer, _file(1), called="cancelled.html")
    await kit.jobs.cancel(importer, cancelled.job_id)
    await begun(service, importer, _file(2), called="given-up.html")
    await JobWorker(kit.jobs, pace=Pace(stalls=0)).drain()
    texts = {told.words.title: told.words.text for told in await kit.notifications.page(importer)}
    assert texts == {
        "“cancelled.html” was not imported": "The import was cancelled. What it had added before stays.",
        "“given-up.html” was not imported": "The work was interrupted again and again without getting ahead.",
    }


async def test_a_large_file_is_read_in_a_process_of_its_own(service: FusService, kit: Kit) -> None:
    data = orjson.dumps([{"url": f"https://{number}.example.org", "description": "x" * 1500} for number in range(80)])
    assert len(data) > 100_000
    started = await begun(service, manager(), data)
    await JobWorker(kit.jobs).drain()
    assert (await now(kit, started)).result_values == {"added": 80, "there": 0, "refused": 0}
