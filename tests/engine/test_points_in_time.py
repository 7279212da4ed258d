"""Point-in-time recovery: a table goes back to the end of any second that is kept."""

from __future__ import annotations

import copy
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import (
    ContinuousBackupsUnavailableError,
    InvalidRestoreTimeError,
    RecoveryUnavailableError,
    TableExistsError,
    TableNotFoundError,
    ValidationError,
)
from partita.engine import Engine, history
from partita.engine.database import FILE_NAME
from partita.engine.definitions import Table
from tests.engine.steps import STEPS, TABLES, State, do
from tests.engine.tables import Clock, create, get, index, put, python_items, query

BY_G = index("byG", "g")
BY_DAY = index("byDay", "pk", "day1")


def _keep(engine: Engine, name: str = "music", *, on: bool = True, **days: int) -> dict[str, Any]:
    request = {"TableName": name, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": on, **days}}
    return _recovery(engine.call("UpdateContinuousBackups", request))


def _recovery(response: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = response["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return found


def _window(engine: Engine, name: str = "music") -> tuple[float, float]:
    found = _recovery(engine.call("DescribeContinuousBackups", {"TableName": name}))
    return found["EarliestRestorableDateTime"], found["LatestRestorableDateTime"]


def _restore(
    engine: Engine, second: float | None, source: str = "music", name: str = "again", **overrides: Any
) -> dict[str, Any]:
    moment = {"UseLatestRestorableTime": True} if second is None else {"RestoreDateTime": second}
    request = {"SourceTableName": source, "TargetTableName": name, **moment, **overrides}
    description: dict[str, Any] = engine.call("RestoreTableToPointInTime", request)["TableDescription"]
    engine.maintenance.run()
    return description


def _items(engine: Engine, name: str = "again") -> dict[str, dict[str, Any]]:
    return {item["pk"]: item for item in python_items(engine.call("Scan", {"TableName": name}))}


def _definition(engine: Engine, name: str = "music") -> Table:
    return engine.refresh().tables[name]


def _count(engine: Engine, rows: str) -> int:
    return int(engine.database.writer.execute(f"SELECT count(*) FROM {rows}").get)


# ---- the law


@settings(deadline=None, max_examples=12)
@given(STEPS, st.lists(st.integers(0, 60), min_size=20, max_size=20, unique=True), st.booleans())
def test_a_table_goes_back_to_what_it_was_at_the_end_of_any_second(
    steps: list[tuple[Any, ...]], moments: list[int], killed: bool
) -> None:
    clock = Clock(1_700_000_000.25)
    begin = int(clock.now)
    now: State = {name: {} for name in TABLES}
    past = {begin: copy.deepcopy(now)}
    with tempfile.TemporaryDirectory() as folder, Engine.temporary(clock=clock, background=False) as engine:
        for name in TABLES:
            create(engine, name, gsis=[BY_G])
            _keep(engine, name)
        ttl = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}
        engine.call("UpdateTimeToLive", {"TableName": "music", **ttl})
        for step in steps:
            do(engine, clock, now, step)
            past[int(clock.now)] = copy.deepcopy(now)
        clock.advance(1)
        after = Path(folder) / "after"
        if killed:  # a killed process leaves the files as they are at that moment
            shutil.copytree(engine.database.folder, after)
        with Engine(after, clock=clock, background=False, durability="off") as survivor:
            restored_in = survivor if killed else engine
            last = int(clock.now) - 1 - begin
            for number, offset in enumerate(sorted({moment for moment in moments if moment <= last} | {last})):
                name = TABLES[number % 2]
                _restore(restored_in, begin + offset, name, f"again{number}")
                expected = past[max(second for second in past if second <= begin + offset)][name]
                assert _items(restored_in, f"again{number}") == expected, offset
                shown = python_items(restored_in.call("Scan", {"TableName": f"again{number}", "IndexName": "byG"}))
                assert {item["pk"] for item in shown} == {key for key, item in expected.items() if "g" in item}


def test_a_write_of_the_same_second_is_in_and_one_of_the_next_is_not(engine: Engine, clock: Clock) -> None:
    create(engine)
    _keep(engine)
    clock.now = 1_700_000_005.999
    put(engine, pk="in")
    clock.now = 1_700_000_006.0
    put(engine, pk="out")
    with pytest.raises(
        InvalidRestoreTimeError, match=r"22:13:26 UTC is too late: .* between .* and 2023-11-14 22:13:25"
    ):
        _restore(engine, 1_700_000_006)
    _restore(engine, 1_700_000_005.2)
    assert _items(engine).keys() == {"in"}
    clock.now = 1_700_000_007.0
    _restore(engine, None, name="latest")
    assert _items(engine, "latest").keys() == {"in", "out"}


def test_a_clock_that_is_set_back_loses_nothing_and_changes_no_order(engine: Engine, clock: Clock) -> None:
    create(engine)
    _keep(engine)
    clock.advance(10)
    put(engine, pk="first", v=1)
    clock.advance(-5)
    put(engine, pk="first", v=2)
    put(engine, pk="second")
    clock.advance(2)
    _restore(engine, None)
    assert _items(engine) == {"first": {"pk": "first", "v": 2}, "second": {"pk": "second"}}


# ---- the setting


def test_recovery_is_off_until_it_is_switched_on_and_says_how_far_it_reaches(engine: Engine, clock: Clock) -> None:
    create(engine)
    put(engine, pk="before")
    described = engine.call("DescribeContinuousBackups", {"TableName": "music"})
    assert described["ContinuousBackupsDescription"]["ContinuousBackupsStatus"] == "ENABLED"
    assert _recovery(described) == {"PointInTimeRecoveryStatus": "DISABLED"}
    began = clock.now
    assert _keep(engine) == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": began,
        "LatestRestorableDateTime": began,
    }
    first = r"What the table held is kept since 2023-11-14 22:13:20 UTC: .*, from 2023-11-14 22:13:21 UTC on"
    with pytest.raises(InvalidRestoreTimeError, match=f"^{first}"):
        _restore(engine, None)
    with pytest.raises(InvalidRestoreTimeError, match=rf"^2023-11-04 22:13:20 UTC is too early\..* backup\. {first}"):
        _restore(engine, began - 10 * 86_400)
    clock.advance(3600.7)
    since = r"22:13:19 UTC is too early: .* since 2023-11-14 22:13:20 UTC\. .* and 2023-11-14 23:13:19 UTC, or restore"
    with pytest.raises(InvalidRestoreTimeError, match=since):
        _restore(engine, began - 1)
    assert _window(engine) == (began, began + 3599)
    _restore(engine, began)
    assert _items(engine).keys() == {"before"}
    assert _keep(engine, RecoveryPeriodInDays=2)["RecoveryPeriodInDays"] == 2
    clock.advance(3 * 86_400)
    assert _window(engine) == (int(clock.now) - 2 * 86_400, int(clock.now) - 1)


def test_switching_recovery_off_forgets_everything_at_once(engine: Engine, clock: Clock) -> None:
    create(engine)
    _keep(engine)
    put(engine, pk="a")
    began = clock.now
    clock.advance(60)
    assert _keep(engine, on=False) == {"PointInTimeRecoveryStatus": "DISABLED"}
    with pytest.raises(RecoveryUnavailableError, match="UpdateContinuousBackups"):
        _restore(engine, began)
    _keep(engine)
    clock.advance(60)
    with pytest.raises(InvalidRestoreTimeError):
        _restore(engine, began)
    assert _window(engine)[0] == began + 60
    engine.call("DeleteTable", {"TableName": "music"})
    leftover = "SELECT name FROM sqlite_schema WHERE name GLOB 'history_*' UNION SELECT owner FROM histories"
    assert list(engine.database.writer.execute(leftover)) == []


def test_what_is_older_than_the_period_is_trimmed_and_cannot_be_had(engine: Engine, clock: Clock) -> None:
    for name, days in (("music", 1), ("films", 3)):
        create(engine, name)
        _keep(engine, name, RecoveryPeriodInDays=days)
    began = int(clock.now)
    for _ in range(4):
        for name in TABLES:
            put(engine, name, pk="a", at=int(clock.now))
        clock.advance(0.6 * 86_400)
    clock.now += 0.5
    engine.maintenance.run()
    assert {name: _count(engine, _definition(engine, name).history) for name in TABLES} == {"music": 1, "films": 4}
    with pytest.raises(InvalidRestoreTimeError, match="restore a backup"):
        _restore(engine, began)
    clock.advance(-2 * 86_400)  # a clock that is set back does not bring back what was trimmed
    assert _window(engine)[0] > clock.now
    clock.advance(2 * 86_400)
    for name, moment in (("music", clock.now - 86_400), ("films", began)):
        _restore(engine, moment, name, f"{name}-again")
    assert _items(engine, "films-again") == {"a": {"pk": "a", "at": began}}
    assert _items(engine, "music-again") == {"a": {"pk": "a", "at": began + int(1.2 * 86_400)}}
    clock.advance(40 * 86_400)
    engine.maintenance._passes = 0
    engine.maintenance.run()
    assert _count(engine, "moments") == 1
    put(engine, pk="a", at=0)
    clock.advance(2)
    _restore(engine, None, name="newest")
    assert _items(engine, "newest") == {"a": {"pk": "a", "at": 0}}


def test_many_seconds_are_forgotten_a_batch_at_a_time_so_that_writes_come_between(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_MOMENTS", 2)
    create(engine)
    _keep(engine)
    for _ in range(6):
        put(engine, pk="a", at=int(clock.now))
        clock.advance(1)
    _keep(engine, on=False)
    assert [engine.writer.run(history.trim) for _ in range(3)] == [True, True, False]
    assert _count(engine, "moments") == 1


def test_a_table_without_recovery_keeps_nothing_and_a_put_that_changes_nothing_neither(engine: Engine) -> None:
    create(engine)
    put(engine, pk="a")
    assert _count(engine, "moments") == 0
    _keep(engine)
    put(engine, pk="a")
    assert _count(engine, _definition(engine).history) == 0


# ---- the restored table


def test_a_restored_table_has_the_indexes_and_nothing_that_is_set_up_by_hand(engine: Engine, clock: Clock) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    tags = [{"Key": "a", "Value": "b"}]
    source = create(engine, "music", "pk sk", gsis=[BY_G], lsis=[BY_DAY], Tags=tags, StreamSpecification=stream)
    ttl = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}
    engine.call("UpdateTimeToLive", {"TableName": "music", **ttl})
    _keep(engine)
    for number in range(600):  # more than a batch
        put(engine, pk="p", sk=f"{number:03}", g=f"g{number % 2}", day1="d")
    second = clock.now
    clock.advance(5)
    for number in range(0, 600, 2):
        put(engine, pk="p", sk=f"{number:03}", g="changed")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "p"}, "sk": {"S": "001"}}})
    assert _restore(engine, second)["TableStatus"] == "CREATING"
    restored = engine.call("DescribeTable", {"TableName": "again"})["Table"]
    assert (restored["TableStatus"], restored["ItemCount"]) == ("ACTIVE", 600)
    assert restored["RestoreSummary"] == {
        "SourceTableArn": source["TableArn"],
        "RestoreDateTime": second,
        "RestoreInProgress": False,
    }
    assert query(engine, "g = :g", "again", g="g0", IndexName="byG", Select="COUNT")["Count"] == 300
    assert query(engine, "pk = :p", "again", p="p", IndexName="byDay", Select="COUNT")["Count"] == 600
    assert get(engine, "again", pk="p", sk="001") == {"pk": "p", "sk": "001", "g": "g1", "day1": "d"}
    assert "StreamSpecification" not in restored
    assert engine.call("ListTagsOfResource", {"ResourceArn": restored["TableArn"]}) == {"Tags": []}
    described = engine.call("DescribeTimeToLive", {"TableName": "again"})["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "DISABLED"}
    assert _recovery(engine.call("DescribeContinuousBackups", {"TableName": "again"})) == {
        "PointInTimeRecoveryStatus": "DISABLED"
    }
    assert list((engine.database.folder / "backups").iterdir()) == [], "the file it was filled from is gone"


def test_overrides_leave_out_indexes_and_change_billing(engine: Engine, clock: Clock) -> None:
    create(engine, gsis=[BY_G, index("byH", "h")])
    _keep(engine)
    put(engine, pk="a", g="x", h="y")
    clock.advance(2)
    units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
    only: dict[str, Any] = {"GlobalSecondaryIndexOverride": [BY_G], "BillingModeOverride": "PROVISIONED"}
    _restore(engine, None, **only, ProvisionedThroughputOverride=units)
    restored = engine.call("DescribeTable", {"TableName": "again"})["Table"]
    assert [each["IndexName"] for each in restored["GlobalSecondaryIndexes"]] == ["byG"]
    assert restored["ProvisionedThroughput"]["WriteCapacityUnits"] == 4
    with pytest.raises(ValidationError, match="no index another"):
        _restore(engine, None, name="new", GlobalSecondaryIndexOverride=[index("another", "g")])
    assert list((engine.database.folder / "backups").iterdir()) == []


def test_a_restore_names_one_source_one_moment_and_a_new_table(engine: Engine, clock: Clock) -> None:
    source = create(engine)
    _keep(engine)
    clock.advance(2)
    latest = {"UseLatestRestorableTime": True, "TargetTableName": "again"}
    for request in (
        latest,
        {**latest, "SourceTableName": "music", "SourceTableArn": source["TableArn"]},
        {"SourceTableName": "music", "TargetTableName": "again"},
        {**latest, "SourceTableName": "music", "RestoreDateTime": clock.now},
    ):
        with pytest.raises(ValidationError, match="Specify either"):
            engine.call("RestoreTableToPointInTime", request)
    with pytest.raises(TableNotFoundError):
        _restore(engine, None, "absent")
    with pytest.raises(TableExistsError):
        _restore(engine, None, name="music")
    for wild in (-1e9, 1e14):
        with pytest.raises(InvalidRestoreTimeError):
            _restore(engine, wild)
    engine.call("RestoreTableToPointInTime", {**latest, "SourceTableArn": source["TableArn"]})
    with pytest.raises(ContinuousBackupsUnavailableError):
        _keep(engine, "again")
    engine.maintenance.run()
    _keep(engine, "again")


def test_a_restore_that_was_interrupted_goes_on_after_reopening(tmp_path: Path, clock: Clock) -> None:
    with Engine(tmp_path, clock=clock, background=False, durability="off") as engine:
        create(engine)
        _keep(engine)
        put(engine, pk="a")
        clock.advance(2)
        engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "a"}}})
        request = {"SourceTableName": "music", "TargetTableName": "again", "UseLatestRestorableTime": True}
        engine.call("RestoreTableToPointInTime", request)
        engine.call("DeleteTable", {"TableName": "music"})
    with Engine(tmp_path, clock=clock, background=False, durability="off") as engine:
        engine.maintenance.run()
        assert _items(engine) == {"a": {"pk": "a"}}


