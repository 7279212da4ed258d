"""Lists are found by everybody who may see them, and by nobody else; what that reads does not grow with them."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch import system
from partita.apps.worthwatch.inputs import ListEdit
from partita.apps.worthwatch.schema import Follow, ListTotals, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.tiles import ListCard
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import NotFound
from partita.store.observe import Observation
from partita.table import Page, Put, Update
from tests.apps.house import worker_of
from tests.apps.worthwatch.conftest import add, curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio


async def live(service: WorthWatchService, viewer: Viewer, titles: int = 1, **fields: object) -> Watchlist:
    """A live list."""
    watchlist = await new_list(service, viewer, is_public=True, **fields)
    for _ in range(titles):
        await add(service, viewer, watchlist, await film(service, genres=["Drama", "Crime"]))
    return await service.lists.watchlist(watchlist.watchlist_id)


def names(page: Page[ListCard]) -> list[str]:
    return [card.watchlist.title for card in page]


async def test_lists_are_found_new_popular_by_tag_and_by_curator(kit: Kit, service: WorthWatchService) -> None:
    ada, ben = await curator(kit), await curator(kit)
    trains = await live(service, ada, title="Night trains", tags=["Trains"])
    heists = await live(service, ben, title="Heists", tags=["crime", "trains"])
    await new_list(service, ada, title="Empty", is_public=True)
    draft = await new_list(service, ada, title="Draft", tags=["trains"])
    await add(service, ada, draft, await film(service))
    key = ListTotals.key(ListTotals.watchlist_id(trains.watchlist_id))
    await kit.store.write(Update(key, ListTotals.save_count.add(9)).or_new())
    await worker_of(kit, system.build(kit)).drain()
    assert names(await service.discovery.newest()) == ["Heists", "Night trains"]
    popular = await service.discovery.popular()
    assert [(card.watchlist.title, card.saves) for card in popular] == [("Night trains", 9), ("Heists", 0)]
    assert names(await service.discovery.tagged("TRAINS")) == ["Heists", "Night trains"]
    assert names(await service.discovery.tagged("crime")) == ["Heists"]
    assert names(await service.discovery.tagged("nothing")) == []
    assert (await service.discovery.tag("Trains")).count == 2
    assert [(each.tag, each.count) for each in await service.discovery.tags()] == [("trains", 2), ("crime", 1)]
    (card,) = await service.discovery.of_curator(ben.id)
    assert (card.watchlist.watchlist_id, card.curator_name) == (heists.watchlist_id, ben.name)
    assert len(card.fan) == 1
    first = await service.discovery.newest(limit=1)
    assert names(await service.discovery.newest(limit=1, cursor=first.next_cursor)) == ["Night trains"]


async def test_what_is_taken_back_hidden_or_of_somebody_suspended_is_not_found(
    kit: Kit, service: WorthWatchService
) -> None:
    ada, ben, eve = await curator(kit), await curator(kit), await curator(kit)
    await live(service, ada, title="Stays", tags=["a"])
    back = await live(service, ben, title="Taken back", tags=["a"])
    hidden = await live(service, ben, title="Hidden", tags=["a"])
    gone = await live(service, ben, title="Deleted", tags=["a"])
    await live(service, eve, title="Suspended", tags=["a"])
    await service.lists.edit(ben, back.watchlist_id, ListEdit(is_public=False))
    await service.lists.set_hidden(hidden.watchlist_id, True)
    await service.lists.delete(ben, gone.watchlist_id)
    await suspend(kit, eve)  # the stream has not hidden her lists yet
    for page in (
        await service.discovery.newest(),
        await service.discovery.popular(),
        await service.discovery.tagged("a"),
    ):
        assert names(page) == ["Stays"]
    front = await service.discovery.front(NOBODY)
    assert [card and card.watchlist.title for card in (front.featured, *front.new, *front.popular)] == ["Stays"]
    assert [each.user_id for each in front.curators] == [ada.id]
    with pytest.raises(NotFound):
        await service.discovery.of_curator(eve.id)
    with pytest.raises(NotFound):
        await service.discovery.of_curator("nobody")


async def test_the_front_shows_the_newest_lists_of_those_one_follows(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    await live(service, ada, title="Older")
    await live(service, ada, title="Newer")
    front = await service.discovery.front(mina)
    assert (front.followed, front.follows_somebody) == ((), False)
    await kit.store.write(Put(Follow(user_id=mina.id, curator=ada.id, followed_at=stamp(kit.clock))))
    front = await service.discovery.front(mina)
    assert [card.watchlist.title for card in front.followed] == ["Newer"]
    assert front.featured is not None


@pytest.mark.parametrize("lists", [13, 40])
async def test_what_the_front_reads_does_not_grow_with_the_lists(
    kit: Kit, service: WorthWatchService, lists: int
) -> None:
    curators = [await curator(kit) for _ in range(8)]
    mina = await member(kit)
    for number in range(lists):
        await live(service, curators[number % 8], titles=1 + 4 * (number < 12), tags=["a", f"tag-{number}"])
    for each in curators:
        await kit.store.write(Put(Follow(user_id=mina.id, curator=each.id, followed_at=stamp(kit.clock))))
    await worker_of(kit, system.build(kit)).drain()
    seen: list[Observation] = []
    kit.store.observe(seen.append)
    front = await service.discovery.front(NOBODY)
    assert front.featured is not None
    assert (len(front.new), len(front.popular)) == (8, min(lists - 9, 8))
    shown = [each.path for each in (front.featured, *front.new, *front.popular)]
    assert len(set(shown)) == len(shown), "each list once"
    assert sum(call.units for call in seen) <= 30, [(call.operation, call.index, call.units) for call in seen]
    seen.clear()
    front = await service.discovery.front(mina)
    assert len(front.followed) >= 7, "the featured one is not shown twice"
    assert front.featured not in front.followed
    assert sum(call.units for call in seen) <= 48, [(call.operation, call.index, call.units) for call in seen]
