"""What ImportTable reads of objects that are compressed with Zstandard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import ValidationError
from partita.engine import Engine, import_formats
from partita.extras import step
from tests.alone import CORE, THEIRS, python_with
from tests.engine.exporting import import_request, import_table
from tests.engine.tables import Clock, create


@pytest.fixture
def engine(root: Path, clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False, exports=root) as engine:
        create(engine)
        yield engine


@pytest.mark.parametrize("form", ["DYNAMODB_JSON", "ION"])
def test_lines_compressed_with_zstandard_are_read(engine: Engine, root: Path, form: str) -> None:
    line = b'{"Item": {"pk": {"S": "%d"}}}\n' if form == "DYNAMODB_JSON" else b'$ion_1_0 {Item:{pk:"%d"}}\n'
    pack = zstandard.ZstdCompressor().compress
    packed = b"".join(pack(b"".join(line % number for number in part)) for part in (range(400), range(400, 700)))
    (root / "shelf/lines.zst").write_bytes(packed)
    description = import_table(engine, import_request("lines", form, InputCompressionType="ZSTD"))
    assert (description["ImportStatus"], description["ImportedItemCount"]) == ("COMPLETED", 700)


def _found(path: Path, packed: bytes) -> tuple[int, list[str]]:
    """How many items an object has, and what is wrong with it."""
    path.write_bytes(packed)
    request = {"InputFormat": "ION", "InputCompressionType": "ZSTD"}
    records = list(import_formats.records(request, [("object", path)]))
    return sum(each.item is not None for each in records), [each.fault for each in records if each.item is None]


@given(st.data())
def test_an_object_compressed_with_zstandard_that_breaks_off_is_an_error_and_what_is_before_it_is_read(
    data: st.DataObject,
) -> None:
    checksum, size = data.draw(st.booleans()), data.draw(st.booleans())
    packer = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size)
    packed = packer.compress(b"".join(b'{Item:{pk:"%d"}}\n' % number for number in range(50)))
    cut = data.draw(st.integers(1, len(packed) - 1))
    with TemporaryDirectory() as folder:
        path = Path(folder, "object")
        assert _found(path, packed + packed) == (100, [])
        before, faults = _found(path, packed + packed[:cut])
        assert before >= 50
        assert "it cannot be read further" in faults[-1]


def test_frames_that_are_to_be_passed_over_are(tmp_path: Path) -> None:
    note = b"\x50\x2a\x4d\x18\x05\x00\x00\x00hello"
    packed = zstandard.ZstdCompressor().compress(b'{Item:{pk:"a"}}\n')
    assert _found(tmp_path / "object", note + packed + note + packed + note) == (2, [])


def test_a_damaged_object_compressed_with_zstandard_is_an_error(engine: Engine, root: Path) -> None:
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
try:
    import_formats.needs("InputCompressionType ZSTD", "zstandard")
except ValidationError as error:
    print(error.message)
"""
    done = python_with((*CORE, *THEIRS), program, folder=tmp_path)
    assert done.stdout.splitlines() == [f"InputCompressionType ZSTD {step('formats')}"]


def test_with_the_extra_nothing_is_refused() -> None:
    import_formats.needs("InputCompressionType ZSTD", "zstandard")
    with pytest.raises(ValidationError):
        import_formats.needs("InputCompressionType ZSTD", "zstandard.nothing")
