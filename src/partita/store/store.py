"""Where requests run: one set of verbs with a blocking and a non-blocking face, whatever is behind them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeVar, overload

from partita.dynamo.errors import DynamoError
from partita.dynamo.requests import ItemRequest
from partita.dynamo.values import Item as WireItem
from partita.store.backfill import backfill
from partita.store.files import LargeFiles
from partita.store.item_changes import next_batch, open_shards, parse_position, read_changes
from partita.store.missing_tables import with_next_step
from partita.store.observe import Observer, UnreadableObserver, error_name, log_unreadable, measured, observation
from partita.store.reads import note_read
from partita.store.retries import Retries
from partita.store.streams import in_turn, in_turn_blocking
from partita.table import lists, steps
from partita.table.changes import ItemChange
from partita.table.cursors import CursorKeys
from partita.table.effects import DeleteFiles, Effect, LoadFiles, Now, Pause, Response, SaveFiles, Steps, Unreadable
from partita.table.errors import ChangedMeanwhileError, NoFileStoreError
from partita.table.expect import expect_each
from partita.table.items import Item
from partita.table.queries import BatchGet, Get, Query
from partita.table.scans import Scan
from partita.table.steps import MOST_CALLS, Page
from partita.table.tables import Table
from partita.table.writes import Delete, Key, Put, Transaction, Update

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
A = TypeVar("A", bound=Item)
B = TypeVar("B", bound=Item)
C = TypeVar("C", bound=Item)
R = TypeVar("R")
_CHUNK = 100


class Transport(Protocol):
    """What carries requests: in process, or over a network."""

    def send(self, request: ItemRequest) -> Response:
        """Run a request once; DynamoDB's errors are raised."""

    async def send_async(self, request: ItemRequest) -> Response:
        """The same without blocking."""

    def create(self, table: Table) -> None:
        """Make a table or the indexes that an older one lacks."""

    def call(self, operation: str, wire: dict[str, Any]) -> Response:
        """Run any operation in the wire's form, such as those of streams."""

    async def call_async(self, operation: str, wire: dict[str, Any]) -> Response:
        """The same without blocking."""

    def close(self) -> None:
        """Let go of what the blocking face holds."""

    async def close_async(self) -> None:
        """Let go of what the other face holds."""


class _Face:
    """What both faces share."""

    def __init__(
        self,
        transport: Transport,
        cursors: CursorKeys,
        *,
        retries: Retries,
        clock: Callable[[], float],
        files: LargeFiles | None,
        observers: list[Observer],
        unreadable: list[UnreadableObserver],
    ) -> None:
        self.transport = transport
        self.cursors = cursors
        self.retries = retries
        self.clock = clock
        self.files = files
        self.observers = observers
        self.unreadable_observers = unreadable

    def observe(self, observer: Observer) -> None:
        """Tell an observer of every call from now on; a request that is sent again is a call again."""
        self.observers.append(observer)

    def observe_unreadable(self, observer: UnreadableObserver) -> None:
        """Tell an observer of every row that a list passes over, since it does not fit its type."""
        self.unreadable_observers.append(observer)

    def _tell_unreadable(self, row: Unreadable) -> None:
        log_unreadable(row)
        for observer in self.unreadable_observers:
            observer(row)

    def _file_store(self, effect: SaveFiles | LoadFiles | DeleteFiles) -> LargeFiles:
        if self.files is not None:
            return self.files
        if isinstance(effect, SaveFiles):
            size = max(map(len, effect.files.values()))
            raise NoFileStoreError(
                f"A value of {size:,} bytes is too large for its item, and this store keeps no files: give it files=…"
            )
        raise NoFileStoreError(
            f"A value lies in the file {effect.names[0]}, and this store keeps no files: give it files=…"
        )

    def _tell(self, request: ItemRequest, response: Response, begun: float, error: str | None = None) -> None:
        seen = observation(request, response, time.perf_counter() - begun, error)
        for observer in self.observers:
            observer(seen)


