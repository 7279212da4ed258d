"""With its hot keys spread by settings, fus shows the same lists: of its own items, and of those it adopted."""

from __future__ import annotations

import json
import os
import subprocess
import sys

INDEXES = (
    "BYENTITY",
    "BYTAG",
    "SITESBYTIME",
    "SITESBYRATING",
    "SITESBYTITLE",
    "BYCOUNT",
    "BYSTARS",
    "BYGROUP",
    "BYSITE",
)
PROGRAM = """
import asyncio, json, tempfile
from pathlib import Path
from partita.apps.fus import schema, system
from partita.apps.fus.inputs import RatingInput, SiteEdit
from partita.apps.fus.schema import BY_TIME, FUS
from partita.apps.fus.service import FusService
from tests.apps.fus import original
from tests.apps.fus.conftest import MANAGES, adopt_everything, member, put
from tests.apps.house import kit_on, worker_of


async def pages(service, **arguments):
    found, cursor = [], None
    while True:
        page = await service.catalog.browse(limit=4, cursor=cursor, **arguments)
        found += [each.item.title for each in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


async def main():
    with tempfile.TemporaryDirectory() as folder, kit_on(Path(folder), FUS) as kit:
        service = FusService(kit)
        sites = [
            await put(service, f"Site {n:02}", tags=["all", *(["even"] if n % 2 == 0 else []), f"t{n % 3}"])
            for n in range(18)
        ]
        for number, site in enumerate(sites):
            await service.ratings.rate(member(), site.site_id, RatingInput(stars=1 + number % 5))
        await service.sites.edit(MANAGES, sites[3].site_id, SiteEdit(tags=("all", "even")))
        await service.sites.delete(MANAGES, sites[7].site_id)
        await worker_of(kit, system.build(kit)).drain()
        lists = {
            f"{sort} {mode} {' '.join(tags)}": await pages(service, sort=sort, mode=mode, tags=tags)
            for sort in ("newest", "title")
            for mode in ("and", "or")
            for tags in ((), ("all",), ("all", "even"), ("even", "t1"))
        }
        rated = (await service.catalog.browse(sort="rating", limit=50)).items
        lists["rating"] = [each.item.rating_sum for each in rated]
        lists["tags"] = [[total.tag, total.count] for total in await service.catalog.tags()]
        lists["popular"] = [total.count for total in await service.catalog.popular_tags()]
        lists["stars"] = sorted(each.site.title for each in (await service.ratings.with_stars(5)).items)
        for n in range(6):
            await original.write(
                kit,
                *original.site(f"old-{n}", "", "all", "old"),
                original.rating("u", f"old-{n}", 1 + n % 5),
                original.comment("u", f"old-{n}", "c"),
                original.group(f"group-{n}", "fus:site:edit"),
                original.membership("u", f"group-{n}"),
            )
        done = await adopt_everything(kit)
        lists["adopted"] = [done.adopted[noun] for noun in ("site", "rating", "comment", "membership")]
        lists["old"] = await pages(service, tags=["old"])
        lists["old by entity"] = sorted([site.site_id async for site in kit.store.stream(schema.all_sites())
            if site.site_id.startswith("old")])
        lists["groups"] = [[group.name, group.member_count] for group in await service.groups.groups()]
        lists["members"] = [len((await service.groups.members(f"group-{n}")).items) for n in range(6)]
        lists["comments"] = [len((await service.comments.of_site(f"old-{n}")).items) for n in range(6)]
        lists["all stars"] = [len((await service.ratings.with_stars(n, limit=50)).items) for n in range(1, 6)]
        print(json.dumps([BY_TIME.shards, lists]))


asyncio.run(main())
"""


def _lists(shards: str) -> tuple[int, dict[str, list[object]]]:
    settings = {f"PARTITA_SHARDS_FUS_MAIN_{index}": shards for index in INDEXES} if shards else {}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    ran = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    spread, lists = json.loads(ran.stdout)
    return spread, lists


def test_every_list_is_the_same_when_its_index_is_spread() -> None:
    (one, plain), (five, spread) = _lists(""), _lists("5")
    assert (one, five) == (1, 5)
    assert plain == spread
    assert len(plain["newest and "]) == 17
    assert plain["adopted"] == [6, 6, 6, 6]
    assert len(plain["old"]) == len(plain["old by entity"]) == 6
    assert plain["groups"] == [[f"group-{number}", 1] for number in range(6)]
    assert plain["members"] == plain["comments"] == [1] * 6
