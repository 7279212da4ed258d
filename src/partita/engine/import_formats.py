"""What ImportTable reads: DynamoDB JSON or CSV, plain or gzip. A bad record is told and passed over."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import orjson

from partita.dynamo.errors import DynamoError, ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import ITEM_BYTES, REQUEST_BYTES
from partita.dynamo.parse import parse
from partita.dynamo.requests import PutItem
from partita.dynamo.values import Item

csv.field_size_limit(max(csv.field_size_limit(), ITEM_BYTES))  # of the process: a cell may be as large as an item

DELIMITERS = (",", "\t", ":", ";", "|", " ")
_GZIP = b"\x1f\x8b"
_UNREADABLE = (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError, csv.Error)
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
    if request["InputFormat"] == "ION":
        raise ValidationError("InputFormat ION is not read here. Use DYNAMODB_JSON or CSV.")
    if request.get("InputCompressionType") == "ZSTD":
        raise ValidationError("InputCompressionType ZSTD is not read here. Use GZIP or NONE.")
    options = _csv_options(request)
    if options and request["InputFormat"] != "CSV":
        raise ValidationError("InputFormatOptions are for the InputFormat CSV only.")
    if options.get("Delimiter", ",") not in DELIMITERS:
        raise ValidationError("The Delimiter is one of comma, tab, colon, semicolon, pipe and space.")


def records(request: Request, objects: Sequence[tuple[str, Path]]) -> Iterator[Record]:
    """Every record of the objects, which come with their keys, in order."""
    read = _csv_records if request["InputFormat"] == "CSV" else _json_records
    for key, path in objects:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            if packed and request.get("InputCompressionType") != "GZIP":
                yield Record(None, "it is compressed with gzip, and was not read: InputCompressionType is GZIP", 0, key)
                continue
            file: Any = gzip.GzipFile("", "rb", fileobj=raw) if request.get("InputCompressionType") == "GZIP" else raw
            with closing(file):
                try:
                    for line, record in read(request, file):
                        yield replace(record, where=f"{key}, line {line}")
                except _UNREADABLE as error:
                    yield Record(None, f"it cannot be read further: {error}", 0, key)


def _json_records(_request: Request, file: BinaryIO) -> Iterator[tuple[int, Record]]:
    number = 0
    while line := file.readline(REQUEST_BYTES):
        number += 1
        if len(line) == REQUEST_BYTES:
            yield number, Record(None, f"it is longer than {REQUEST_BYTES} bytes, the rest is not read", len(line))
            return
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield number, Record(None, f"it is not JSON: {error}", len(line))
            continue
        if isinstance(record, dict) and isinstance(record.get("Item"), dict):
            yield number, _record(record["Item"], len(line))
        else:
            yield number, Record(None, 'it is not {"Item": {…}}', len(line))


def _csv_records(request: Request, file: BinaryIO) -> Iterator[tuple[int, Record]]:
    options = _csv_options(request)
    types = {
        each["AttributeName"]: each["AttributeType"]
        for each in request["TableCreationParameters"]["AttributeDefinitions"]
    }
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        bounded = _BoundedLines(text)
        lines = csv.reader(bounded, delimiter=options.get("Delimiter", ","), strict=True)
        header: Sequence[str] = options.get("HeaderList") or next(lines, [])
        while (row := _next_row(lines, bounded)) is not None:
            size = sum(len(cell.encode()) + 1 for cell in row)
            if len(row) > len(header):
                yield lines.line_num, Record(None, f"it has {len(row)} values for {len(header)} names", size)
            elif row:
                # A short row leaves out its last attributes, an empty cell its own.
                cells = zip(header, row, strict=False)
                item = {name: {types.get(name, "S"): cell} for name, cell in cells if cell}
                yield lines.line_num, _record(item, size)


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
        put = parse("PutItem", {"TableName": "imported", "Item": item})
    except DynamoError as error:
        return Record(None, error.message, size)
    assert isinstance(put, PutItem)
    return Record(put.item, "", size)


def _csv_options(request: Request) -> Mapping[str, Any]:
    options: Mapping[str, Any] = (request.get("InputFormatOptions") or {}).get("Csv") or {}
    return options
