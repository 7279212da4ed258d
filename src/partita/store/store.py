"""Where requests run: one set of verbs with a blocking and a non-blocking face, whatever is behind them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from partita.dynamo.errors import DynamoError
from partita.dynamo.requests import ItemRequest
from partita.dynamo.values import Item as WireItem
from partita.store.files import LargeFiles
from partita.store.missing import with_next_step
from partita.store.observe import Observer, error_name, measured, observation
from partita.store.retries import Retries
from partita.table import lists, steps
from partita.table.cursors import CursorKeys
from partita.table.effects import DeleteFiles, Effect, LoadFiles, Now, Pause, Response, SaveFiles, Steps
from partita.table.errors import ChangedMeanwhileError, NoFileStoreError
from partita.table.expect import expect_each
from partita.table.items import Item
from partita.table.queries import BatchGet, Get, Query
from partita.table.steps import MOST_CALLS, Page
from partita.table.tables import Table
from partita.table.writes import Delete, Key, Put, Transaction, Update

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
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
    ) -> None:
        self.transport = transport
        self.cursors = cursors
        self.retries = retries
        self.clock = clock
        self.files = files
        self.observers = observers

    def observe(self, observer: Observer) -> None:
        """Tell an observer of every call from now on; a request that is sent again is a call again."""
        self.observers.append(observer)

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

    async def get(self, wanted: Get[I]) -> I | None:
        """One item, or None."""
        return await self._run(steps.get(wanted))

    async def page(
        self,
        query: Query[I],
        *,
        limit: int = 20,
        after: str | None = None,
        page_size: int | None = None,
        most_calls: int = MOST_CALLS,
    ) -> Page[I]:
        """A page of a list, full unless the list ends."""
        wanted = lists.page(query, self.cursors, limit=limit, after=after, page_size=page_size, most_calls=most_calls)
        return await self._run(wanted)

    async def stream(self, query: Query[I], *, chunk: int = _CHUNK) -> AsyncIterator[I]:
        """Every item of a list, fetched as it is used."""
        position = steps.begin(query)
        while not position.ended:
            for item in await self._run(lists.stretch(query, position, limit=chunk)):
                yield item

    async def read(self, item_type: type[I], row: WireItem) -> I | None:
        """The item a row holds, such as an image of a change stream; None for a row of another type."""
        return await self._run(steps.read(item_type, row))

    async def count(self, query: Query[Any]) -> int:
        """How many rows a query selects."""
        return await self._run(steps.count(query))

    async def batch_get(self, keys: Iterable[Key[I]], *, consistent: bool = False) -> list[I | None]:
        """Items by key, in order, None where nothing is."""
        return await self._run(steps.batch_get(BatchGet(tuple(keys), consistent)))

    async def batch_write(self, writes: Iterable[Put | Delete]) -> int:
        """Any number of writes without conditions."""
        return await self._run(steps.batch_write(writes))

    async def write(self, wanted: Put | Update | Delete) -> None:
        """One write."""
        await self._run(steps.write(wanted))

    async def update(self, wanted: Update, item_type: type[I]) -> I:
        """One update; the item as it is afterwards."""
        return await self._run(steps.update(wanted, item_type))

    async def transact(self, wanted: Transaction) -> None:
        """All writes or none."""
        await self._run(steps.transact(wanted))

    async def attempt(self, build: Callable[[], Awaitable[R]], *, tries: int = 10) -> R:
        """Run a function that reads, decides and writes; again, after a pause, where that was changed meanwhile."""
        for attempt in range(1, tries):
            try:
                return await build()
            except ChangedMeanwhileError:
                await asyncio.sleep(self.retries.pause(attempt))
        return await build()

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
        super().__init__(transport, cursors, retries=retries, clock=clock, files=files, observers=[])
        self.asynchronous = AsyncStore(
            transport, cursors, retries=retries, clock=clock, files=files, observers=self.observers
        )

    def create(self, *tables: Table) -> None:
        """Make tables, or the indexes that older ones lack, and wait until they can be used."""
        expect_each("create", tables)
        for table in tables:
            self.transport.create(table)

    def get(self, wanted: Get[I]) -> I | None:
        """One item, or None."""
        return self._run(steps.get(wanted))

    def page(
        self,
        query: Query[I],
        *,
        limit: int = 20,
        after: str | None = None,
        page_size: int | None = None,
        most_calls: int = MOST_CALLS,
    ) -> Page[I]:
        """A page of a list, full unless the list ends."""
        wanted = lists.page(query, self.cursors, limit=limit, after=after, page_size=page_size, most_calls=most_calls)
        return self._run(wanted)

    def stream(self, query: Query[I], *, chunk: int = _CHUNK) -> Iterator[I]:
        """Every item of a list, fetched as it is used."""
        position = steps.begin(query)
        while not position.ended:
            yield from self._run(lists.stretch(query, position, limit=chunk))

    def read(self, item_type: type[I], row: WireItem) -> I | None:
        """The item a row holds, such as an image of a change stream; None for a row of another type."""
        return self._run(steps.read(item_type, row))

    def count(self, query: Query[Any]) -> int:
        """How many rows a query selects."""
        return self._run(steps.count(query))

    def batch_get(self, keys: Iterable[Key[I]], *, consistent: bool = False) -> list[I | None]:
        """Items by key, in order, None where nothing is."""
        return self._run(steps.batch_get(BatchGet(tuple(keys), consistent)))

    def batch_write(self, writes: Iterable[Put | Delete]) -> int:
        """Any number of writes without conditions."""
        return self._run(steps.batch_write(writes))

    def write(self, wanted: Put | Update | Delete) -> None:
        """One write."""
        self._run(steps.write(wanted))

    def update(self, wanted: Update, item_type: type[I]) -> I:
        """One update; the item as it is afterwards."""
        return self._run(steps.update(wanted, item_type))

    def transact(self, wanted: Transaction) -> None:
        """All writes or none."""
        self._run(steps.transact(wanted))

    def attempt(self, build: Callable[[], R], *, tries: int = 10) -> R:
        """Run a function that reads, decides and writes; again, after a pause, where that was changed meanwhile."""
        for attempt in range(1, tries):
            try:
                return build()
            except ChangedMeanwhileError:
                time.sleep(self.retries.pause(attempt))
        return build()

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
