"""The order of a list's titles: whole positions far apart, so that a move writes one item.

Positions are 2^20 apart. A title that comes between two others gets the middle; if there is none, its nearest
neighbours are spread in the same transaction. If they have no room either, as in a list that another program numbered
1, 2, 3 …, the whole list is spread once, beyond its end and from the last title to the first, so that the order is
right at every moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import MOST_POSITION_DIGITS
from partita.apps.worthwatch.schema import WatchlistItem
from partita.store.store import AsyncStore
from partita.table import Transaction, Update

STEP = 2**20
START = 2**38
"""Where a list begins: there is room for a quarter of a million titles that go to the top one after the other."""
HIGHEST = 10**MOST_POSITION_DIGITS - 1
_SIDES = (4, 10, 20)
"""How many neighbours on each side are spread; more only if fewer have no room."""
_ROOM = 16
_BATCH = 50


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in a list: the titles around it, the nearest first; the last one on a side is not moved any more."""

    below: Sequence[WatchlistItem]
    above: Sequence[WatchlistItem]

    @property
    def low(self) -> WatchlistItem | None:
        return self.below[0] if self.below else None

    @property
    def high(self) -> WatchlistItem | None:
        return self.above[0] if self.above else None


def rank(item: WatchlistItem) -> tuple[int, str, str]:
    """What titles are ordered by, as the index does it."""
    return item.position, item.content_type, item.content_id


def between(low: int | None, high: int | None) -> int | None:
    """A position between two others (None: the end of the list there); None if there is no room."""
    if low is None and high is None:
        return START
    if high is None:
        assert low is not None
        return low + STEP if low + STEP <= HIGHEST else between(low, HIGHEST + 1)
    if low is None:
        return high - STEP if high >= STEP else between(-1, high)
    return (low + high) // 2 if high - low >= 2 else None


def spread(count: int, low: int | None, high: int | None) -> list[int] | None:
    """So many positions between two others, as far apart as it goes up to a step; None if there is no room."""
    if high is None:
        first = (START if low is None else low + STEP) - STEP
        if first + STEP * count <= HIGHEST:
            return [first + STEP * number for number in range(1, count + 1)]
        high = HIGHEST + 1
    if low is None:
        if high >= STEP * count:
            return [high - STEP * (count - number) for number in range(count)]
        low = -1
    apart = min((high - low) // (count + 1), STEP)
    if apart < _ROOM:
        return None
    first = low + (high - low - apart * (count - 1)) // 2
    return [first + apart * number for number in range(count)]


def with_room(item: WatchlistItem, gap: Gap) -> list[tuple[WatchlistItem, int]] | None:
    """The title in the gap, with its neighbours spread: who moves where, at most 40 beside the title. None if there is
    no room."""
    for side in _SIDES:
        below, above = gap.below[:side], gap.above[:side]
        members = [*reversed(below), item, *above]
        low = gap.below[side].position if len(gap.below) > side else None
        high = gap.above[side].position if len(gap.above) > side else None
        positions = spread(len(members), low, high)
        if positions is not None:
            return [(each, to) for each, to in zip(members, positions, strict=True) if each.position != to]
    return None


async def nearest(store: AsyncStore, item: WatchlistItem, to: WatchlistItem, *, after: bool, wide: bool) -> Gap:
    """The gap just before or after another title, as it is without the title that moves."""
    limit = _SIDES[-1] + 2 if wide else 2
    here = (
        WatchlistItem.position(to.position),
        WatchlistItem.content_type(to.content_type),
        WatchlistItem.content_id(to.content_id),
    )
    upwards = schema.items_in_order(to.watchlist_id).after(*here)
    downwards = schema.items_from_the_end(to.watchlist_id).before(*here)
    above = [each for each in await store.page(upwards, limit=limit) if not same(each, item)] if after or wide else []
    below = (
        [each for each in await store.page(downwards, limit=limit) if not same(each, item)] if not after or wide else []
    )
    return Gap([to, *below], above) if after else Gap(below, [to, *above])


def same(one: WatchlistItem, other: WatchlistItem) -> bool:
    """Whether they are one title."""
    return (one.content_type, one.content_id) == (other.content_type, other.content_id)


def move_to(item: WatchlistItem, position: int) -> Update[WatchlistItem]:
    """The one small write of a move, if the title is where it was read."""
    change = Update(item.own_key, WatchlistItem.position.set(position))
    return change.unless_changed(item, WatchlistItem.position)


async def spread_all(store: AsyncStore, watchlist_id: str) -> None:
    """Give all titles of a list room. If it is interrupted, the order is right, and it may simply begin again."""

    async def attempt() -> None:
        query = schema.items_of(watchlist_id).consistently()
        items = sorted([item async for item in store.stream(query)], key=rank)
        if not items:
            return
        lowest, highest = items[0].position, max(items[-1].position, START)
        if highest + STEP * len(items) <= HIGHEST:
            moves = [(item, highest + STEP * number) for number, item in enumerate(items, 1)]
            moves.reverse()  # the last one first: what has moved is above what has not, in its order
        else:
            moves = [(item, lowest - STEP * (len(items) - number)) for number, item in enumerate(items)]
        for start in range(0, len(moves), _BATCH):
            batch = (move_to(item, position) for item, position in moves[start : start + _BATCH])
            await store.transact(Transaction(*batch))

    await store.attempt(attempt)