# ---- backups that outlive the data file


def test_a_backup_of_a_table_is_whole_by_itself(tmp_path: Path, clock: Clock) -> None:
    with Engine(tmp_path / "old", clock=clock, background=False, durability="off") as engine:
        create(engine, gsis=[BY_G])
        put(engine, pk="a", g="x")
        request = {"TableName": "music", "BackupName": "nightly"}
        details = engine.call("CreateBackup", request)["BackupDetails"]
    folder = tmp_path / "new" / "backups"
    shutil.copytree(tmp_path / "old" / "backups", folder)
    (folder / "half.sqlite3").write_bytes(b"no backup at all")
    with Engine(tmp_path / "new", clock=clock, background=False, durability="off") as engine:
        (listed,) = engine.call("ListBackups", {})["BackupSummaries"]
        assert (listed["BackupArn"], listed["TableName"]) == (details["BackupArn"], "music")
        engine.call("RestoreTableFromBackup", {"TargetTableName": "music", "BackupArn": details["BackupArn"]})
        engine.maintenance.run()
        assert query(engine, "g = :g", g="x", IndexName="byG")["Count"] == 1
    assert (folder / "half.unknown").read_bytes() == b"no backup at all", "what is not understood is not deleted"
    assert not (tmp_path / "old" / FILE_NAME).samefile(tmp_path / "new" / FILE_NAME)


def test_what_was_deleted_is_nowhere_in_the_file_when_its_time_is_over(tmp_path: Path, clock: Clock) -> None:
    with Engine(tmp_path, background=False, durability="off", clock=clock) as engine:
        create(engine, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        _keep(engine, RecoveryPeriodInDays=1)
        for number in range(40):
            put(engine, pk=f"quark {number}", text="zebulon " * number)
        for number in range(40):
            engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": f"quark {number}"}}})
    assert b"zebulon" in (tmp_path / FILE_NAME).read_bytes()
    clock.now += 2 * 86_400
    with Engine(tmp_path, background=False, durability="off", clock=clock) as engine:
        engine.maintenance.run()
    left = (tmp_path / FILE_NAME).read_bytes()
    assert (b"zebulon" in left, b"quark" in left) == (False, False)
