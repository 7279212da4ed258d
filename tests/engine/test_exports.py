"""Exports and imports: a table leaves as DynamoDB writes it to S3, and comes back."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from partita.dynamo.errors import (
    DynamoError,
    ExportConflictError,
    ExportNotFoundError,
    IdempotentParameterMismatchError,
    ImportNotFoundError,
    RecoveryUnavailableError,
    ResourceInUseError,
    ResourceNotFoundError,
    TableNotFoundError,
    ValidationError,
)
from partita.engine import Engine, exports, import_formats
from partita.engine.buckets import Buckets
from partita.engine.keys import PARTS
from partita.engine.transfer_work import TransferWork
from partita.engine.writer import Transaction, Writer
from partita.held_folders import alone_in
from tests.engine.exporting import export, import_request, import_table
from tests.engine.tables import Clock, Wire, create, get, index, put, query, table, whole


@pytest.fixture
def engine(root: Path, clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False, exports=root) as engine:
        create(engine)
        yield engine


def _arn(engine: Engine, name: str = "music") -> str:
    return engine.place.table_arn(name)


def _counts(description: Wire) -> tuple[int, int, int]:
    return description["ProcessedItemCount"], description["ImportedItemCount"], description["ErrorCount"]


def test_an_export_has_the_files_that_dynamodb_writes(engine: Engine, root: Path, clock: Clock) -> None:
    for number in range(40):
        put(engine, pk=f"k{number}", n=number, nested={"s": {"x", "y"}, "é": [None, True]})
    description = export(engine, S3Prefix="2026/november", ClientToken="one")
    number = description["ExportArn"].rpartition("/")[2]
    folder = root / "shelf/2026/november/AWSDynamoDB" / number
    assert sorted(path.name for path in folder.iterdir()) == [
        "_started",
        "data",
        "manifest-files.checksum",
        "manifest-files.json",
        "manifest-summary.checksum",
        "manifest-summary.json",
    ]
    files = [json.loads(line) for line in (folder / "manifest-files.json").read_text().splitlines()]
    assert len(files) == PARTS == len(list((folder / "data").iterdir()))
    lines = []
    for file in files:
        content = (root / "shelf" / file["dataFileS3Key"]).read_bytes()
        digest = hashlib.md5(content)
        assert file["md5Checksum"] == base64.b64encode(digest.digest()).decode()
        assert file["etag"] == f"{digest.hexdigest()}-1"
        found = gzip.decompress(content).decode().splitlines()
        assert file["itemCount"] == len(found)
        lines += found
    stored = engine.call("Scan", {"TableName": "music"})["Items"]
    assert [json.loads(line) for line in lines] == [{"Item": item} for item in stored]
    summary = json.loads((folder / "manifest-summary.json").read_bytes())
    assert summary == {
        "version": "2020-06-30",
        "exportArn": description["ExportArn"],
        "startTime": "2023-11-14T22:13:20.000Z",
        "endTime": "2023-11-14T22:13:20.000Z",
        "tableArn": _arn(engine),
        "tableId": description["TableId"],
        "exportTime": "2023-11-14T22:13:20.000Z",
        "s3Bucket": "shelf",
        "s3Prefix": "2026/november",
        "s3SseAlgorithm": "AES256",
        "s3SseKmsKeyId": None,
        "manifestFilesS3Key": f"2026/november/AWSDynamoDB/{number}/manifest-files.json",
        "billedSizeBytes": engine.call("DescribeTable", {"TableName": "music"})["Table"]["TableSizeBytes"],
        "itemCount": 40,
        "outputFormat": "DYNAMODB_JSON",
        "exportType": "FULL_EXPORT",
    }
    for name in ("summary", "files"):
        checksum = base64.b64decode((folder / f"manifest-{name}.checksum").read_bytes())
        assert checksum == hashlib.md5((folder / f"manifest-{name}.json").read_bytes()).digest()
    assert description["ExportManifest"].endswith(f"{number}/manifest-summary.json")
    assert (description["ExportStatus"], description["ItemCount"]) == ("COMPLETED", 40)
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*"))
    assert list((engine.database.folder / "exports").iterdir()) == []


def test_an_export_is_of_the_moment_it_was_asked_for(engine: Engine, root: Path) -> None:
    put(engine, pk="before")
    begun = engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"})
    put(engine, pk="after")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "before"}}})
    engine.maintenance.run()
    data = (root / "shelf/AWSDynamoDB").rglob("*.json.gz")
    assert b"".join(gzip.decompress(path.read_bytes()) for path in data) == b'{"Item":{"pk":{"S":"before"}}}\n'
    again = engine.call("DescribeExport", {"ExportArn": begun["ExportDescription"]["ExportArn"]})
    assert again["ExportDescription"]["ExportStatus"] == "COMPLETED"


def test_a_table_that_was_exported_can_be_imported(engine: Engine) -> None:
    for number in range(1100):  # more than two chunks
        put(engine, pk=f"k{number}", tag=f"t{number % 3}", n=number)
    exported = export(engine)
    data = exported["ExportManifest"].replace("manifest-summary.json", "data/")
    request = import_request(data, InputCompressionType="GZIP", gsis=[index("byTag", "tag")])
    description = import_table(engine, request)
    assert (description["ImportStatus"], _counts(description)) == ("COMPLETED", (1100, 1100, 0))
    everything = {"TableName": "again"}
    assert whole(engine, "Scan", everything) == whole(engine, "Scan", {"TableName": "music"})
    assert query(engine, "tag = :t", "again", IndexName="byTag", Select="COUNT", t="t1")["Count"] == 367


def test_a_table_is_there_but_not_usable_while_it_is_imported(engine: Engine, root: Path) -> None:
    (root / "shelf/items.json").write_text('{"Item": {"pk": {"S": "a"}}}\n')
    engine.call("ImportTable", import_request("items"))
    assert engine.call("DescribeTable", {"TableName": "again"})["Table"]["TableStatus"] == "CREATING"
    with pytest.raises(ResourceNotFoundError):
        get(engine, "again", pk="a")
    with pytest.raises(ResourceNotFoundError):
        put(engine, "again", pk="b")
    with pytest.raises(ResourceInUseError):
        engine.call("DeleteTable", {"TableName": "again"})
    engine.maintenance.run()
    assert get(engine, "again", pk="a") == {"pk": "a"}


def test_records_that_are_no_items_are_counted_and_passed_over_and_the_import_has_failed(
    engine: Engine, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As DynamoDB says it: the table is there with what could be imported."""
    lines = [
        '{"Item": {"pk": {"S": "a"}, "n": {"N": "1E2"}}}',
        "no json",
        '["Item"]',
        '{"Item": {"pk": {"N": "1"}}}',
        '{"Item": {"other": {"S": "x"}}}',
        '{"Item": {"pk": {"S": "b"}, "s": {"SS": []}}}',
        '{"Item": {"pk": {"S": "c"}, "tag": {"N": "1"}}}',
        "",
        '{"Item": {"pk": {"S": "a"}, "n": {"N": "2"}}}',
    ]
    (root / "shelf/items.json").write_text("\n".join(lines))
    description = import_table(engine, import_request(gsis=[index("byTag", "tag")]))
    assert (description["ImportStatus"], _counts(description)) == ("FAILED", (8, 2, 6))
    assert description["FailureCode"] == "ItemValidationError"
    assert "6 of 8 records" in description["FailureMessage"]
    assert "items.json, line 2: it is not JSON" in description["FailureMessage"]
    told = [record.getMessage() for record in caplog.records]
    assert told[0].startswith("import into again: items.json, line 2: it is not JSON")
    assert "items.json, line 5: " in told[3]
    assert whole(engine, "Scan", {"TableName": "again"}) == [{"pk": "a", "n": 2}]  # the last of two wins


