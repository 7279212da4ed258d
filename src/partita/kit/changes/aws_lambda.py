"""Change handlers on AWS: the Lambda function that DynamoDB Streams triggers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from partita.kit.changes.worker import ChangeWorker

_log = logging.getLogger(__name__)
Event = dict[str, Any]


class StreamFunction:
    """A Lambda function. A change that a handler fails on is parked, as by the worker; if that fails too, the record
    and all after it are delivered again (ReportBatchItemFailures)."""

    def __init__(
        self,
        worker: ChangeWorker,
        finish: Callable[[], Awaitable[None]] | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`settle` waits for what handlers left to the background: between two calls AWS stops the process."""
        self._worker = worker
        self._finish = finish
        self._settle = settle
        self._runner = asyncio.Runner()  # one loop for all calls: connections stay open between them

    def __call__(self, event: Event, _context: object) -> Event:
        answer = self._runner.run(_handle(self._worker, event.get("Records", [])))
        if self._settle is not None:
            self._runner.run(_awaited(self._settle))
        return answer

    def close(self) -> None:
        """Finish and close the event loop; on AWS the process ends first."""
        if self._finish is not None:
            self._runner.run(_awaited(self._finish))
        self._runner.close()


async def _awaited(finish: Callable[[], Awaitable[None]]) -> None:
    await finish()


async def _handle(worker: ChangeWorker, records: list[dict[str, Any]]) -> Event:
    for record in records:
        # arn:aws:dynamodb:region:account:table/NAME/stream/LABEL
        table = record["eventSourceARN"].split("/")[1]
        for handler in (each for each in worker.handlers if each.table.name == table):
            try:
                await worker.handle(handler, record)
            except Exception:
                sequence = record["dynamodb"]["SequenceNumber"]
                _log.exception("changes: %s failed on %s, and could not park it", handler.name, sequence)
                return {"batchItemFailures": [{"itemIdentifier": sequence}]}
    return {"batchItemFailures": []}
