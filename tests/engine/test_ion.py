"""Amazon Ion and Zstandard: what exports in Ion say, and which lines are items."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, ValidationError
from partita.dynamo.parse import parse
from partita.engine import Engine, import_formats, ion
from partita.extras import step
from tests.alone import CORE, THEIRS, python_with
from tests.dynamo.strategies import items
from tests.engine.exporting import export, import_request, import_table
from tests.engine.tables import Clock, Wire, create, put, whole

DAY = 24 * 3600


@pytest.fixture
def engine(root: Path, clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False, exports=root) as engine:
        create(engine)
        yield engine


def _checked(item: Any) -> Any:
    return parse("PutItem", {"TableName": "music", "Item": item}).item  # type: ignore[union-attr]


@given(items)
def test_an_item_is_read_as_it_was_written(item: Wire) -> None:
    line = ion.line(orjson.dumps({"Item": item}))
    assert line.startswith(b"$ion_1_0 ")
    assert line.count(b"\n") == 1
    assert _checked(ion.item(line)) == _checked(item)


def test_types_are_those_of_dynamodbs_exports() -> None:
    item = {
        "Authors": {"SS": ["a", "b"]},
        "Id": {"N": "103"},
        "Sizes": {"NS": ["1.5"]},
        "Cover": {"B": "aGk="},
        "Scans": {"BS": ["aGk="]},
        "InPrint": {"BOOL": False},
        "Gone": {"NULL": True},
        "Deep": {"M": {"list": {"L": [{"S": "x"}]}}},
    }
    assert ion.line(orjson.dumps({"Item": item})) == (
        b'$ion_1_0 {Item:{Authors:$dynamodb_SS::["a","b"],Id:103d0,Sizes:$dynamodb_NS::[1.5],Cover:{{aGk=}},'
        b'Scans:$dynamodb_BS::[{{aGk=}}],InPrint:false,Gone:null,Deep:{list:["x"]}}}\n'
    )


@pytest.mark.parametrize(
    ("line", "item"),
    [
        (
            '$ion_1_0 {Item:{pk:"a",n:6d2,i:5,s:$dynamodb_SS::["x"]}}',
            {"n": {"N": "600"}, "i": {"N": "5"}, "s": {"SS": ["x"]}},
        ),
        ("{'Item':{'pk':\"a\", // a note\n}}", {}),
        ("{Item:{pk:'''a''',t:other::\"x\",l:[]}}", {"t": {"S": "x"}, "l": {"L": []}}),
    ],
)
def test_other_spellings_are_read(line: str, item: Wire) -> None:
    assert _checked(ion.item(line.encode())) == {"pk": {"S": "a"}, **item}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{Item:{pk:2026-11-19T}}", "DynamoDB has no type for Ion's timestamp"),
        ("{Item:{pk:1e0}}", "DynamoDB has no type for Ion's float"),
        ("{Item:{pk:symbol}}", "DynamoDB has no type for Ion's symbol"),
        ('{Item:{pk:{{"clob"}}}}', "DynamoDB has no type for Ion's clob"),
        ("{Item:{pk:(a b)}}", "DynamoDB has no type for Ion's sexp"),
        ("{Item:{pk:null.string}}", r"DynamoDB has no null\.string"),
        ("{Item:null.struct}", r"DynamoDB has no null\.struct"),
        ("{Item:{pk:$dynamodb_SS::[[1]]}}", "DynamoDB has no type for Ion's list"),
        ('{pk:"a"}', "it is not {Item"),
        ("{Item:1}", "it is not {Item"),
        ("{Item:{}} {Item:{}}", "it is not {Item"),
        ("null", "it is not {Item"),
        ("", "it is not {Item"),
        ("{Item:{", "it is not Ion"),
        ("{Item:{pk:" + "[" * 100_000, "it is not Ion"),
        ("{Item:{n:1d999999999999}}", "it is not Ion"),
        ('{Item:{pk:"\\ud83d"}}', "it is not Ion"),
        ("\ufffe\x00", "it is not Ion"),
    ],
)
def test_a_line_that_is_no_item_says_why(line: str, fault: str) -> None:
    with pytest.raises(ion.NotReadableError, match=fault):
        ion.item(line.encode())


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_line_does_worse_than_being_no_item(line: bytes) -> None:
    try:
        item = ion.item(line)
    except ion.NotReadableError:
        return
    try:
        _checked(item)
    except DynamoError:
        return


def test_a_table_goes_out_as_ion_and_comes_back_the_same(engine: Engine, root: Path) -> None:
    for number in range(60):
        put(engine, pk=f"k{number}\n", n=number, nested={"s": {"x", "y"}, "é": [None, True, b"z"]})
    exported = export(engine, ExportFormat="ION")
    assert exported["ExportFormat"] == "ION"
    summary = orjson.loads((root / "shelf" / exported["ExportManifest"]).read_bytes())
    assert summary["outputFormat"] == "ION"
    folder = exported["ExportManifest"].replace("manifest-summary.json", "data/")
    assert all(path.name.endswith(".ion.gz") for path in (root / "shelf" / folder).iterdir())
    description = import_table(engine, import_request(folder, "ION", InputCompressionType="GZIP"))
    assert (description["ImportStatus"], description["ImportedItemCount"]) == ("COMPLETED", 60)
    assert whole(engine, "Scan", {"TableName": "again"}) == whole(engine, "Scan", {"TableName": "music"})


def test_changes_of_a_period_go_out_as_records(engine: Engine, root: Path, clock: Clock) -> None:
    recovery = {"PointInTimeRecoveryEnabled": True}
    engine.call("UpdateContinuousBackups", {"TableName": "music", "PointInTimeRecoverySpecification": recovery})
    clock.advance(10)
    begun = clock()
    put(engine, pk="a", n=1)
    clock.advance(2000)
    period = {"ExportFromTime": begun, "ExportToTime": begun + 1000, "ExportViewType": "NEW_AND_OLD_IMAGES"}
    export(engine, ExportFormat="ION", ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    data = (root / "shelf/AWSDynamoDB").rglob("*.ion.gz")
    assert b"".join(gzip.decompress(path.read_bytes()) for path in data) == (
        b'$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:%d000000d0},Keys:{pk:"a"},NewImage:{pk:"a",n:1d0}}}\n'
        % int(begun)
    )


@pytest.mark.parametrize("form", ["DYNAMODB_JSON", "ION"])
def test_lines_compressed_with_zstandard_are_read(engine: Engine, root: Path, form: str) -> None:
    line = b'{"Item": {"pk": {"S": "%d"}}}\n' if form == "DYNAMODB_JSON" else b'$ion_1_0 {Item:{pk:"%d"}}\n'
    pack = zstandard.ZstdCompressor().compress
    packed = b"".join(pack(b"".join(line % number for number in part)) for part in (range(400), range(400, 700)))
    (root / "shelf/lines.zst").write_bytes(packed)
    description = import_table(engine, import_request("lines", form, InputCompressionType="ZSTD"))
    assert (description["ImportStatus"], description["ImportedItemCount"]) == ("COMPLETED", 700)


def test_an_object_compressed_with_zstandard_that_breaks_off_is_an_error(engine: Engine, root: Path) -> None:
    packed = zstandard.ZstdCompressor().compress(b'$ion_1_0 {Item:{pk:"a"}}\n' * 9)
    (root / "shelf/1.zst").write_bytes(packed[:8] + b"\xff" * 12 + packed[20:])
    (root / "shelf/2.zst").write_bytes(zstandard.ZstdCompressor().compress(b'$ion_1_0 {Item:{pk:"b"}}\n'))
    description = import_table(engine, import_request("", "ION", InputCompressionType="ZSTD"))
    assert (description["ImportStatus"], description["ImportedItemCount"]) == ("FAILED", 1)
    assert "1.zst" in description["FailureMessage"]


def test_what_compressed_objects_may_ask_for_of_memory_is_bounded(engine: Engine, root: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(19, window_log=30)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    lines = b'{"Item": {"pk": {"S": "a"}}}\n' * 1000
    (root / "shelf/wide.zst").write_bytes(packed.compress(lines) + packed.flush())
    description = import_table(engine, import_request("wide", InputCompressionType="ZSTD"))
    assert (description["ImportStatus"], description["ErrorCount"]) == ("FAILED", 1)
    assert "it cannot be read further" in description["FailureMessage"]


def test_without_the_extra_the_refusal_says_how_to_get_it(tmp_path: Path) -> None:
    program = """
from partita.dynamo.errors import ValidationError
from partita.engine import import_formats
for what, module in (("InputFormat ION", "amazon.ion"), ("InputCompressionType ZSTD", "zstandard")):
    try:
        import_formats.needs(what, module)
    except ValidationError as error:
        print(error.message)
"""
    done = python_with((*CORE, *THEIRS), program, folder=tmp_path)
    assert done.stdout.splitlines() == [
        f"InputFormat ION {step('formats')}",
        f"InputCompressionType ZSTD {step('formats')}",
    ]


def test_with_the_extra_nothing_is_refused() -> None:
    import_formats.needs("InputFormat ION", "amazon.ion")
    with pytest.raises(ValidationError):
        import_formats.needs("InputFormat ION", "amazon.nothing")
