"""Fills a new index from the existing items, in batches, while writes go on."""

from __future__ import annotations

from dataclasses import replace

import orjson

from partita.dynamo.size import item_size
from partita.engine import catalog, rows
from partita.engine.writer import Transaction

_CHUNK = 500


def fill(transaction: Transaction, table_name: str, index_name: str) -> bool:
    """Index one batch of items; True while there is more. Safe to repeat and to run in several processes."""
    table = transaction.catalog.tables.get(table_name)
    index = None if table is None else table.index(index_name)
    if table is None or index is None or index.status == "ACTIVE":
        return False
    statement = f"SELECT id, key, size, crc, body FROM {table.rows} WHERE id > ? ORDER BY id LIMIT ?"
    found = list(transaction.execute(statement, (index.backfilled_to, _CHUNK)))
    for number, key, size, crc, body in found:
        item = orjson.loads(rows.sound(body, crc))
        entry = rows.fitting_key(index, item, key)
        if entry is None:
            continue
        before = transaction.connection.total_changes()
        transaction.execute(f"INSERT OR IGNORE INTO {index.rows} (key, item) VALUES (?, ?)", (entry, number))
        if transaction.connection.total_changes() != before:
            entry_size = size if index.projection == "ALL" else item_size(rows.projected(table, index, item))
            transaction.count(index.id, 1, entry_size)
    more = len(found) == _CHUNK
    advanced = replace(index, backfilled_to=found[-1][0]) if more else replace(index, status="ACTIVE", backfilled_to=0)
    indexes = tuple(advanced if each.id == index.id else each for each in table.indexes)
    catalog.save(transaction.connection, replace(table, indexes=indexes))
    transaction.reload()
    return more
