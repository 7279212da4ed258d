"""GetItem, Query and Scan; pages end where DynamoDB ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import apsw
import orjson

from partita.dynamo.capacity import Capacity, read_units
from partita.dynamo.errors import ResourceNotFoundError, ValidationError
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.key_condition import KeyRange, key_range, key_terms, old_key_terms
from partita.dynamo.expressions.paths import project
from partita.dynamo.expressions.tree import Path, Projection
from partita.dynamo.expressions.walk import paths_in
from partita.dynamo.limits import PAGE_BYTES
from partita.dynamo.requests import GetItem, Query, Scan
from partita.dynamo.size import item_size
from partita.dynamo.values import Item, describe, type_of
from partita.engine import key_paths, keys, rows
from partita.engine.catalog import Catalog
from partita.engine.definitions import Index, KeyAttribute, Table
from partita.engine.spread import Spread

Load = Callable[[bytes], Any]
"""How a whole stored item is returned: parsed for Python, or as JSON."""

Pick = Callable[[tuple[Path, ...], Item], Item]
Response = dict[str, Any]


def get(connection: apsw.Connection, catalog: Catalog, request: GetItem, load: Load) -> Response:
    """GetItem."""
    table = catalog.table(request.table)
    if request.projection is not None:
        key_paths.check_projection(table, request.projection)
    key = rows.key_of_key(table, request.key)
    if request.capacity == "NONE":
        body = rows.body(connection, table, key)
        return {} if body is None else {"Item": projected_item(body, request.projection, load)}
    row = rows.find(connection, table, key)
    response: Response = {} if row is None else {"Item": projected_item(row.body, request.projection, load)}
    capacity = Capacity(table.name, "read", read_units(row.size if row else 0, consistent=request.consistent))
    response["ConsumedCapacity"] = capacity.wire(request.capacity)
    return response


def projected_item(body: bytes, projection: Projection | None, load: Load) -> Any:
    """A stored item with the attributes that the request asks for."""
    return load(body) if projection is None else project(projection.paths, orjson.loads(body))


def query(connection: apsw.Connection, catalog: Catalog, request: Query, load: Load) -> Response:
    """Query."""
    old = "KeyConditions" in request.legacy
    terms = () if old else key_terms(request.condition)  # told before a missing table
    table, index = _target(catalog, request)
    hash_keys, range_keys = _key_schema(table, index)
    if old:
        terms = old_key_terms(request.condition, hash_keys, range_keys)
    try:
        selected = key_range(terms, hash_keys, range_keys)
    except ValidationError:
        key_paths.check_condition(table, request.condition)  # told before other faults
        raise
    _check_filter(request, hash_keys, range_keys)
    _check_selection(table, index, request)
    spread = table.spread if index is None else index.spread
    low, high = bounds(selected, spread)
    if request.start is not None:
        start = start_key(table, index, request.start)
        if not (low <= start < high):
            same_partition = start.startswith(keys.partition(selected.partition, spread))
            raise _outside(selected, request.start, range_keys, of_table=index is None, same_partition=same_partition)
        low, high = (start + b"\x00", high) if request.forward else (low, start)
    return _page(connection, table, index, request, low, high, load, forward=request.forward)


def scan(connection: apsw.Connection, catalog: Catalog, request: Scan, load: Load) -> Response:
    """Scan."""
    table, index = _target(catalog, request)
    _check_selection(table, index, request)
    low, high = keys.segment_bounds(request.segment or 0, request.total_segments or 1)
    if request.start is not None:
        start = start_key(table, index, request.start)
        if not (low <= start < high):
            raise ValidationError(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                f"correct Segment. TotalSegments: {request.total_segments} Segment: {request.segment}"
            )
        low = start + b"\x00"
    return _page(connection, table, index, request, low, high, load, forward=True)


def bounds(selected: KeyRange, spread: Spread) -> tuple[bytes, bytes]:
    """The range of stored keys for a key condition: from the first, up to but without the second."""
    base = keys.partition(selected.partition, spread) + b"".join(map(keys.encode, selected.leading))
    last = selected.last
    if last is None:
        return base, keys.successor(base)
    value = last.values[0]
    if last.operator == "begins_with":
        prefix = base + keys.encode_prefix(value)
        return prefix, keys.successor(prefix)
    exact = base + keys.encode(value)
    match last.operator:
        case "<":
            return base, exact
        case "<=":
            return base, keys.successor(exact)
        case ">":
            return keys.successor(exact), keys.successor(base)
        case ">=":
            return exact, keys.successor(base)
    return exact, keys.successor(base + keys.encode(last.values[1]))


def _target(catalog: Catalog, request: Query | Scan) -> tuple[Table, Index | None]:
    table = catalog.table(request.table)
    if request.index is None:
        return table, None
    index = table.index(request.index)
    if index is None:
        raise ValidationError(f"The table does not have the specified index: {request.index}")
    if index.status != "ACTIVE":
        raise ResourceNotFoundError(f"Cannot read from backfilling global secondary index: {index.name}")
    if not index.local and request.consistent:
        raise ValidationError("Consistent reads are not supported on global secondary indexes")
    return table, index


def _check_selection(table: Table, index: Index | None, request: Query | Scan) -> None:
    """Refuse a selection that the index cannot give, and paths into keys."""
    if request.filter is not None:
        key_paths.check_condition(table, request.filter)
    if request.projection is not None:
        key_paths.check_projection(table, request.projection)
    if index is None:
        return
    if request.select == "ALL_ATTRIBUTES" and not index.local and index.projection != "ALL":
        raise ValidationError(
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
            f"secondary index {index.name} because its projection type is not ALL"
        )
    if not index.local and index.projection != "ALL" and request.projection is not None:
        check_projected(table, index, request.projection)


def check_projected(table: Table, index: Index, projection: Projection) -> None:
    """Refuse to project attributes that a global index does not have."""
    held = rows.projected_names(table, index)
    missing = [str(path.parts[0]) for path in projection.paths if path.parts[0] not in held]
    if missing:
        raise ValidationError(
            f"One or more parameter values were invalid: Global secondary index {index.name} does not project "
            f"[{', '.join(missing)}]"
        )


def _key_schema(table: Table, index: Index | None) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
    if index is not None:
        return index.hash, index.range
    return (table.hash,), () if table.range is None else (table.range,)


def _check_filter(request: Query, hash_keys: tuple[KeyAttribute, ...], range_keys: tuple[KeyAttribute, ...]) -> None:
    if request.filter is None:
        return
    key_names = {name for name, _ in (*hash_keys, *range_keys)}
    for path in paths_in(request.filter):
        if path.parts[0] in key_names and len(path.parts) == 1:
            what = "QueryFilter" if "QueryFilter" in request.legacy else "Filter Expression"
            raise ValidationError(
                f"{what} can only contain non-primary key attributes: Primary key attribute: {path.parts[0]}"
            )


def _outside(
    selected: KeyRange,
    given: Item,
    range_keys: tuple[KeyAttribute, ...],
    *,
    of_table: bool,
    same_partition: bool,
) -> ValidationError:
    """What is said of a starting key that the key condition does not select."""
    if not range_keys:
        told = ", ".join(f"{name}=AttributeValue: {describe(value)}" for name, value in given.items())
        return ValidationError(f"The provided exclusive start key is invalid: ExclusiveStartKey: {{{told}}}")
    if same_partition:
        return ValidationError("The provided starting key does not match the range key predicate")
    if of_table and len(selected.leading) == len(range_keys):
        return ValidationError("The query can return at most one row and cannot be restarted")
    return ValidationError("The provided starting key is outside query boundaries based on provided conditions")


def start_key(table: Table, index: Index | None, start: Item) -> bytes:
    """The stored key of an ExclusiveStartKey."""
    schema = dict(table.keys)
    if index is not None:
        schema.update((*index.hash, *index.range))
    if start.keys() != schema.keys():
        raise ValidationError("The provided starting key is invalid")
    if any(type_of(start[name]) != kind for name, kind in schema.items()):
        raise ValidationError(
            "The provided starting key is invalid: The provided key element does not match the schema"
        )
    key = rows.key_of_key(table, {name: start[name] for name, _ in table.keys})
    if index is None:
        return key
    entry = rows.index_key(index, start, key)
    assert entry is not None  # every attribute of the index key is there
    return entry


@dataclass(slots=True)
class _View:
    """How the items of a page are read: through an index, a filter, a projection."""

    table: Table
    index: Index | None
    request: Query | Scan
    whole: bool
    fetched: bool

    def item(self, body: bytes) -> Item:
        item: Item = orjson.loads(body)
        if self.index is None or self.fetched:
            return item
        return rows.projected(self.table, self.index, item)


def _view(table: Table, index: Index | None, request: Query | Scan) -> _View:
    fetched = False
    if index is not None and index.local and index.projection != "ALL":
        # A local index reads other attributes from the table.
        names = rows.projected_names(table, index)
        wanted = {path.parts[0] for path in request.projection.paths} if request.projection else set()
        fetched = request.select == "ALL_ATTRIBUTES" or not wanted <= names
    partial = index is not None and index.projection != "ALL" and not fetched
    whole = request.filter is None and request.projection is None and not partial and not fetched
    return _View(table, index, request, whole, fetched)


class _Parts:
    """A scan's bytes by the four parts of the disk that a table on demand begins with: each is rounded up by itself."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sizes = [0] * keys.PARTS
        self._reached = 0

    def add(self, item: Item, size: int) -> None:
        self._reached = keys.part_of(keys.partition((item[self._table.hash[0]],), self._table.spread))
        self._sizes[self._reached] += size

    def units(self, low: bytes, high: bytes, *, to_the_end: bool, consistent: bool) -> float:
        """Of the parts between two stored keys, as far as the page came."""
        reached = keys.last_part_below(high) if to_the_end else self._reached
        return sum(read_units(size, consistent=consistent) for size in self._sizes[keys.part_of(low) : reached + 1])


