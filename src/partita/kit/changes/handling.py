"""Asking a handler to take a change: several times, for minutes in an outage, and then the change is parked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError, StorageFullError
from partita.kit.changes.handlers import Handler
from partita.kit.changes.pace import Pace
from partita.kit.changes.schema import Parked
from partita.kit.clock import Clock, stamp
from partita.kit.problems import Problem
from partita.store.store import AsyncStore
from partita.table import Put
from partita.table.changes import change_of

_log = logging.getLogger(__name__)


async def handle_all(
    store: AsyncStore, clock: Clock, pace: Pace, handler: Handler, records: Sequence[dict[str, Any]]
) -> None:
    """Ask a handler to take changes in their order: at once if it can, otherwise and if that fails one by one."""
    if handler.together is not None and len(records) > 1:
        try:
            await handler.together([change_of(handler.table, record) for record in records])
            return
        except Exception as error:  # one of them may be bad, and alone it can be parked
            _log.warning("changes: %s takes %d changes one by one: %r", handler.name, len(records), error)
    patient = True
    for record in records:
        # An outage that one change could not outwait is not waited for again with every change behind it.
        patient = await handle(store, clock, pace, handler, record, patient=patient)


async def handle(
    store: AsyncStore, clock: Clock, pace: Pace, handler: Handler, record: dict[str, Any], *, patient: bool = True
) -> bool:
    """Ask a handler to take a change; park the change if nothing helps. Outages are waited for if it is `patient`, a
    full disk as long as it takes. Returns whether it can be patient with the next change."""
    change = change_of(handler.table, record)
    pause = pace.first_pause
    attempt = 0
    while True:
        attempt += 1
        try:
            await handler.run(change)
            return True
        except Exception as error:  # whatever it is, the other changes must not wait for ever
            _log.warning("changes: %s failed on %s (try %d): %r", handler.name, change.sequence, attempt, error)
            outage = is_outage(error)
            most = pace.tries_in_outage if patient and outage else pace.tries
            # What this machine keeps on its disk would miss a change that is parked, and nobody would notice.
            if attempt >= most and not isinstance(error, StorageFullError):
                await _park(store, clock, handler, record, error, attempt)
                return not outage
        await asyncio.sleep(pause)
        pause = min(pause * 2, pace.longest_pause)


def is_outage(error: Exception) -> bool:
    """Whether something does not answer right now, as against a change that cannot be handled."""
    if isinstance(error, DynamoError):
        return error.retryable
    return isinstance(error, OSError) or (isinstance(error, Problem) and error.status in (429, 503))


async def _park(
    store: AsyncStore, clock: Clock, handler: Handler, record: dict[str, Any], error: Exception, tries: int
) -> None:
    sequence = record["dynamodb"]["SequenceNumber"]
    _log.error("changes: %s parked %s of %s", handler.name, sequence, handler.table.name)
    parked = Parked(
        handler=handler.name,
        parked_at=stamp(clock),
        sequence=sequence,
        table_name=handler.table.name,
        record=orjson.dumps(record).decode(),
        error=f"{type(error).__name__}: {error}"[:2000],
        tries=tries,
    )
    await store.write(Put(parked))
