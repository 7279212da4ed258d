"""Faults of numbers and sets, of which DynamoDB tells each in two wordings."""

from __future__ import annotations

from partita.dynamo.errors import ValidationError


class ValueFaultError(ValidationError):
    """A number or a set that cannot be.

    `message` says it as batch writes, transactions, scans and statements do; `current` as the operations whose checks
    DynamoDB has made anew: the writes of a single item, GetItem, BatchGetItem and Query.
    """

    def __init__(self, message: str, current: str | None = None) -> None:
        super().__init__(message)
        self.current = message if current is None else current
