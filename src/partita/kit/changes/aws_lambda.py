"""The same handlers on AWS: the function that DynamoDB Streams triggers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any

from partita.kit.changes.change import Handler, change_of

_log = logging.getLogger(__name__)
Event = dict[str, Any]


def handler_for(handlers: Iterable[Handler]) -> Callable[[Event, object], Event]:
    """A Lambda function. Where a change fails, it and all after it are delivered again (ReportBatchItemFailures)."""
    by_table: dict[str, list[Handler]] = {}
    for handler in handlers:
        by_table.setdefault(handler.table.name, []).append(handler)

    def function(event: Event, _context: object) -> Event:
        return asyncio.run(_handle(by_table, event.get("Records", [])))

    return function


async def _handle(by_table: dict[str, list[Handler]], records: list[dict[str, Any]]) -> Event:
    for record in records:
        # arn:aws:dynamodb:region:account:table/NAME/stream/LABEL
        table = record["eventSourceARN"].split("/")[1]
        for handler in by_table.get(table, ()):
            try:
                await handler.run(change_of(handler.table, record))
            except Exception:
                sequence = record["dynamodb"]["SequenceNumber"]
                _log.exception("changes: %s failed on %s", handler.name, sequence)
                return {"batchItemFailures": [{"itemIdentifier": sequence}]}
    return {"batchItemFailures": []}
