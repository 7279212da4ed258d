"""Requests and what the engine says to them."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import DynamoError, ValidationError
from partita.engine import Engine
from tests.engine.tables import Wire

INVALID = "One or more parameter values were invalid: "


def fault(engine: Engine, operation: str, request: Wire, kind: type[DynamoError] = ValidationError) -> str:
    """The message of the error that a request gets."""
    with pytest.raises(DynamoError) as caught:
        engine.call(operation, request)
    assert caught.value.code == kind.code, caught.value
    return caught.value.message
