"""Whether a folder agrees with itself: indexes with tables, counters with items, the file with its catalog."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.size import item_size
from partita.engine import Engine, backups
from partita.engine.database import FILE_NAME
from tests.crash.tables import Item, pages

_PARTITIONS_LOOKED_AT = 40
_PREFIXES = ("items_", "index_", "stream_", "history_")


def check_folder(engine: Engine, folder: Path) -> Iterator[str]:
    """Everything that can be told without knowing what was written."""
    names = engine.call("ListTables", {})["TableNames"]
    for name in names:
        yield from check_table(engine, name)
    yield from _check_file(folder / FILE_NAME)


def check_table(engine: Engine, name: str) -> Iterator[str]:
    """A table's indexes and counters, computed again from a scan."""
    table = engine.call("DescribeTable", {"TableName": name})["Table"]
    if table["TableStatus"] == "CREATING":
        return
    items = pages(engine, "Scan", {"TableName": name, "ConsistentRead": True})
    keys = [entry["AttributeName"] for entry in table["KeySchema"]]
    yield from _check_counts(name, table["ItemCount"], table["TableSizeBytes"], items)
    yield from _check_partitions(engine, name, None, keys, items)
    for index in (*table.get("LocalSecondaryIndexes", ()), *table.get("GlobalSecondaryIndexes", ())):
        if index.get("IndexStatus") == "CREATING":
            continue
        label = f"{name}.{index['IndexName']}"
        index_keys = [entry["AttributeName"] for entry in index["KeySchema"]]
        shown = [_shown(index, {*keys, *index_keys}, item) for item in items if all(key in item for key in index_keys)]
        found = pages(engine, "Scan", {"TableName": name, "IndexName": index["IndexName"]})
        if _sorted(found, keys) != _sorted(shown, keys):
            yield f"{label}: the index shows {len(found)} items, not the {len(shown)} that the table says"
        yield from _check_counts(label, index["ItemCount"], index["IndexSizeBytes"], shown)
        yield from _check_partitions(engine, name, index["IndexName"], index_keys, shown)


def _shown(index: Item, keys: set[str], item: Item) -> Item:
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    names = keys.union(projection.get("NonKeyAttributes", ()))
    return {name: value for name, value in item.items() if name in names}


def _sorted(items: list[Item], keys: list[str]) -> list[Item]:
    return sorted(items, key=lambda item: [str(item[key]) for key in keys])


def _check_counts(label: str, count: int, size: int, items: list[Item]) -> Iterator[str]:
    expected = (len(items), sum(map(item_size, items)))
    if (count, size) != expected:
        yield f"{label}: counters say {(count, size)}, counting says {expected}"


def _check_partitions(
    engine: Engine, table: str, index: str | None, keys: list[str], items: list[Item]
) -> Iterator[str]:
    """Query some partitions: all their items, in order."""
    partitions: dict[str, list[Item]] = {}
    for item in items:
        partitions.setdefault(orjson.dumps(item[keys[0]]).decode(), []).append(item)
    chosen = random.Random(len(partitions)).sample(sorted(partitions), min(len(partitions), _PARTITIONS_LOOKED_AT))
    for partition in chosen:
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": "#hash = :hash",
            "ExpressionAttributeNames": {"#hash": keys[0]},
            "ExpressionAttributeValues": {":hash": orjson.loads(partition)},
        }
        if index is not None:
            request["IndexName"] = index
        found = pages(engine, "Query", request)
        if _multiset(found) != _multiset(partitions[partition]):
            yield f"{table}.{index}: the partition {partition} shows other items than the table"
        order = [_sort_value(item[keys[1]]) for item in found] if len(keys) == 2 else []
        if order != sorted(order):
            yield f"{table}.{index}: the partition {partition} is out of order"


def _multiset(items: list[Item]) -> list[bytes]:
    return sorted(orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in items)


def _sort_value(value: Item) -> Any:
    return Decimal(value["N"]) if "N" in value else value["S"].encode()


def _check_file(path: Path) -> Iterator[str]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.execute("PRAGMA query_only=1")
        for (message,) in connection.execute("PRAGMA integrity_check"):
            if message != "ok":
                yield f"integrity_check: {message}"
        definitions = [orjson.loads(text) for (text,) in connection.execute("SELECT definition FROM tables")]
        closed = [f"stream_{number}" for (number,) in connection.execute("SELECT id FROM closed_streams")]
        yield from _check_leftovers(connection, definitions, closed)
        for definition in definitions:
            yield from _check_rows(connection, definition)
        for arn, definition in connection.execute("SELECT arn, definition FROM backups"):
            if not (path.parent / backups.FOLDER / orjson.loads(definition)["file"]).exists():
                yield f"the file of the backup {arn} is missing"
    finally:
        connection.close()


def _check_leftovers(connection: apsw.Connection, definitions: list[Item], closed: list[str]) -> Iterator[str]:
    expected = set(closed)
    owners: set[int] = set()
    for table in definitions:
        expected.add(f"items_{table['id']}")
        expected.update(f"index_{index['id']}" for index in table["indexes"])
        expected.update(f"stream_{stream['id']}" for stream in table["streams"])
        if table["recovery_days"] is not None:
            expected.add(f"history_{table['id']}")
        owners.update((table["id"], *(index["id"] for index in table["indexes"])))
    statement = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    found = {name for (name,) in connection.execute(statement) if name.startswith(_PREFIXES)}
    if found != expected:
        yield f"the file holds {sorted(found - expected)} too much and lacks {sorted(expected - found)}"
    counted = {owner for (owner,) in connection.execute("SELECT owner FROM counters")}
    if counted != owners:
        yield f"the file counts for {sorted(counted - owners)} too much and not for {sorted(owners - counted)}"


def _check_rows(connection: apsw.Connection, table: Item) -> Iterator[str]:
    rows = f"items_{table['id']}"
    for index in table["indexes"]:
        entries = f"index_{index['id']}"
        statement = f"SELECT count(*) FROM {entries} WHERE item NOT IN (SELECT id FROM {rows})"
        (dangling,) = next(connection.execute(statement))
        if dangling:
            yield f"{table['name']}.{index['name']}: {dangling} entries lead nowhere"
    if table["ttl_filled_to"] is None:
        attribute = table["ttl_attribute"]
        for expires, body in connection.execute(f"SELECT expires, body FROM {rows}"):
            value = orjson.loads(body).get(attribute) if attribute else None
            if attribute and expires != (None if value is None else int(value["N"])):
                yield f"{table['name']}: an item expires at {expires}, not at {value}"
