"""What a request costs, worked out from example items without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import islice
from typing import Any, Literal

from partita.dynamo import limits
from partita.dynamo.capacity import read_units, write_units
from partita.dynamo.expressions.update import apply
from partita.dynamo.size import item_size
from partita.dynamo.values import Item as WireItem
from partita.dynamo.values import order
from partita.table.errors import SchemaError
from partita.table.examples import Examples
from partita.table.lists import needs_second_read
from partita.table.queries import BatchGet, Get, Query
from partita.table.tables import Index, Table
from partita.table.writes import Check, Delete, Put, Transaction, Update

_SAMPLE = 100


@dataclass(frozen=True, slots=True)
class Cost:
    """Capacity units of a request: how many, for what, in how many calls."""

    units: float
    kind: Literal["read", "write"]
    items: int
    item_bytes: int
    calls: int
    parts: Mapping[str, float]
    """Units of the table (its name) and of each index (`table.index`)."""

    def __str__(self) -> str:
        what = "item" if self.items == 1 else "items"
        text = f"{self.units:g} {self.kind} units for {self.items:,} {what} of {self.item_bytes:,} bytes"
        if len(self.parts) > 1:
            text += " (" + ", ".join(f"{name} {units:g}" for name, units in self.parts.items()) + ")"
        return text + (f", in {self.calls:,} calls" if self.calls > 1 else "")


def cost(request: Any, examples: Examples, *, items: int = 25) -> Cost:
    """The cost of a request; for a list, of a page of so many items out of a longer list."""
    match request:
        case Query():
            return _list(request, examples, items)
        case Get() | BatchGet():
            return _keys(request, examples)
        case Put() | Update() | Delete() | Check():
            return _writes((request,), examples, transactional=False)
        case Transaction(writes=writes):
            return _writes(writes, examples, transactional=True)
        case _:
            raise SchemaError(f"{request!r} is no request: return a Get, a Query, a BatchGet or a write")


def _keys(request: Get[Any] | BatchGet[Any], examples: Examples) -> Cost:
    sizes = [item_size(item.to_row()) for item in examples.of(request)]
    units = sum(read_units(size, consistent=request.consistent) for size in sizes)
    table = _table(request).name
    return Cost(units, "read", len(sizes), _average(sizes), -(-len(sizes) // limits.BATCH_GET_KEYS), {table: units})


def _list(query: Query[Any], examples: Examples, items: int) -> Cost:
    found = _in_order(query, [item.to_row() for item in islice(examples.of(query), _SAMPLE)])
    # One row more than wanted is read, so that the end of the list is known; every shard is asked for its share.
    rows = items + 1 if len(found) == _SAMPLE else min(items + 1, len(found))
    whole = [item_size(row) for row in found]
    held = [item_size(index_entry(row, query.table, query.index)) for row in found]
    sizes = held[:rows] if rows <= len(held) else [_average(held)] * rows
    units, calls = _pages(sizes, consistent=query.consistent)
    parts = {query.table.name if query.index is None else repr(query.index): units * query.shards}
    calls *= query.shards
    wanted = min(items, rows)
    if needs_second_read(query):
        parts[query.table.name] = read_units(_average(whole), consistent=False) * wanted
        calls += -(-wanted // limits.BATCH_GET_KEYS)
    return Cost(sum(parts.values()), "read", wanted, _average(whole), calls, parts)


def _in_order(query: Query[Any], rows: list[WireItem]) -> list[WireItem]:
    names = [key.name for key in query.sort_names()]

    def compare(left: WireItem, right: WireItem) -> int:
        return next((found for name in names if (found := order(left[name], right[name]))), 0)

    return sorted(rows, key=cmp_to_key(compare), reverse=not query.forward)


def _pages(sizes: list[int], *, consistent: bool) -> tuple[float, int]:
    """Units and calls for some rows of a longer list: a call reads on to 1 MB, and is rounded for itself."""
    rows, page = 0, 0
    for size in sizes:
        rows, page = rows + 1, page + size
        if page >= limits.PAGE_BYTES:
            break
    calls = max(1, -(-len(sizes) // rows)) if rows else 1
    return read_units(page, consistent=consistent) * calls, calls


def _writes(writes: tuple[Any, ...], examples: Examples, *, transactional: bool) -> Cost:
    parts: dict[str, float] = {}
    sizes: list[int] = []
    for write in writes:
        before = examples.before(write)
        old = None if before is None else before.to_row()
        new = _after(write, old)
        table = write.key.item_type.__table__
        sizes.append(max(item_size(row) for row in (old, new, {}) if row is not None))
        _add(parts, table.name, write_units(sizes[-1], transactional=transactional))
        for index in table.indexes:
            _add(parts, repr(index), _index_units(old, new, table, index, transactional=transactional))
    return Cost(sum(parts.values()), "write", len(writes), _average(sizes), 1, parts)


def _after(write: Any, old: WireItem | None) -> WireItem | None:
    match write:
        case Put(item=item):
            row: WireItem = item.to_row()
            return row
        case Update():
            tree = write.request().update
            assert tree is not None  # an update without actions is refused when it is made a request
            return apply(tree, dict(write.key.wire) if old is None else old)
        case Check():
            return old
        case _:
            return None


def _index_units(
    old: WireItem | None, new: WireItem | None, table: Table, index: Index, *, transactional: bool
) -> float:
    """An index is written if its entry changes; if its key changes, the old entry is deleted as well."""
    before, after = _entry(old, table, index), _entry(new, table, index)
    if before == after:
        return 0.0
    if before is not None and after is not None and _key(before, index) != _key(after, index):
        return sum(write_units(item_size(entry), transactional=transactional) for entry in (before, after))
    return write_units(max(item_size(entry or {}) for entry in (before, after)), transactional=transactional)


def _entry(row: WireItem | None, table: Table, index: Index) -> WireItem | None:
    """The entry of an item in an index; None if the item lacks one of its keys."""
    if row is None or any(key.type not in row.get(key.name, {}) for key in index.key_names):
        return None
    return index_entry(row, table, index)


def index_entry(row: WireItem, table: Table, index: Index | None) -> WireItem:
    """What an index holds of a row; the table holds all of it."""
    if index is None or index.projection == "ALL":
        return row
    names = {key.name for key in (*table.keys, *index.key_names)}.union(index.include)
    return {name: value for name, value in row.items() if name in names}


def _key(entry: WireItem, index: Index) -> list[Any]:
    return [entry[key.name] for key in index.key_names]


def _table(request: Get[Any] | BatchGet[Any]) -> Table:
    key = request.key if isinstance(request, Get) else request.keys[0]
    table: Table = key.item_type.__table__
    return table


def _add(parts: dict[str, float], name: str, units: float) -> None:
    if units:
        parts[name] = parts.get(name, 0.0) + units


def _average(sizes: list[int]) -> int:
    return round(sum(sizes) / len(sizes)) if sizes else 0
