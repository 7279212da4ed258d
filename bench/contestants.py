"""Who takes part: each does the same five operations on 1 KB items in a table with one global index."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import apsw
import boto3
import orjson
from botocore.config import Config
from tests.serving import CREDENTIALS

from partita.engine import Engine
from partita.engine.boto import connect

TABLE: dict[str, Any] = {
    "TableName": "bench",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "group")],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "byGroup",
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
PAGE = 25
_TEXT = "The quick brown fox jumps over the lazy dog. " * 18


def item(number: int) -> dict[str, Any]:
    """About 1 KB; 25 in a row share a group."""
    return {
        "pk": {"S": f"USER#{number:08d}"},
        "sk": {"S": f"ITEM#{number:08d}"},
        "group": {"S": f"GROUP#{number // PAGE:08d}"},
        "count": {"N": str(number)},
        "tags": {"L": [{"S": "alpha"}, {"S": "beta"}, {"S": "gamma"}]},
        "published": {"BOOL": True},
        "body": {"S": _TEXT},
    }


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"USER#{number:08d}"}, "sk": {"S": f"ITEM#{number:08d}"}}


def put_request(number: int) -> dict[str, Any]:
    return {"TableName": "bench", "Item": item(number)}


def get_request(number: int) -> dict[str, Any]:
    return {"TableName": "bench", "Key": key(number)}


def update_request(number: int) -> dict[str, Any]:
    return {
        "TableName": "bench",
        "Key": key(number),
        "UpdateExpression": "SET #c = #c + :one",
        "ExpressionAttributeNames": {"#c": "count"},
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }


def query_request(number: int) -> dict[str, Any]:
    return {
        "TableName": "bench",
        "IndexName": "byGroup",
        "KeyConditionExpression": "#g = :g",
        "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": {"S": f"GROUP#{number:08d}"}},
        "Limit": PAGE,
    }


def transaction_request(number: int) -> dict[str, Any]:
    return {"TransactItems": [{"Put": put_request(number * 3 + at)} for at in range(3)]}


class Contestant(Protocol):
    """Five operations."""

    def put(self, number: int) -> object: ...
    def get(self, number: int) -> object: ...
    def update(self, number: int) -> object: ...
    def query(self, number: int) -> object: ...
    def transact(self, number: int) -> object: ...


class InProcess:
    """The engine, called directly."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        engine.call("CreateTable", TABLE)

    def put(self, number: int) -> object:
        return self.engine.call("PutItem", put_request(number))

    def get(self, number: int) -> object:
        return self.engine.call("GetItem", get_request(number))

    def update(self, number: int) -> object:
        return self.engine.call("UpdateItem", update_request(number))

    def query(self, number: int) -> object:
        return self.engine.call("Query", query_request(number))

    def transact(self, number: int) -> object:
        return self.engine.call("TransactWriteItems", transaction_request(number))


class Boto:
    """A boto3 client, connected to an engine in process or to a server."""

    def __init__(self, *, engine: Engine | None = None, url: str | None = None) -> None:
        config = Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=60)
        self.client = boto3.Session(**CREDENTIALS).client("dynamodb", endpoint_url=url, config=config)
        if engine is not None:
            connect(self.client, engine)
        self.client.create_table(**TABLE)
        self.client.get_waiter("table_exists").wait(TableName="bench", WaiterConfig={"Delay": 1})

    def put(self, number: int) -> object:
        return self.client.put_item(**put_request(number))

    def get(self, number: int) -> object:
        return self.client.get_item(**get_request(number))

    def update(self, number: int) -> object:
        return self.client.update_item(**update_request(number))

    def query(self, number: int) -> object:
        return self.client.query(**query_request(number))

    def transact(self, number: int) -> object:
        return self.client.transact_write_items(**transaction_request(number))


class RawSqlite:
    """SQLite with synchronous=FULL doing the same row writes: an item row and an index row, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.updates = 0
        self.connection = apsw.Connection(str(folder / "raw.sqlite3"))
        for statement in (
            "PRAGMA journal_mode=wal",
            "PRAGMA synchronous=full",
            "CREATE TABLE items (key BLOB PRIMARY KEY, body BLOB)",
            "CREATE TABLE entries (key BLOB PRIMARY KEY, item BLOB) WITHOUT ROWID",
        ):
            self.connection.execute(statement)

    def _write(self, number: int) -> None:
        stored = item(number)
        name = stored["pk"]["S"].encode()
        self.connection.execute("INSERT OR REPLACE INTO items VALUES (?, ?)", (name, orjson.dumps(stored)))
        entry = f"{stored['group']['S']}|{number}".encode()
        self.connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (entry, name))

    def put(self, number: int) -> object:
        self.connection.execute("BEGIN IMMEDIATE")
        self._write(number)
        return self.connection.execute("COMMIT")

    def get(self, number: int) -> object:
        name = f"USER#{number:08d}".encode()
        (body,) = next(self.connection.execute("SELECT body FROM items WHERE key = ?", (name,)))
        return orjson.loads(body)

    def update(self, number: int) -> object:
        self.connection.execute("BEGIN IMMEDIATE")
        name = f"USER#{number:08d}".encode()
        self.updates += 1  # SQLite writes nothing where nothing changes
        changed = {**item(number), "count": {"N": str(self.updates)}}
        self.connection.execute("UPDATE items SET body = ? WHERE key = ?", (orjson.dumps(changed), name))
        return self.connection.execute("COMMIT")

    def query(self, number: int) -> object:
        low, high = f"GROUP#{number:08d}|".encode(), f"GROUP#{number:08d}}}".encode()
        statement = "SELECT body FROM entries JOIN items ON items.key = entries.item WHERE entries.key BETWEEN ? AND ?"
        return [orjson.loads(body) for (body,) in self.connection.execute(statement, (low, high))]

    def transact(self, number: int) -> object:
        self.connection.execute("BEGIN IMMEDIATE")
        for at in range(3):
            self._write(number * 3 + at)
        return self.connection.execute("COMMIT")
