"""Item collections: the size of all items with one partition key, for tables with local indexes."""

from __future__ import annotations

from typing import Any

import apsw

from partita.dynamo.values import Item
from partita.engine import keys
from partita.engine.definitions import Table

_GIGABYTE = 1024**3


def collection_metrics(connection: apsw.Connection, table: Table, key: Item) -> dict[str, Any] | None:
    """ItemCollectionMetrics of the collection a write touched; only tables with local indexes have them."""
    if not any(index.local for index in table.indexes):
        return None
    name = table.hash[0]
    low = keys.partition((key[name],), table.spread)
    statement = f"SELECT coalesce(sum(size), 0) FROM {table.rows} WHERE key >= ? AND key < ?"
    (size,) = next(connection.execute(statement, (low, keys.successor(low))))
    gigabytes = int(size) / _GIGABYTE
    low_estimate = float(int(gigabytes))
    return {
        "ItemCollectionKey": {name: key[name]},
        "SizeEstimateRangeGB": [low_estimate, low_estimate + 1.0],
    }
