"""Errors about a missing table or index, which DynamoDB does not name, with its name and how to create it."""

from __future__ import annotations

from partita.dynamo.errors import DynamoError, ResourceNotFoundError, ValidationError
from partita.dynamo.requests import ItemRequest
from partita.store.observe import tables_of
from partita.table.effects import Effect

_NO_INDEX = "The table does not have the specified index"


def with_next_step(error: DynamoError, request: ItemRequest | Effect) -> DynamoError:
    """The same error; if a table or an index is missing, with its name and how to create it."""
    if isinstance(request, Effect):
        return error
    if type(error) is ResourceNotFoundError and "index" not in error.message:  # one that is being filled is there
        return _explained(error, f"there is no table {' or '.join(tables_of(request))}. Make it with store.create(…)")
    if type(error) is ValidationError and error.message.startswith(_NO_INDEX):
        return _explained(error, "an index that was declared later is added with store.create(…)")
    return error


def _explained(error: DynamoError, step: str) -> DynamoError:
    explained = type(error)(f"{error.message}: {step}")
    explained.__cause__ = error
    return explained