def test_an_object_that_breaks_off_is_an_error_and_the_others_are_read(engine: Engine, root: Path) -> None:
    good = gzip.compress(b'{"Item": {"pk": {"S": "a"}}}\n')
    (root / "shelf/1.json.gz").write_bytes(gzip.compress(b'{"Item": {"pk": {"S": "b"}}}\n' * 9)[:-12])
    (root / "shelf/2.json.gz").write_bytes(good)
    description = import_table(engine, import_request(InputCompressionType="GZIP"))
    assert (description["ImportStatus"], description["ErrorCount"]) == ("FAILED", 1)
    assert "1.json.gz: it cannot be read further" in description["FailureMessage"]
    assert get(engine, "again", pk="a") is not None


def test_a_prefix_that_no_object_has_fails_and_leaves_no_table(engine: Engine, root: Path) -> None:
    (root / "shelf/items.json").write_text('{"Item": {"pk": {"S": "a"}}}')
    description = import_table(engine, import_request("item/"))
    assert (description["ImportStatus"], description["FailureCode"]) == ("FAILED", "S3NoSuchKey")
    assert "in the bucket shelf begins with item/" in description["FailureMessage"]
    assert "again" not in engine.call("ListTables", {})["TableNames"]


def test_a_bucket_without_objects_is_imported_as_an_empty_table(engine: Engine) -> None:
    description = import_table(engine, import_request())
    assert (description["ImportStatus"], _counts(description)) == ("COMPLETED", (0, 0, 0))
    assert whole(engine, "Scan", {"TableName": "again"}) == []


