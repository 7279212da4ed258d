"""One change of an item, and who wants to know of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from partita.dynamo.values import Item as WireItem
from partita.table import Item, Table

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type


@dataclass(frozen=True, slots=True)
class Change:
    """What an item was and what it became; None before it was made and after it was deleted."""

    table: Table
    sequence: str
    """Grows with every change of the same item; digits of any length."""
    at: datetime
    keys: WireItem
    old: WireItem | None
    new: WireItem | None
    expired: bool = False
    """Whether it was DynamoDB that deleted the item because its time was over."""

    def read(self, item_type: type[I]) -> tuple[I | None, I | None]:
        """The images as one type; None where an image is of another type, or not there."""
        return _image(item_type, self.old), _image(item_type, self.new)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a handler keeps beside the tables, on the machine it runs on: a search index."""

    whole: Callable[[], Awaitable[bool]]
    """Whether everything is in it that was in the tables when it was built."""
    build: Callable[[], Awaitable[object]]
    """Build it anew from the tables, while it is used."""


@dataclass(frozen=True, slots=True)
class Handler:
    """Reacts to the changes of a table. It may be told of a change twice, so doing it twice must be harmless."""

    name: str
    """`kelifax.search`: its progress is kept under this name."""
    table: Table
    run: Callable[[Change], Awaitable[None]]
    kept: Kept | None = None
    """What it keeps on its machine: built where it is missing, and after changes were missed."""

    @property
    def local(self) -> bool:
        """Whether every machine has to do this for itself."""
        return self.kept is not None


def change_of(table: Table, record: dict[str, Any]) -> Change:
    """A stream record, as DynamoDB Streams and its Lambda events spell it."""
    told = record["dynamodb"]
    identity = record.get("userIdentity") or {}
    return Change(
        table=table,
        sequence=told["SequenceNumber"],
        at=datetime.fromtimestamp(float(told["ApproximateCreationDateTime"]), UTC),
        keys=told["Keys"],
        old=told.get("OldImage"),
        new=told.get("NewImage"),
        expired=identity.get("PrincipalId", identity.get("principalId")) == "dynamodb.amazonaws.com",
    )


def _image(item_type: type[I], row: WireItem | None) -> I | None:
    return None if row is None else item_type.from_own_row(row)
