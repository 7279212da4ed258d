"""What DynamoDB asks of a request's members together, before it looks at a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Projection
from partita.dynamo.limits import BATCH_GET_KEYS, BATCH_WRITE_ITEMS
from partita.dynamo.values import Item


def check_old_or_none(returns: str) -> None:
    """A put or a deletion has no new item to return."""
    if returns not in ("NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")


def check_select(
    select: str | None, projection: Projection | None, index: str | None, member: str = "ProjectionExpression"
) -> None:
    """Select and a projection have to mean the same; `member` names the projection in errors."""
    if select == "SPECIFIC_ATTRIBUTES" and projection is None:
        raise ValidationError(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
        )
    if select not in (None, "SPECIFIC_ATTRIBUTES") and projection is not None:
        shown = "only the Count" if select == "COUNT" else select
        raise ValidationError(f"Cannot specify the {member} when choosing to get {shown}")
    if select == "ALL_PROJECTED_ATTRIBUTES" and index is None:
        raise ValidationError("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")


def check_segments(segment: int | None, total: int | None) -> None:
    """A segment is one of a total."""
    if segment is None and total is not None:
        raise ValidationError(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        )
    if total is None and segment is not None:
        raise ValidationError(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if segment is not None and total is not None and segment >= total:
        raise ValidationError(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )


def check_batch_get(items: Mapping[str, Mapping[str, Any]]) -> None:
    """So many keys at once, in each table and all together; and all tables with expressions or none."""
    if not items:
        raise _out_of_bounds("RequestItems", "greater than or equal to 1")
    for name, member in items.items():
        if not member["Keys"]:
            raise _out_of_bounds(f"RequestItems.{name}.member.Keys", "greater than or equal to 1")
        if len(member["Keys"]) > BATCH_GET_KEYS:
            raise _out_of_bounds(f"RequestItems.{name}.member.Keys", f"less than or equal to {BATCH_GET_KEYS}")
    if sum(len(member["Keys"]) for member in items.values()) > BATCH_GET_KEYS:
        raise ValidationError("Too many items requested for the BatchGetItem call")
    used = {name for member in items.values() for name, content in member.items() if content is not None}
    if {"AttributesToGet", "ProjectionExpression"} <= used:
        raise ValidationError(
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{AttributesToGet} Expression parameters: {ProjectionExpression}"
        )


def _out_of_bounds(member: str, bound: str) -> ValidationError:
    told = f"Value at '{member}' failed to satisfy constraint: Member must have length {bound}"
    return ValidationError(f"1 validation error detected: {told}")


def check_distinct_keys(keys: Sequence[Item]) -> None:
    """Each key once in a table; the keys are in their one spelling."""
    distinct = {tuple(sorted((name, *value, str(*value.values())) for name, value in key.items())) for key in keys}
    if len(distinct) != len(keys):
        raise ValidationError("Provided list of item keys contains duplicates")


def check_batch_write(items: Mapping[str, Sequence[Any]]) -> None:
    """So many writes at once, all tables together."""
    if not items:
        raise ValidationError("The requestItems parameter is required for BatchWriteItem")
    if sum(map(len, items.values())) > BATCH_WRITE_ITEMS:
        raise ValidationError("Too many items requested for the BatchWriteItem call")
