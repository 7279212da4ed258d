"""What a failed condition means: the error that its write names, instead of DynamoDB's own."""

from __future__ import annotations

from collections.abc import Sequence

from partita.dynamo.errors import ConditionalCheckFailedError, DynamoError, TransactionCanceledError
from partita.dynamo.values import Item as WireItem
from partita.table.effects import Steps
from partita.table.large import fetched, large_fields
from partita.table.writes import Write


def explain_failure(writes: Sequence[Write], error: DynamoError) -> Steps[None]:
    """Raise what the first write whose condition failed says about it; return where it says nothing."""
    position, row = _first_failed(error)
    meaning = None if position is None else writes[position].meaning
    if position is None or meaning is None:
        return
    if isinstance(meaning, Exception):
        raise meaning.with_traceback(None) from error
    item_type = writes[position].key.item_type
    if row is not None and large_fields(item_type):
        row = yield from fetched(item_type, row)
    there = None if row is None else item_type.from_own_row(row)
    raise meaning(there) from error


def _first_failed(error: DynamoError) -> tuple[int | None, WireItem | None]:
    """Which write's condition failed first, and the row that was there, where it was asked for."""
    if isinstance(error, ConditionalCheckFailedError):
        return 0, error.item
    if isinstance(error, TransactionCanceledError):
        for position, reason in enumerate(error.reasons):
            if reason["Code"] == "ConditionalCheckFailed":
                return position, reason.get("Item")
    return None, None
