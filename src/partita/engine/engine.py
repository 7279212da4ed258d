"""The embedded engine: DynamoDB's operations on a folder, in process, for any number of threads and processes."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from partita.dynamo.errors import (
    DynamoError,
    InternalServerError,
    NoJsonError,
    ResourceNotFoundError,
    ThroughputExceededError,
    UnknownOperationError,
    ValidationError,
)
from partita.dynamo.parse import ITEM_OPERATIONS, parse
from partita.dynamo.partiql import requests as partiql
from partita.dynamo.partiql.requests import STATEMENT_OPERATIONS, StatementRequest
from partita.dynamo.requests import ItemRequest
from partita.dynamo.shapes import check
from partita.dynamo.validate import validated
from partita.engine import (
    backups,
    catalog,
    contributors,
    export_copies,
    exports,
    imports,
    operations,
    permissions,
    restores,
)
from partita.engine.buckets import Buckets
from partita.engine.catalog import Catalog
from partita.engine.completions import Loops
from partita.engine.contributors import Contributor, Contributors, Kind
from partita.engine.database import STORAGE_ERRORS, Database, Durability, closed, misses_table
from partita.engine.faults import FaultPlan, Faults
from partita.engine.maintenance import Maintenance
from partita.engine.place import Place
from partita.engine.reads import Load, Response
from partita.engine.transfer_work import TransferWork
from partita.engine.writer import Transaction, Writer
from partita.held_folders import may_change

_log = logging.getLogger(__name__)
Done = Callable[[bytes | DynamoError], None]
Request = ItemRequest | StatementRequest


class Engine:
    """DynamoDB on a folder. `call` takes and returns DynamoDB's dictionaries, `execute` takes request values."""

    def __init__(
        self,
        folder: str | Path,
        *,
        durability: Durability = "full",
        max_bytes: int | None = None,
        place: Place | None = None,
        faults: FaultPlan | None = None,
        clock: Callable[[], float] = time.time,
        background: bool = True,
        exports: str | Path | None = None,
    ) -> None:
        self.place = place or Place()
        self._clock = clock
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.database = Database(
            Path(folder),
            durability=durability,
            max_bytes=max_bytes,
            background=background,
            on_create=lambda connection: backups.register_existing(connection, Path(folder) / backups.FOLDER),
        )
        self.writer = Writer(self.database, clock, self._committed, self.place)
        self._catalog = catalog.EMPTY
        self._faults = None if faults is None else Faults(faults, self.database)
        self._pool: ThreadPoolExecutor | None = None
        self._loops = Loops()
        self.maintenance = Maintenance(self.database, self.writer, self.refresh, clock)
        self._buckets = Buckets(None if exports is None else Path(exports))
        self._transfers = TransferWork(self.database, self.writer, self._buckets, clock)
        self._contributors = Contributors(self.writer)
        self.maintenance.also.append(self._transfers.run)
        self.maintenance.rarely.append(lambda _now: self._contributors.flush())
        self.maintenance.rarely.append(self._transfers.remove_abandoned)
        try:
            self.refresh()
        except BaseException:
            self.database.close()
            raise
        if background:
            self.maintenance.start()

    @classmethod
    def temporary(cls, **settings: Any) -> Engine:
        """An engine on a temporary folder, for tests. It is deleted on close, so writes do not wait for the disk."""
        folder = tempfile.TemporaryDirectory(prefix="partita-")
        engine = cls(folder.name, **{"durability": "off", **settings})
        engine._temporary = folder
        return engine

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    @property
    def faulty(self) -> bool:
        """Whether there is a fault plan."""
        return self._faults is not None

    def close(self) -> None:
        """Finish running requests and close the file."""
        self._transfers.stop()
        self.maintenance.stop()
        with suppress(DynamoError):  # such as a full disk: counts are not worth more
            self._contributors.flush()
        self.writer.close()
        if self._pool is not None:
            self._pool.shutdown()
        if self._faults is not None:
            self._faults.close()
        self.database.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def call(self, operation: str, request: object) -> Response:
        """Run an operation with dictionaries as in DynamoDB's API."""
        if operation in ITEM_OPERATIONS:
            return self._run(parse(operation, request), orjson.loads)
        if operation in STATEMENT_OPERATIONS:
            return self._run(partiql.parse(operation, request), orjson.loads)
        return self._call_table(operation, request)

    def execute(self, request: ItemRequest, load: Load = orjson.loads) -> Response:
        """Run a request value; the same rules hold for it as for `call`.

        The answer is in the wire's form, each whole item made by `load` from its JSON.
        """
        return self._run(validated(request), load)

    async def call_async(self, operation: str, request: object) -> Response:
        """`call` for an event loop: writes do not block the loop while the disk syncs."""
        if operation in ITEM_OPERATIONS:
            return await self._run_async(parse(operation, request), orjson.loads)
        if operation in STATEMENT_OPERATIONS:
            return await self._run_async(partiql.parse(operation, request), orjson.loads)
        return await asyncio.to_thread(self._call_table, operation, request)

    async def execute_async(self, request: ItemRequest, load: Load = orjson.loads) -> Response:
        """`execute` for an event loop."""
        return await self._run_async(validated(request), load)

    async def _run_async(self, request: Request, load: Load) -> Response:
        if self._faults is None and type(request) in operations.ITEM_READS:
            return self._run(request, load)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Response] = loop.create_future()
        completions = self._loops.of(loop)

        def settle(result: Response | None, error: BaseException | None) -> None:
            if future.cancelled():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result or {})

        def on_done(result: Response | None, error: BaseException | None) -> None:
            completions.post(partial(settle, result, error))

        self._start(request, load, on_done)
        return await future

    def answer(self, operation: str, body: bytes, done: Done, key: str | None = None) -> None:
        """Run an operation in JSON. `done` is called once: in this thread for reads, otherwise in another.

        `key` is the access key of whoever asks; resource policies may deny something to it.
        """
        try:
            request = _decoded(body)
            parsed: Request
            if operation in ITEM_OPERATIONS:
                parsed = parse(operation, request)
            elif operation in STATEMENT_OPERATIONS:
                parsed = partiql.parse(operation, request)
            else:
                if key is not None and (tables := self.refresh()).guarded:
                    permissions.check_tables(tables, key, operation, request)
                self._answer_table(operation, request, done)
                return
            if key is not None and (tables := self.refresh()).guarded:
                permissions.check_items(tables, key, parsed)
            if self._faults is None and type(parsed) in operations.ITEM_READS:
                done(_encoded(self._run(parsed, orjson.Fragment)))
                return
        except DynamoError as error:
            done(error)
            return

        def on_done(result: Response | None, error: BaseException | None) -> None:
            done(_encoded(result or {}) if error is None else _as_answer(error))

        self._start(parsed, orjson.Fragment, on_done)

    def state(self) -> int | None:
        """A number that differs after every commit, of this process or another; None if it cannot be told now."""
        return None if self.faulty else self.database.state()  # with faults, reads may be of the past

    def most_used(self, table: str, index: str = "", kind: Kind = "PKC") -> list[Contributor]:
        """The keys of a table or an index that were counted most often since its Contributor Insights are on."""
        self._contributors.flush()
        tables = self.refresh()
        with self.database.reader() as connection:
            return contributors.most(connection, tables, table, index, kind)

    def refresh(self) -> Catalog:
        """The current catalog in the file."""
        with self.database.reader() as connection:
            try:
                if catalog.version(connection) != self._catalog.version:
                    connection.execute("BEGIN")
                    try:
                        self._catalog = catalog.load(connection, self.place)
                    finally:
                        connection.execute("COMMIT")
            except STORAGE_ERRORS as error:
                raise self.database.failure(error) from error
        return self._catalog

    def _committed(self, transaction: Transaction) -> None:
        if transaction.catalog.version > self._catalog.version:
            self._catalog = transaction.catalog
            self.maintenance.poke()

    def _run(self, request: Request, load: Load) -> Response:
        if self._faults is not None or self._catalog.watched:
            return self._run_noticed(request, load)
        read = operations.ITEM_READS.get(type(request))
        if read is not None:
            return self._read_items(read, request, load)
        return self._write(request, load)

    def _run_noticed(self, request: Request, load: Load) -> Response:
        """Run a request with faults, or one whose keys are counted."""
        extra: dict[str, Any] = {}
        if self._faults is not None:
            try:
                self._faults.strike(request)
            except ThroughputExceededError:
                if self._catalog.watched:
                    self._contributors.count(self._catalog, request, throttled=True)
                raise
            request, extra = self._faults.split(request)
        if self._catalog.watched:
            self._contributors.count(self._catalog, request)
        read = operations.ITEM_READS.get(type(request))
        if read is None:
            response = self._write(request, load)
        else:
            past = self._read_past(read, request, load)
            response = self._read_items(read, request, load) if past is None else past
        return {**response, **extra} if extra else response

    def _write(self, request: Request, load: Load) -> Response:
        write = operations.ITEM_WRITES[type(request)]
        return self.writer.run(lambda transaction: write(transaction, request, load))

    def _start(self, request: Request, load: Load, on_done: Callable[[Any, BaseException | None], None]) -> None:
        """Run a request without blocking the caller."""
        if self._faults is None:
            if self._catalog.watched:
                self._contributors.count(self._catalog, request)
            write = operations.ITEM_WRITES[type(request)]
            try:
                self.writer.submit(lambda transaction: write(transaction, request, load), on_done)
            except DynamoError as error:
                on_done(None, error)
            return
        try:
            self._in_pool(lambda: self._run(request, load), on_done)
        except DynamoError as error:
            on_done(None, error)

    def _in_pool(self, work: Callable[[], Any], on_done: Callable[[Any, BaseException | None], None]) -> None:
        if self.database.closed:
            raise closed()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(16, thread_name_prefix="partita-engine")

        def run() -> None:
            try:
                result = work()
            except Exception as error:
                on_done(None, error)
            else:
                on_done(result, None)

        self._pool.submit(run)

    def _read_past(self, read: Callable[..., Response], request: Request, load: Load) -> Response | None:
        """What a read would have found some time ago, if the fault plan wants that."""
        if self._faults is None:
            return None
        with self._faults.past(request) as past:
            return None if past is None else read(past, catalog.load(past, self.place), request, load)

    def _read_items(self, read: Callable[..., Response], request: Request, load: Load) -> Response:
        if type(request) in operations.TELLING:
            self.refresh()  # a missing table is told of one statement and not raised, which would do this
        return self._read(read, request, load)

    def _read(self, read: Callable[..., Response], *arguments: Any) -> Response:
        """Run a read; if a table or an index is missing, check whether another process has changed the catalog."""
        tables = self._catalog
        for _ in range(2):
            connection = self.database.take()
            try:
                return read(connection, tables, *arguments)
            except (ResourceNotFoundError, ValidationError):
                # Another process may have deleted the table and created it again: only this path checks for that.
                known = tables.version
                tables = self.refresh()
                if tables.version == known:
                    raise
            except STORAGE_ERRORS as error:
                if not misses_table(error):
                    raise self.database.failure(error) from error
                tables = self.refresh()
            finally:
                self.database.give_back(connection)
        return self._read_with_catalog(read, *arguments)

    def _read_with_catalog(self, read: Callable[..., Response], *arguments: Any) -> Response:
        """Run a read in the snapshot that its catalog comes from: however often others change tables, the two agree."""
        with self.database.reader() as connection:
            connection.execute("BEGIN")
            try:
                return read(connection, catalog.load(connection, self.place), *arguments)
            except STORAGE_ERRORS as error:
                raise self.database.failure(error) from error
            finally:
                connection.execute("COMMIT")

    def _call_table(self, operation: str, request: object) -> Response:
        if operation in operations.TABLE_READS:
            shape, read = operations.TABLE_READS[operation]
            wire = check(shape, request)
            self.refresh()
            return self._read(read, wire, self.place, self._clock())
        if operation in operations.TABLE_WRITES:
            shape, write = operations.TABLE_WRITES[operation]
            wire = check(shape, request)
            return self.writer.run(lambda transaction: write(transaction, wire, self.place))
        if operation not in operations.ON_FILES:
            raise UnknownOperationError(f"{operation} is not an operation of this engine.")
        wire = check(operations.ON_FILES[operation], request)
        match operation:
            case "CreateBackup":
                return self._create_backup(wire)
            case "DeleteBackup":
                return self._delete_backup(wire)
            case "RestoreTableToPointInTime":
                return self._restore_to_moment(wire)
            case "ExportTableToPointInTime":
                return self._export(wire)
        return self._import(wire)

    def _answer_table(self, operation: str, request: object, done: Done) -> None:
        """Operations on tables may take long (a backup copies a whole table): never on the caller's thread."""
        if operation not in operations.TABLE_OPERATIONS:
            raise UnknownOperationError(f"{operation} is not an operation of this engine.")

        def on_done(result: Response | None, error: BaseException | None) -> None:
            body = b"" if operation in operations.BODILESS else _encoded(result or {})
            done(body if error is None else _as_answer(error))

        self._in_pool(lambda: self._call_table(operation, request), on_done)

    def _create_backup(self, request: dict[str, Any]) -> Response:
        name = self.place.table_name(request["TableName"])
        self.database.check_present()
        try:
            entry = backups.copy(
                self.database.path, self._new_copy(), name, request["BackupName"], self._clock(), self.place
            )
        except STORAGE_ERRORS as error:
            raise self.database.failure(error) from error
        return self.writer.run(lambda tx: backups.register(tx.connection, entry))

    def _restore_to_moment(self, request: dict[str, Any]) -> Response:
        name, file = restores.source_name(request, self.place), self._new_copy()
        restores.check_target(self.refresh(), request, self.place)  # before a large table is copied
        self.database.check_present()
        try:
            source, second = restores.copy_moment(
                self.database.path, file, name, request.get("RestoreDateTime"), self._clock()
            )
        except STORAGE_ERRORS as error:
            raise self.database.failure(error) from error
        try:
            return self.writer.run(lambda tx: restores.to_moment(tx, request, source, second, file.name, self.place))
        except DynamoError as error:
            if not isinstance(error, InternalServerError):  # else the new table may be there after all
                file.unlink(missing_ok=True)
            raise

    def _new_copy(self) -> Path:
        return self.database.folder / backups.FOLDER / f"{uuid.uuid4().hex}.sqlite3"

    def _export(self, request: dict[str, Any]) -> Response:
        exports.check(request, self._buckets)
        name = self.place.table_name(request["TableArn"])
        with self.database.reader() as connection:
            before = exports.known(connection, request, self._clock())
        if before is not None:
            return before
        file = self._transfers.folder / f"{uuid.uuid4().hex}.sqlite3"
        self.database.check_present()
        try:
            copied = export_copies.copy(self.database.path, file, name, request, self._clock())
        except STORAGE_ERRORS as error:
            raise self.database.failure(error) from error
        response = self.writer.run(lambda tx: exports.register(tx, request, copied, self.place))
        self.maintenance.poke()
        return response

    def _import(self, request: dict[str, Any]) -> Response:
        imports.check(request, self._buckets)
        response = self.writer.run(lambda tx: imports.begin(tx, request, self.place))
        self.maintenance.poke()
        return response

    def _delete_backup(self, request: dict[str, Any]) -> Response:
        response, file = self.writer.run(lambda tx: backups.delete(tx, request, self.place))
        self.database.settle()
        folder = self.database.folder / backups.FOLDER
        with suppress(FileNotFoundError), may_change(folder):
            (folder / file).unlink()
        return response


def _decoded(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NoJsonError(f"The request body is not valid JSON: {error.msg}") from None


def _encoded(response: Response) -> bytes:
    return orjson.dumps(response)


def _as_answer(error: BaseException) -> DynamoError:
    """The error for the client; an internal one is logged instead."""
    if isinstance(error, DynamoError):
        return error
    _log.error("an operation failed", exc_info=error)
    return InternalServerError("The engine failed on this request. See its log.")
