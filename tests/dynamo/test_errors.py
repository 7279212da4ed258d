"""Errors on the wire: type, message, members, status."""

from __future__ import annotations

import pytest

from partita.dynamo import errors
from partita.dynamo.errors import DynamoError


def _all(kind: type[DynamoError]) -> list[type[DynamoError]]:
    # What the door and the file add is theirs: which of it is there depends on what else was imported.
    children = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return [kind, *(found for child in children for found in _all(child))]


def test_a_validation_exception_has_corals_namespace() -> None:
    assert errors.ValidationError("why").wire() == {
        "__type": "com.amazon.coral.validate#ValidationException",
        "message": "why",
    }


def test_a_failed_condition_may_carry_the_item() -> None:
    assert errors.ConditionalCheckFailedError().wire() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "The conditional request failed",
    }
    assert errors.ConditionalCheckFailedError(item={"a": {"S": "x"}}).wire()["Item"] == {"a": {"S": "x"}}


def test_a_cancelled_transaction_lists_its_reasons_in_order() -> None:
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}]
    error = errors.TransactionCanceledError(reasons)
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
    )
    assert error.wire()["CancellationReasons"] == reasons


@pytest.mark.parametrize("kind", [kind for kind in _all(DynamoError) if kind is not errors.TransactionCanceledError])
def test_every_error_says_its_type_and_message_unless_dynamodb_says_none(kind: type[DynamoError]) -> None:
    wire = kind("why").wire()
    assert wire["__type"].endswith("#" + kind.code)
    assert wire.get("message", wire.get("Message")) == (None if kind.silent else "why")
    assert kind.status in (400, 413, 500)
    assert (kind.status == 500) <= kind.retryable
