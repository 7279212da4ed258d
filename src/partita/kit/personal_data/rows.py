"""Rows of all tables: one after the other, read again, and changed only if nobody else has changed them."""

from __future__ import annotations

from collections.abc import Sequence

from partita.dynamo import requests
from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Compare,
    Condition,
    Path,
    SetAction,
    Update,
    Value,
)
from partita.dynamo.values import Item as Row
from partita.kit.personal_data.holdings import Holding
from partita.store.store import AsyncStore
from partita.table import Table
from partita.table.effects import Steps
from partita.table.scans import SegmentPage, segment_page


async def some_rows(store: AsyncStore, table: Table, after: Row | None, *, limit: int = 200) -> SegmentPage:
    """The next rows of a table. Ids stand in logs and in other people's items, which no index lists by person."""
    return await store.run(segment_page(table.name, segment=0, segments=1, after=after, limit=limit))


def holding_of(row: Row, holdings: Sequence[Holding]) -> Holding | None:
    """What a row is, if a system has declared it."""
    return next((each for each in holdings if each.item_type.owns(row)), None)


def key_of(table: Table, row: Row) -> Row:
    """The key of a row."""
    return {key.name: row[key.name] for key in table.keys}


async def row_now(store: AsyncStore, table: Table, key: Row) -> Row | None:
    """A row as it is now; None if it is gone."""

    def read() -> Steps[Row | None]:
        response = yield requests.GetItem(table=table.name, key=key, consistent=True)
        row: Row | None = response.get("Item")
        return row

    return await store.run(read())


async def replace_row(store: AsyncStore, table: Table, before: Row, after: Row) -> None:
    """Write what differs, under another key if that differs; `ConditionalCheckFailedError` or
    `TransactionCanceledError` if somebody was faster."""
    changed = [name for name in after if after[name] != before[name]]
    same = _unchanged(table, before, changed)
    old, new = key_of(table, before), key_of(table, after)

    def write() -> Steps[None]:
        if old == new:
            sets = tuple(SetAction(Path((name,)), Value(after[name])) for name in changed)
            yield requests.UpdateItem(table=table.name, key=old, update=Update(sets), condition=same)
            return
        free = AttributeNotExists(Path((table.pk.name,)))
        yield requests.TransactWriteItems(
            actions=(
                requests.PutItem(table=table.name, item=after, condition=free),
                requests.DeleteItem(table=table.name, key=old, condition=same),
            )
        )

    await store.run(write())


async def delete_row(store: AsyncStore, table: Table, row: Row) -> None:
    """Delete a row, whatever became of it."""

    def write() -> Steps[None]:
        yield requests.DeleteItem(table=table.name, key=key_of(table, row))

    await store.run(write())


def _unchanged(table: Table, before: Row, names: Sequence[str]) -> Condition:
    keys = {key.name for key in table.keys}
    same: list[Condition] = [AttributeExists(Path((table.pk.name,)))]
    same += [Compare("=", Path((name,)), Value(before[name])) for name in names if name not in keys]
    return And(tuple(same)) if len(same) > 1 else same[0]
