"""Requests as values: what to do, on which table, with expressions as trees. Where they run is not their business."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from partita.dynamo.capacity import Reported
from partita.dynamo.expressions.tree import Condition, Projection, Update
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item

WriteReturn = Literal["NONE", "ALL_OLD"]
UpdateReturn = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
FailureReturn = Literal["NONE", "ALL_OLD"]
Metrics = Literal["NONE", "SIZE"]
Select = Literal["ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GetItem:
    """Read one item by its key."""

    table: str
    key: Item
    projection: Projection | None = None
    consistent: bool = False
    capacity: Reported = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutItem:
    """Write one item whole."""

    table: str
    item: Item
    condition: Condition | None = None
    returns: WriteReturn = "NONE"
    on_failure: FailureReturn = "NONE"
    capacity: Reported = "NONE"
    metrics: Metrics = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateItem:
    """Change one item, or make it."""

    table: str
    key: Item
    update: Update | None = None
    condition: Condition | None = None
    returns: UpdateReturn = "NONE"
    on_failure: FailureReturn = "NONE"
    capacity: Reported = "NONE"
    metrics: Metrics = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteItem:
    """Delete one item."""

    table: str
    key: Item
    condition: Condition | None = None
    returns: WriteReturn = "NONE"
    on_failure: FailureReturn = "NONE"
    capacity: Reported = "NONE"
    metrics: Metrics = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionCheck:
    """Make sure of one item in a transaction without writing it."""

    table: str
    key: Item
    condition: Condition
    on_failure: FailureReturn = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Read a stretch of one partition, of the table or of an index; `legacy` names old parameters it was made of."""

    table: str
    condition: Condition
    index: str | None = None
    filter: Condition | None = None
    projection: Projection | None = None
    select: Select | None = None
    forward: bool = True
    limit: int | None = None
    start: Item | None = None
    consistent: bool = False
    capacity: Reported = "NONE"
    legacy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Read a table or an index from end to end, or one segment of it."""

    table: str
    index: str | None = None
    filter: Condition | None = None
    projection: Projection | None = None
    select: Select | None = None
    limit: int | None = None
    start: Item | None = None
    segment: int | None = None
    total_segments: int | None = None
    consistent: bool = False
    capacity: Reported = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The keys to read from one table in a batch."""

    keys: tuple[Item, ...]
    projection: Projection | None = None
    consistent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchGetItem:
    """Read up to 100 items by key, in no order."""

    tables: Mapping[str, Keys]
    capacity: Reported = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchWriteItem:
    """Write or delete up to 25 items, each for itself."""

    tables: Mapping[str, tuple[PutItem | DeleteItem, ...]]
    capacity: Reported = "NONE"
    metrics: Metrics = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactGetItems:
    """Read up to 100 items as of one moment."""

    gets: tuple[GetItem, ...]
    capacity: Reported = "NONE"


TransactAction: TypeAlias = PutItem | UpdateItem | DeleteItem | ConditionCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactWriteItems:
    """Write up to 100 items, all or none."""

    actions: tuple[TransactAction, ...]
    token: str | None = None
    capacity: Reported = "NONE"
    metrics: Metrics = "NONE"


ItemRequest: TypeAlias = (
    GetItem
    | PutItem
    | UpdateItem
    | DeleteItem
    | Query
    | Scan
    | BatchGetItem
    | BatchWriteItem
    | TransactGetItems
    | TransactWriteItems
)
