"""One change of an item, as a table's stream tells it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item as WireItem
from partita.table.items import Item
from partita.table.tables import Table

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
        """The images as one type; None if an image is of another type, or not there."""
        return _image(item_type, self.old), _image(item_type, self.new)


@dataclass(frozen=True, slots=True)
class ItemChange(Generic[I]):
    """What an item of one type was and what it became; None before it was made and after it was deleted."""

    old: I | None
    new: I | None
    at: datetime
    expired: bool
    """Whether it was DynamoDB that deleted the item because its time was over."""
    position: str
    """Where to go on after this change, also in another process: `store.changes(…, after=position)`."""


def change_of(table: Table, record: dict[str, Any]) -> Change:
    """A stream record, as DynamoDB Streams and its Lambda events spell it."""
    stream_record = record["dynamodb"]
    identity = record.get("userIdentity") or {}
    return Change(
        table=table,
        sequence=stream_record["SequenceNumber"],
        at=datetime.fromtimestamp(float(stream_record["ApproximateCreationDateTime"]), UTC),
        keys=stream_record["Keys"],
        old=stream_record.get("OldImage"),
        new=stream_record.get("NewImage"),
        expired=identity.get("PrincipalId", identity.get("principalId")) == "dynamodb.amazonaws.com",
    )


def _image(item_type: type[I], row: WireItem | None) -> I | None:
    return None if row is None else item_type.from_own_row(row)
