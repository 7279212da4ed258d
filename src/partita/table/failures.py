"""What a failed condition means: the error that its write names, instead of DynamoDB's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from partita.dynamo.errors import ConditionalCheckFailedError, DynamoError, TransactionCanceledError
from partita.dynamo.requests import DeleteItem
from partita.dynamo.values import Item as WireItem
from partita.dynamo.wire import render
from partita.table.effects import Steps
from partita.table.large import fetched
from partita.table.markers import large_fields
from partita.table.writes import Write

_PLACEHOLDER = re.compile(r"[#:]\w+")


def explain_failure(writes: Sequence[Write], error: DynamoError) -> Steps[None]:
    """Raise what the first write whose condition failed says about it; if it says nothing, which one it was and what
    it needed."""
    position, row = _first_failed(error)
    meaning = None if position is None else writes[position].meaning
    if position is None:
        return
    if meaning is None:
        if isinstance(error, ConditionalCheckFailedError):
            raise ConditionalCheckFailedError(f"{error.message}: {_needed(writes[position])}", error.item) from error
        error.args = (f"{error}: {_needed(writes[position])}",)
        return
    if isinstance(meaning, Exception):
        raise meaning.with_traceback(None) from error
    item_type = writes[position].key.item_type
    if row is not None and large_fields(item_type):
        row = yield from fetched(item_type, row)
    there = None if row is None else item_type.from_own_row(row)
    raise meaning(there) from error


def _needed(write: Write) -> str:
    """What a write needed, without the values that it was compared with: they may be secret, and this is logged."""
    sent = write.request()
    _, wire = render(DeleteItem(table=sent.table, key=write.key.wire, condition=sent.condition))
    names = wire.get("ExpressionAttributeNames", {})
    condition = _PLACEHOLDER.sub(lambda found: names.get(found[0], "…"), wire.get("ConditionExpression", ""))
    key = ", ".join(str(next(iter(value.values()))) for value in write.key.wire.values())
    what = f"{type(write).__name__} of {write.key.item_type.__name__} {key}"
    return f"{what} needs {condition}. Say what it means if that fails with .otherwise(…)."


def _first_failed(error: DynamoError) -> tuple[int | None, WireItem | None]:
    """Which write's condition failed first, and the stored row, if it was asked for."""
    if isinstance(error, ConditionalCheckFailedError):
        return 0, error.item
    if isinstance(error, TransactionCanceledError):
        for position, reason in enumerate(error.reasons):
            if reason["Code"] == "ConditionalCheckFailed":
                return position, reason.get("Item")
    return None, None