@pytest.mark.parametrize("form", ["DYNAMODB_JSON", "CSV"])
def test_compressed_objects_that_are_said_to_be_plain_are_an_error_each(engine: Engine, root: Path, form: str) -> None:
    (root / "shelf/1.gz").write_bytes(gzip.compress(b'{"Item": {"pk": {"S": "a"}}}'))
    description = import_table(engine, import_request(form=form))
    assert (description["ImportStatus"], _counts(description)) == ("FAILED", (1, 0, 1))
    assert "1.gz: it is compressed with gzip" in description["FailureMessage"]


def test_records_without_the_key_of_the_table_are_told_by_object_and_line(engine: Engine, root: Path) -> None:
    (root / "shelf/films.csv").write_text("id,year\na,1927\n")
    description = import_table(engine, import_request("films", "CSV"))
    assert (description["FailureCode"], _counts(description)) == ("ItemValidationError", (1, 0, 1))
    assert "films.csv, line 2: " in description["FailureMessage"]
    assert "pk" in description["FailureMessage"]


def test_csv_has_names_in_its_first_line_and_types_for_keys_only(engine: Engine, root: Path) -> None:
    (root / "shelf/films.csv").write_text('\ufeffpk;year;note\na;1927;"one; two\nlines"\nb;;last\nc;1;2;3\nd;many;x\n')
    options = {"Csv": {"Delimiter": ";"}}
    request = import_request("films", "CSV", keys="pk", gsis=[index("byYear", "year")], types={"year": "N"})
    description = import_table(engine, {**request, "InputFormatOptions": options})
    assert _counts(description) == (4, 2, 2)
    found = sorted(whole(engine, "Scan", {"TableName": "again"}), key=lambda item: str(item["pk"]))
    assert found == [{"pk": "a", "year": 1927, "note": "one; two\nlines"}, {"pk": "b", "note": "last"}]


def test_a_record_of_csv_that_is_not_utf_8_is_passed_over_and_the_others_are_imported(
    engine: Engine, root: Path
) -> None:
    (root / "shelf/films.csv").write_bytes(b"pk,n\na,1\nb,\xff\xfe\nc,\xc3\xa9\n")
    description = import_table(engine, import_request("films", "CSV"))
    assert _counts(description) == (3, 2, 1)
    assert "films.csv, line 3: it is not UTF-8" in description["FailureMessage"]
    assert [get(engine, "again", pk=pk) for pk in "abc"] == [{"pk": "a", "n": "1"}, None, {"pk": "c", "n": "é"}]


def test_csv_whose_names_are_not_utf_8_is_not_read(engine: Engine, root: Path) -> None:
    (root / "shelf/films.csv").write_bytes(b"pk,\xff\na,1\n")
    description = import_table(engine, import_request("films", "CSV"))
    assert _counts(description) == (1, 0, 1)
    assert "films.csv: it cannot be read further: its first line is not UTF-8" in description["FailureMessage"]


def test_csv_may_be_given_its_names(engine: Engine, root: Path) -> None:
    (root / "shelf/plain.csv").write_text(f"a,{'1' * 200_000}\nb,2\n")
    options = {"Csv": {"HeaderList": ["pk", "n"]}}
    assert _counts(import_table(engine, {**import_request("plain", "CSV"), "InputFormatOptions": options})) == (2, 2, 0)
    assert get(engine, "again", pk="a") == {"pk": "a", "n": "1" * 200_000}
    assert get(engine, "again", pk="b") == {"pk": "b", "n": "2"}


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("endless", ["x" * 40_000, "x," * 20_000, '"x\n",' * 8_000], ids=["cell", "line", "lines"])
def test_a_record_of_csv_without_an_end_is_not_read_further(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch, endless: str, packed: bool
) -> None:
    monkeypatch.setattr(import_formats, "REQUEST_BYTES", 20_000)
    text = f"pk,n\na,1\nb,2\n{endless}\nc,3\n".encode()
    (root / "shelf/films.csv").write_bytes(gzip.compress(text, 1) if packed else text)
    form = {"InputCompressionType": "GZIP"} if packed else {}
    description = import_table(engine, {**import_request("films", "CSV"), **form})
    assert _counts(description) == (3, 2, 1)
    assert "films.csv: it cannot be read further: " in description["FailureMessage"]
    assert len(whole(engine, "Scan", {"TableName": "again"})) == 2


