"""A list as somebody reads it: filtered and sorted without touching its order, and how far they are."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch.inputs import NewItem
from partita.apps.worthwatch.schema import Mine, SavedWatchlist, Watchlist, WatchlistItem
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.labels import label_of
from partita.apps.worthwatch.service.order import START, STEP
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import BadRequest
from partita.store.observe import Observation
from partita.table import Put, Update
from tests.apps.worthwatch.conftest import add, curator, film, member, new_list

pytestmark = pytest.mark.anyio


async def seen(kit: Kit, viewer: Viewer, *content_ids: str) -> None:
    marks = (
        Mine(user_id=viewer.id, content_type="MOVIE", content_id=each, marked_at=stamp(kit.clock))
        for each in content_ids
    )
    await kit.store.batch_write([Put(each) for each in marks])


async def long_list(kit: Kit, service: WorthWatchService, viewer: Viewer, titles: int) -> tuple[Watchlist, list[str]]:
    """A live list of many titles, written as they would be stored."""
    watchlist = await new_list(service, viewer, is_public=True, is_ranked=True)
    label = label_of(await film(service, "A title of some length", runtime=100, genres=["Drama", "Crime"]))
    first = await film(service)
    await add(service, viewer, watchlist, first)
    now = stamp(kit.clock)
    ids = [f"{number:026}" for number in range(titles - 1)]
    items = (
        WatchlistItem(
            watchlist_id=watchlist.watchlist_id,
            content_type="MOVIE",
            content_id=each,
            position=START + STEP * place,
            added_at=now,
            label=label,
            live_since=now,
        )
        for place, each in enumerate(ids, 1)
    )
    await kit.store.batch_write([Put(each) for each in items])
    own = Watchlist.key(Watchlist.watchlist_id(watchlist.watchlist_id))
    await kit.store.write(Update(own, Watchlist.item_count.set(titles)))
    return await service.lists.watchlist(watchlist.watchlist_id), [first.movie_id, *ids]


async def test_views_leave_the_order_alone_and_progress_is_counted(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True, is_ranked=True)
    facts = [("Zodiac", 2007, 157), ("Élite", 1999, 90), ("Alien", 1979, 117), ("Unknown", None, None)]
    films = [await film(service, title, release_year=year, runtime=long) for title, year, long in facts]
    for each in films:
        await add(service, ada, watchlist, each)
    visible = await service.lists.visible(mina, watchlist.watchlist_id)

    async def titles(**wanted: object) -> list[str]:
        shown = await service.reading.page(mina, visible, **wanted)  # type: ignore[arg-type]
        return [tile.title for tile in shown.tiles]

    assert await titles() == ["Zodiac", "Élite", "Alien", "Unknown"]
    assert await titles(sort="year") == ["Alien", "Élite", "Zodiac", "Unknown"]
    assert await titles(sort="length") == ["Élite", "Alien", "Zodiac", "Unknown"]
    assert await titles(sort="title") == ["Alien", "Élite", "Unknown", "Zodiac"]
    assert await titles(show="series") == []
    await seen(kit, mina, films[0].movie_id, films[2].movie_id)
    assert await titles(show="unseen") == ["Élite", "Unknown"]
    shown = await service.reading.page(mina, visible)
    assert shown.progress is not None
    assert (shown.progress.seen, shown.progress.of, shown.progress.finished) == (2, 4, False)
    assert [(tile.place, tile.seen) for tile in shown.tiles] == [(1, True), (2, False), (3, True), (4, False)]
    assert shown.length == "6 h 4 min"
    assert (await service.reading.page(NOBODY, visible)).progress is None
    with pytest.raises(BadRequest):
        await service.reading.page(mina, visible, cursor="nonsense")


async def test_what_came_since_the_last_visit_is_marked(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    await add(service, ada, watchlist, await film(service, "Old"))
    saved = SavedWatchlist(user_id=mina.id, watchlist_id=watchlist.watchlist_id, saved_at=stamp(kit.clock))
    await kit.store.write(Put(saved))
    await add(service, ada, watchlist, await film(service, "New"))
    shown = await service.reading.page(mina, await service.lists.visible(mina, watchlist.watchlist_id))
    assert [(tile.title, tile.new) for tile in shown.tiles] == [("Old", False), ("New", True)]
    assert shown.new == 1


async def test_what_a_list_reads_stays_within_its_measure(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    for number in range(24):
        each = await film(service, genres=["Drama", "Crime"], runtime=100)
        note = "Why this one, in a sentence or two that somebody wrote with care. " * (number % 3)
        new = NewItem(content_type="MOVIE", content_id=each.movie_id, curator_note=note)
        await service.items.add(ada, watchlist.watchlist_id, new)
        await seen(kit, mina, each.movie_id)
    calls: list[Observation] = []
    kit.store.observe(calls.append)

    async def units(viewer: Viewer) -> float:
        calls.clear()
        visible = await service.lists.visible(viewer, watchlist.watchlist_id)
        await service.reading.page(viewer, visible)
        return sum(call.units for call in calls)

    assert await units(NOBODY) <= 8
    assert await units(mina) <= 22


async def test_a_list_of_a_thousand_titles_is_read_by_pages(kit: Kit, service: WorthWatchService) -> None:
    ada, mina = await curator(kit), await member(kit)
    watchlist, ids = await long_list(kit, service, ada, 1000)
    await seen(kit, mina, *ids)
    visible = await service.lists.visible(mina, watchlist.watchlist_id)
    calls: list[Observation] = []
    kit.store.observe(calls.append)
    shown = await service.reading.page(mina, visible)
    assert sum(call.units for call in calls) <= 40
    assert (len(shown.tiles), shown.found, shown.progress) == (48, 1000, None)
    calls.clear()
    by_title = await service.reading.page(mina, visible, sort="title")
    assert (len(by_title.tiles), {tile.seen for tile in by_title.tiles}) == (48, {True})
    marks = [call for call in calls if call.operation == "BatchGetItem"]
    assert sum(call.units for call in marks) <= 24, "only the marks of what is shown are read"
    assert await service.reading.pick(mina, watchlist.watchlist_id) is None, "everything is seen"
    second = await service.reading.page(mina, visible, cursor=shown.next_cursor)
    assert [tile.place for tile in second.tiles] == list(range(49, 97))
    assert [tile.id for tile in second.tiles] == ids[48:96]
    calls.clear()
    progress = await service.reading.progress(mina, watchlist.watchlist_id)
    assert (progress.seen, progress.of, progress.finished) == (1000, 1000, True)
    assert sum(call.units for call in calls) <= 110
