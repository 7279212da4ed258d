"""Amazon Ion: what exports in it say, and that a table comes back from one."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from amazon.ion import simpleion
from hypothesis import given
from hypothesis import strategies as st

from partita.engine import Engine, ion
from tests.dynamo.strategies import items
from tests.engine.exporting import export, import_request, import_table
from tests.engine.tables import Clock, Wire, create, put, whole

ODD = [
    "null",
    "true",
    "nan",
    "$10",
    "$ion_1_0",
    "$dynamodb_SS",
    "a b",
    "9",
    "it's",
    "\\",
    '"',
    "\n",
    "\x00",
    "\x85",
    "é",
    "😀",
]
"""Texts that mean something else in Ion, or need an escape."""


@pytest.fixture
def engine(root: Path, clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False, exports=root) as engine:
        create(engine)
        yield engine


@given(items | st.dictionaries(st.sampled_from(ODD), st.sampled_from(ODD).map(lambda text: {"S": text}), min_size=1))
def test_a_line_is_the_item_to_others_who_read_ion(item: Wire) -> None:
    line = ion.line(orjson.dumps({"Item": item}))
    assert line.startswith(b"$ion_1_0 ")
    assert line.count(b"\n") == 1
    (read,) = simpleion.loads(line, single_value=False)
    texts = {name: value["S"] for name, value in item.items() if "S" in value}
    assert read["Item"].keys() == item.keys()
    assert {name: str(read["Item"][name]) for name in texts} == texts


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


def test_a_table_goes_out_as_ion_and_comes_back_the_same(engine: Engine, root: Path) -> None:
    for number in range(60):
        put(
            engine,
            pk=f"k{number}\n",
            n=number,
            text="a\"b'\\" * 20_000 * (number == 7),
            nested={"s": {"x", "y"}, "é": [None, True, b"z"]},
        )
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