def test_records_of_csv_are_read_however_many_there_are(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is for one record, not for all of a file."""
    monkeypatch.setattr(import_formats, "REQUEST_BYTES", 30)
    (root / "shelf/films.csv").write_text("pk,n\n" + "".join(f'k{number},"1\n2\n3"\n' for number in range(100)))
    assert _counts(import_table(engine, import_request("films", "CSV"))) == (100, 100, 0)


class _Breaking:
    """A writer after whose second write the work has to stop."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._left = 2
        self.work: TransferWork | None = None

    def run(self, job: Callable[[Transaction], Any]) -> Any:
        result = self._writer.run(job)
        self._left -= 1
        if not self._left and self.work is not None:
            self.work.stop()
        return result


def test_an_import_goes_on_where_it_was(root: Path, clock: Clock, tmp_path: Path) -> None:
    """Another process, or the next after a crash, finds how far it came, and nothing is written twice."""
    lines = [json.dumps({"Item": {"pk": {"S": f"k{number}"}}}) for number in range(1200)]
    (root / "shelf/items.json").write_text("\n".join(lines))
    settings: Wire = {"durability": "off", "clock": clock, "background": False}
    with Engine(tmp_path / "data", exports=root, **settings) as first, Engine(tmp_path / "data", **settings) as other:
        begun = first.call("ImportTable", import_request())["ImportTableDescription"]
        other.maintenance.run()  # has no folder for buckets: leaves it
        writer = _Breaking(first.writer)
        writer.work = TransferWork(first.database, cast(Writer, writer), Buckets(root), clock)
        writer.work.run()
        halfway = first.call("DescribeImport", {"ImportArn": begun["ImportArn"]})["ImportTableDescription"]
        assert (halfway["ImportStatus"], halfway["ProcessedItemCount"]) == ("IN_PROGRESS", 1000)
    with Engine(tmp_path / "data", exports=root, **settings) as last:
        last.maintenance.run()
        done = last.call("DescribeImport", {"ImportArn": begun["ImportArn"]})["ImportTableDescription"]
        assert (done["ImportStatus"], _counts(done)) == ("COMPLETED", (1200, 1200, 0))
        assert last.call("Scan", {"TableName": "again", "Select": "COUNT"})["Count"] == 1200


def test_an_export_whose_bucket_is_gone_fails_and_says_why(engine: Engine, root: Path) -> None:
    begun = engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"})
    imported = engine.call("ImportTable", import_request())["ImportTableDescription"]
    (root / "shelf").rmdir()
    engine.maintenance.run()
    described = engine.call("DescribeExport", {"ExportArn": begun["ExportDescription"]["ExportArn"]})
    description = described["ExportDescription"]
    assert description["ExportStatus"] == "FAILED"
    assert "shelf is not there" in description["FailureMessage"]
    failed = engine.call("DescribeImport", {"ImportArn": imported["ImportArn"]})["ImportTableDescription"]
    assert failed["FailureCode"] == "S3NoSuchBucket"
    assert (failed["ImportStatus"], "again" in engine.call("ListTables", {})["TableNames"]) == ("FAILED", False)


def test_an_export_whose_copy_is_damaged_fails_and_says_what_to_do(engine: Engine) -> None:
    put(engine, pk="a")
    begun = engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"})
    (copy,) = (engine.database.folder / exports.FOLDER).iterdir()
    with closing(apsw.Connection(str(copy))) as connection:
        connection.execute("UPDATE items SET body = x'7b7d'")
    engine.maintenance.run()
    described = engine.call("DescribeExport", {"ExportArn": begun["ExportDescription"]["ExportArn"]})
    description = described["ExportDescription"]
    assert (description["ExportStatus"], copy.exists()) == ("FAILED", False)
    assert description["FailureMessage"] == "the copy of the table is damaged: export it again"


def test_nobody_who_closes_the_engine_waits_for_an_export_which_the_next_one_writes(
    root: Path, clock: Clock, tmp_path: Path
) -> None:
    settings: Wire = {"durability": "off", "clock": clock, "background": False, "exports": root}
    with Engine(tmp_path / "data", **settings) as engine:
        create(engine)
        put(engine, pk="a")
        begun = engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"})
        number = begun["ExportDescription"]["ExportArn"].rpartition("/")[2]
        work = TransferWork(engine.database, engine.writer, Buckets(root), clock)
        work.stop()
        work.run()
    assert [path.name for path in (root / "shelf").rglob("*") if path.is_file()] == ["_started"]
    for name in ("_started", "manifest-summary.json"):  # and what a crash would leave
        (root / "shelf/AWSDynamoDB" / number / f".unfinished-{name}").write_text("half of")
    with Engine(tmp_path / "data", **settings) as engine:
        engine.maintenance.run()
        described = engine.call("DescribeExport", {"ExportArn": begun["ExportDescription"]["ExportArn"]})
        assert described["ExportDescription"]["ExportStatus"] == "COMPLETED"
    assert not list((root / "shelf").rglob(".unfinished*"))


def test_a_process_that_comes_late_does_not_undo_an_export(root: Path, clock: Clock, tmp_path: Path) -> None:
    settings: Wire = {"durability": "off", "clock": clock, "background": False, "exports": root}
    with Engine(tmp_path / "data", **settings) as first, Engine(tmp_path / "data", **settings) as second:
        create(first)
        begun = first.call("ExportTableToPointInTime", {"TableArn": _arn(first), "S3Bucket": "shelf"})
        first.maintenance.run()
        described = second.call("DescribeExport", {"ExportArn": begun["ExportDescription"]["ExportArn"]})
        assert described["ExportDescription"]["ExportStatus"] == "COMPLETED"
        late = {"description": dict(begun["ExportDescription"]), "file": "gone.sqlite3"}  # what it read before
        work = TransferWork(second.database, second.writer, Buckets(root), clock)
        work.export(begun["ExportDescription"]["ExportArn"], late)
        assert second.call("DescribeExport", {"ExportArn": begun["ExportDescription"]["ExportArn"]}) == described


def test_lists_have_pages_and_know_their_tables(engine: Engine, clock: Clock) -> None:
    create(engine, "films")
    for name in ("music", "films", "music"):
        clock.advance(1)
        engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine, name), "S3Bucket": "shelf"})
        engine.call("ImportTable", import_request(name=f"again{clock.now:.0f}"))
    first = engine.call("ListExports", {"MaxResults": 2})
    rest = engine.call("ListExports", {"MaxResults": 2, "NextToken": first["NextToken"]})
    assert [len(page["ExportSummaries"]) for page in (first, rest)] == [2, 1]
    assert "NextToken" not in rest
    of_music = engine.call("ListExports", {"TableArn": _arn(engine)})["ExportSummaries"]
    assert {summary["ExportType"] for summary in of_music} == {"FULL_EXPORT"}
    assert len(of_music) == 2
    imports = engine.call("ListImports", {"PageSize": 2})
    assert len(imports["ImportSummaryList"]) == 2
    assert len(engine.call("ListImports", {"NextToken": imports["NextToken"]})["ImportSummaryList"]) == 1


