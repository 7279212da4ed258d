"""Python values on the wire: what pydantic has validated, as attribute values and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from partita.dynamo.errors import ValidationError
from partita.dynamo.python_values import from_python, to_python
from partita.dynamo.values import AttributeValue
from partita.table.errors import InvalidValueError, KeyPartError
from partita.table.moments import timestamp
from partita.table.spelling import key_text


def to_wire(value: Any) -> AttributeValue | None:
    """The attribute value of a field's value; None for None, and for a set without members, which DynamoDB has not."""
    kind = type(value)
    if kind is str:
        return {"S": value}
    if kind is bool:
        return {"BOOL": value}
    if kind is int and -(10**18) < value < 10**18:
        return {"N": str(value)}
    if value is None:
        return None
    if isinstance(value, set | frozenset) and not value:
        return None
    try:
        return from_python(plain(value))
    except ValidationError as error:
        raise InvalidValueError(error.message) from None


def plain(value: Any) -> Any:
    """What DynamoDB has types for: enumerations as their values, times and UUIDs as text, all the way down."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str | int | Decimal | bytes) or value is None:
        return value
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidValueError(f"{value!r} has no time zone: say which, as in datetime.now(UTC)")
        try:
            return timestamp(value)
        except OverflowError:
            raise InvalidValueError(f"{value!r} lies outside the years 1 to 9999 in UTC, as it is stored") from None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {_name(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, set | frozenset):
        return frozenset(plain(inner) for inner in value)
    return value


def _name(name: Any) -> str:
    """The key of a map: DynamoDB has text only."""
    if name == "":
        raise InvalidValueError("A key of a map is empty: DynamoDB has no attribute without a name")
    try:
        return key_text(name)
    except KeyPartError as error:
        raise InvalidValueError(f"A key of a map: {error}") from None


def from_wire(value: AttributeValue) -> Any:
    """What pydantic gets to validate."""
    text = value.get("S")
    return text if text is not None else to_python(value)


def same_value(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    """Whether two stored values are the same; the members of a set have no order."""
    if left == right:
        return True
    if left is None or right is None or left.keys() != right.keys():
        return False
    return any(kind in left and sorted(left[kind]) == sorted(right[kind]) for kind in ("SS", "NS", "BS"))
