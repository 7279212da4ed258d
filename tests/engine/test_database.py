"""The file: format, owner, quota, damage."""

from __future__ import annotations

from contextlib import closing
from hashlib import md5
from pathlib import Path
from zlib import crc32

import apsw
import orjson
import pytest

from partita.dynamo.errors import DynamoError, InternalServerError, StorageCorruptError, StorageFullError
from partita.engine import Engine, FormatError
from partita.engine.database import FILE_NAME, storage_error
from tests.engine.tables import create, get, index, put, query

_UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}


def test_a_file_of_a_newer_partita_is_refused_and_left_alone(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine)
    connection = apsw.Connection(str(tmp_path / FILE_NAME))
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(FormatError, match="has format 99"):
        Engine(tmp_path, background=False)


def test_a_sqlite_file_of_something_else_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / FILE_NAME))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(FormatError, match="SQLite file of something else"):
        Engine(tmp_path, background=False)
    connection = apsw.Connection(str(tmp_path / FILE_NAME))
    connection.execute("PRAGMA user_version=1")
    connection.close()
    with pytest.raises(FormatError, match="SQLite file of something else"):
        Engine(tmp_path, background=False)


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database at all" * 1000)
    with pytest.raises(StorageCorruptError, match="damaged"):
        Engine(tmp_path, background=False)


def _fill(engine: Engine) -> None:
    for number in range(10):
        put(engine, pk=str(number), f="x" * 100_000)


def test_a_full_quota_refuses_writes_and_keeps_what_is_there(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False, durability="off", max_bytes=400_000) as engine:
        create(engine)
        put(engine, pk="a")
        with pytest.raises(StorageFullError, match="nothing was written"):
            _fill(engine)
        assert get(engine, pk="a") == {"pk": "a"}
        engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "0"}}})
        put(engine, pk="b")
        assert get(engine, pk="b") == {"pk": "b"}


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (apsw.BusyError("x"), InternalServerError, "Another process"),
        (apsw.IOError("x"), InternalServerError, "Check the disk"),
        (apsw.ReadOnlyError("x"), InternalServerError, "writable"),
        (apsw.CantOpenError("x"), InternalServerError, "cannot be used"),
        (apsw.SQLError("x"), InternalServerError, "The data file failed"),
        (apsw.FullError("x"), StorageFullError, "Free some space"),
        (apsw.CorruptError("x"), StorageCorruptError, "restore from a backup"),
    ],
)
def test_every_trouble_with_the_file_says_what_to_do(error: apsw.Error, kind: type[DynamoError], message: str) -> None:
    found = storage_error(error)
    assert type(found) is kind
    assert message in found.message


def test_many_readers_keep_no_more_of_the_file_than_one(tmp_path: Path) -> None:
    """Each connection of SQLite's has a cache of its own: ten readers of a large file held ten times its pages."""
    with Engine(tmp_path, background=False, durability="off") as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "things",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        for number in range(60):
            engine.call(
                "PutItem", {"TableName": "things", "Item": {"id": {"S": f"{number}"}, "x": {"S": "x" * 390_000}}}
            )
        readers = [engine.database.take() for _ in range(4)]
        for reader in readers:
            list(
                reader.execute("SELECT count(*), sum(length(hex(body))) FROM " + engine.refresh().tables["things"].rows)
            )
        kept = apsw.memory_used()
        for reader in readers:
            engine.database.give_back(reader)
    assert kept < 48_000_000


def test_a_file_from_before_is_upgraded_and_says_since_when_tables_are_on_demand(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        created = create(engine, "films")["CreationDateTime"]
        create(engine, "music", BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS)
    connection = apsw.Connection(str(tmp_path / FILE_NAME))
    members = ("on_demand_since", "on_demand", "recovery_days", "restoring_from")
    for number, definition in list(connection.execute("SELECT id, definition FROM tables")):
        older = {name: value for name, value in orjson.loads(definition).items() if name not in members}
        connection.execute("UPDATE tables SET definition = ? WHERE id = ?", (orjson.dumps(older).decode(), number))
    connection.execute("DROP TABLE histories; DROP TABLE moments; DROP TABLE renewals; PRAGMA user_version=1")
    connection.close()
    with Engine(tmp_path, background=False) as engine:
        recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        engine.call("UpdateContinuousBackups", {"TableName": "films", **recovery})
        put(engine, "films", pk="a")
        films, music = (engine.call("DescribeTable", {"TableName": name})["Table"] for name in ("films", "music"))
    assert films["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == created
    assert "BillingModeSummary" not in music


def test_a_table_of_format_2_stays_as_it_is_spread_and_new_ones_come_in_dynamodbs_order(tmp_path: Path) -> None:
    names = ["A", "B", "C", "D", "E", "F"]
    with Engine(tmp_path, durability="off", background=False) as engine:
        create(engine, "older", gsis=[index("byTag", "tag")])
    with closing(apsw.Connection(str(tmp_path / FILE_NAME))) as connection:
        ((stored,),) = connection.execute("SELECT definition FROM tables")
        definition = {name: value for name, value in orjson.loads(stored).items() if name not in ("spread", "insights")}
        definition["indexes"] = [
            {name: value for name, value in each.items() if name != "spread"} for each in definition["indexes"]
        ]
        connection.execute("UPDATE tables SET definition = ?", (orjson.dumps(definition).decode(),))
        connection.execute("DROP TABLE transfers; DROP TABLE contributors; PRAGMA user_version=2")
    with Engine(tmp_path, durability="off", background=False) as engine:
        create(engine, "newer")
        for name in names:
            put(engine, "older", pk=name, tag=name)
            put(engine, "newer", pk=name)
        older, newer = (
            [item["pk"]["S"] for item in engine.call("Scan", {"TableName": table})["Items"]]
            for table in ("older", "newer")
        )
        assert older == sorted(names, key=lambda name: crc32(name.encode() + b"\x00\x00"))
        assert newer == sorted(names, key=lambda name: md5(b"Outliers" + name.encode()).digest())
        for name in names:
            assert get(engine, "older", pk=name) == {"pk": name, "tag": name}
            assert query(engine, "tag = :t", "older", IndexName="byTag", t=name)["Count"] == 1
        assert engine.call("ListExports", {}) == {"ExportSummaries": []}


def test_a_read_that_is_over_holds_no_snapshot(tmp_path: Path) -> None:
    """Otherwise the log beside the file could never begin anew."""
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        put(engine, pk="a")
        assert (get(engine, pk="a"), get(engine, pk="b")) == ({"pk": "a"}, None)
        put(engine, pk="c")
        assert engine.database.writer.execute("PRAGMA wal_checkpoint(truncate)").get == (0, 0, 0)
