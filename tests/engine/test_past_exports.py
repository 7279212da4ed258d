"""Exports of the past: a table as it was at the end of any second that is kept, and what changed between two."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, InvalidExportTimeError, RecoveryUnavailableError, ValidationError
from partita.engine import Engine
from tests.engine.exporting import export
from tests.engine.steps import STEPS, TABLES, State, do
from tests.engine.tables import Clock, Wire, create, put

BEGIN = 1_700_000_000


@pytest.fixture
def engine(root: Path, clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False, exports=root) as engine:
        create(engine)
        _keep(engine, "music")
        yield engine


def _keep(engine: Engine, name: str) -> None:
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    engine.call("UpdateContinuousBackups", {"TableName": name, **recovery})


@contextmanager
def _kept_tables(clock: Clock) -> Iterator[tuple[Engine, Path]]:
    """An engine whose tables keep their past, and its folder for exports."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "shelf").mkdir()
        with Engine.temporary(clock=clock, background=False, exports=root) as engine:
            for name in TABLES:
                create(engine, name)
                _keep(engine, name)
            yield engine, root


def _lines(root: Path, description: Wire) -> list[Wire]:
    """What an export has written, by its manifests."""
    summary = json.loads((root / "shelf" / description["ExportManifest"]).read_bytes())
    lines: list[Wire] = []
    for entry in (root / "shelf" / summary["manifestFilesS3Key"]).read_text().splitlines():
        file = json.loads(entry)
        found = gzip.decompress((root / "shelf" / file["dataFileS3Key"]).read_bytes()).decode().splitlines()
        assert len(found) == file["itemCount"]
        lines += map(json.loads, found)
    assert len(lines) == description["ItemCount"] == summary["itemCount"]
    return lines


@settings(deadline=None, max_examples=8)
@given(STEPS, st.sets(st.integers(0, 30), min_size=4, max_size=4))
def test_an_export_of_a_moment_is_what_a_restore_of_it_is(steps: list[tuple[Any, ...]], moments: set[int]) -> None:
    clock = Clock(BEGIN + 0.25)
    now: State = {name: {} for name in TABLES}
    with _kept_tables(clock) as (engine, root):
        for step in steps:
            do(engine, clock, now, step)
        clock.advance(1)
        last = int(clock.now) - 1
        for number, second in enumerate({min(BEGIN + moment, last) for moment in moments}):
            name = TABLES[number % 2]
            description = export(engine, name, ExportTime=second)
            restore = {"SourceTableName": name, "TargetTableName": f"again{number}", "RestoreDateTime": second}
            engine.call("RestoreTableToPointInTime", restore)
            engine.maintenance.run()
            stored = engine.call("Scan", {"TableName": f"again{number}"})["Items"]
            assert _lines(root, description) == [{"Item": item} for item in stored]
            restored = engine.call("DescribeTable", {"TableName": f"again{number}"})["Table"]
            assert description["BilledSizeBytes"] == restored["TableSizeBytes"]


def test_an_export_says_which_second_it_is_of_and_the_one_that_runs_is_now(
    engine: Engine, root: Path, clock: Clock
) -> None:
    put(engine, pk="a", v=1)
    second = clock.now
    clock.advance(5)
    put(engine, pk="a", v=2)
    past = export(engine, ExportTime=second + 0.7)
    assert (past["ExportTime"], past["ExportType"]) == (second, "FULL_EXPORT")
    assert (
        json.loads((root / "shelf" / past["ExportManifest"]).read_bytes())["exportTime"] == "2023-11-14T22:13:20.000Z"
    )
    assert _lines(root, past) == [{"Item": {"pk": {"S": "a"}, "v": {"N": "1"}}}]
    assert _lines(root, export(engine, ExportTime=clock.now)) == [{"Item": {"pk": {"S": "a"}, "v": {"N": "2"}}}]


@pytest.mark.parametrize("moment", [BEGIN - 1, BEGIN + 61, 1e14])
def test_a_moment_that_is_not_kept_is_refused(engine: Engine, clock: Clock, moment: float) -> None:
    clock.advance(60)
    with pytest.raises(InvalidExportTimeError, match=r"22:13:20 UTC and 2023-11-14 22:14:20 UTC.*or export the table"):
        export(engine, ExportTime=moment)
    assert engine.call("ListExports", {})["ExportSummaries"] == []
    assert list((engine.database.folder / "exports").iterdir()) == []


# ---- what changed


def _changes(engine: Engine, begin: float, end: float | None = None, name: str = "music", **members: Any) -> Wire:
    """The description of an incremental export that is done."""
    period = {"ExportFromTime": begin, **({} if end is None else {"ExportToTime": end}), **members}
    return export(engine, name, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)


def _by_key(items: list[Wire]) -> dict[str, Wire]:
    return {item["pk"]["S"]: item for item in items}


