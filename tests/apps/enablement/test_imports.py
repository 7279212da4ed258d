"""Imports: rows checked first, files matched by name, drafts made once however often the work is killed."""

from __future__ import annotations

import asyncio
import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.enablement.inputs import MOST_IMPORT_ROWS, ProductsInput, SuiteInput
from partita.apps.enablement.permissions import CONTRIBUTOR
from partita.apps.enablement.schema import Content, ContentChange
from partita.apps.enablement.service.files import ATTACHMENTS
from partita.apps.enablement.service.import_rows import COLUMNS, read_rows
from partita.apps.enablement.service.imports import Checks
from partita.apps.enablement.system import build
from partita.kit.accounts import Account
from partita.kit.files import UploadedFile
from partita.kit.files.content import TEXT
from partita.kit.jobs import JobLost
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from partita.kit.spreadsheets import line
from tests.apps.enablement.conftest import ADMIN, CARL, CARLA, VERA, Portal, portal_in, with_roles
from tests.apps.house import jobs_of

pytestmark = pytest.mark.anyio


def sheet(*rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> bytes:
    return "".join([line(columns), *(line([row.get(name, "") for name in columns]) for row in rows)]).encode()


def many(number: int, **more: str) -> bytes:
    return sheet(*({"title": f"Item {place}", "summary": "Short.", **more} for place in range(number)))


async def send(
    portal: Portal, checks: Checks, called: str, text: str = "What is in it.", *, line: int | None = None
) -> Checks:
    name = await portal.kit.uploads.keep(ATTACHMENTS, text.encode(), TEXT)
    file = UploadedFile(name, TEXT, len(text.encode()), called)
    return await portal.service.imports.add_file(CARLA, checks.work.import_id, file, line)


async def contents(portal: Portal) -> list[Content]:
    return [each async for each in portal.kit.store.scan_whole_table(Content)]


@pytest.fixture
def joined(tmp_path: Path) -> Iterator[Portal]:
    with portal_in(tmp_path) as portal:
        with_roles(portal.kit)
        yield portal


async def contributor(portal: Portal) -> Viewer:
    """Somebody with an account: jobs ask for it."""
    accounts = portal.kit.accounts
    made = await accounts.administration.create_account(
        accounts.operator(), "cora", "cora@example.org", "Cora", roles=["enablement:contributor"]
    )
    account: Account = made.account
    return Viewer(account.user_id, "cora", "Cora", CONTRIBUTOR, via="session")


# Checking


async def test_every_row_is_checked_and_says_everything_that_is_wrong_with_it(portal: Portal) -> None:
    data = sheet(
        {"title": "Good", "tags": "one; two, three", "review_date": "2027-01-31"},
        {"title": "", "review_date": "31.1.2027"},
        {"title": "Bad suite", "suite": "A#B"},
        {"title": "First", "file_name": "Same.PDF"},
        {"title": "Second", "file_name": "same.pdf"},
        {"title": "x" * 301},
    )
    checks = await portal.service.imports.begin(CARLA, data, "rows.csv")
    problems = {row.number: row.problem for row in checks.bad}
    assert [row.number for row in checks.good] == [2, 5]
    assert "title: Please fill this in." in problems[3]
    assert "review_date: Enter a day such as 2026-01-31." in problems[3]
    assert problems[4].startswith("suite: Leave out")
    assert problems[6] == "file_name: Line 5 has this file already."
    assert problems[7].startswith("title: ")
    assert checks.good[0].content.tags == ("one", "two", "three")
    assert (checks.work.row_count, checks.work.bad_rows, checks.work.state) == (6, 4, "waiting")
    assert await contents(portal) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"title,summary\n", "no row"),
        (b"name,summary\nA,B\n", "at least title"),
        (b"title,colour\nA,blue\n", "It has colour"),
        (b"title,title\nA,B\n", "twice"),
        (many(MOST_IMPORT_ROWS + 1), "at most 500 rows"),
        (b"PK\x03\x04\x14\x00xl/workbook.xml\xff", "This is an Excel file: save it as CSV"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_whole(portal: Portal, data: bytes, reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        await portal.service.imports.begin(CARLA, data, "rows.csv")
    assert reason in refused.value.errors[0].message


def test_a_file_from_any_spreadsheet_is_read() -> None:
    with_marks = "\ufeffTitle;File name;Tags\r\n„Über“ uns;a.pdf;x, y\r\n\r\n"
    (row,) = read_rows(with_marks.encode())
    assert (row.title, row.file_name, row.problem) == ("„Über“ uns", "a.pdf", "")
    (western,) = read_rows("title\nPrüfung\n".encode("cp1252"))
    assert western.title == "Prüfung"


async def test_bad_rows_come_back_as_a_file_that_can_be_corrected_and_sent_again(portal: Portal) -> None:
    checks = await portal.service.imports.begin(
        CARLA, sheet({"title": "", "summary": "=HYPERLINK(1)", "tags": "a,b"}, {"title": "Good"}), "rows.csv"
    )
    given = list(csv.DictReader(io.StringIO(checks.csv.removeprefix("\ufeff"))))
    assert [(row["summary"], row["tags"]) for row in given] == [("'=HYPERLINK(1)", "a,b")], "no formula is run"
    assert given[0]["problem"] == "title: Please fill this in."
    corrected = checks.csv.replace("\r\n,", "\r\nMended,", 1)
    again = await portal.service.imports.begin(CARLA, corrected.encode(), "rows.csv")
    assert [(row.title, row.cells["summary"]) for row in again.good] == [("Mended", "=HYPERLINK(1)")]


async def test_a_product_that_is_not_in_the_list_is_to_be_corrected(portal: Portal) -> None:
    products = ProductsInput(revision=0, suites=(SuiteInput(name="Lumen"), SuiteInput(name="Tara")))
    await portal.service.products.save(ADMIN, products)
    data = sheet(*({"title": "One", "suite": suite} for suite in ("Lumen", "Lumem", "lumen", "Quartz", "")))
    checks = await portal.service.imports.begin(CARLA, data, "rows.csv")
    assert [row.number for row in checks.good] == [2, 6]
    assert [row.problem for row in checks.bad] == [
        "suite: There is no product “Lumem”. Did you mean “Lumen”?",
        "suite: There is no product “lumen”. Did you mean “Lumen”?",
        "suite: There is no product “Quartz”. Choose one of the list, or ask an administrator to add it.",
    ]


# Files


async def test_a_file_of_any_name_is_chosen_for_a_row_and_keeps_its_name(portal: Portal) -> None:
    imports = portal.service.imports
    data = sheet({"title": "One", "file_name": "one.txt"}, {"title": "Two", "file_name": "two.txt"}, {"title": "Three"})
    checks = await imports.begin(CARLA, data, "rows.csv")
    assert [row.title for row in checks.ready] == ["Three"]
    checks = await send(portal, checks, "scan 4711.txt", line=3)
    assert [row.title for row in checks.ready] == ["Two", "Three"]
    with pytest.raises(Invalid) as refused:
        await send(portal, checks, "one.txt", line=4)
    assert refused.value.errors[0].message == "Line 4 does not wait for a file."
    await imports.make_drafts(CARLA, checks.work.import_id)
    assert {each.title: each.file_name for each in await contents(portal)} == {"Two": "scan 4711.txt", "Three": None}


async def test_a_file_of_a_row_that_must_be_corrected_is_told_so(portal: Portal) -> None:
    checks = await portal.service.imports.begin(CARLA, sheet({"title": "", "file_name": "one.txt"}), "rows.csv")
    with pytest.raises(Invalid) as refused:
        await send(portal, checks, "one.txt")
    assert refused.value.errors[0].message == "Line 2 names it, but must be corrected first."


async def test_an_import_that_waits_is_discarded_with_its_files(portal: Portal) -> None:
    imports = portal.service.imports
    kept = await imports.begin(CARLA, many(1), "kept.csv")
    checks = await imports.begin(CARLA, sheet({"title": "One", "file_name": "one.txt"}), "rows.csv")
    checks = await send(portal, checks, "one.txt")
    with pytest.raises(NotFound):
        await imports.discard(CARL, checks.work.import_id)
    await imports.discard(CARLA, checks.work.import_id)
    for name in (checks.work.rows_key, checks.work.files["one.txt"].key):
        assert not await portal.kit.files.exists(name)
    assert [each.called for each in await imports.mine(CARLA)] == ["kept.csv"]
    with pytest.raises(NotFound):
        await imports.discard(CARLA, checks.work.import_id)
    await imports.make_drafts(CARLA, kept.work.import_id)
    with pytest.raises(Conflict):
        await imports.discard(CARLA, kept.work.import_id)


async def test_files_are_matched_by_name_and_become_attachments(portal: Portal) -> None:
    imports = portal.service.imports
    checks = await imports.begin(
        CARLA, sheet({"title": "One", "file_name": "Café.txt"}, {"title": "Two", "file_name": "two.txt"}), "rows.csv"
    )
    checks = await send(portal, checks, "CAFE\u0301.TXT")
    assert [row.title for row in checks.awaited] == ["Two"]
    await imports.make_drafts(CARLA, checks.work.import_id)
    checks = await imports.find(CARLA, checks.work.import_id)
    (draft,) = await contents(portal)
    assert (draft.title, draft.file_name, draft.content_type, draft.size_bytes) == ("One", "Café.txt", TEXT, 14)
    assert draft.s3_key is not None
    assert (await portal.kit.files.load(draft.s3_key)).data == b"What is in it."
    assert [(row.title, row.problem) for row in checks.bad] == [("Two", "file_name: Its file was not sent.")]
    assert (checks.work.done_rows, checks.work.bad_rows) == (1, 1)


async def test_a_file_that_no_row_names_is_refused_and_deleted(portal: Portal) -> None:
    checks = await portal.service.imports.begin(CARLA, sheet({"title": "One", "file_name": "one.txt"}), "rows.csv")
    name = await portal.kit.uploads.keep(ATTACHMENTS, b"x", TEXT)
    with pytest.raises(Invalid) as refused:
        await portal.service.imports.add_file(CARLA, checks.work.import_id, UploadedFile(name, TEXT, 1, "other.txt"))
    assert "“other.txt”" in refused.value.errors[0].message
    assert not await portal.kit.files.exists(name)


async def test_a_file_that_is_sent_again_replaces_the_first(portal: Portal) -> None:
    checks = await portal.service.imports.begin(CARLA, sheet({"title": "One", "file_name": "one.txt"}), "rows.csv")
    first = (await send(portal, checks, "one.txt", "old")).work.files["one.txt"]
    second = (await send(portal, checks, "one.txt", "new")).work.files["one.txt"]
    assert not await portal.kit.files.exists(first.key)
    assert await portal.kit.files.exists(second.key)


# Whose


async def test_an_import_is_its_owners_and_administrators(portal: Portal) -> None:
    imports = portal.service.imports
    checks = await imports.begin(CARLA, many(1), "rows.csv")
    assert (await imports.find(ADMIN, checks.work.import_id)).work.begun_by == "carla"
    with pytest.raises(NotFound):
        await imports.find(CARL, checks.work.import_id)
    with pytest.raises(Forbidden):
        await imports.begin(VERA, many(1), "rows.csv")
    assert [each.import_id for each in await imports.mine(CARLA)] == [checks.work.import_id]
    assert await imports.mine(CARL) == []


async def test_the_latest_twenty_are_listed_newest_first(portal: Portal) -> None:
    begun = [(await portal.service.imports.begin(CARLA, many(1), f"{place}.csv")).work for place in range(22)]
    mine = await portal.service.imports.mine(CARLA)
    assert [each.called for each in mine] == [each.called for each in reversed(begun[2:])]


# Making drafts


async def test_500_rows_are_checked_in_a_moment_and_made_once_however_often_it_is_killed(portal: Portal) -> None:
    imports = portal.service.imports
    begun = time.process_time()
    checks = await imports.begin(CARLA, many(MOST_IMPORT_ROWS, tags="a;b", suite="Lumen"), "rows.csv")
    assert time.process_time() - begun < 5
    import_id = checks.work.import_id
    for kill_at in (3, 100, 101, 250, 499):

        async def progress(step: str, done: int, total: int, kill_at: int = kill_at) -> None:
            assert total == MOST_IMPORT_ROWS
            if done == kill_at:
                raise JobLost(step)

        with pytest.raises(JobLost):
            await imports.make_drafts(CARLA, import_id, progress)
        assert len(await contents(portal)) == kill_at
    both = await asyncio.gather(*(imports.make_drafts(CARLA, import_id) for _ in range(3)))
    assert {work.done_rows for work in both} == {MOST_IMPORT_ROWS}
    made = await contents(portal)
    assert sorted(each.title for each in made) == sorted(f"Item {place}" for place in range(MOST_IMPORT_ROWS))
    created = [each async for each in portal.kit.store.scan_whole_table(ContentChange)]
    assert len(created) == MOST_IMPORT_ROWS, "one row of the history each"
    await imports.make_drafts(CARLA, import_id)
    assert len(await contents(portal)) == MOST_IMPORT_ROWS


async def test_a_killed_row_with_a_file_keeps_its_file(portal: Portal) -> None:
    imports = portal.service.imports
    checks = await imports.begin(CARLA, sheet({"title": "One", "file_name": "one.txt"}, {"title": "Two"}), "rows.csv")
    await send(portal, checks, "one.txt")

    async def progress(step: str, done: int, total: int) -> None:
        if done == 1:
            raise JobLost(step)

    with pytest.raises(JobLost):
        await imports.make_drafts(CARLA, checks.work.import_id, progress)
    work = await imports.make_drafts(CARLA, checks.work.import_id)
    assert (work.done_rows, work.refused) == (2, {})
    (one,) = [each for each in await contents(portal) if each.title == "One"]
    assert one.s3_key is not None
    assert await portal.kit.files.exists(one.s3_key)


async def test_the_job_makes_the_drafts_and_submits_those_that_are_complete(joined: Portal) -> None:
    imports, cora = joined.service.imports, await contributor(joined)
    system = build(joined.kit)
    worker = jobs_of(joined.kit, system)
    data = sheet({"title": "With a file", "summary": "S", "file_name": "a.txt"}, {"title": "Without", "summary": "S"})
    checks = await imports.begin(cora, data, "rows.csv")
    name = await joined.kit.uploads.keep(ATTACHMENTS, b"x", TEXT)
    await imports.add_file(cora, checks.work.import_id, UploadedFile(name, TEXT, 1, "a.txt"))
    job = await imports.start(cora, checks.work.import_id, submit=True)
    assert (await imports.start(cora, checks.work.import_id, submit=True)).job_id == job.job_id, "two presses, one run"
    await worker.drain()
    ended = await joined.kit.jobs.find(cora, job.job_id)
    assert (ended.state, ended.result_message) == ("done", "2 drafts made, 0 rows refused. 1 submitted for approval.")
    assert {each.title: each.approval_state for each in await contents(joined)} == {
        "With a file": "waiting",
        "Without": None,
    }
    with pytest.raises(Conflict):
        await imports.start(cora, checks.work.import_id)
    with pytest.raises(Conflict):
        await imports.add_file(cora, checks.work.import_id, UploadedFile(name, TEXT, 1, "a.txt"))


async def test_a_job_of_somebody_who_was_suspended_fails_and_makes_nothing(joined: Portal) -> None:
    imports, cora = joined.service.imports, await contributor(joined)
    worker = jobs_of(joined.kit, build(joined.kit))
    checks = await imports.begin(cora, many(2), "rows.csv")
    job = await imports.start(cora, checks.work.import_id)
    await joined.kit.accounts.administration.suspend(joined.kit.accounts.operator(), cora.id)
    await worker.drain()
    assert (await joined.kit.jobs.find(cora, job.job_id)).state == "failed"
    assert await contents(joined) == []


async def test_an_import_without_a_good_row_cannot_be_started(portal: Portal) -> None:
    checks = await portal.service.imports.begin(CARLA, sheet({"title": "", "summary": "S"}), "rows.csv")
    with pytest.raises(Conflict):
        await portal.service.imports.start(CARLA, checks.work.import_id)