def test_those_that_are_done_can_be_looked_up_for_ninety_days(engine: Engine, clock: Clock) -> None:
    export(engine)
    import_table(engine, import_request())
    failed = engine.call("ImportTable", import_request("nothing/", name="failed"))["ImportTableDescription"][
        "ImportArn"
    ]
    engine.maintenance.run()
    clock.advance(50 * 86_400)
    later = export(engine)["ExportArn"]
    clock.advance(1)  # the list is by the time of their beginning
    open_one = engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"})
    clock.advance(40 * 86_400 - 2)
    engine.maintenance.trim()
    assert len(engine.call("ListExports", {})["ExportSummaries"]) == 3
    assert engine.call("DescribeImport", {"ImportArn": failed})["ImportTableDescription"]["ImportStatus"] == "FAILED"
    clock.advance(2)
    engine.maintenance.trim()
    left = [each["ExportArn"] for each in engine.call("ListExports", {})["ExportSummaries"]]
    assert left == [later, open_one["ExportDescription"]["ExportArn"]]
    assert engine.call("ListImports", {})["ImportSummaryList"] == []
    with pytest.raises(ImportNotFoundError, match=failed):
        engine.call("DescribeImport", {"ImportArn": failed})
    clock.advance(400 * 86_400)
    engine.maintenance.trim()
    assert [each["ExportStatus"] for each in engine.call("ListExports", {})["ExportSummaries"]] == ["IN_PROGRESS"]


