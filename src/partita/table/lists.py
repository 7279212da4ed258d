"""Lists as callers want them: whole items, also through an index that does not hold them.

An index that holds keys alone, or a part of each item, gives the order; the items are then read by key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from partita.dynamo.values import Item as WireItem
from partita.table import steps
from partita.table.cursors import CursorKeys
from partita.table.expect import expect
from partita.table.items import Item
from partita.table.layout import Layout
from partita.table.queries import BatchGet, Query
from partita.table.steps import MOST_CALLS, Page, Position, Steps
from partita.table.tables import Table
from partita.table.writes import Key

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type


def needs_second_read(query: Query[Any]) -> bool:
    """Whether the index leaves out attributes of the items, and the query does not ask for a part of them itself."""
    expect("page", query)
    index = query.index
    if index is None or index.projection == "ALL" or query.only:
        return False
    held = {key.name for key in (*query.table.keys, *index.key_names)}.union(index.include)
    return any(not held.issuperset(kind.__layout__.names.values()) for kind in query.item_types)


def page(
    query: Query[I],
    keys: CursorKeys,
    *,
    limit: int,
    after: str | None = None,
    page_size: int | None = None,
    most_calls: int = MOST_CALLS,
) -> Steps[Page[I]]:
    """A page of a list, read by key where the index does not hold the items."""
    if not needs_second_read(query):
        wanted = steps.page(query, keys, limit=limit, after=after, page_size=page_size, most_calls=most_calls)
        return (yield from wanted)
    found = yield from steps.page(
        _keys_of(query), keys, limit=limit, after=after, page_size=page_size, most_calls=most_calls
    )
    return Page((yield from _items(cast("tuple[Key[I], ...]", found.items))), found.next_cursor)


def stretch(query: Query[I], position: Position, *, limit: int) -> Steps[list[I]]:
    """The next items of a list."""
    if not needs_second_read(query):
        return (yield from steps.stretch(query, position, limit=limit))
    found = yield from steps.stretch(_keys_of(query), position, limit=limit)
    return list((yield from _items(cast("tuple[Key[I], ...]", tuple(found)))))


def _items(keys: tuple[Key[I], ...]) -> Steps[tuple[I, ...]]:
    """What is gone by the time it is read is passed over."""
    found = yield from steps.batch_get(BatchGet(keys))
    return tuple(item for item in found if item is not None)


def _keys_of(query: Query[Any]) -> Query[Any]:
    """The same query, whose rows are read as keys; its cursors are those of the list."""
    return replace(query, item_types=cast("tuple[type[Any], ...]", tuple(map(_KeyRow, query.item_types))))


@dataclass(frozen=True)
class _KeyRow(Generic[I]):
    """Stands in for an item type where only its keys are there: a type without fields, whose items are keys."""

    item_type: type[I]

    @property
    def __name__(self) -> str:
        return self.item_type.__name__

    @property
    def __table__(self) -> Table:
        return self.item_type.__table__

    @property
    def __layout__(self) -> Layout:
        return replace(self.item_type.__layout__, names={})

    def owns(self, row: WireItem) -> bool:
        return self.item_type.owns(row)

    def from_own_row(self, row: WireItem) -> Key[I] | None:
        if not self.item_type.owns(row):
            return None
        return Key(self.item_type, {key.name: row[key.name] for key in self.item_type.__table__.keys}, {})