def _parts_to_count(table: Table, index: Index | None, request: Query | Scan) -> _Parts | None:
    counted = request.capacity != "NONE" and isinstance(request, Scan)
    return _Parts(table) if counted and index is None and table.billing == "PAY_PER_REQUEST" else None


@dataclass(slots=True)
class Page:
    """What was read between two stored keys, up to a limit or 1 MB; `last` is where to go on, if it ended early."""

    items: list[Any]
    count: int
    scanned: int
    size: int
    last: Item | None
    capacity: Capacity | None


def _page(
    connection: apsw.Connection,
    table: Table,
    index: Index | None,
    request: Query | Scan,
    low: bytes,
    high: bytes,
    load: Load,
    *,
    forward: bool,
) -> Response:
    page = read_page(connection, table, index, request, low, high, load, forward=forward)
    response: Response = {"Count": page.count, "ScannedCount": page.scanned}
    if request.select != "COUNT":
        response["Items"] = page.items
    if page.last is not None:
        response["LastEvaluatedKey"] = page.last
    if page.capacity is not None:
        response["ConsumedCapacity"] = page.capacity.wire(request.capacity)
    return response


def read_page(
    connection: apsw.Connection,
    table: Table,
    index: Index | None,
    request: Query | Scan,
    low: bytes,
    high: bytes,
    load: Load,
    *,
    forward: bool,
    pick: Pick = project,
) -> Page:
    """Read from one stored key up to another; `pick` makes an answer's item of the paths of a projection."""
    view = _view(table, index, request)
    limit = request.limit
    items: list[Any] = []
    count = scanned = total = 0
    fetches = 0.0
    last: bytes | None = None
    counting = request.select == "COUNT"
    narrow = index is not None and index.projection != "ALL"
    parts = _parts_to_count(table, index, request)
    for size, crc, stored in _stretch(connection, table, index, low, high, forward=forward, limit=limit):
        body = rows.sound(stored, crc)
        scanned += 1
        if parts is not None:
            parts.add(orjson.loads(body), size)
        if view.whole:
            count += 1
            if not counting:
                items.append(load(body))
            total += size
        else:
            item = view.item(body)
            if narrow and view.fetched:
                assert index is not None  # narrow says so
                total += item_size(rows.projected(table, index, item))
                fetches += read_units(size, consistent=request.consistent)
            else:
                total += item_size(item) if narrow else size
            if request.filter is None or holds(request.filter, item):
                count += 1
                if not counting:
                    items.append(item if request.projection is None else pick(request.projection.paths, item))
        if total >= PAGE_BYTES or scanned == limit:
            last = body
            break
    page = Page(items, count, scanned, total, None, None)
    if last is not None:
        whole = items[-1] if view.whole and not counting and isinstance(items[-1], dict) else orjson.loads(last)
        page.last = _last_key(table, index, whole)
    if request.capacity != "NONE":
        if parts is None:
            units = read_units(total, consistent=request.consistent)
        else:
            units = parts.units(low, high, to_the_end=last is None, consistent=request.consistent)
        page.capacity = capacity = Capacity(table.name, "read")
        if index is None:
            capacity.base = units
        else:
            capacity.add_index(index.name, units, local=index.local)
            capacity.base = fetches
    return page


def _stretch(
    connection: apsw.Connection,
    table: Table,
    index: Index | None,
    low: bytes,
    high: bytes,
    *,
    forward: bool,
    limit: int | None,
) -> Iterator[tuple[int, int, bytes]]:
    """Size, checksum and body of the rows between two stored keys, in order; read lazily, one moment's state."""
    order = "" if forward else " DESC"
    if index is None:
        statement = f"SELECT size, crc, body FROM {table.rows} WHERE key >= ? AND key < ? ORDER BY key{order} LIMIT ?"
    else:
        statement = (
            f"SELECT size, crc, body FROM {index.rows} AS entry CROSS JOIN {table.rows} AS item ON item.id = entry.item"
            f" WHERE entry.key >= ? AND entry.key < ? ORDER BY entry.key{order} LIMIT ?"
        )
    found: Iterator[tuple[int, int, bytes]] = connection.execute(statement, (low, high, -1 if limit is None else limit))
    return found


def _last_key(table: Table, index: Index | None, item: Item) -> Item:
    names = [name for name, _ in table.keys]
    if index is not None:
        names = [*index.key_names, *names]
    return {name: item[name] for name in dict.fromkeys(names)}
