"""Processes that follow changes, run the clock and send mail until they are killed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from partita.apps.enablement import system as enablement
from partita.apps.enablement.service import EnablementService
from partita.bootstrap import build
from partita.kit.changes import ChangeWorker
from partita.kit.changes.worker import Pace
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.store import EmbeddedStore
from tests.forked import Victim, victim

_LEASE = 1.0
"""Seconds after which the other process takes over from one that was killed."""


@dataclass(frozen=True, slots=True)
class ClockAhead:
    """The time of the machine, and some more."""

    ahead: timedelta

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def suite_in(folder: Path, ahead: float = 0) -> Suite:
    """A suite with the portal alone; everything in one folder."""
    clock = ClockAhead(timedelta(seconds=ahead))
    # Whatever a process has written stays when it is killed, also if the disk has not got it yet.
    settings = Settings(data=folder, fetch=False, durability="off")
    return build(settings, builders=[enablement.build], clock=clock)


@dataclass(slots=True)
class Victims:
    """Two processes at work, of which one after another is killed and replaced."""

    folder: Path
    dice: random.Random
    ahead: float = 0
    kills: int = 0
    _running: list[Victim] = field(default_factory=list)

    @contextmanager
    def at_work(self, number: int = 2) -> Iterator[None]:
        self._running = [self._started() for _ in range(number)]
        try:
            yield
        finally:
            while self._running:
                self._running.pop().kill()

    async def kill_while(self, kills: int, done: Callable[[], Awaitable[bool]]) -> None:
        """Kill so many times, at moments that nobody chose; then wait until everything is done."""
        for _ in range(kills):
            first = self._running.pop(0)
            await asyncio.to_thread(first.await_ready)
            await asyncio.sleep(self.dice.uniform(0.05, 0.8))
            await asyncio.to_thread(first.kill)
            self.kills += 1
            self._running.append(self._started())
        while not await done():
            assert all(each.runs() for each in self._running), "a process ended by itself"
            await asyncio.sleep(0.2)

    def _started(self) -> Victim:
        return victim(_work, self.folder, self.ahead)


def _work(folder: Path, ahead: float, ready: Connection) -> None:
    asyncio.run(_follow(folder, ahead, ready))


async def _follow(folder: Path, ahead: float, ready: Connection) -> None:
    suite = suite_in(folder, ahead)
    kit = suite.kit
    assert isinstance(kit.tables, EmbeddedStore)
    service = EnablementService(kit)
    ready.send_bytes(b"!")

    async def clockwork() -> None:
        while True:
            await service.clock.expire_due()
            await service.clock.run_due()
            await kit.notifications.send_waiting_mail()
            await kit.notifications.send_due_digests(kit.clock.now())
            await asyncio.sleep(0.05)

    pace = Pace(poll=0.02, lease=_LEASE)
    worker = ChangeWorker(kit.store, kit.tables.engine.call_async, suite.handlers, kit.clock, pace=pace)
    await asyncio.gather(worker.run(), clockwork())
