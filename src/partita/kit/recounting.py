"""Counting anew: after rows came back by a copy, or a mistake, counters may not be what a count of the rows is.

A counter and its rows change in one transaction, so what is wrong with it is the same at every moment, however much is
written meanwhile. It is measured at one moment of all tables and then added to the counter, whatever that is by now.
This is repeated until there is nothing wrong: then all counters were right at one moment, and stay so.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.engine.database import FILE_NAME
from partita.engine.snapshot import Snapshot
from partita.kit.table_copies import folder_for_copy
from partita.store import EmbeddedStore, Store
from partita.store.rows import every_row
from partita.store.store import AsyncStore
from partita.table import AttributeOf, ForeignItemError, Item, Key, Table, Update

_Place: TypeAlias = tuple[type[Item], tuple[str, ...]]
_MOST_COUNTS = 20


@dataclass(frozen=True, slots=True)
class Counted:
    """What a row adds to a counter."""

    key: Key[Any]
    """Of the item that has the counter."""
    counter: AttributeOf[Any, Any]
    amount: int = 1
    said: str = ""
    """What the row says of that item, if it may be of an earlier one with the same key: `Recount.holds` looks at it."""


@dataclass(frozen=True, slots=True)
class Recount:
    """The counters that a system keeps in a table."""

    table: Table
    counters: Mapping[type[Item], tuple[AttributeOf[Any, Any], ...]]
    """The types of items that have counters, and which."""
    rows: Mapping[type[Item], Callable[[Any], Iterable[Counted]]]
    """What a row of each type adds to counters: as it is marked, if it says whether it was counted."""
    made: frozenset[type[Item]] = frozenset()
    """Types whose items are made if they are missing. Without one of another type there is nothing to count."""
    holds: Callable[[Item, str], bool] = lambda _holder, _said: True
    """Whether what a row `said` of an item is true of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Wrong:
    """A counter that is not what a count of the rows is."""

    key: Key[Any]
    counter: AttributeOf[Any, Any]
    stored: int | None
    """None if there is not even an item for it."""
    counted: int

    @property
    def amount(self) -> int:
        """What must be added to it."""
        return self.counted - (self.stored or 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrong) and self._measured == other._measured

    __hash__ = None  # type: ignore[assignment]

    @property
    def _measured(self) -> tuple[object, ...]:
        return _place(self.key), self.counter.field_name, self.stored, self.counted

    def __str__(self) -> str:
        where = self.key.item_type.key_of(self.key.wire)
        return f"{where}: {self.counter.field_name} is {self.stored or 0:,}, counted {self.counted:,}"


@dataclass(slots=True)
class Recounted:
    """The result."""

    wrong: list[Wrong] = field(default_factory=list)
    """What the first count found."""
    settled: bool = False
    """Whether the last count found nothing wrong."""
    unreadable: list[str] = field(default_factory=list)
    """Items that do not fit their type, and are not counted: key and reason."""


@dataclass(frozen=True, slots=True)
class Tables:
    """What is counted in."""

    moment: Callable[[], AbstractAsyncContextManager[AsyncStore]]
    """The tables as they are at one moment."""
    exact: bool = True
    """Whether it is one; in DynamoDB others write while everything is read."""


async def recount(
    store: AsyncStore, tables: Tables, recounts: Iterable[Recount], *, dry_run: bool = False
) -> Recounted:
    """Make every counter what a count of the rows is. Whoever writes meanwhile, also doing the same, is not in the way.
    A dry run counts once and writes nothing."""
    wanted = tuple(recounts)
    result = Recounted()
    for number in range(_MOST_COUNTS):
        wrong, result.unreadable = await _count(tables, wanted)
        if number == 0:
            result.wrong = wrong
        result.settled = not wrong
        if dry_run or not wrong:
            break
        if not tables.exact:  # what was written while it was counted looks wrong once, not twice
            again, result.unreadable = await _count(tables, wanted)
            wrong = [each for each in wrong if each in again]
        for update in _corrections(wrong):
            try:
                await store.write(update)
            except ConditionalCheckFailedError:
                continue  # it is gone, or is other than it was: the next count tells
    return result