@settings(deadline=None, max_examples=8)
@given(STEPS, st.integers(0, 20), st.integers(0, 20))
def test_changes_lead_from_what_a_table_was_to_what_it_became(
    steps: list[tuple[Any, ...]], begin: int, length: int
) -> None:
    clock = Clock(BEGIN + 0.25)
    now: State = {name: {} for name in TABLES}
    with _kept_tables(clock) as (engine, root):
        seconds = {BEGIN + 1}  # when something may have been written: periods begin and end then
        for step in steps:
            # Time passes so quickly that periods are long enough.
            do(engine, clock, now, ("pass", step[1] * 1000) if step[0] == "pass" else step)
            seconds.add(int(clock.now))
        clock.advance(2000)
        last = int(clock.now)
        firsts = [second for second in sorted(seconds) if BEGIN < second <= last - 900]
        first = firsts[begin % len(firsts)]
        ends = [second for second in sorted(seconds | {last}) if 900 <= second - first <= 86_400]
        end = ends[length % len(ends)]
        for name in TABLES:
            description = _changes(engine, first, end, name)
            records = {record["Keys"]["pk"]["S"]: record for record in _lines(root, description)}
            before, after = (
                _by_key([line["Item"] for line in _lines(root, export(engine, name, ExportTime=second - 1))])
                for second in (first, end)
            )
            for key in before.keys() | after.keys() | records.keys():
                if key not in records:
                    assert before[key] == after[key]
                    continue
                record = records[key]
                assert (record.get("OldImage"), record.get("NewImage")) == (before.get(key), after.get(key))
                assert key in before or key in after
                assert first <= int(record["Metadata"]["WriteTimestampMicros"]["N"]) / 1_000_000 < end


def test_an_incremental_export_has_the_files_that_dynamodb_writes(engine: Engine, root: Path, clock: Clock) -> None:
    put(engine, pk="changed", v=1)
    put(engine, pk="deleted")
    clock.advance(10)
    begin = clock.now
    put(engine, pk="changed", v=2)
    put(engine, pk="inserted")
    put(engine, pk="never there")
    clock.advance(3)
    for key in ("deleted", "never there"):
        engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": key}}})
    clock.advance(1000)
    put(engine, pk="changed", v=3)
    put(engine, pk="too late")
    description = _changes(engine, begin, clock.now)
    changed = {"pk": {"S": "changed"}}
    micros = [{"WriteTimestampMicros": {"N": str(int(second) * 1_000_000)}} for second in (begin, begin + 3)]
    expected: list[Wire] = [
        {
            "Metadata": micros[0],
            "Keys": changed,
            "OldImage": {**changed, "v": {"N": "1"}},
            "NewImage": {**changed, "v": {"N": "2"}},
        },
        {"Metadata": micros[1], "Keys": {"pk": {"S": "deleted"}}, "OldImage": {"pk": {"S": "deleted"}}},
        {"Metadata": micros[0], "Keys": {"pk": {"S": "inserted"}}, "NewImage": {"pk": {"S": "inserted"}}},
    ]

    def found(description: Wire) -> list[Wire]:
        return sorted(_lines(root, description), key=lambda record: str(record["Keys"]))

    assert found(description) == expected
    assert description["ExportType"] == "INCREMENTAL_EXPORT"
    view = {"ExportFromTime": begin, "ExportToTime": clock.now, "ExportViewType": "NEW_AND_OLD_IMAGES"}
    assert description["IncrementalExportSpecification"] == view
    assert "ExportTime" not in description
    summary = json.loads((root / "shelf" / description["ExportManifest"]).read_bytes())
    assert (summary["exportFromTime"], summary["exportToTime"]) == (
        "2023-11-14T22:13:30.000Z",
        "2023-11-14T22:30:13.000Z",
    )
    assert (summary["version"], summary["outputView"]) == ("2023-08-01", "NEW_AND_OLD_IMAGES")
    assert summary["exportType"] == "INCREMENTAL_EXPORT"
    assert len(list((root / "shelf/AWSDynamoDB/data").iterdir())) == 4
    until_now = _changes(engine, begin, ExportViewType="NEW_IMAGE")
    assert found(until_now) == [{name: record[name] for name in record if name != "OldImage"} for record in expected]
    assert len(list((root / "shelf/AWSDynamoDB/data").iterdir())) == 8


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"ExportFromTime": BEGIN, "ExportToTime": BEGIN}, ValidationError),
        ({"ExportFromTime": BEGIN, "ExportToTime": BEGIN + 899}, ValidationError),
        ({"ExportFromTime": BEGIN, "ExportToTime": BEGIN + 86_401}, ValidationError),
        ({"ExportFromTime": BEGIN - 1, "ExportToTime": BEGIN + 900}, InvalidExportTimeError),
        ({"ExportFromTime": BEGIN + 86_000, "ExportToTime": BEGIN + 90_001}, InvalidExportTimeError),
        ({"ExportToTime": BEGIN + 900}, ValidationError),
    ],
)
def test_a_period_that_cannot_be_exported_is_refused(
    engine: Engine, clock: Clock, members: Wire, kind: type[DynamoError]
) -> None:
    clock.advance(90_000)
    request: Wire = {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": members}
    with pytest.raises(kind):
        export(engine, **request)
    with pytest.raises(ValidationError, match="ExportTime is for ExportType FULL_EXPORT only"):
        export(engine, **request, ExportTime=BEGIN)
    assert engine.call("ListExports", {})["ExportSummaries"] == []


def test_changes_of_a_table_without_recovery_are_not_kept(engine: Engine, clock: Clock) -> None:
    create(engine, "films")
    clock.advance(3600)
    with pytest.raises(RecoveryUnavailableError):
        _changes(engine, BEGIN, BEGIN + 1000, "films")
