"""`partita adopt SYSTEM --recount`: after damage, or after `partita copy`, counters are what a count of the rows is."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from partita.apps.fus.schema import FUS, STARS, Comment, Membership, Rating, Site, TagTotal, Total, total
from partita.apps.fus.service import FusService
from partita.apps.fus.service.recounting import RECOUNTS as OF_FUS
from partita.apps.kelifax.schema import RESOURCES, Resource, Upvote
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.recounting import RECOUNTS as OF_KELIFAX
from partita.bootstrap import build
from partita.cli import app
from partita.engine import Engine
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.recounting import Recount
from partita.kit.settings import Settings
from partita.store import EmbeddedStore, Store
from partita.table import Put, Update
from tests.apps.house import person
from tests.commands.journaled import Journal, Writer, await_more, sites, working
from tests.commands.people import counters_equal_a_count, prepared
from tests.demo_folder import copy_demo
from tests.web.serving import serving

TABLES = {"fus": FUS.name, "kelifax": RESOURCES.name}
RECOUNTS = {"fus": OF_FUS, "kelifax": OF_KELIFAX}
Counters = dict[tuple[str, str], int]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "data"
    copy_demo(folder)
    return folder


@pytest.fixture
def data(demo: Path, tmp_path: Path) -> Path:
    shutil.copytree(demo, tmp_path / "data")
    return tmp_path / "data"


def _run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.output


@contextmanager
def _opened(data: Path) -> Iterator[EmbeddedStore]:
    with Engine(data, durability="off", background=False) as engine:
        yield EmbeddedStore(engine)


def _counters(store: Store, recounts: tuple[Recount, ...]) -> Counters:
    """Every counter that is not zero."""
    return {
        (str(item.own_key.wire), counter.field_name): value
        for recount in recounts
        for kind, counters in recount.counters.items()
        for item in store.scan_whole_table(kind)
        for counter in counters
        if (value := getattr(item, counter.field_name) or 0)
    }


@pytest.mark.parametrize("system", RECOUNTS)
def test_what_services_have_counted_is_right_and_any_damage_is_corrected_by_one_run(data: Path, system: str) -> None:
    assert "corrected  0 counters\n" in _run("adopt", system, "--recount", "--data", data)
    random = Random(system)
    with _opened(data) as store:
        right = _counters(store, RECOUNTS[system])
        damaged = 0
        for recount in RECOUNTS[system]:
            for kind, counters in recount.counters.items():
                for item in store.scan_whole_table(kind):
                    counter = random.choice(counters)
                    if random.random() < 0.3 and (getattr(item, counter.field_name) or 0) != (
                        new := random.randint(0, 9)
                    ):
                        store.write(Update(item.own_key, counter.set(new)))
                        damaged += 1
    told = _run("adopt", system, "--recount", "--dry-run", "--data", data)
    assert f"to correct  {damaged:,} counters\n" in told
    assert len(re.findall(r"^wrong    .+: \w+ is [\d,]+, counted [\d,]+$", told, re.MULTILINE)) == damaged > 10
    assert f"corrected  {damaged:,} counters\n" in _run("adopt", system, "--recount", "--data", data)
    with _opened(data) as store:
        assert _counters(store, RECOUNTS[system]) == right
    assert "corrected  0 counters\n" in _run("adopt", system, "--recount", "--data", data)


async def _delete_from_fus(kit: Kit, random: Random) -> None:
    service, store = FusService(kit), kit.store
    for rating in _some(random, [each async for each in store.scan_whole_table(Rating)]):
        await service.ratings.remove(Viewer(rating.user_id), rating.site_id)
    moderator = person("moderator", *kit.accounts.policy.known)
    for comment in _some(random, [each async for each in store.scan_whole_table(Comment)]):
        await service.comments.delete(moderator, comment.site_id, comment.name)
    for site in _some(random, [each async for each in store.scan_whole_table(Site)], 4):
        await service.sites.delete(moderator, site.site_id)
    for member in _some(random, [each async for each in store.scan_whole_table(Membership)]):
        await service.groups.remove_member(moderator, member.group_name, member.user_id)


async def _delete_from_kelifax(kit: Kit, random: Random) -> None:
    service, store = KelifaxService(kit), kit.store
    for vote in _some(random, [each async for each in store.scan_whole_table(Upvote)]):
        await service.liked.take_back(Viewer(vote.user_id), vote.slug)
    moderator = person("moderator", *kit.accounts.policy.known)
    for resource in _some(random, [each async for each in store.scan_whole_table(Resource)]):
        await service.moderation.delete(moderator, resource.resource_slug)


def _some(random: Random, items: list[Any], most: int = 12) -> list[Any]:
    return random.sample(items, min(most, len(items)))


DELETING: dict[str, Callable[[Kit, Random], Awaitable[None]]] = {
    "fus": _delete_from_fus,
    "kelifax": _delete_from_kelifax,
}


@pytest.mark.parametrize("system", RECOUNTS)
def test_after_rows_came_back_by_a_copy_counters_are_as_they_were(demo: Path, data: Path, system: str) -> None:
    async def delete() -> None:
        suite = build(Settings(data=data, systems=(system,), fetch=False))
        try:
            await DELETING[system](suite.kit, Random(system))
            await suite.worker.drain()
        finally:
            await suite.close()

    with _opened(demo) as store:
        before = _counters(store, RECOUNTS[system])
    asyncio.run(delete())
    table = TABLES[system]
    said = _run("copy", table, table, "--from", demo, "--data", data)
    assert said.endswith(f"Next: partita adopt {system} --recount. Counters do not follow a copy; it corrects them.\n")
    with _opened(data) as store:
        assert _counters(store, RECOUNTS[system]) != before
    _run("adopt", system, "--recount", "--data", data)
    with _opened(data) as store:
        assert _counters(store, RECOUNTS[system]) == before
    assert "Next" not in _run("copy", table, table, "--from", demo, "--data", data)
    assert "corrected  0 counters\n" in _run("adopt", system, "--recount", "--data", data)


def test_while_people_use_fus_counters_are_corrected_and_exact_when_they_stop(tmp_path: Path) -> None:
    data = tmp_path / "data"
    people, shared = asyncio.run(prepared(data, ("fus",), dict.fromkeys(("ada", "bob"), "fus:manager")))
    with _opened(data) as store:
        store.write(
            Update(Site.key(Site.site_id(shared)), STARS.count.set(7), STARS.total.set(3), Site.comment_count.set(2))
        )
        store.write(Put(TagTotal(tag="maps", count=40)))
        store.write(Put(Total(of="sites", amount=0)))
    with serving(tmp_path, "--systems", "fus") as suite:
        journals = {name: Journal(tmp_path / f"{name}.journal") for name in people}
        writers = [Writer(suite.url, name, people[name][1], journals[name]) for name in people]
        with working([lambda each=each: sites(each, shared) for each in writers]) as check:  # type: ignore[misc]
            await_more(journals, check)
            command = [sys.executable, "-m", "partita.cli", "adopt", "fus", "--recount", "--data", str(data)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            await_more(journals, check)
    assert re.search(r"^corrected  [1-9]\d* counters$", said, re.MULTILINE), said
    with _opened(data) as store:
        counters_equal_a_count(store, shared)
        number, counted = len(list(store.scan_whole_table(Site))), store.get(total("sites"))
        assert counted is not None
        assert counted.amount == number > 2


def test_a_system_without_counters_is_told(data: Path) -> None:
    said = _run("adopt", "newsletter", "--recount", "--data", data, code=1)
    assert "newsletter has no counters to correct; choose kelifax, fus, or leave out --recount" in said