class AsyncStore(_Face):
    """The verbs for an event loop."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of what the store holds for this event loop."""
        await self.transport.close_async()

    async def get(self, wanted: Get[I]) -> I | None:
        """One item, or None."""
        return await self._run(steps.get(wanted))

    async def page(
        self,
        query: Query[R],
        *,
        limit: int = 20,
        after: str | None = None,
        page_size: int | None = None,
        most_calls: int = MOST_CALLS,
    ) -> Page[R]:
        """A page of a list, full unless the list ends."""
        wanted = lists.page(query, self.cursors, limit=limit, after=after, page_size=page_size, most_calls=most_calls)
        return await self._run(wanted)

    async def stream(self, query: Query[R], *, chunk: int = _CHUNK) -> AsyncIterator[R]:
        """Every item of a list, fetched as it is used."""
        position = steps.begin(query)
        while not position.ended:
            for item in await self._run(lists.next_items(query, position, limit=chunk)):
                yield item

    async def read(self, item_type: type[I], row: WireItem) -> I | None:
        """The item a row holds, such as an image of a change stream; None for a row of another type."""
        return await self._run(steps.read(item_type, row))

    async def first(self, query: Query[R]) -> R | None:
        """The first item of a list, or None: for an index that finds one item by something unique."""
        page = await self.page(query, limit=1)
        return page.items[0] if page.items else None

    async def count(self, query: Query[Any]) -> int:
        """How many items a list has."""
        return await self._run(lists.count(query))

    async def batch_get(
        self, keys: BatchGet[I] | Iterable[Key[I]], *, consistent: bool = False, strict: bool = False
    ) -> list[I | None]:
        """Items by key, in order; None for one that is missing or cannot be read, which is an error if `strict`."""
        return await self._run(steps.batch_get(_batch(keys, consistent, strict)))

    async def batch_write(self, writes: Iterable[Put | Delete]) -> int:
        """Any number of writes without conditions."""
        return await self._run(steps.batch_write(writes))

    @overload
    async def write(self, wanted: Put | Update | Delete) -> None: ...
    @overload
    async def write(self, wanted: Put[I] | Update[I] | Delete[I], *, returning: Literal["old"]) -> I | None: ...
    @overload
    async def write(self, wanted: Put[I] | Update[I], *, returning: Literal["new"]) -> I: ...
    async def write(self, wanted: Any, *, returning: Literal["old", "new"] | None = None) -> Any:
        """One write; with `returning`, the item as it was before or is afterwards."""
        return await self._run(steps.write(wanted, returning))

    async def update(self, wanted: Update[I]) -> I:
        """One update; the item as it is afterwards."""
        return await self._run(steps.update(wanted))

    @overload
    async def transact_get(self, one: Get[A], two: Get[B], /) -> tuple[A | None, B | None]: ...
    @overload
    async def transact_get(self, one: Get[A], two: Get[B], three: Get[C], /) -> tuple[A | None, B | None, C | None]: ...
    @overload
    async def transact_get(self, *gets: Get[I]) -> tuple[I | None, ...]: ...
    async def transact_get(self, *gets: Get[Any]) -> tuple[Any, ...]:
        """Several items as they are at one moment; None for one that is missing."""
        return tuple(await self._run(steps.transact_get(gets)))

    async def transact(self, wanted: Transaction) -> None:
        """All writes or none."""
        await self._run(steps.transact(wanted))

    async def attempt(self, build: Callable[[], Awaitable[R]], *, tries: int = 10) -> R:
        """Run a function that reads, decides and writes; again, after a pause, if that was changed meanwhile."""
        for attempt in range(1, tries):
            try:
                return await build()
            except ChangedMeanwhileError:
                await asyncio.sleep(self.retries.pause(attempt))
        return await build()

    async def changes(self, item_type: type[I], *, after: str | None = None) -> AsyncIterator[ItemChange[I]]:
        """What happened to the items of a type, oldest first, up to now; go on later with `after=change.position`."""
        seen = parse_position(after)
        for shard in await in_turn(self.transport.call_async, open_shards(item_type)):
            iterator: str | None = None
            while True:
                batch = await in_turn(self.transport.call_async, next_batch(shard, seen, iterator))
                for change in read_changes(item_type, shard, batch, seen):
                    yield change
                iterator = batch.iterator
                if iterator is None or not batch.records:
                    break

    async def scan_whole_table(self, *item_types: type[I], segments: int = 1) -> AsyncIterator[I]:
        """Every item of these types in their table, in no order: it reads and pays for the whole table.

        For tools. What a page needs has an index.
        """
        scan = Scan(item_types, segments)
        while parts := scan.open_segments():
            for items in await asyncio.gather(*(self._run(scan.next_items(part)) for part in parts)):
                for item in items:
                    yield item

    async def run(self, wanted: Steps[R]) -> R:
        """Steps that are no verb of their own, such as a migration's."""
        return await self._run(wanted)

    async def _run(self, wanted: Steps[R]) -> R:
        try:
            request = next(wanted)
            while True:
                try:
                    response = await self._step(request)
                except DynamoError as error:
                    request = wanted.throw(with_next_step(error, request))
                else:
                    request = wanted.send(response)
        except StopIteration as done:
            result: R = done.value
            note_read(result)
            return result

    async def _step(self, request: ItemRequest | Effect) -> Response:
        if isinstance(request, Effect):
            return await self._perform(request)
        return await self.retries.run_async(self._send, self.retries.repeatable(request))

    async def _perform(self, effect: Effect) -> Response:
        match effect:
            case Pause():
                await asyncio.sleep(self.retries.pause(effect.tries))
            case Now():
                return {"Now": self.clock()}
            case Unreadable():
                self._tell_unreadable(effect)
            case SaveFiles():
                files = self._file_store(effect)
                await asyncio.gather(*(files.save_async(*each) for each in effect.files.items()))
            case LoadFiles() if effect.names:
                files = self._file_store(effect)
                contents = await asyncio.gather(*map(files.load_async, effect.names))
                loaded = zip(effect.names, contents, strict=True)
                return {name: content for name, content in loaded if content is not None}
            case DeleteFiles():
                files = self._file_store(effect)
                await asyncio.gather(*map(files.delete_async, effect.names))
        return {}

    async def _send(self, request: ItemRequest) -> Response:
        if not self.observers:
            return await self.transport.send_async(request)
        begun = time.perf_counter()
        try:
            response = await self.transport.send_async(measured(request))
        except BaseException as failed:  # a call that is cancelled is a call too
            self._tell(request, {}, begun, error_name(failed))
            raise
        self._tell(request, response, begun)
        return response


