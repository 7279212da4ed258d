"""How fast a migration may be: so many capacity units a second, and more patience than a page has."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from partita.dynamo.requests import ItemRequest
from partita.store.observe import measured, observation
from partita.store.store import Store, Transport
from partita.table.tables import Table

_ATTEMPTS = 25


class Stopped(Exception):
    """Somebody said stop: no further request is sent."""


@dataclass(slots=True)
class Pace:
    """At most so many capacity units a second over all threads; None: as fast as it goes."""

    units_per_second: float | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    """Set, it ends a run at its next request, whichever thread that is in and however long it would wait."""
    _paid_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self) -> None:
        """Return when everything spent so far is paid for."""
        delay = self._paid_until - self.clock()
        if delay > 0:
            (self.sleep or self.stop.wait)(delay)
        if self.stop.is_set():
            raise Stopped

    def spend(self, units: float) -> None:
        """What a request cost is known afterwards: the next one waits for it."""
        if self.units_per_second is None:
            return
        with self._lock:
            self._paid_until = max(self._paid_until, self.clock()) + units / self.units_per_second


def at_pace(store: Store, pace: Pace) -> Store:
    """The same store at a certain pace, with the same observers; it outlasts throttling that a page would report."""
    patient = replace(store.retries, attempts=max(_ATTEMPTS, store.retries.attempts))
    paced = Store(PacedTransport(store.transport, pace), store.cursors, retries=patient)
    for observer in store.observers:
        paced.observe(observer)
    return paced


class PacedTransport:
    """Another transport at a certain pace."""

    def __init__(self, inner: Transport, pace: Pace) -> None:
        self._inner = inner
        self._pace = pace

    def send(self, request: ItemRequest) -> dict[str, Any]:
        self._pace.wait()
        asked = measured(request)
        response = self._inner.send(asked)
        seen = observation(asked, response, 0.0, None)
        self._pace.spend(seen.units or seen.items)  # if an engine reports no units, an item counts as one
        return response

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        return await asyncio.to_thread(self.send, request)

    def create(self, table: Table) -> None:
        self._inner.create(table)

    def call(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return self._inner.call(operation, wire)

    async def call_async(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return await self._inner.call_async(operation, wire)

    def close(self) -> None:
        self._inner.close()

    async def close_async(self) -> None:
        await self._inner.close_async()
