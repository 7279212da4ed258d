"""What ImportTable reads: DynamoDB JSON, CSV or Ion, plain or compressed. A bad record is told and passed over."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import orjson

from partita.dynamo.errors import DynamoError, ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import ITEM_BYTES, REQUEST_BYTES
from partita.dynamo.values import Item, checked_item
from partita.engine import ion_reading
from partita.extras import step

csv.field_size_limit(max(csv.field_size_limit(), ITEM_BYTES))  # of the process: a cell may be as large as an item

DELIMITERS = (",", "\t", ":", ";", "|", " ")
_MARKS = {"GZIP": b"\x1f\x8b", "ZSTD": b"\x28\xb5\x2f\xfd"}
"""How compressed objects begin."""
_LONGEST_MARK = 4
_MOST_WINDOW = 128 * 1024 * 1024
"""What a compressed object may ask for of memory."""
_STEP = 1024
"""What is unpacked at once: four bytes may become 128 KB."""
_UNREADABLE = (EOFError, zlib.error, gzip.BadGzipFile, csv.Error)
Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One record of an object: an item, or what is wrong with it."""

    item: Item | None
    fault: str
    size: int
    where: str = ""
    """The object and the line."""


def check(request: Request) -> None:
    """Refuse formats that are not read here."""
    if request.get("InputCompressionType") == "ZSTD":
        needs("InputCompressionType ZSTD", "zstandard")
    options = _csv_options(request)
    if options and request["InputFormat"] != "CSV":
        raise ValidationError("InputFormatOptions are for the InputFormat CSV only.")
    if options.get("Delimiter", ",") not in DELIMITERS:
        raise ValidationError("The Delimiter is one of comma, tab, colon, semicolon, pipe and space.")


def needs(what: str, module: str) -> None:
    """Refuse what cannot be done without a module of the extra `formats`, if that is not installed."""
    try:
        import_module(module)
    except ImportError:
        raise ValidationError(f"{what} {step('formats')}") from None


def records(request: Request, objects: Sequence[tuple[str, Path]]) -> Iterator[Record]:
    """Every record of the objects, which come with their keys, in order."""
    read = _READERS[request["InputFormat"]]
    compression = request.get("InputCompressionType") or "NONE"
    for key, path in objects:
        with path.open("rb") as raw:
            start = raw.read(_LONGEST_MARK)
            raw.seek(0)
            for name, mark in _MARKS.items():
                if start.startswith(mark) and compression != name:
                    fault = f"it is compressed with {name.lower()}, and was not read: InputCompressionType is {name}"
                    yield Record(None, fault, 0, key)
                    break
            else:
                with closing(_opened(raw, compression)) as file:
                    yield from _records_of(key, read(request, file))


def _records_of(key: str, read: Iterator[tuple[int, Record]]) -> Iterator[Record]:
    try:
        for line, record in read:
            yield replace(record, where=f"{key}, line {line}")
    except _unreadable() as error:
        yield Record(None, f"it cannot be read further: {error}", 0, key)


def _opened(raw: BinaryIO, compression: str) -> BinaryIO:
    if compression == "GZIP":
        return cast(BinaryIO, gzip.GzipFile("", "rb", fileobj=raw))
    if compression == "ZSTD":
        import zstandard  # of the extra `formats`

        return io.BufferedReader(_Frames(raw, zstandard.ZstdDecompressor(max_window_size=_MOST_WINDOW)))
    return raw


class _Frames(io.RawIOBase):
    """What an object compressed with Zstandard holds, frame after frame. One that breaks off is an error, as with gzip;
    zstandard's own reader takes it for whole."""

    def __init__(self, raw: BinaryIO, decompressor: Any) -> None:
        self._raw = raw
        self._decompressor = decompressor
        self._frame: Any = None
        self._packed = b""
        self._plain = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            packed = self._packed or self._raw.read(_STEP)
            if not packed:
                if self._frame is None:
                    return 0
                raise EOFError("it ends before the end that it was written with")
            if self._frame is None:
                self._frame = self._decompressor.decompressobj()
            self._plain = memoryview(self._frame.decompress(packed))
            self._packed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = None
        taken = self._plain[: len(buffer)]
        buffer[: len(taken)] = taken
        self._plain = self._plain[len(taken) :]
        return len(taken)


