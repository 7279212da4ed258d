"""What to do about a table or an index that is not there: DynamoDB's own words name neither it nor the way out."""

from __future__ import annotations

from partita.dynamo.errors import DynamoError, ResourceNotFoundError, ValidationError
from partita.dynamo.requests import ItemRequest
from partita.store.observe import tables_of
from partita.table.effects import Effect

_NO_INDEX = "The table does not have the specified index"


def with_next_step(error: DynamoError, request: ItemRequest | Effect) -> DynamoError:
    """The same error, and where it is about something missing, with what is missing and how to make it."""
    if isinstance(request, Effect):
        return error
    if type(error) is ResourceNotFoundError and "index" not in error.message:  # one that is being filled is there
        return _said(error, f"there is no table {' or '.join(tables_of(request))}. Make it with store.create(…)")
    if type(error) is ValidationError and error.message.startswith(_NO_INDEX):
        return _said(error, "an index that was declared later is added with store.create(…)")
    return error


def _said(error: DynamoError, step: str) -> DynamoError:
    said = type(error)(f"{error.message}: {step}")
    said.__cause__ = error
    return said