async def _count(tables: Tables, recounts: Iterable[Recount]) -> tuple[list[Wrong], list[str]]:
    unreadable: list[str] = []
    async with tables.moment() as there:
        return [each for one in recounts for each in await _wrong(there, one, unreadable)], unreadable


def _corrections(wrong: Iterable[Wrong]) -> Iterator[Update[Any]]:
    by_item: defaultdict[_Place, list[Wrong]] = defaultdict(list)
    for each in wrong:
        by_item[_place(each.key)].append(each)
    for several in by_item.values():
        update = Update(several[0].key, *(each.counter.add(each.amount) for each in several))
        for each in several:
            if each.amount < 0:  # nothing below zero is ever written
                update = update.when(each.counter >= -each.amount)
        yield update.or_new() if several[0].stored is None else update


async def _wrong(tables: AsyncStore, recount: Recount, unreadable: list[str]) -> list[Wrong]:
    holders: dict[_Place, Item] = {}
    keys: dict[_Place, Key[Any]] = {}
    counts: defaultdict[_Place, Counter[tuple[str, str]]] = defaultdict(Counter)
    left: set[_Place] = set()
    async for item in _items(tables, recount, unreadable, left):
        if type(item) in recount.counters:
            keys[_place(item.own_key)] = item.own_key
            holders[_place(item.own_key)] = item
        for each in recount.rows.get(type(item), _nothing)(item):
            keys.setdefault(_place(each.key), each.key)
            counts[_place(each.key)][each.counter.field_name, each.said] += each.amount
    wrong: list[Wrong] = []
    for place, key in keys.items():
        if place in left:
            continue
        holder = holders.get(place)
        if holder is None and key.item_type not in recount.made:
            continue
        for counter in recount.counters[key.item_type]:
            stored: int | None = None if holder is None else getattr(holder, counter.field_name) or 0
            counted = sum(
                amount
                for (name, said), amount in counts[place].items()
                if name == counter.field_name and (holder is None or recount.holds(holder, said))
            )
            if (stored or 0) != counted:
                wrong.append(Wrong(key, counter, stored, counted))
    return wrong


async def _items(tables: AsyncStore, recount: Recount, unreadable: list[str], left: set[_Place]) -> AsyncIterator[Item]:
    """What fits its type. The places of the others are added to `left`: what their counters say is not known."""
    kinds = tuple({**dict.fromkeys(recount.counters), **dict.fromkeys(recount.rows)})
    async for row in every_row(tables, recount.table):
        kind = next((each for each in kinds if each.owns(row)), None)
        try:
            item = None if kind is None else await tables.read(kind, row)
        except ForeignItemError as error:
            assert kind is not None  # it was read as one
            unreadable.append(str(error))
            left.add((kind, _key_values({key.name: row[key.name] for key in recount.table.keys})))
            continue
        if item is not None:
            yield item


def _nothing(_item: Any) -> Iterable[Counted]:
    return ()


def _place(key: Key[Any]) -> _Place:
    return key.item_type, _key_values(key.wire)


def _key_values(wire: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(value) for _, value in sorted(wire.items()))


def tables_of(store: Store) -> Tables:
    """A copy of the file of tables, as large as it is. In DynamoDB the tables themselves."""

    @asynccontextmanager
    async def themselves() -> AsyncIterator[AsyncStore]:
        yield store.asynchronous

    if not isinstance(store, EmbeddedStore):
        return Tables(themselves, exact=False)
    folder = store.engine.database.folder

    @asynccontextmanager
    async def copied() -> AsyncIterator[AsyncStore]:
        with folder_for_copy(folder) as beside:
            await asyncio.to_thread(_copy, folder / FILE_NAME, beside / FILE_NAME)
            with Engine(beside, durability="off", background=False) as engine:
                yield EmbeddedStore(engine).asynchronous

    return Tables(copied)


def _copy(file: Path, target: Path) -> None:
    with Snapshot(file) as snapshot:
        snapshot.copy(target)
