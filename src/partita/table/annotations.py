"""What a type annotation says of its values: their types in DynamoDB, and whether they can be changed."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from partita.table.constraints import bare, is_free, runs_functions
from partita.table.values import to_wire

_SCALARS: dict[type, str] = {
    str: "S",
    bool: "BOOL",
    int: "N",
    Decimal: "N",
    float: "N",
    bytes: "B",
    date: "S",
    datetime: "S",
    UUID: "S",
    type(None): "NULL",
}
_SETS = {"S": "SS", "N": "NS", "B": "BS"}


def wire_types(annotation: Any) -> frozenset[str] | None:
    """The types a value can have in DynamoDB; None if nothing is known."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return wire_types(arguments[0])
    if origin in (Union, types.UnionType):
        return _together(map(wire_types, arguments))
    if origin is Literal:
        return _together(_of_value(choice) for choice in arguments)
    kind = origin or annotation
    if isinstance(kind, TypeVar) or not isinstance(kind, type):
        return None
    if issubclass(kind, Enum):
        return _together(_of_value(choice.value) for choice in kind)
    for scalar, name in _SCALARS.items():
        if issubclass(kind, scalar):
            return frozenset({name})
    if issubclass(kind, set | frozenset):
        members = wire_types(arguments[0]) if arguments else None
        return None if members is None else frozenset(_SETS.get(member, "L") for member in members)
    if issubclass(kind, list | tuple):
        return frozenset({"L"})
    if issubclass(kind, Mapping | BaseModel):
        return frozenset({"M"})
    return None


def is_set(annotation: Any) -> bool:
    """Whether values of a type are sets."""
    kind = bare(annotation)
    return (get_origin(kind) or kind) in (set, frozenset)


def type_name(annotation: Any) -> str:
    """A type as messages name it."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


def mentions_float(annotation: Any) -> bool:
    """Whether a float is anywhere in a type."""
    return annotation is float or any(map(mentions_float, get_args(annotation)))


def is_lasting(annotation: Any, held: Callable[[Any], Any] = lambda annotation: annotation) -> bool:
    """Whether no value of a type can be changed; False if nothing is known. `held` unwraps the types of fields."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return is_lasting(arguments[0]) and not any(is_free(entry) for entry in arguments[1:])
    if origin is Literal or annotation is Ellipsis:
        return True
    if origin is not None:
        return origin in (Union, types.UnionType, tuple, frozenset) and all(map(is_lasting, arguments))
    if not isinstance(annotation, type):
        return False
    if issubclass(annotation, BaseModel):
        return _is_fixed(annotation) and all(
            is_lasting(held(field.annotation)) and not any(is_free(entry) for entry in field.metadata)
            for field in annotation.model_fields.values()
        )
    return issubclass(annotation, (*_SCALARS, Enum))


def _is_fixed(model: type[BaseModel]) -> bool:
    """Whether a model's own settings let nothing be changed, and no function of its own makes the values."""
    settings = model.model_config
    return bool(settings.get("frozen")) and settings.get("extra") != "allow" and not runs_functions(model)


def _of_value(value: Any) -> frozenset[str] | None:
    wire = to_wire(value)
    return frozenset() if wire is None else frozenset(wire)


def _together(several: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    whole: set[str] = set()
    for each in several:
        if each is None:
            return None
        whole |= each
    return frozenset(whole)
