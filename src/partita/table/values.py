"""Field values on the wire: what pydantic has validated, as attribute values and back."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

from pydantic import BaseModel

from partita.dynamo.errors import ValidationError
from partita.dynamo.python_values import from_python, to_python
from partita.dynamo.values import AttributeValue
from partita.table.errors import ModelError


def to_wire(value: Any) -> AttributeValue | None:
    """The attribute value of a field's value; None for None, and for a set without members, which DynamoDB has not."""
    kind = type(value)
    if kind is str:
        return {"S": value}
    if kind is bool:
        return {"BOOL": value}
    if kind is int:
        return {"N": str(value)}
    if value is None:
        return None
    if isinstance(value, set | frozenset) and not value:
        return None
    try:
        return from_python(plain(value))
    except ValidationError as error:
        raise ModelError(error.message) from None


def plain(value: Any) -> Any:
    """Models as maps and enumerations as their values, all the way down; unset members of models stay away."""
    if isinstance(value, str | int | Decimal | bytes) and not isinstance(value, Enum):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, BaseModel):
        return {name: plain(inner) for name, inner in value.model_dump(by_alias=True, exclude_unset=True).items()}
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, set | frozenset):
        return frozenset(plain(inner) for inner in value)
    return value


def from_wire(value: AttributeValue) -> Any:
    """What pydantic gets to validate."""
    text = value.get("S")
    return text if text is not None else to_python(value)
