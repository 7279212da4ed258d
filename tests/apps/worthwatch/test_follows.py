"""Following is idempotent, and the number of followers is exact, whatever the weather."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from tests.apps.house import BAD_WEATHER, kit_on
from tests.apps.worthwatch.conftest import POLICY, curator, member, suspend

pytestmark = pytest.mark.anyio


async def test_following_twice_counts_once_and_ends_once(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer = await curator(kit), await member(kit)
    first = await service.follows.follow(viewer, ada.id)
    assert await service.follows.follow(viewer, ada.id) == first
    assert (await service.people.person(ada.id)).follower_count == 1
    assert [user.user_id for user in await service.follows.mine(viewer)] == [ada.id]
    assert await service.follows.follows(viewer, ada.id)
    assert [await service.follows.unfollow(viewer, ada.id) for _ in range(2)] == [True, False]
    assert (await service.people.person(ada.id)).follower_count == 0


async def test_only_approved_curators_can_be_followed_and_nobody_follows_themselves(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer, ada = await member(kit), await curator(kit)
    with pytest.raises(NotFound):
        await service.follows.follow(viewer, (await member(kit)).id)
    with pytest.raises(Conflict):
        await service.follows.follow(ada, ada.id)
    await service.follows.follow(viewer, ada.id)
    await suspend(kit, ada)
    assert (await service.follows.mine(viewer)).items == ()
    with pytest.raises(NotFound):
        await service.follows.follow(await member(kit), ada.id)


@pytest.mark.parametrize("weather", [False, True], ids=["good weather", "bad weather"])
async def test_sixty_four_people_follow_and_some_stop(tmp_path: Path, weather: bool) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER if weather else None) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        ada = await curator(kit)
        people = [await member(kit) for _ in range(32)]

        async def press(viewer: Viewer, number: int) -> None:
            await service.follows.follow(viewer, ada.id)
            if number % 4 == 0:
                await service.follows.unfollow(viewer, ada.id)

        await asyncio.gather(*(press(viewer, number) for _ in range(2) for number, viewer in enumerate(people)))
        followers = await kit.store.count(schema.followers_of(ada.id))
        assert (await service.people.person(ada.id)).follower_count == followers
        assert followers >= 24
