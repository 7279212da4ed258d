"""Contributor Insights: which keys of a table are used most, counted from the requests themselves.

Counts are kept in memory and added to the file once a minute and on close, so that reading stays reading. Of each table
the thousand most used keys are kept; a key that is rare among very many may be counted too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from threading import Lock
from typing import Any, Literal

import apsw
import orjson

from partita.dynamo.errors import DynamoError, ResourceNotFoundError
from partita.dynamo.expressions.key_condition import key_range, key_terms
from partita.dynamo.frozen import dataclass
from partita.dynamo.partiql.requests import StatementRequest
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    ItemRequest,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
)
from partita.dynamo.values import Item
from partita.engine.catalog import Catalog, missing_table
from partita.engine.definitions import Table
from partita.engine.writer import Transaction, Writer

Kind = Literal["PKC", "SKC", "PKT", "SKT"]
"""Partition keys or whole keys, used or throttled; the names are those in DynamoDB's rules."""

KINDS: dict[str, tuple[Kind, ...]] = {
    "ACCESSED_AND_THROTTLED_KEYS": ("PKC", "SKC", "PKT", "SKT"),
    "THROTTLED_KEYS": ("PKT", "SKT"),
}
_MOST_KEPT = 1000
_MOST_IN_MEMORY = 10_000
Counted = tuple[tuple[int, float], Kind, str]
"""Whose count it is (and since when: switched off and on again it begins anew), its kind, and the key."""


@dataclass(frozen=True, slots=True)
class Contributor:
    """A key and how often it was used or throttled."""

    key: Item
    count: int


class Contributors:
    """Counts the keys of requests on tables whose insights are on."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._counts: Counter[Counted] = Counter()
        self._lock = Lock()

    def count(self, tables: Catalog, request: ItemRequest | StatementRequest, *, throttled: bool = False) -> None:
        """Count the keys of a request."""
        with self._lock:
            self._counts.update(_counted(tables, request, throttled=throttled))
            if len(self._counts) > _MOST_IN_MEMORY:
                self._counts = Counter(dict(self._counts.most_common(_MOST_IN_MEMORY // 2)))

    def flush(self) -> None:
        """Add what was counted to the file."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if counts:
            self._writer.run(lambda transaction: _add(transaction, counts))


def _counted(tables: Catalog, request: ItemRequest | StatementRequest, *, throttled: bool) -> Iterator[Counted]:
    for named, index, key in _keys_of(request):
        try:
            table = tables.table(named)
        except DynamoError:
            continue  # the operation itself says so
        insights = table.insights.get(index)
        if insights is None:
            continue
        owner, hash_names, range_names = counted_keys(table, index)
        kinds: tuple[Kind, Kind] = ("PKT", "SKT") if throttled else ("PKC", "SKC")
        parts = _partition(table, index, key) if isinstance(key, Query) else key
        for kind, names in zip(kinds, (hash_names, (*hash_names, *range_names)), strict=True):
            whole = range_names or kind in ("PKC", "PKT")
            if whole and kind in KINDS[insights["mode"]] and all(name in parts for name in names):
                yield (owner, insights["since"]), kind, orjson.dumps({name: parts[name] for name in names}).decode()


def _keys_of(request: ItemRequest | StatementRequest) -> Iterator[tuple[str, str, Any]]:
    """The table, the index and the key (or a query for one) of everything that a request uses by key."""
    match request:
        case Query():
            yield request.table, request.index or "", request
        case BatchGetItem():
            yield from ((name, "", key) for name, wanted in request.tables.items() for key in wanted.keys)
        case BatchWriteItem():
            for writes in request.tables.values():
                yield from ((write.table, "", _key(write)) for write in writes)
        case TransactGetItems():
            yield from ((get.table, "", get.key) for get in request.gets)
        case TransactWriteItems():
            yield from ((action.table, "", _key(action)) for action in request.actions)
        case Scan():
            return
        case _:
            if hasattr(request, "table"):
                yield request.table, "", _key(request)


def _key(write: Any) -> Item:
    key: Item = write.item if isinstance(write, PutItem) else write.key
    return key


def counted_keys(table: Table, index: str) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Whose counts they are, and the names of the partition and sort key attributes."""
    found = table.index(index) if index else None
    if found is None:
        return table.id, (table.hash[0],), () if table.range is None else (table.range[0],)
    return found.id, tuple(name for name, _ in found.hash), tuple(name for name, _ in found.range)


def _partition(table: Table, index: str, query: Query) -> Item:
    """The partition key that a query names, and its sort key if it names that as well."""
    found = table.index(index) if index else None
    hash_keys = (table.hash,) if found is None else found.hash
    range_keys = (() if table.range is None else (table.range,)) if found is None else found.range
    try:
        selected = key_range(key_terms(query.condition), hash_keys, range_keys)
    except DynamoError:
        return {}
    parts = {name: value for (name, _), value in zip(hash_keys, selected.partition, strict=True)}
    return parts | {name: value for (name, _), value in zip(range_keys, selected.leading, strict=False)}


def _add(transaction: Transaction, counts: Counter[Counted]) -> None:
    counted = {  # what is still on
        (counted_keys(table, index)[0], setting["since"])
        for table in transaction.catalog.tables.values()
        for index, setting in table.insights.items()
    }
    kept = [(owner[0], kind, key, count) for (owner, kind, key), count in counts.items() if owner in counted]
    for row in kept:
        transaction.execute(
            "INSERT INTO contributors (owner, kind, key, count) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (owner, kind, key) DO UPDATE SET count = count + excluded.count",
            row,
        )
    for owner, kind in {(owner, kind) for owner, kind, _, _ in kept}:
        transaction.execute(
            "DELETE FROM contributors WHERE owner = ? AND kind = ? AND key NOT IN"
            " (SELECT key FROM contributors WHERE owner = ? AND kind = ? ORDER BY count DESC, key LIMIT ?)",
            (owner, kind, owner, kind, _MOST_KEPT),
        )


def most(connection: apsw.Connection, tables: Catalog, name: str, index: str, kind: Kind) -> list[Contributor]:
    """The keys of a table or an index that were counted most often, those first."""
    owner = counted_keys(target(tables, name, index), index)[0]
    statement = "SELECT key, count FROM contributors WHERE owner = ? AND kind = ? ORDER BY count DESC, key LIMIT ?"
    found = connection.execute(statement, (owner, kind, _MOST_KEPT))
    return [Contributor(orjson.loads(key), int(count)) for key, count in found]


def forget(transaction: Transaction, owner: int) -> None:
    """Forget the counts of a table or an index."""
    transaction.execute("DELETE FROM contributors WHERE owner = ?", (owner,))


def target(tables: Catalog, name: str, index: str) -> Table:
    """The table of a request, which has the global index that the request names."""
    table = tables.tables.get(tables.place.table_name(name))
    if table is None:
        raise missing_table()
    found = table.index(index) if index else None
    if index and (found is None or found.local):
        raise ResourceNotFoundError(f"Requested resource not found: Index: {index} not found")
    return table
