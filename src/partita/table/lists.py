"""Lists as callers want them: whole items, also through an index that does not hold them.

An index that holds keys alone, or a part of each item, gives the order; the items are then read by key.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Generic, TypeVar, cast

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item as WireItem
from partita.table import steps
from partita.table.conditions import paths_in
from partita.table.cursors import CursorKeys, unseal
from partita.table.errors import ForeignItemError, SchemaError
from partita.table.expect import expect
from partita.table.items import Item
from partita.table.layout import Layout
from partita.table.markers import large_fields
from partita.table.queries import BatchGet, Query, held_by
from partita.table.steps import MOST_CALLS, Page, Position, Steps, single_read_items, single_read_page
from partita.table.tables import Table
from partita.table.views import view_of
from partita.table.writes import Key

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
R = TypeVar("R")


def needs_second_read(query: Query[Any]) -> bool:
    """Whether the index leaves out attributes of the items that the query wants."""
    expect("page", query)
    index = query.index
    if index is None or index.projection == "ALL":
        return False
    held = held_by(query.table, index)
    if query.filter is not None:
        _check_filter(query, held)
    if query.only:
        return not held.issuperset(query.only)
    return any(
        not held.issuperset((*kind.__layout__.names.values(), *kind.__layout__.reader.derived_names))
        for kind in query.item_types
    )


def _check_filter(query: Query[Any], held: frozenset[str]) -> None:
    """A filter sees what the index holds, and takes everything else for missing: it would silently drop items."""
    assert query.filter is not None
    unseen = sorted({str(path.parts[0]) for path in paths_in(query.filter)} - held)
    if unseen:
        raise SchemaError(
            f"{query.index!r} does not hold {', '.join(unseen)}, so no filter can see it there: project it into the "
            "index, or filter the items after they are read"
        )


def page(
    query: Query[R],
    keys: CursorKeys,
    *,
    limit: int,
    after: str | None = None,
    page_size: int | None = None,
    most_calls: int = MOST_CALLS,
) -> Steps[Page[R]]:
    """A page of a list; items that the index does not hold are read by key."""
    if not needs_second_read(query):
        return (yield from single_read_page(query, keys, limit, after, page_size, most_calls))
    by_key = _keys_of(query)
    back = after is not None and unseal(keys, by_key, after)[2]
    first = yield from single_read_page(by_key, keys, limit, after, page_size, most_calls)
    items = yield from _items(query, first.items)
    last, calls = first, 1
    # What has gone or expired by the time it is read leaves room for more.
    while len(items) < limit and calls < most_calls and (ahead := last.previous_cursor if back else last.next_cursor):
        calls += 1
        last = yield from single_read_page(by_key, keys, limit - len(items), ahead, page_size)
        more = yield from _items(query, last.items)
        items = (*more, *items) if back else (*items, *more)
    if back:
        return Page(items, first.next_cursor, last.previous_cursor)
    return Page(items, last.next_cursor, first.previous_cursor)


def next_items(query: Query[R], position: Position, *, limit: int) -> Steps[list[R]]:
    """The next items of a list; those that the index does not hold are read by key."""
    if not needs_second_read(query):
        return (yield from single_read_items(query, position, limit=limit))
    keys = yield from single_read_items(_keys_of(query), position, limit=limit)
    return list((yield from _items(query, tuple(keys))))


def count(query: Query[Any]) -> Steps[int]:
    """How many items a list has: it is read, and what it passes over does not count. DynamoDB's own count costs the
    same, and would count rows of other types."""
    expect("count", query)
    query = replace(query, only=(), view=None)
    if any(large_fields(kind) for kind in query.item_types) and not needs_second_read(query):
        return (yield from steps.count_by_keys(query))
    position, total = steps.begin(query), 0
    while not position.ended:
        total += len((yield from next_items(query, position, limit=_COUNTED_AT_ONCE)))
    return total


_COUNTED_AT_ONCE = 500


def _items(query: Query[R], keys: tuple[Any, ...]) -> Steps[tuple[R, ...]]:
    """The items under the keys; those that are gone by now, or of another type, are passed over."""
    wanted: tuple[Key[Any], ...] = keys
    rows = yield from steps.rows_by_key(BatchGet(wanted, query.consistent, query.expired))
    items: list[Any] = []
    for key, row in zip(wanted, rows, strict=True):
        if row is None:
            continue
        try:
            item = key.item_type.from_own_row(row) if query.view is None else view_of(key.item_type, query.view, row)
        except ForeignItemError as error:
            yield steps.unreadable(query.table, (key.item_type,), row, error)
            continue
        if item is not None:
            items.append(item)
    return tuple(items)


def _keys_of(query: Query[Any]) -> Query[Any]:
    """The same query, whose rows are read as keys; its cursors are those of the list."""
    kinds = cast("tuple[type[Any], ...]", tuple(map(_KeyRow, query.item_types)))
    return replace(query, item_types=kinds, only=(), view=None)


@dataclass(frozen=True)
class _KeyRow(Generic[I]):
    """Stands in for an item type if only its keys are there: a type without fields, whose items are keys."""

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

    def key_of(self, row: WireItem) -> str:
        return self.item_type.key_of(row)

    def owns(self, row: WireItem) -> bool:
        return self.item_type.__layout__.reader.may_match(row)

    def from_own_row(self, row: WireItem) -> Key[I] | None:
        if not self.owns(row):
            return None
        return Key(self.item_type, {key.name: row[key.name] for key in self.item_type.__table__.keys}, {})