def _batch(keys: BatchGet[I] | Iterable[Key[I]], consistent: bool, strict: bool) -> BatchGet[I]:
    if isinstance(keys, BatchGet):
        return replace(keys, consistent=keys.consistent or consistent, strict=keys.strict or strict)
    return BatchGet(tuple(keys), consistent, strict=strict)


class Store(_Face):
    """The verbs, blocking."""

    def __init__(
        self,
        transport: Transport,
        cursors: CursorKeys,
        *,
        retries: Retries,
        clock: Callable[[], float] = time.time,
        files: LargeFiles | None = None,
    ) -> None:
        super().__init__(transport, cursors, retries=retries, clock=clock, files=files, observers=[], unreadable=[])
        self.asynchronous = AsyncStore(
            transport,
            cursors,
            retries=retries,
            clock=clock,
            files=files,
            observers=self.observers,
            unreadable=self.unreadable_observers,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what the store holds."""
        self.transport.close()

    def state(self) -> int | None:
        """Differs after every write to any table, of this process or another; None where only the network knows."""
        return None

    def check_present(self) -> None:
        """Refuse if the file of the tables was deleted or replaced while it is in use; only some stores have one."""

    def create(self, *tables: Table) -> None:
        """Make tables, or the indexes that older ones lack, and wait until they can be used. Indexes that a declared
        one replaces are deleted."""
        expect_each("create", tables)
        for table in tables:
            backfill(self, self.transport.call, table)
            self.transport.create(table)

    def get(self, wanted: Get[I]) -> I | None:
        """One item, or None."""
        return self._run(steps.get(wanted))

    def page(
        self,
        query: Query[R],
        *,
        limit: int = 20,
        after: str | None = None,
        page_size: int | None = None,
        most_calls: int = MOST_CALLS,
    ) -> Page[R]:
        """A page of a list, full unless the list ends."""
        wanted = lists.page(query, self.cursors, limit=limit, after=after, page_size=page_size, most_calls=most_calls)
        return self._run(wanted)

    def stream(self, query: Query[R], *, chunk: int = _CHUNK) -> Iterator[R]:
        """Every item of a list, fetched as it is used."""
        position = steps.begin(query)
        while not position.ended:
            yield from self._run(lists.next_items(query, position, limit=chunk))

    def read(self, item_type: type[I], row: WireItem) -> I | None:
        """The item a row holds, such as an image of a change stream; None for a row of another type."""
        return self._run(steps.read(item_type, row))

    def first(self, query: Query[R]) -> R | None:
        """The first item of a list, or None: for an index that finds one item by something unique."""
        page = self.page(query, limit=1)
        return page.items[0] if page.items else None

    def count(self, query: Query[Any]) -> int:
        """How many items a list has."""
        return self._run(lists.count(query))

    def batch_get(
        self, keys: BatchGet[I] | Iterable[Key[I]], *, consistent: bool = False, strict: bool = False
    ) -> list[I | None]:
        """Items by key, in order; None for one that is missing or cannot be read, which is an error if `strict`."""
        return self._run(steps.batch_get(_batch(keys, consistent, strict)))

    def batch_write(self, writes: Iterable[Put | Delete]) -> int:
        """Any number of writes without conditions."""
        return self._run(steps.batch_write(writes))

    @overload
    def write(self, wanted: Put | Update | Delete) -> None: ...
    @overload
    def write(self, wanted: Put[I] | Update[I] | Delete[I], *, returning: Literal["old"]) -> I | None: ...
    @overload
    def write(self, wanted: Put[I] | Update[I], *, returning: Literal["new"]) -> I: ...
    def write(self, wanted: Any, *, returning: Literal["old", "new"] | None = None) -> Any:
        """One write; with `returning`, the item as it was before or is afterwards."""
        return self._run(steps.write(wanted, returning))

    def update(self, wanted: Update[I]) -> I:
        """One update; the item as it is afterwards."""
        return self._run(steps.update(wanted))

    @overload
    def transact_get(self, one: Get[A], two: Get[B], /) -> tuple[A | None, B | None]: ...
    @overload
    def transact_get(self, one: Get[A], two: Get[B], three: Get[C], /) -> tuple[A | None, B | None, C | None]: ...
    @overload
    def transact_get(self, *gets: Get[I]) -> tuple[I | None, ...]: ...
    def transact_get(self, *gets: Get[Any]) -> tuple[Any, ...]:
        """Several items as they are at one moment; None for one that is missing."""
        return tuple(self._run(steps.transact_get(gets)))

    def transact(self, wanted: Transaction) -> None:
        """All writes or none."""
        self._run(steps.transact(wanted))

    def attempt(self, build: Callable[[], R], *, tries: int = 10) -> R:
        """Run a function that reads, decides and writes; again, after a pause, if that was changed meanwhile."""
        for attempt in range(1, tries):
            try:
                return build()
            except ChangedMeanwhileError:
                time.sleep(self.retries.pause(attempt))
        return build()

    def changes(self, item_type: type[I], *, after: str | None = None) -> Iterator[ItemChange[I]]:
        """What happened to the items of a type, oldest first, up to now; go on later with `after=change.position`."""
        seen = parse_position(after)
        for shard in in_turn_blocking(self.transport.call, open_shards(item_type)):
            iterator: str | None = None
            while True:
                batch = in_turn_blocking(self.transport.call, next_batch(shard, seen, iterator))
                yield from read_changes(item_type, shard, batch, seen)
                iterator = batch.iterator
                if iterator is None or not batch.records:
                    break

    def scan_whole_table(self, *item_types: type[I], segments: int = 1) -> Iterator[I]:
        """Every item of these types in their table, in no order: it reads and pays for the whole table.

        For tools. What a page needs has an index.
        """
        scan = Scan(item_types, segments)
        with ThreadPoolExecutor(segments, thread_name_prefix="partita-scan") as pool:
            while parts := scan.open_segments():
                for items in pool.map(lambda part: self._run(scan.next_items(part)), parts):
                    yield from items

    def run(self, wanted: Steps[R]) -> R:
        """Steps that are no verb of their own, such as a migration's."""
        return self._run(wanted)

    def _run(self, wanted: Steps[R]) -> R:
        try:
            request = next(wanted)
            while True:
                try:
                    response = self._step(request)
                except DynamoError as error:
                    request = wanted.throw(with_next_step(error, request))
                else:
                    request = wanted.send(response)
        except StopIteration as done:
            result: R = done.value
            return result

    def _step(self, request: ItemRequest | Effect) -> Response:
        if isinstance(request, Effect):
            return self._perform(request)
        return self.retries.run(self._send, self.retries.repeatable(request))

    def _perform(self, effect: Effect) -> Response:
        match effect:
            case Pause():
                time.sleep(self.retries.pause(effect.tries))
            case Now():
                return {"Now": self.clock()}
            case Unreadable():
                self._tell_unreadable(effect)
            case SaveFiles():
                files = self._file_store(effect)
                for name, content in effect.files.items():
                    files.save(name, content)
            case LoadFiles() if effect.names:
                files = self._file_store(effect)
                loaded = ((name, files.load(name)) for name in effect.names)
                return {name: content for name, content in loaded if content is not None}
            case DeleteFiles():
                files = self._file_store(effect)
                for name in effect.names:
                    files.delete(name)
        return {}

    def _send(self, request: ItemRequest) -> Response:
        if not self.observers:
            return self.transport.send(request)
        begun = time.perf_counter()
        try:
            response = self.transport.send(measured(request))
        except BaseException as failed:  # a call that is cancelled is a call too
            self._tell(request, {}, begun, error_name(failed))
            raise
        self._tell(request, response, begun)
        return response
