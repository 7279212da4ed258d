"""Time to live. DynamoDB deletes what has expired within days; until then, reading leaves it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from partita.dynamo.expressions.tree import Compare, Condition, Not, Path, Value
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import plain_type
from partita.table.errors import ModelError, SchemaError
from partita.table.tables import Table

if TYPE_CHECKING:
    from partita.table.items import Item


def unexpired(rows: list[WireItem], attribute: str, now: float) -> list[WireItem]:
    """The rows without those whose moment has come."""
    return [row for row in rows if not _expired(row.get(attribute), now)]


def _expired(value: Any, now: float) -> bool:
    """Only a number is a moment; DynamoDB takes no notice of anything else."""
    return value is not None and "N" in value and float(value["N"]) <= now


def has_expired(table: Table, now: float) -> Condition:
    """The item's moment has come."""
    return Compare("<=", _path(table), _moment(now))


def has_not_expired(table: Table, now: float) -> Condition:
    """The item has no moment, or it is still to come."""
    return Not(has_expired(table, now))  # also if it is no number, of which DynamoDB takes no notice


def _path(table: Table) -> Path:
    if table.ttl is None:
        raise ModelError(f"Items of {table.name} do not expire: declare it with Table(…, ttl=…)")
    return Path((table.ttl,))


def _moment(now: float) -> Value:
    return Value({"N": str(int(now))})


def check_expiry_field(item_type: type[Item]) -> None:
    """DynamoDB deletes by a number of seconds, and silently keeps what has anything else there."""
    name, layout = item_type.__table__.ttl, item_type.__layout__
    if name is None or not layout.makes(name):
        return
    field = layout.fields_by_name.get(name)
    if field is None or not _whole_number(plain_type(item_type.model_fields[field].annotation)):
        raise SchemaError(
            f"{item_type.__name__}: {name} says when items of {item_type.__table__.name} expire, so it must be a field "
            "with a whole number of seconds: Attribute[ExpiresAt] or Attribute[ExpiresAt | None]"
        )


def _whole_number(annotation: Any) -> bool:
    arguments = [argument for argument in get_args(annotation) if argument is not type(None)]
    return annotation is int or (bool(arguments) and _whole_number(arguments[0]))
