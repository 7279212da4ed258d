"""What follows a change comes once, however often the handlers run."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ListEdit
from partita.apps.worthwatch.schema import ListTotals
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.system import build
from partita.kit.accounts import ACCOUNTS, Account
from partita.kit.kit import Kit
from partita.table import Update
from tests.apps.house import person, replay, worker_of
from tests.apps.worthwatch.conftest import account, add, curator, film, new_list

pytestmark = pytest.mark.anyio


async def test_a_deleted_list_is_counted_out_once(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    viewer, title = await curator(kit), await film(service)
    gone, stays = await new_list(service, viewer, is_public=True), await new_list(service, viewer)
    for each in (gone, stays):
        await add(service, viewer, each, title)
    await service.lists.delete(viewer, gone.watchlist_id)
    await worker_of(kit, system).drain()
    await replay(kit, system, "worthwatch.removal")
    stored = await service.titles.title("MOVIE", title.movie_id)
    assert stored.listed_in == 1
    assert await kit.store.count(schema.items_of(gone.watchlist_id)) == 0


async def test_titles_find_the_live_lists_that_they_are_on(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    worker = worker_of(kit, system)
    viewer, title = await curator(kit), await film(service)
    watchlist, private = await new_list(service, viewer), await new_list(service, viewer)
    for each in (watchlist, private):
        await add(service, viewer, each, title)

    async def lists_with_it() -> list[str]:
        query = schema.live_items_with("MOVIE", title.movie_id)
        return [item.watchlist_id async for item in kit.store.stream(query)]

    for is_public in (True, False, True):
        await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=is_public))
        await worker.drain()
        assert await lists_with_it() == ([watchlist.watchlist_id] if is_public else [])
    await replay(kit, system, "worthwatch.live")
    assert await lists_with_it() == [watchlist.watchlist_id]


async def test_tags_and_lists_are_ordered_by_what_they_count(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    worker = worker_of(kit, system)
    viewer = await curator(kit)
    lists = [await new_list(service, viewer, is_public=True, tags=tags) for tags in (["a", "b"], ["b"], ["c"])]
    for each in lists:
        await add(service, viewer, each, await film(service))
    totals = ListTotals.key(ListTotals.watchlist_id(lists[1].watchlist_id))
    await kit.store.write(Update(totals, ListTotals.save_count.add(3)).or_new())
    await service.lists.edit(viewer, lists[2].watchlist_id, ListEdit(is_public=False))
    await worker.drain()
    await replay(kit, system, "worthwatch.ranks")
    tags = [(total.tag, total.count) async for total in kit.store.stream(schema.tags_by_use())]
    assert tags == [("b", 2), ("a", 1)]
    assert await kit.store.get(schema.tag_total("c")) is None
    popular = [each.watchlist_id async for each in kit.store.stream(schema.popular_lists())]
    assert popular == [lists[1].watchlist_id, lists[0].watchlist_id]


async def test_a_profile_has_the_address_that_its_account_gets(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    somebody = await account(kit, "Ada")
    await service.people.me(person(somebody.user_id))
    assert any(handler.table is ACCOUNTS for handler in system.changes)
    await kit.store.write(Update(somebody.own_key, Account.email.set("new@example.org")))
    await worker_of(kit, system).drain()
    await replay(kit, system, "worthwatch.accounts")
    assert (await service.people.person(somebody.user_id)).email == "new@example.org"
