"""A process that follows changes, runs the clock and sends mail until it is killed:
`python -m tests.apps.enablement.killed FOLDER SECONDS`, with a clock that is so many seconds ahead."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from partita.apps.enablement import system as enablement
from partita.apps.enablement.service import EnablementService
from partita.bootstrap import build
from partita.kit.changes import ChangeWorker
from partita.kit.changes.worker import Pace
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.store import EmbeddedStore

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
    return build(Settings(data=folder, fetch=False), builders=[enablement.build], clock=clock)


@dataclass(slots=True)
class Victims:
    """Two processes at work, of which one after another is killed and replaced."""

    folder: Path
    dice: random.Random
    ahead: float = 0
    kills: int = 0
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @contextmanager
    def at_work(self, number: int = 2) -> Iterator[None]:
        self._running = [self._started() for _ in range(number)]
        try:
            yield
        finally:
            while self._running:
                self._end(self._running.pop())

    async def kill_while(self, kills: int, done: Callable[[], Awaitable[bool]]) -> None:
        """Kill so many times, at moments that nobody chose; then wait until everything is done."""
        for _ in range(kills):
            victim = self._running.pop(0)
            assert victim.stdout is not None
            assert await asyncio.to_thread(victim.stdout.read, 1) == b"!"
            await asyncio.sleep(self.dice.uniform(0.05, 0.8))
            await asyncio.to_thread(self._end, victim)
            self.kills += 1
            self._running.append(self._started())
        while not await done():
            assert all(each.poll() is None for each in self._running), "a process ended by itself"
            await asyncio.sleep(0.2)

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", __name__, str(self.folder), str(self.ahead)]
        return subprocess.Popen(command, stdout=subprocess.PIPE)

    @staticmethod
    def _end(victim: subprocess.Popen[bytes]) -> None:
        victim.send_signal(signal.SIGKILL)
        victim.wait(20)
        if victim.stdout is not None:
            victim.stdout.close()


async def main(folder: Path, ahead: float) -> None:
    suite = suite_in(folder, ahead)
    kit = suite.kit
    assert isinstance(kit.tables, EmbeddedStore)
    service = EnablementService(kit)
    os.write(1, b"!")  # a kill may come from here on

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


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