def _unreadable() -> tuple[type[Exception], ...]:
    zstandard = sys.modules.get("zstandard")
    return _UNREADABLE if zstandard is None else (*_UNREADABLE, zstandard.ZstdError)


def _json_records(_request: Request, file: BinaryIO) -> Iterator[tuple[int, Record]]:
    return _line_records(file, _json_item)


def _ion_records(_request: Request, file: BinaryIO) -> Iterator[tuple[int, Record]]:
    return _line_records(file, ion_reading.item)


def _line_records(file: BinaryIO, read: Callable[[bytes], Item]) -> Iterator[tuple[int, Record]]:
    """A record in each line; `read` raises a ValueError that says why a line is none."""
    number = 0
    while line := file.readline(REQUEST_BYTES):
        number += 1
        if len(line) == REQUEST_BYTES:
            yield number, Record(None, f"it is longer than {REQUEST_BYTES} bytes, the rest is not read", len(line))
            return
        if not line.strip():
            continue
        try:
            item = read(line)
        except ValueError as error:
            yield number, Record(None, str(error), len(line))
        else:
            yield number, _record(item, len(line))


def _json_item(line: bytes) -> Item:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    if not isinstance(record, dict) or not isinstance(record.get("Item"), dict):
        raise ValueError('it is not {"Item": {…}}')
    item: Item = record["Item"]
    return item


def _csv_records(request: Request, file: BinaryIO) -> Iterator[tuple[int, Record]]:
    options = _csv_options(request)
    types = {
        each["AttributeName"]: each["AttributeType"]
        for each in request["TableCreationParameters"]["AttributeDefinitions"]
    }
    with io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="") as text:
        bounded = _BoundedLines(text)
        lines = csv.reader(bounded, delimiter=options.get("Delimiter", ","), strict=True)
        header: Sequence[str] = options.get("HeaderList") or next(lines, [])
        if not _is_unicode(header):
            raise csv.Error("its first line is not UTF-8")
        while (row := _next_row(lines, bounded)) is not None:
            size = sum(len(cell.encode(errors="surrogateescape")) + 1 for cell in row)
            if not _is_unicode(row):
                yield lines.line_num, Record(None, "it is not UTF-8", size)
            elif len(row) > len(header):
                yield lines.line_num, Record(None, f"it has {len(row)} values for {len(header)} names", size)
            elif row:
                # A short row leaves out its last attributes, an empty cell its own.
                cells = zip(header, row, strict=False)
                item = {name: {types.get(name, "S"): cell} for name, cell in cells if cell}
                yield lines.line_num, _record(item, size)


def _is_unicode(cells: Sequence[str]) -> bool:
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:  # what was no UTF-8 was read as halves of surrogate pairs
        return False
    return True


class _BoundedLines:
    """The lines of a text, as long as those of one record are not too long: a file may be one line without an end."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.left = REQUEST_BYTES
        """How many characters the record may still have."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self.left + 1)
        if not line:
            raise StopIteration
        self.left -= len(line)
        if self.left < 0:
            raise csv.Error(f"a record is longer than {REQUEST_BYTES} characters")
        return line


def _next_row(rows: Iterator[list[str]], lines: _BoundedLines) -> list[str] | None:
    lines.left = REQUEST_BYTES
    return next(rows, None)


def _record(item: Item, size: int) -> Record:
    try:
        return Record(checked_item(item), "", size)
    except DynamoError as error:
        return Record(None, error.message, size)


_READERS: Mapping[str, Callable[[Request, BinaryIO], Iterator[tuple[int, Record]]]] = {
    "CSV": _csv_records,
    "DYNAMODB_JSON": _json_records,
    "ION": _ion_records,
}


def _csv_options(request: Request) -> Mapping[str, Any]:
    options: Mapping[str, Any] = (request.get("InputFormatOptions") or {}).get("Csv") or {}
    return options
