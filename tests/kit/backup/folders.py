"""Data folders for tests: tables, files, large values, a table backup and a secret."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.engine import Engine
from partita.engine.database import FILE_NAME
from partita.kit.backup.manifest import Encryption
from partita.store.files import FolderFiles

PASSPHRASE = "correct horse battery"
QUICK = Encryption(n=2**10, r=8, p=1, salt="00112233445566778899aabbccddeeff")
"""A key that is found at once: tests ask for many."""


def make_table(engine: Engine, name: str, *, stream: bool = False) -> None:
    """A table with the key `id`."""
    definition: dict[str, Any] = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    if stream:
        definition["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    engine.call("CreateTable", definition)


def put(engine: Engine, table: str, name: str, **values: int) -> None:
    """Write an item of numbers."""
    item = {"id": {"S": name}, **{key: {"N": str(value)} for key, value in values.items()}}
    engine.call("PutItem", {"TableName": table, "Item": item})


def rows(engine: Engine, table: str) -> dict[str, dict[str, int]]:
    """Everything in a table that `put` has written."""
    found: dict[str, dict[str, int]] = {}
    request: dict[str, Any] = {"TableName": table}
    while True:
        page = engine.call("Scan", request)
        for item in page["Items"]:
            found[item["id"]["S"]] = {key: int(value["N"]) for key, value in item.items() if key != "id"}
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def make_data(data: Path, *, recovery: bool = False) -> Path:
    """A data folder with something of everything."""
    with Engine(data, durability="off", background=False) as engine:
        for table in ("films", "people"):
            make_table(engine, table, stream=table == "films")
            if recovery:
                wanted = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
                engine.call("UpdateContinuousBackups", {"TableName": table, **wanted})
            for number in range(20):
                put(engine, table, f"{table}-{number}", number=number)
        engine.call("CreateBackup", {"TableName": "films", "BackupName": "before"})
    uploads = data / "files" / "kelifax" / "logos"
    uploads.mkdir(parents=True, mode=0o700)
    (uploads / "one.png").write_bytes(os.urandom(3000))
    (uploads / "empty.png").write_bytes(b"")
    (data / "files" / ".incoming").mkdir()
    (data / "files" / ".incoming" / "half").write_bytes(b"on its way")
    FolderFiles(data / "large-values").save("0" * 32 + ".txt", b"a large text " * 500)
    (data / "secret").write_text("a secret that nobody knows, of this length\n")
    (data / "cursor-keys").write_text("00" * 32)
    (data / "place").write_text("here\n")
    (data / "search.db").write_bytes(b"made anew")
    return data


def age(data: Path, seconds: int) -> None:
    """Let time pass: everything in the tables was written so much earlier."""
    connection = apsw.Connection(str(data / FILE_NAME))
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE moments SET second = second - ?", (seconds,))
    connection.execute("UPDATE histories SET since = since - ?", (seconds,))
    for name, definition in list(connection.execute("SELECT name, definition FROM tables")):
        table = orjson.loads(definition)
        earlier = orjson.dumps({**table, "created": table["created"] - seconds}).decode()
        connection.execute("UPDATE tables SET definition = ? WHERE name = ?", (earlier, name))
        for stream in table["streams"]:
            connection.execute(f"UPDATE stream_{stream['id']} SET at = at - ?", (seconds,))
    connection.execute("COMMIT")
    connection.close()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file by its path."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
    }
