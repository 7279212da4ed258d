"""Files of other services are imported: Pinboard's, Raindrop's and Pocket's; checked first if that is wanted."""

from __future__ import annotations

import csv
import io
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer.bookmarks import bookmarks
from partita.apps.fus.service.transfer.listing import objects
from partita.apps.fus.service.transfer.spreadsheet import lines
from partita.kit.jobs import Job, JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from tests.apps.fus.conftest import manager, put
from tests.apps.fus.imports import now, ready
from tests.apps.house import kit_on

pytestmark = pytest.mark.anyio

PINBOARD = orjson.dumps(
    [
        {
            "href": "https://maps.example.org/",
            "description": "Old maps",
            "extended": "Scans of <old> maps",
            "meta": "0f",
            "hash": "a1",
            "time": "2019-04-05T06:07:08Z",
            "shared": "yes",
            "toread": "no",
            "tags": "Maps history",
        },
        {"href": "https://diary.example.org/", "description": "Mine", "shared": "no", "tags": ""},
    ]
)
RAINDROP = b"""id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite
1,Old maps,,What the page says,https://maps.example.org/,Travel / Maps,"maps, history",2019-04-05T06:07:08.000Z,,,false
2,Bread,My own words,Theirs,https://bread.example.org/,Unsorted,,2020-01-01T00:00:00.000Z,,,true
"""
POCKET_CSV = b"""title,url,time_added,tags,status
Old maps,https://maps.example.org/,1554444428,maps|history,unread
https://bread.example.org/,https://bread.example.org/,1577836800,,archive
"""
POCKET_HTML = b"""<!DOCTYPE html><html><head><title>Pocket Export</title></head><body><h1>Unread</h1><ul>
<li><a href="https://maps.example.org/" time_added="1554444428" tags="maps,history">Old maps</a></li>
</ul><h1>Read Archive</h1><ul><li><a href="https://bread.example.org/" time_added="1577836800" tags="">Bread</a></li>
</ul></body></html>"""
DAY = "2019-04-05T06:07:08.000000Z"


def test_a_bookmark_of_pinboard_has_its_title_text_tags_and_day_and_a_private_one_is_left_out() -> None:
    shared, private = objects(PINBOARD)
    assert shared.fields == {
        "url": "https://maps.example.org/",
        "title": "Old maps",
        "description": "Scans of <old> maps",
        "tags": ["Maps", "history"],
        "createdAt": "2019-04-05T06:07:08Z",
    }
    assert (shared.problem, private.problem) == ("", "It is private at Pinboard.")


def test_a_row_of_raindrop_prefers_the_own_note_and_its_folders_become_tags_if_that_is_wanted() -> None:
    maps, bread = (row.fields for row in lines(RAINDROP))
    assert (maps["description"], bread["description"]) == ("What the page says", "My own words")
    assert [tag.strip() for tag in maps["tags"]] == ["maps", "history"]
    maps, bread = (row.fields for row in lines(RAINDROP, folders_as_tags=True))
    assert [tag.strip() for tag in maps["tags"]] == ["maps", "history", "Travel", "Maps"]
    assert bread["tags"] == [], "“Unsorted” is no subject"


def test_both_files_of_pocket_say_the_same() -> None:
    for rows in (lines(POCKET_CSV), bookmarks(POCKET_HTML, folders_as_tags=False)):
        maps, bread = (row.fields for row in rows)
        assert (maps["url"], maps["title"], maps["tags"]) == (
            "https://maps.example.org/",
            "Old maps",
            ["maps", "history"],
        )
        assert bread["tags"] == []
        assert bread.get("title") in (None, "Bread"), "an address is no title"


async def begun(service: FusService, viewer: Viewer, data: bytes, **options: Any) -> Job:
    ready(service)
    return await service.transfer.begin_import(viewer, await service.transfer.keep(data, "file"), **options)


async def ended(kit: Kit, job: Job) -> Job:
    await JobWorker(kit.jobs).drain()
    job = await now(kit, job)
    assert job.state == "done", job
    return job


@pytest.mark.parametrize("data", [PINBOARD, RAINDROP, POCKET_CSV, POCKET_HTML])
async def test_every_file_is_imported_with_its_days_and_twice_changes_nothing(
    kit: Kit, service: FusService, data: bytes
) -> None:
    viewer = manager()
    first = await ended(kit, await begun(service, viewer, data, tags=("from elsewhere",)))
    before = {each.item.url: each.item for each in await service.catalog.browse()}
    maps = before["https://maps.example.org/"]
    assert (maps.title, maps.created_at, maps.tags) == ("Old maps", DAY, ("from elsewhere", "maps", "history"))
    again = await ended(kit, await begun(service, viewer, data, tags=("again",)))
    assert again.result_values == {"added": 0, "there": len(before), "refused": (first.result_values or {})["refused"]}
    assert {each.item.url: each.item for each in await service.catalog.browse()} == before


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "url": st.integers(0, 6).map(lambda number: f"https://{number}.example.org") | st.sampled_from(["", "no"]),
            "title": st.text(max_size=10),
            "tags": st.lists(st.sampled_from(["a", "b", "c"]), max_size=3).map("|".join),
            "time_added": st.sampled_from(["1554444428", "", "soon"]),
            "status": st.just("unread"),
        }
    ),
    min_size=1,
    max_size=10,
)


def _pocket(rows: list[dict[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS)
async def test_a_dry_run_says_exactly_what_the_import_then_does_and_adds_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    with kit_on(tmp_path_factory.mktemp("dry"), FUS) as kit:
        service, viewer = FusService(kit), manager()
        await put(service, url="https://3.example.org")
        checked = await ended(kit, await begun(service, viewer, _pocket(rows), tags=("all",), dry_run=True))
        assert await service.sites.total() == 1
        assert checked.result_message.startswith("Checked, nothing added:")
        done = await ended(kit, await service.transfer.import_checked(viewer, checked.job_id))
        assert done.result_values == checked.result_values
        foreseen, report = await service.transfer.report(checked), await service.transfer.report(done)
        assert [(row.url, row.outcome) for row in report.rows] == [(row.url, row.outcome) for row in foreseen.rows]
        added = [each.item for each in await service.catalog.browse() if each.item.url != "https://3.example.org"]
        assert len(added) == report.added
        assert all(site.tags[0] == "all" for site in added)
        with pytest.raises(Conflict, match="imported already"):
            await service.transfer.import_checked(viewer, done.job_id)
        with pytest.raises(NotFound):
            await service.transfer.import_checked(manager(), checked.job_id)
