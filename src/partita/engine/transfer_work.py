"""The background work of exports and imports: writes the files of exports, and reads those of imports into tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

from partita.dynamo.errors import StorageCorruptError, ValidationError
from partita.engine import backups, exports, import_formats, imports, transfers
from partita.engine.buckets import Buckets
from partita.engine.database import Database
from partita.engine.import_formats import Record
from partita.engine.transfers import Kind, Stored
from partita.engine.writer import Transaction, Writer
from partita.held_folders import alone_in
from partita.private_files import private_folder

_CHUNK = 500
_CHUNK_BYTES = 4 * 1024 * 1024
_TROUBLES = (OSError, ValidationError)


class TransferWork:
    """Does what is not done yet; a process without a folder for buckets leaves it to one that has it."""

    def __init__(self, database: Database, writer: Writer, buckets: Buckets, clock: Callable[[], float]) -> None:
        self._database = database
        self._writer = writer
        self._buckets = buckets
        self._clock = clock
        self._stop = False

    @property
    def folder(self) -> Path:
        """Where the copies of tables are that are being exported."""
        return self._database.folder / exports.FOLDER

    def stop(self) -> None:
        self._stop = True

    def run(self) -> None:
        """One pass."""
        if not self._buckets.there or not (self._unfinished("export") or self._unfinished("import")):
            return
        private_folder(self.folder)
        # One process at a time: two would mix the manifests of an export, and read the same objects for an import.
        with alone_in(self.folder) as alone:
            if not alone:
                return
            for arn, stored in self._unfinished("export"):
                self.export(arn, stored)
            for arn, stored in self._unfinished("import"):
                self._import(arn, stored)

    def remove_abandoned(self, now: float) -> None:
        """Remove copies that a crash left behind before they were listed."""
        owned = {stored["file"] for _, stored in self._unfinished("export")}
        backups.remove_unowned(self.folder, owned, now)

    def _unfinished(self, kind: Kind) -> list[tuple[str, Stored]]:
        with self._database.reader() as connection:
            return transfers.unfinished(connection, kind)

    def export(self, arn: str, stored: Stored) -> None:
        """Write the files of an export that is not done."""
        copy = self.folder / stored["file"]
        try:
            if not copy.exists():
                raise OSError("the copy of the table is gone")  # such as after a restore from a backup of the folder
            self._write(stored, copy)
        except exports.StoppedError:
            return
        except _TROUBLES as error:
            stored["description"] |= {
                "ExportStatus": "FAILED",
                "EndTime": self._clock(),
                "FailureCode": "S3AccessFailed",
                "FailureMessage": str(error),
            }
        self._writer.run(lambda transaction: transfers.save(transaction, arn, stored))
        self._database.settle()
        with suppress(FileNotFoundError):
            copy.unlink()

    def _write(self, stored: Stored, copy: Path) -> None:
        try:
            exports.write(stored, copy, self._buckets, self._clock(), lambda: self._stop)
        except StorageCorruptError:
            raise OSError("the copy of the table is damaged: export it again") from None

    def _import(self, arn: str, stored: Stored) -> None:
        source = stored["request"]["S3BucketSource"]
        position = stored["description"]["ProcessedItemCount"]
        try:
            prefix = source.get("S3KeyPrefix") or ""
            objects = self._buckets.objects(source["S3Bucket"], prefix)
            if prefix and not objects:
                self._fail(
                    arn, "S3NoSuchKey", f"No object's key in the bucket {source['S3Bucket']} begins with {prefix}"
                )
                return
            records = import_formats.records(stored["request"], objects)
            for chunk in _chunks(islice(records, position, None)):
                if self._stop:
                    return
                if not self._writer.run(partial(imports.fill, arn=arn, position=position, chunk=chunk)):
                    return
                position += len(chunk)
        except ValidationError as error:
            self._fail(arn, "S3NoSuchBucket", str(error))
        except OSError as error:
            self._fail(arn, "S3AccessFailed", str(error))
        else:
            self._finish(arn, position)

    def _fail(self, arn: str, code: str, reason: str) -> None:
        self._writer.run(partial(imports.fail, arn=arn, code=code, reason=reason))

    def _finish(self, arn: str, position: int) -> None:
        def finish(transaction: Transaction) -> None:
            imports.finish(transaction, arn, position)

        self._writer.run(finish)


def _chunks(records: Iterator[Record]) -> Iterator[list[Record]]:
    chunk: list[Record] = []
    size = 0
    for record in records:
        chunk.append(record)
        size += record.size
        if len(chunk) == _CHUNK or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
