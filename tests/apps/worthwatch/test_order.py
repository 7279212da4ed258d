"""A list is in the order that its moves give it, as a Python list would be, whatever room its positions have."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import MoveInput, TitleInput
from partita.apps.worthwatch.schema import Watchlist, WatchlistItem
from partita.apps.worthwatch.service import WorthWatchService, order
from partita.apps.worthwatch.service.items import NeighbourGone
from partita.apps.worthwatch.service.order import HIGHEST, START, STEP
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.store.observe import Observation
from partita.table import Put, Update
from tests.apps.worthwatch.conftest import add, curator, film, new_list

pytestmark = pytest.mark.anyio
MOVES = int(os.environ.get("PARTITA_MOVES", "300"))
"""How many moves the law is tried with; 10,000 take minutes."""


async def numbered(kit: Kit, viewer: Viewer, service: WorthWatchService, positions: Sequence[int]) -> Watchlist:
    """A list of titles t000, t001, … at these positions; its titles need not exist to be moved."""
    watchlist = await new_list(service, viewer)
    items = [_item(watchlist.watchlist_id, f"t{number:03}", place) for number, place in enumerate(positions)]
    await kit.store.batch_write([Put(item) for item in items])
    count = Update(watchlist.own_key, Watchlist.item_count.set(len(items)))
    return await kit.store.update(count)


def _item(watchlist_id: str, content_id: str, position: int) -> WatchlistItem:
    return WatchlistItem(
        watchlist_id=watchlist_id,
        content_type="MOVIE",
        content_id=content_id,
        position=position,
        added_at="2026-05-01T09:30:00.000000Z",
    )


async def names(service: WorthWatchService, watchlist: Watchlist) -> list[str]:
    return [item.content_id for item in await service.items.all_in_order(watchlist.watchlist_id)]


def title(content_id: str) -> TitleInput:
    return TitleInput(content_type="MOVIE", content_id=content_id)


async def move(
    service: WorthWatchService, viewer: Viewer, watchlist: Watchlist, content_id: str, where: MoveInput
) -> None:
    await service.items.move(viewer, watchlist.watchlist_id, "MOVIE", content_id, where)


LISTS = {
    "as we number them": [START + STEP * number for number in range(30)],
    "as the document numbers them": list(range(1, 31)),
    "longer than can be spread at once": list(range(1, 121)),
    "all at one place": [7] * 60,
    "at the end of all positions": [HIGHEST - 59 + number for number in range(60)],
}


@pytest.mark.parametrize("positions", LISTS.values(), ids=LISTS)
async def test_a_list_moves_as_a_python_list_does(kit: Kit, service: WorthWatchService, positions: list[int]) -> None:
    viewer, dice = await curator(kit), random.Random(7)
    watchlist = await numbered(kit, viewer, service, positions)
    expected = await names(service, watchlist)
    assert len(expected) == len(positions)
    for step in range(MOVES):
        moved = dice.choice(expected)
        expected.remove(moved)
        # Most moves go to one neighbourhood, where room gets scarce.
        place = dice.randrange(len(expected)) if step % 4 == 0 else min(5 + step % 3, len(expected) - 1)
        how = dice.choice(["before", "after", "position"])
        if how == "before":
            where = MoveInput(before=title(expected[place]))
        elif how == "after":
            where, place = MoveInput(after=title(expected[place])), place + 1
        else:
            where = MoveInput(position=place + 1)
        expected.insert(place, moved)
        await move(service, viewer, watchlist, moved, where)
        if step % 25 == 0 or MOVES - step < 5:
            assert await names(service, watchlist) == expected
    assert await names(service, watchlist) == expected


async def test_a_move_with_room_is_one_small_write(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    watchlist = await numbered(kit, viewer, service, [START + STEP * number for number in range(1000)])
    calls: list[Observation] = []
    kit.tables.observe(calls.append)
    await move(service, viewer, watchlist, "t900", MoveInput(before=title("t100")))
    writes = [call for call in calls if call.operation in ("PutItem", "UpdateItem", "TransactWriteItems")]
    assert [call.operation for call in writes] == ["UpdateItem"]
    assert sum(call.units for call in writes) <= 5
    assert (await names(service, watchlist))[98:103] == ["t098", "t099", "t900", "t100", "t101"]


async def test_without_room_at_most_forty_neighbours_move_in_one_transaction(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    crowded = [START + STEP * number for number in range(50)]
    crowded[20:30] = [crowded[20] + number for number in range(10)]
    watchlist = await numbered(kit, viewer, service, crowded)
    before = {item.content_id: item.position for item in await service.items.all_in_order(watchlist.watchlist_id)}
    calls: list[Observation] = []
    kit.tables.observe(calls.append)
    await move(service, viewer, watchlist, "t045", MoveInput(after=title("t024")))
    writes = [call.operation for call in calls if call.operation in ("UpdateItem", "TransactWriteItems")]
    assert writes == ["TransactWriteItems"]
    after = {item.content_id: item.position for item in await service.items.all_in_order(watchlist.watchlist_id)}
    assert 1 < sum(before[name] != after[name] for name in before) <= 41
    assert (await names(service, watchlist))[24:27] == ["t024", "t045", "t025"]


async def test_a_list_of_the_document_is_in_order_at_every_moment_while_it_is_spread(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    watchlist = await numbered(kit, viewer, service, list(range(1, 241)))
    expected = await names(service, watchlist)
    seen: list[list[str]] = []

    def look(call: Observation) -> None:
        if call.operation == "TransactWriteItems":
            items = kit.tables.stream(schema.items_in_order(watchlist.watchlist_id))
            seen.append([item.content_id for item in items])

    kit.tables.observe(look)
    await order.spread_all(kit.store, watchlist.watchlist_id)
    assert len(seen) == 5
    assert all(names == expected for names in seen)
    positions = [item.position for item in await service.items.all_in_order(watchlist.watchlist_id)]
    assert {high - low for low, high in pairwise(positions)} == {STEP}


async def test_many_movers_leave_every_title_once_and_one_order(kit: Kit, service: WorthWatchService) -> None:
    viewer, dice = await curator(kit), random.Random(3)
    watchlist = await numbered(kit, viewer, service, list(range(1, 61)))
    everything = await names(service, watchlist)

    async def mover() -> None:
        for _ in range(5):
            moved, other = dice.sample(everything, 2)
            await move(service, viewer, watchlist, moved, MoveInput(before=title(other)))

    await asyncio.gather(*(mover() for _ in range(32)))
    found = await names(service, watchlist)
    assert sorted(found) == everything
    stored = [item async for item in kit.store.stream(schema.items_of(watchlist.watchlist_id))]
    assert [item.content_id for item in sorted(stored, key=order.rank)] == found


async def test_a_neighbour_that_has_gone_is_a_conflict_with_the_order_as_it_is(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    watchlist = await new_list(service, viewer)
    one, two, three = [await film(service) for _ in range(3)]
    for each in (one, two, three):
        await add(service, viewer, watchlist, each)
    await service.items.remove(viewer, watchlist.watchlist_id, "MOVIE", two.movie_id)
    with pytest.raises(NeighbourGone) as gone:
        await move(service, viewer, watchlist, three.movie_id, MoveInput(before=title(two.movie_id)))
    assert [item.content_id for item in gone.value.order] == [one.movie_id, three.movie_id]


@given(
    count=st.integers(1, 41),
    low=st.none() | st.integers(0, HIGHEST),
    high=st.none() | st.integers(0, HIGHEST),
)
def test_positions_are_spread_between_their_bounds_in_order(count: int, low: int | None, high: int | None) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    positions = order.spread(count, low, high)
    if positions is None:
        return
    bounded = [-1 if low is None else low, *positions, HIGHEST + 1 if high is None else high]
    assert bounded == sorted(set(bounded))
    assert len(positions) == count


@given(low=st.none() | st.integers(0, HIGHEST), high=st.none() | st.integers(0, HIGHEST))
def test_a_position_is_between_its_neighbours(low: int | None, high: int | None) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    position = order.between(low, high)
    if position is None:
        assert (HIGHEST + 1 if high is None else high) - (-1 if low is None else low) < 2
    else:
        assert (-1 if low is None else low) < position < (HIGHEST + 1 if high is None else high)
