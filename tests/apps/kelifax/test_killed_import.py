"""An import whose process is killed in the middle, several times: it begins again, every row is added once, and the
report tells what became of each."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import orjson
import pytest

from partita.apps.kelifax import schema
from partita.apps.kelifax.permissions import ROLES
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.transfer import FOLDER
from partita.kit.jobs import Job
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite
from tests.apps.kelifax.conftest import approved
from tests.apps.killed_jobs import KILLS, ROWS, TIMEOUT, killed_at_work, suite_in

NAMES = [f"Loom {number}" for number in range(ROWS)]
PUBLISHED = (True,) if KILLS <= 2 else (True, False)


def _row(name: str) -> dict[str, object]:
    return {
        "resourceName": name,
        "resourceUrl": f"https://{name.replace(' ', '-').lower()}.example.org",
        "usagePurpose": "Weaves by steam, with cards that tell it how.",
        "category": "design",
        "tags": ["cards"],
    }


async def _begin(service: KelifaxService, kit: Kit, *, publish: bool) -> tuple[Viewer, Job]:
    account = await kit.accounts.registration.create(
        "ada", "ada@example.org", "Ada Admin", "correct horse battery", roles=["kelifax:admin"]
    )
    admin = Viewer(user_id=account.user_id, username="ada", permissions=ROLES["admin"])
    there = await approved(service, "There", resource__tags=[])
    rows = [
        *map(_row, NAMES),
        _row(NAMES[0]),
        {"resourceName": "Bad"},
        {**_row("Again"), "resourceUrl": there.resource_url},
    ]
    kept = await service.transfer.keep(orjson.dumps(rows), "list.json")
    return admin, await service.transfer.begin(admin, kept, publish=publish)


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("publish", PUBLISHED, ids=lambda publish: "published" if publish else "waiting")
def test_an_import_that_is_killed_in_the_middle_goes_on_and_adds_every_row_once(
    tmp_path: Path, *, publish: bool
) -> None:
    suite = suite_in(tmp_path, "kelifax")
    kit, service = suite.kit, KelifaxService(suite.kit)
    admin, started = asyncio.run(_begin(service, kit, publish=publish))

    def rows_done(_job: Job) -> int:
        return sum(total.count for total in kit.tables.stream(schema.totals("status"))) - 1

    ended = killed_at_work(tmp_path, "kelifax", kit, started, rows_done)
    asyncio.run(_check(service, kit, admin, ended, publish=publish))
    asyncio.run(_close(suite))


async def _close(suite: Suite) -> None:
    await suite.close()


async def _check(service: KelifaxService, kit: Kit, admin: Viewer, ended: Job, *, publish: bool) -> None:
    report = service.transfer.report(await service.transfer.find(admin, ended.job_id))
    assert report.counts == {"added": ROWS, "there": 2, "refused": 1}
    assert [(row.name, row.outcome) for row in report.rows] == [
        *((name, "added") for name in NAMES),
        (NAMES[0], "there"),
        ("Bad", "refused"),
        ("Again", "there"),
    ]
    added = [each async for each in kit.store.scan_whole_table(schema.Resource) if each.imported_in == ended.job_id]
    assert Counter(each.resource_name for each in added) == dict.fromkeys(NAMES, 1)
    assert {row.slug for row in report.of("added")} == {each.resource_slug for each in added}
    guards = [each async for each in kit.store.scan_whole_table(schema.ResourceUrl)]
    assert {each.claimed_by for each in guards} == {"there", *(each.resource_slug for each in added)}
    assert len(guards) == ROWS + 1
    published = ROWS if publish else 0
    statuses = {"approved": 1 + published, "pending": ROWS - published, "rejected": 0}
    assert await service.analytics.statuses() == statuses
    assert (await service.analytics.overview()).by_category["design"] == published
    assert await kit.store.count(schema.approved_with_tag("cards")) == published
    assert await kit.store.count(schema.decisions()) == 1 + published
    assert [file async for file in kit.files.listed(FOLDER)] == [], "the file that was imported is deleted"
