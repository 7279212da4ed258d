"""A copy has the titles and the order of its list, and every title once, however often it is interrupted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema, system
from partita.apps.worthwatch.inputs import CopyInput, ItemEdit, ListEdit
from partita.apps.worthwatch.schema import WORTHWATCH, Movie, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.lists import VisibleList
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.store.observe import Observation
from tests.apps.house import BAD_WEATHER, kit_on, worker_of
from tests.apps.worthwatch.conftest import add, curator, film, member, new_list

pytestmark = pytest.mark.anyio


async def long_list(service: WorthWatchService, viewer: Viewer, titles: int) -> tuple[VisibleList, list[Movie]]:
    films = [await film(service) for _ in range(titles)]
    watchlist = await new_list(service, viewer, title="Night trains", is_public=True, is_ranked=True)
    for each in films:
        await add(service, viewer, watchlist, each)
    return await service.lists.visible(viewer, watchlist.watchlist_id), films


async def titles_of(service: WorthWatchService, watchlist: Watchlist) -> list[str]:
    return [item.content_id for item in await service.items.all_in_order(watchlist.watchlist_id)]


async def test_a_copy_is_private_has_titles_and_order_and_no_notes(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    source, films = await long_list(service, ada, 3)
    list_id = source.watchlist.watchlist_id
    await service.items.edit(ada, list_id, "MOVIE", films[0].movie_id, ItemEdit(curator_note="Mine alone."))
    copy = await service.copies.copy(mina, source, CopyInput())
    assert (copy.title, copy.is_public, copy.is_ranked, copy.cloned_from) == ("Night trains", False, True, list_id)
    assert copy.item_count == 3
    assert await titles_of(service, copy) == [each.movie_id for each in films]
    items = await service.items.all_in_order(copy.watchlist_id)
    assert all(item.curator_note is None and item.label is not None for item in items)
    assert [(await service.titles.title("MOVIE", each.movie_id)).listed_in for each in films] == [2, 2, 2]
    totals = await kit.store.get(schema.totals(list_id))
    assert totals is not None
    assert totals.clone_count == 1
    assert await kit.store.get(schema.list_copy(copy.watchlist_id)) is None


async def test_a_long_copy_goes_on_after_it_broke_off(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    source, films = await long_list(service, ada, 120)
    calls: list[int] = []

    def interrupt(call: Observation) -> None:
        if call.operation == "TransactWriteItems":
            calls.append(call.items)
            if len(calls) == 2:
                raise KeyboardInterrupt

    kit.store.observe(interrupt)
    with pytest.raises(KeyboardInterrupt):
        await service.copies.copy(mina, source, CopyInput(title="Mine"))
    (copy,) = await service.lists.mine(mina)
    assert copy.item_count == 49
    await worker_of(kit, system.build(kit)).drain()
    copy = await service.lists.own(mina, copy.watchlist_id)
    assert copy.item_count == 120
    assert await titles_of(service, copy) == [each.movie_id for each in films]
    assert max(calls) <= 100


async def test_titles_that_are_there_or_gone_are_passed_over_and_publishing_meanwhile_is_safe(
    kit: Kit, service: WorthWatchService
) -> None:
    ada = await curator(kit)
    source, films = await long_list(service, ada, 60)
    calls = 0

    def interrupt(call: Observation) -> None:
        nonlocal calls
        calls += call.operation == "TransactWriteItems"
        if calls == 1 and call.operation == "TransactWriteItems":
            raise KeyboardInterrupt

    kit.store.observe(interrupt)
    with pytest.raises(KeyboardInterrupt):
        await service.copies.copy(ada, source, CopyInput(title="Mine"))
    copy = next(each for each in await service.lists.mine(ada) if each.title == "Mine")
    await service.lists.edit(ada, copy.watchlist_id, ListEdit(is_public=True, tags=tuple(f"t{n}" for n in range(10))))
    await add(service, ada, copy, films[7])
    await asyncio.gather(*(service.copies.finish(copy.watchlist_id) for _ in range(4)))
    copy = await service.lists.own(ada, copy.watchlist_id)
    assert copy.live
    assert copy.item_count == 60 == len(set(await titles_of(service, copy)))


async def test_counts_are_exact_when_many_copy_at_once_in_bad_weather(tmp_path: Path) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER) as kit:
        service = WorthWatchService(kit)
        ada = await curator(kit)
        source, films = await long_list(service, ada, 20)
        people = [await member(kit) for _ in range(16)]
        await asyncio.gather(*(service.copies.copy(each, source, CopyInput()) for each in people))
        for each in people:
            (copy,) = await service.lists.mine(each)
            assert copy.item_count == 20 == await kit.store.count(schema.items_of(copy.watchlist_id))
        for title in films:
            stored = await service.titles.title("MOVIE", title.movie_id)
            assert stored.listed_in == 17 == await kit.store.count(schema.lists_with("MOVIE", title.movie_id))
        totals = await kit.store.get(schema.totals(source.watchlist.watchlist_id).consistently())
        assert totals is not None
        assert totals.clone_count == 16
