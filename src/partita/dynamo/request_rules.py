"""What DynamoDB asks of a request's members together, before it looks at a table."""

from __future__ import annotations

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Projection
from partita.dynamo.limits import BATCH_GET_KEYS, BATCH_WRITE_ITEMS


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


def check_batch_get(count: int) -> None:
    """So many keys at once, all tables together."""
    if count > BATCH_GET_KEYS:
        raise ValidationError("Too many items requested for the BatchGetItem call")


def check_batch_write(count: int) -> None:
    """So many writes at once, all tables together."""
    if count > BATCH_WRITE_ITEMS:
        raise ValidationError("Too many items requested for the BatchWriteItem call")
