"""What is on a list is counted exactly, on the list and on the title, whoever writes at the same time."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ItemEdit, NewItem, NewItems
from partita.apps.worthwatch.schema import WORTHWATCH, Label, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.items import AlreadyListed, ListFull, item_version
from partita.apps.worthwatch.service.labels import poster_of
from partita.apps.worthwatch.service.order import START, STEP
from partita.apps.worthwatch.service.posters import poster_digest
from partita.apps.worthwatch.service.removal import finish_list
from partita.kit.kit import Kit
from partita.kit.problems import Conflict, NotFound
from partita.store.observe import Observation
from partita.table import Update
from tests.apps.house import BAD_WEATHER, kit_on
from tests.apps.worthwatch.conftest import add, curator, film, member, new_list

pytestmark = pytest.mark.anyio


async def assert_counts(kit: Kit, *watchlists: Watchlist, titles: list[str]) -> None:
    """`itemCount` is the number of items, `listedIn` that of uses."""
    for each in watchlists:
        stored = await kit.store.get(schema.watchlist(each.watchlist_id).consistently())
        count = await kit.store.count(schema.items_of(each.watchlist_id))
        assert (0 if stored is None else stored.item_count) == count
    for content_id in titles:
        title = await kit.store.get(schema.movie(content_id).consistently())
        assert title is not None
        assert (title.listed_in or 0) == await kit.store.count(schema.lists_with("MOVIE", content_id))


async def test_a_title_is_added_at_the_end_with_what_its_poster_says(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer)
    first = await film(
        service, "Alien", release_year=1979, runtime=117, genres=["Horror", "Sci-Fi", "Thriller", "Drama"]
    )
    items = [await add(service, viewer, watchlist, each) for each in (first, await film(service))]
    assert [item.position for item in items] == [START, START + STEP]
    assert items[0].label == Label(
        title="Alien",
        year=1979,
        runtime=117,
        genres=("Horror", "Sci-Fi", "Thriller"),
        poster=poster_digest(poster_of(first)),
    )
    stored = await service.lists.own(viewer, watchlist.watchlist_id)
    assert (stored.item_count, stored.last_item_at) == (2, items[1].added_at)


async def test_adding_twice_is_a_conflict_and_counts_once(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist, title = await new_list(service, viewer), await film(service)
    await add(service, viewer, watchlist, title)
    with pytest.raises(AlreadyListed):
        await add(service, viewer, watchlist, title)
    await assert_counts(kit, watchlist, titles=[title.movie_id])
    other = await film(service)
    new = tuple(NewItem(content_type="MOVIE", content_id=each.movie_id) for each in (title, other))
    result = await service.items.add_many(viewer, watchlist.watchlist_id, NewItems(items=new))
    assert ([item.content_id for item in result.added], result.there_already) == ([other.movie_id], new[:1])


async def test_a_title_that_does_not_exist_and_a_list_of_somebody_else_are_not_found(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer, other = await curator(kit), await curator(kit)
    watchlist, title = await new_list(service, viewer), await film(service)
    with pytest.raises(NotFound):
        await service.items.add(viewer, watchlist.watchlist_id, NewItem(content_type="SHOW", content_id=title.movie_id))
    with pytest.raises(NotFound):
        await add(service, other, watchlist, title)
    await assert_counts(kit, watchlist, titles=[title.movie_id])


async def test_a_list_has_at_most_a_thousand_titles(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist, title = await new_list(service, viewer), await film(service)
    await kit.store.write(Update(watchlist.own_key, Watchlist.item_count.set(1000)))
    with pytest.raises(ListFull):
        await add(service, viewer, watchlist, title)


async def test_what_was_removed_comes_back_with_its_note_and_place(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer)
    one, two, three = [await film(service) for _ in range(3)]
    for each in (one, two, three):
        await add(service, viewer, watchlist, each)
    noted = ItemEdit(curator_note="Watch it on a train.")
    await service.items.edit(viewer, watchlist.watchlist_id, "MOVIE", two.movie_id, noted)
    gone = await service.items.remove(viewer, watchlist.watchlist_id, "MOVIE", two.movie_id)
    back = NewItem(content_type="MOVIE", content_id=two.movie_id, curator_note=gone.curator_note or "")
    await service.items.add(viewer, watchlist.watchlist_id, back, position=gone.position)
    items = await service.items.all_in_order(watchlist.watchlist_id)
    assert [(item.content_id, item.curator_note) for item in items] == [
        (one.movie_id, None),
        (two.movie_id, "Watch it on a train."),
        (three.movie_id, None),
    ]
    await assert_counts(kit, watchlist, titles=[two.movie_id])


async def test_a_note_that_was_changed_in_another_window_is_not_overwritten(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    watchlist, title = await new_list(service, viewer), await film(service)
    seen = item_version(await add(service, viewer, watchlist, title))
    where = viewer, watchlist.watchlist_id, "MOVIE", title.movie_id
    await service.items.edit(*where, ItemEdit(curator_note="First", version=seen))  # type: ignore[arg-type]
    with pytest.raises(Conflict, match="Somebody else"):
        await service.items.edit(*where, ItemEdit(curator_note="Second", version=seen))  # type: ignore[arg-type]


async def test_counts_are_exact_after_many_writers_in_bad_weather(tmp_path: Path) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER) as kit:
        service, dice = WorthWatchService(kit), random.Random(5)
        viewer = await curator(kit)
        lists = [await new_list(service, viewer, is_public=number == 0, tags=["noir"]) for number in range(3)]
        titles = [(await film(service)).movie_id for _ in range(6)]

        async def writer() -> None:
            for _ in range(6):
                watchlist, content_id = dice.choice(lists), dice.choice(titles)
                try:
                    if dice.random() < 0.6:
                        new = NewItem(content_type="MOVIE", content_id=content_id)
                        await service.items.add(viewer, watchlist.watchlist_id, new)
                    else:
                        await service.items.remove(viewer, watchlist.watchlist_id, "MOVIE", content_id)
                except (AlreadyListed, NotFound):
                    pass

        await asyncio.gather(*(writer() for _ in range(64)))
        await assert_counts(kit, *lists, titles=titles)
        public = await service.lists.own(viewer, lists[0].watchlist_id)
        total = await kit.store.get(schema.tag_total("noir"))
        me = await service.people.person(viewer.id)
        pointers = await kit.store.count(schema.live_lists_of(viewer.id))
        live = int(public.item_count > 0)
        assert public.live == bool(live)
        assert ((total.count if total else 0), me.live_list_count or 0, pointers) == (live, live, live)


async def test_a_deleted_list_is_counted_out_of_its_titles(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist, other = await new_list(service, viewer, is_public=True), await new_list(service, viewer)
    titles = [await film(service) for _ in range(60)]
    for each in titles:
        await add(service, viewer, watchlist, each)
    await add(service, viewer, other, titles[0])
    await service.lists.delete(viewer, watchlist.watchlist_id)
    removal = await kit.store.get(schema.list_removal(watchlist.watchlist_id))
    assert removal is not None
    await asyncio.gather(*(finish_list(kit.store, removal) for _ in range(3)))
    await assert_counts(kit, watchlist, other, titles=[each.movie_id for each in titles])
    assert await kit.store.get(schema.list_removal(watchlist.watchlist_id)) is None
    assert await kit.store.get(schema.totals(watchlist.watchlist_id)) is None


async def test_adding_costs_at_most_twenty_write_units(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer, is_public=True, tags=["noir", "trains"])
    for _ in range(2):
        await add(service, viewer, watchlist, await film(service))
    title, calls = await film(service), list[Observation]()
    kit.tables.observe(calls.append)
    await add(service, viewer, watchlist, title)
    assert sum(call.units for call in calls if call.operation == "TransactWriteItems") <= 20


async def test_members_add_to_their_private_lists(kit: Kit, service: WorthWatchService) -> None:
    viewer = await member(kit)
    watchlist, title = await new_list(service, viewer), await film(service)
    await add(service, viewer, watchlist, title)
    await assert_counts(kit, watchlist, titles=[title.movie_id])
