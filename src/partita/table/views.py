"""Smaller models for lists: only what they hold is fetched, and they have nothing that was not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel
from pydantic import ValidationError as PydanticError

from partita.dynamo.values import Item as WireItem
from partita.table.errors import ForeignItemError, SchemaError, invalid_fields, reasons
from partita.table.suggest import instead_of
from partita.table.values import from_wire

if TYPE_CHECKING:
    from partita.table.items import Item

M = TypeVar("M", bound=BaseModel)


def view_names(
    item_types: Sequence[type[Item]], model: type[BaseModel], held: frozenset[str] | None
) -> tuple[str, ...]:
    """The stored names that a smaller model needs, with the discriminators. What an index does not hold and the key of
    each row says is read from there: `held` are the names in the index, or None if it holds everything."""
    return tuple(name for item_type in item_types for name in _fetched(item_type, model, held))


def _fetched(item_type: type[Item], model: type[BaseModel], held: frozenset[str] | None) -> list[str]:
    layout = item_type.__layout__
    names = [*layout.constants, *_names(item_type, model)]
    if held is None:
        return names
    in_the_key = {layout.names[field] for field in layout.key_fields if field in layout.names}
    if layout.told_by_key:
        in_the_key |= layout.constants.keys()
    return [name for name in names if name in held or name not in in_the_key]


@cache
def _names(item_type: type[Item], model: type[BaseModel]) -> tuple[str, ...]:
    names = []
    for field in model.model_fields:
        attribute = item_type.__attributes__.get(field)
        if attribute is None:
            choice = instead_of(field, item_type.__attributes__)
            raise SchemaError(f"{model.__name__}.{field}: {item_type.__name__} has no {field}: {choice}")
        if attribute.is_derived or field in item_type.__layout__.names:
            names.append(attribute.stored_name)
    return tuple(names)


def view_of(item_type: type[Item], model: type[M], row: WireItem, *, whole: bool = True) -> M | None:
    """A row as a smaller model; None if the row is of another type. A row that is not whole has no discriminator."""
    layout = item_type.__layout__
    own = layout.reader.values(row, whole=whole)
    if own is None:
        return None
    values: dict[str, Any] = own[0]
    for field in model.model_fields:
        attribute = item_type.__attributes__[field]
        if attribute.is_derived and attribute.stored_name in row:
            values[field] = from_wire(row[attribute.stored_name])
        if field not in values and not attribute.is_derived:
            values[field] = layout.read_without(field)
    try:
        return model.model_validate({field: values[field] for field in model.model_fields if field in values})
    except PydanticError as error:
        wrong, key = invalid_fields(error), item_type.key_of(row)
        raise ForeignItemError(
            f"The {item_type.__name__} stored as {key} does not fit {model.__name__}: {reasons(wrong)}", wrong
        ) from None
