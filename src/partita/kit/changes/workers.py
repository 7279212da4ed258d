"""Several workers as one: what all machines share is done by one of them, what each keeps for itself by each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from partita.kit.changes.handlers import Handler
from partita.kit.changes.schema import Parked
from partita.kit.changes.worker import ChangeWorker


class ChangeWorkers:
    """Follows the streams for all handlers, each by the worker that has it."""

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
        """Work until every stream is read to its end; how many changes were handled."""
        return sum([await worker.drain() for worker in self._workers])

    async def replay(self, parked: Parked) -> None:
        """Ask the handler once more; the change is forgotten when it succeeds, and the error is raised when not."""
        for worker in self._workers:
            if any(handler.name == parked.handler for handler in worker.handlers):
                await worker.replay(parked)
                return
        raise LookupError(f"There is no handler {parked.handler} here. Forget the change instead.")
