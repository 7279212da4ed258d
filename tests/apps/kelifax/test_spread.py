"""With its hot keys spread by settings, Kelifax shows the same lists: of its own resources and of those it took in."""

from __future__ import annotations

import json
import os
import subprocess
import sys

INDEXES = (
    *("RESOURCESTATUSINDEX", "CATEGORYINDEX", "CATEGORYLISTINDEX", "VIEWSINDEX", "CATEGORYVIEWSINDEX"),
    *(
        "FEATUREDLISTINDEX",
        "SUBMITTERDOMAININDEX",
        "SUBMISSIONLINKINDEX",
        "TAGINDEX",
        "LOGINDEX",
        "HISTORYINDEX",
        "COUNTINDEX",
    ),
)
PROGRAM = """
import asyncio, json, tempfile
from dataclasses import replace
from pathlib import Path
from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.inputs import ResourceEdit
from partita.table import Update
from tests.apps.house import kit_on
from tests.apps.kelifax import original
from tests.apps.kelifax.original import adopt_all
from tests.apps.kelifax.conftest import MOD, slugs_of, submission


def _sent(request):
    yield request


async def main():
    with tempfile.TemporaryDirectory() as folder, kit_on(Path(folder), schema.RESOURCES) as kit:
        service = KelifaxService(kit)
        for number, status in enumerate(["pending", "approved", "rejected", "approved"] * 2):
            for row in [original.resource(f"its-{number}", status, viewCount=number, featured=number == 1)]:
                await original.write(kit, row if number < 4 else original.least(row))
        for number in range(4):
            form = submission(f"Ours {number}", f"https://ours-{number}.example.org", resource__tags=["automation"])
            await service.submissions.submit(form, "x")
        await service.moderation.approve(MOD, "ours-0")
        await service.views.count("ours-0", 2)
        await service.views.add_waiting()
        await service.moderation.reject(MOD, "ours-1", "no")
        await service.moderation.edit(MOD, "its-1", ResourceEdit(category="design"))
        await service.reports.add("its-1", "dead", "x")
        await service.reports.add("its-3", "dead", "x")
        await adopt_all(kit)
        await service.moderation.reject(MOD, "its-3", "no")
        await service.moderation.delete(MOD, "its-7")
        # What the original approves later knows nothing of keys that are spread.
        pending = await service.moderation.inspect("ours-3")
        request = Update(pending.own_key, Resource.resource_status.set("approved")).making_anew(pending).request()
        plain = replace(request, update=type(request.update)(request.update.actions[:1]))
        await kit.store.run(_sent(plain))
        await adopt_all(kit)
        overview = await service.analytics.overview()

        async def slugs(query):
            return sorted([each.resource_slug async for each in kit.store.stream(query)])

        lists = {status: await slugs(schema.resources_with_status(status)) for status in overview.by_status}
        for category in ("development", "design"):
            lists[category] = await slugs(schema.resources_in(category))
            for sort in ("newest", "popular"):
                page = await service.resources.browse(category=category, sort=sort)
                lists[f"{category} {sort}"] = sorted(slugs_of(page))
        views = [[-each.view_count, each.resource_slug] for each in overview.most_viewed]
        lists["popular"] = sorted(views)  # those with as many views come in any order
        assert [count for count, _ in views] == [count for count, _ in lists["popular"]]
        lists["featured"] = [each.resource_slug for each in await service.resources.featured()]
        lists["domain"] = await slugs(schema.resources_from("techcorp.com"))
        lists["submission"] = [(await service.submissions.status("submission-of-its-2")).resource_slug]
        lists["tag"] = sorted(slugs_of(await service.resources.browse(tags=["automation"])))
        lists["log"] = [[entry.slug, entry.action] for entry in (await service.moderation.log(limit=50)).items]
        lists["history"] = [entry.action for entry in await service.moderation.history("its-3")]
        lists["reports"] = sorted(each.slug for each in (await service.reports.all_open()).items)
        lists["totals"] = [overview.by_status, overview.by_category]
        lists["domains"] = list(overview.by_submitter_domain.items())
        lists["days"] = list(overview.submissions_per_day.items())[:1]
        print(json.dumps([schema.STATUS_INDEX.shards, lists]))


asyncio.run(main())
"""


def _lists(shards: str) -> tuple[int, dict[str, list[object]]]:
    settings = {f"PARTITA_SHARDS_KELIFAX_RESOURCES_{index}": shards for index in INDEXES} if shards else {}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    ran = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    spread, lists = json.loads(ran.stdout)
    return spread, lists


def test_every_list_is_the_same_with_its_key_spread() -> None:
    (alone, expected), (spread, lists) = _lists(""), _lists("3")
    assert (alone, spread) == (1, 3)
    assert lists == expected
    assert expected["approved"] == ["its-1", "its-5", "ours-0", "ours-3"]
    assert expected["pending"] == ["its-0", "its-4", "ours-2"]
    assert expected["rejected"] == ["its-2", "its-3", "its-6", "ours-1"]
    assert len(expected["popular"]) == 4
