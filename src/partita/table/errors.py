"""The errors of the modelling layer: in schemas, requests and cursors, before anything is sent; and lost races."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError


class ModelError(Exception):
    """Anything the modelling layer refuses."""


class SchemaError(ModelError):
    """A table, index, item type or template that cannot work; raised when the schema is imported."""


class KeyPartError(ModelError):
    """A key cannot be made: a part is missing, empty, or would make the key read as something else."""


class InvalidValueError(ModelError):
    """A value that its attribute cannot hold, or cannot be compared with."""


class TableDiffersError(ModelError):
    """A table is there already, with a key or an index that is not the schema's."""


class ForeignItemError(ModelError):
    """A row is not of the type that was asked for; or it is, and `wrong` says which fields do not fit, and why."""

    def __init__(self, message: str, wrong: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.wrong = tuple(wrong)


class StaleKeyError(ModelError):
    """An update would leave an index key behind that no longer fits the item."""


class InvalidCursorError(ModelError):
    """A cursor that was altered, is too old, or belongs to another list."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The cursor does not belong to this list ({why}). Start again without a cursor.")


class ItemTooLargeError(ModelError):
    """An item over 400 KB."""


class TransactionTooLargeError(ModelError):
    """More than 100 actions, or two on the same item, in one transaction."""


class ChangedMeanwhileError(ModelError):
    """An item was changed between reading and writing; `there` is what it is now, None if it is gone."""

    def __init__(self, what: str, there: Any = None) -> None:
        happened = "is gone" if there is None else "was changed meanwhile"
        super().__init__(f"{what} {happened}. Read it again and decide anew.")
        self.there = there


class NoFileStoreError(ModelError):
    """A value is too large for its item, and the store has nowhere to put it."""


class LostValueError(ModelError):
    """A large value is not in the file store, or not as it was saved."""


def invalid_fields(error: ValidationError) -> list[tuple[str, str]]:
    """The fields that pydantic refused, each with the reason; without their values, which may be private."""
    return [(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors(include_url=False)]


def reasons(invalid: Sequence[tuple[str, str]]) -> str:
    """Fields with the reasons why they are invalid, as messages list them."""
    return "; ".join(f"{field}: {why}" for field, why in invalid)
