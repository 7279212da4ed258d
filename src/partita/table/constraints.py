"""What is declared about the values of a field besides their type: bounds, lengths, and functions that check them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    PlainSerializer,
    PlainValidator,
    WrapSerializer,
    WrapValidator,
)
from pydantic.fields import FieldInfo

from partita.dynamo.frozen import dataclass

_VALIDATORS = (AfterValidator, BeforeValidator, PlainValidator, WrapValidator)
_SERIALIZERS = (PlainSerializer, WrapSerializer)


def is_free(mark: Any) -> bool:
    """Whether a mark is a function that may make anything of a value."""
    return isinstance(mark, (*_VALIDATORS, *_SERIALIZERS)) or hasattr(mark, "__get_pydantic_core_schema__")


def serializes(mark: Any) -> bool:
    """Whether a mark says how a value is written."""
    return isinstance(mark, _SERIALIZERS) or type(mark).__name__ == "SerializeAsAny"


def runs_functions(model: type[BaseModel]) -> bool:
    """Whether functions of a model check, change or write its fields."""
    own = model.__pydantic_decorators__
    return bool(
        own.field_validators or own.validators or own.model_validators or own.root_validators or own.field_serializers
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a number, and of how many members there are."""

    ge: Any = None
    gt: Any = None
    le: Any = None
    lt: Any = None
    multiple_of: Any = None
    decimal_places: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    free: bool = False
    """Whether a function decides besides, which no condition can stand for."""


def limits_of(annotation: Any, metadata: Iterable[Any]) -> Limits:
    """The limits of a field, wherever they are declared."""
    limits: dict[str, Any] = {}
    for mark in marks(annotation, metadata):
        for name in ("ge", "gt", "le", "lt", "multiple_of", "decimal_places", "min_length", "max_length"):
            value = getattr(mark, name, None)
            if value is not None:
                limits[name] = value
        counted = getattr(mark, "max_digits", None) is not None  # DynamoDB counts no digits
        limits["free"] = limits.get("free", False) or counted or is_free(mark)
    return Limits(**limits)


def marks(annotation: Any, metadata: Iterable[Any]) -> Iterator[Any]:
    """Everything that is annotated on a type and its field, the optional type's own included."""
    for mark in metadata:
        yield from mark.metadata if isinstance(mark, FieldInfo) else (mark,)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from marks(arguments[0], arguments[1:])
    elif origin in (Union, UnionType):
        members = [argument for argument in arguments if argument is not type(None)]
        if len(members) == 1:
            yield from marks(members[0], ())


def is_optional(annotation: Any) -> bool:
    """Whether None is a value of a type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any or annotation is None or annotation is type(None):
        return True
    if origin is Annotated or type(annotation).__name__ == "TypeAliasType":
        return is_optional(arguments[0] if origin is Annotated else annotation.__value__)
    return None in arguments if origin is Literal else origin in (Union, UnionType) and any(map(is_optional, arguments))


def element_of(annotation: Any) -> Any:
    """The type of the members of a list, a set or a map; Any if nothing is known."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return element_of(arguments[0])
    if origin in (Union, UnionType):
        members = [argument for argument in arguments if argument is not type(None)]
        return element_of(members[0]) if len(members) == 1 else Any
    if origin in (list, set, frozenset, tuple) and arguments:
        return arguments[0]
    return arguments[1] if origin is dict else Any


def bare(annotation: Any) -> Any:
    """A type without None and without what is annotated on it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return bare(arguments[0])
    if origin in (Union, UnionType):
        members = [argument for argument in arguments if argument is not type(None)]
        return bare(members[0]) if len(members) == 1 else annotation
    return annotation
