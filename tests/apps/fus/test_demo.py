"""The demo: a catalog that looks lived in, and whose every sum is what its parts add up to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from partita.apps.fus import schema
from partita.apps.fus.demo import fill
from partita.apps.fus.schema import FUS, Rating
from partita.apps.fus.service import FusService
from partita.bootstrap import build
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.settings import Settings
from tests.apps.fus.conftest import adopt_everything, put
from tests.apps.house import kit_on
from tests.demo_folder import MOST_SECONDS, copy_demo, told_of

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(MOST_SECONDS + 300)]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def filled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[FusService, Kit, str]]:
    data = tmp_path_factory.mktemp("demo") / "data"
    told = told_of("fus", copy_demo(data))
    suite = build(Settings(data=data, fetch=False, systems=("fus",)))
    await suite.worker.drain()
    yield FusService(suite.kit), suite.kit, told
    await suite.close()


async def test_it_says_what_it_made_and_how_to_sign_in(filled: tuple[FusService, Kit, str]) -> None:
    service, kit, told = filled
    counted = re.match(
        r"fus: added (\d+) sites, (\d+) ratings, (\d+) comments and (\d+) groups\. Sign in as (\w+)", told
    )
    assert counted is not None
    assert await service.sites.total() == int(counted[1]) >= 120
    assert "Sign in as ursula (manages groups), elif (edits the catalog), amara (a member) with" in told
    session = await kit.accounts.sessions.sign_in(counted[5], told.rpartition(" ")[2], user_agent="Test/1.0")
    viewer = await kit.accounts.recognition.from_session(session.token)
    assert viewer.may("fus:group:manage"), "by a group, not by a role"
    assert session.account.roles == frozenset()


async def test_every_sum_is_what_its_parts_add_up_to(filled: tuple[FusService, Kit, str]) -> None:
    service, kit, _ = filled
    sites = [site async for site in kit.store.stream(schema.all_sites())]
    ratings: dict[str, list[Rating]] = {}
    for stars in range(1, 6):
        async for rating in kit.store.stream(schema.ratings_with(stars)):
            ratings.setdefault(rating.site_id, []).append(rating)
    assert len({rating.user_id for given in ratings.values() for rating in given}) >= 20
    tags: Counter[str] = Counter()
    for site in sites:
        given = ratings.get(site.site_id, [])
        assert (site.rating_count or 0, site.rating_sum or 0) == (len(given), sum(each.stars for each in given))
        assert site.rating_rank == site.rank
        comments = [comment async for comment in kit.store.stream(schema.comments_of(site.site_id))]
        assert (site.comment_count or 0) == len(comments)
        assert all(comment.created_at > site.created_at for comment in comments)
        assert all(rating.updated_at > site.created_at for rating in given)
        tags.update(site.tags)
    assert {total.tag: total.count async for total in kit.store.stream(schema.all_tags())} == dict(tags)
    assert max(site.created_at for site in sites) < stamp(kit.clock)
    by_time = [each.item.site_id for each in (await service.catalog.browse(limit=100)).items]
    assert by_time == sorted(by_time, reverse=True), "ids sort by when sites were added"


async def test_a_catalog_that_has_something_is_left_alone(filled: tuple[FusService, Kit, str], tmp_path: Path) -> None:
    service, kit, _ = filled
    assert await fill(service, kit) == "fus: nothing added, since there are sites already."
    with kit_on(tmp_path, FUS) as other:
        begun = FusService(other)
        await put(begun)
        assert await fill(begun, other) == "fus: nothing added, since there are sites already."
        assert await begun.sites.total() == 1


async def test_everything_in_it_says_that_it_was_counted(filled: tuple[FusService, Kit, str]) -> None:
    done = await adopt_everything(filled[1])
    assert done.adopted.total() == 0


async def test_everything_that_the_catalog_can_do_has_something_to_show(filled: tuple[FusService, Kit, str]) -> None:
    service, kit, _ = filled
    assert len((await service.suggestions.waiting()).items) == 4
    amara = await kit.accounts.people.by_username("amara")
    assert amara is not None
    viewer = Viewer(user_id=amara.user_id)
    for collection in await service.collections.mine(viewer):
        sites = (await service.collections.sites(collection)).items
        assert len(sites) == collection.site_count > 0
    assert {each.status for each in await service.suggestions.mine(viewer)} == {"waiting", "declined"}
    assert (await service.profiles.public("amara")).likes
    assert len((await service.copies.browse(text="trains")).items) == 1
    related = [await service.related.to(match.item.site_id) for match in await service.catalog.browse(limit=20)]
    assert sum(map(bool, related)) >= 15
