"""Several workers as one: the one for shared handlers, which runs on one machine, and the one for local handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from partita.kit.changes.handlers import Handler
from partita.kit.changes.schema import Parked
from partita.kit.changes.worker import ChangeWorker


class ChangeWorkers:
    """Runs all handlers, each in its worker."""

    def __init__(self, workers: Iterable[ChangeWorker]) -> None:
        self._workers = tuple(workers)

    @property
    def handlers(self) -> tuple[Handler, ...]:
        return tuple(handler for worker in self._workers for handler in worker.handlers)

    def progress_of(self, handler: Handler) -> str:
        """The name under which a handler's progress is kept."""
        return next(worker for worker in self._workers if handler in worker.handlers).progress_of(handler)

    async def run(self) -> None:
        """Follow the streams until cancelled."""
        await asyncio.gather(*(worker.run() for worker in self._workers))

    async def drain(self) -> int:
        """Read every stream to its end; returns how many changes were handled."""
        return sum([await worker.drain() for worker in self._workers])

    async def catch_up(self, name: str) -> None:
        """Let the handlers beside one, in its worker, read their streams to the end."""
        for worker in self._workers:
            if any(handler.name == name for handler in worker.handlers):
                await worker.catch_up(name)

    async def replay(self, parked: Parked) -> None:
        """Run the handler once more and forget the change; raises the error if it fails again."""
        for worker in self._workers:
            if any(handler.name == parked.handler for handler in worker.handlers):
                await worker.replay(parked)
                return
        raise LookupError(f"There is no handler {parked.handler} here. Use `forget` instead.")