def test_a_token_makes_the_same_request_once(engine: Engine, clock: Clock) -> None:
    exported = {"TableArn": _arn(engine), "S3Bucket": "shelf", "ClientToken": "t"}
    imported = {**import_request(), "ClientToken": "t"}
    for operation, request, member, conflict, change in (
        ("ExportTableToPointInTime", exported, "ExportDescription", ExportConflictError, {"S3Prefix": "x"}),
        (
            "ImportTable",
            imported,
            "ImportTableDescription",
            IdempotentParameterMismatchError,
            {"InputCompressionType": "GZIP"},
        ),
    ):
        first = engine.call(operation, request)[member]
        assert engine.call(operation, request)[member] == first
        with pytest.raises(conflict):
            engine.call(operation, {**request, **change})
    clock.advance(9 * 3600)
    again = engine.call("ExportTableToPointInTime", exported)["ExportDescription"]
    assert len(engine.call("ListExports", {})["ExportSummaries"]) == 2
    assert again["ExportStatus"] == "IN_PROGRESS"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/absent"}, TableNotFoundError),
        ({"S3Bucket": "absent"}, ValidationError),
        ({"S3Bucket": ".."}, ValidationError),
        ({"S3Bucket": "a/b"}, ValidationError),
        ({"S3Prefix": "../elsewhere"}, ValidationError),
        ({"S3Prefix": "/absolute"}, ValidationError),
        ({"ExportType": "INCREMENTAL_EXPORT"}, ValidationError),
        ({"IncrementalExportSpecification": {"ExportFromTime": 1_600_000_000}}, ValidationError),
        ({"ExportTime": 1_600_000_000}, RecoveryUnavailableError),
        ({"ExportTime": 1_700_000_000}, RecoveryUnavailableError),
    ],
)
def test_what_cannot_be_exported_is_refused(engine: Engine, change: Wire, kind: type[DynamoError]) -> None:
    with pytest.raises(kind):
        engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf", **change})
    assert engine.call("ListExports", {})["ExportSummaries"] == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"InputFormatOptions": {"Csv": {"Delimiter": ";"}}}, ValidationError),
        ({"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": "x"}}}, ValidationError),
        ({"S3BucketSource": {"S3Bucket": "absent"}}, ValidationError),
        ({"S3BucketSource": {"S3Bucket": "shelf", "S3KeyPrefix": "../x"}}, ValidationError),
        ({"TableCreationParameters": table("music")}, ResourceInUseError),
    ],
)
def test_what_cannot_be_imported_is_refused(engine: Engine, change: Wire, kind: type[DynamoError]) -> None:
    with pytest.raises(kind):
        engine.call("ImportTable", {**import_request(), **change})
    assert engine.call("ListTables", {})["TableNames"] == ["music"]


def test_exports_and_imports_that_are_not_there_have_errors_of_their_own(engine: Engine) -> None:
    with pytest.raises(ExportNotFoundError):
        engine.call("DescribeExport", {"ExportArn": f"{_arn(engine)}/export/0"})
    with pytest.raises(ImportNotFoundError):
        engine.call("DescribeImport", {"ImportArn": f"{_arn(engine)}/import/0"})


def test_an_engine_without_a_folder_says_how_to_give_it_one(clock: Clock) -> None:
    with Engine.temporary(clock=clock, background=False) as engine:
        create(engine)
        for operation, request in (
            ("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"}),
            ("ImportTable", import_request()),
        ):
            with pytest.raises(ValidationError, match="--exports FOLDER"):
                engine.call(operation, request)


def test_exports_and_imports_of_another_process_are_left_to_it(engine: Engine) -> None:
    put(engine, pk="a")
    begun = engine.call("ExportTableToPointInTime", {"TableArn": _arn(engine), "S3Bucket": "shelf"})
    arn = {"ExportArn": begun["ExportDescription"]["ExportArn"]}
    imported = engine.call("ImportTable", import_request())["ImportTableDescription"]
    with alone_in(engine.database.folder / exports.FOLDER):
        engine.maintenance.run()
        assert engine.call("DescribeExport", arn)["ExportDescription"]["ExportStatus"] == "IN_PROGRESS"
        assert engine.call("DescribeImport", {"ImportArn": imported["ImportArn"]}) == {
            "ImportTableDescription": imported
        }
    engine.maintenance.run()
    assert engine.call("DescribeExport", arn)["ExportDescription"]["ExportStatus"] == "COMPLETED"
