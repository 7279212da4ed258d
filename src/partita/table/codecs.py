"""How the values of a field are stored: directly if that is exact for its type, else as pydantic serializes them.

What is written must be read back equal by the same type. For most types that can be known beforehand. For the others
(nested models, `Any`, types with serializers or validators of their own) every value is read back before it is sent,
and one that would come back as something else is refused.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel
from pydantic import ValidationError as PydanticError
from pydantic_core import to_jsonable_python

from partita.dynamo.values import AttributeValue
from partita.table.constraints import is_free, serializes
from partita.table.errors import InvalidValueError
from partita.table.moments import in_utc
from partita.table.spelling import is_unicode
from partita.table.values import from_wire, plain, to_wire

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_EXACT = (str, bool, int, Decimal, bytes, datetime, date, UUID, type(None))
_DIRECT = (*_EXACT, Enum, list, tuple, set, frozenset, dict)

Encode = Callable[[Any], AttributeValue | None]


class Codec:
    """How a field is stored."""

    def __init__(
        self, what: str, annotation: Any, metadata: Iterable[Any], dump: Callable[[Any], Any] | None = None
    ) -> None:
        metadata = tuple(metadata)
        self.what = what
        self.annotation = annotation
        self._metadata = metadata
        own = any(map(serializes, metadata)) or mentions_serializer(annotation)
        self.dump = dump or (self._dumped if own or not is_direct(annotation) else None)
        self.checked = self.dump is not None or not is_exact(annotation) or any(map(is_free, metadata))
        self.encode: Encode = self._checked if self.checked else to_wire

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Checks and serializes values as the constructor and pydantic do; made when it is needed, since it is slow."""
        from pydantic import TypeAdapter  # takes some milliseconds that schemas which only declare do not need

        kind: Any = Annotated[self.annotation, *self._metadata] if self._metadata else self.annotation
        return TypeAdapter(kind)

    def validated(self, value: Any) -> Any:
        """A value as the constructor would take it."""
        try:
            return in_utc(self.adapter.validate_python(value))
        except PydanticError as error:
            why = "; ".join(each["msg"] for each in error.errors(include_url=False))
            raise InvalidValueError(f"{self.what} cannot be {value!r}: {why}") from None

    def _dumped(self, value: Any) -> Any:
        return self.adapter.dump_python(value, by_alias=True, warnings=False)

    def _checked(self, value: Any) -> AttributeValue | None:
        wire = to_wire(_storable(value if self.dump is None else self.dump(value)))
        if wire is None:
            return None
        try:
            back = self.adapter.validate_python(from_wire(wire), strict=False)
        except PydanticError as error:
            why = "; ".join(each["msg"] for each in error.errors(include_url=False))
            raise InvalidValueError(f"{self.what} could not be read back as it is, {value!r}: {why}") from None
        if back != value:
            raise InvalidValueError(
                f"{self.what} would be read back as {back!r}, not {value!r}: its type does not store all of it"
            )
        return wire


def _storable(value: Any) -> Any:
    """The same with what DynamoDB has no type for spelled as pydantic spells it in JSON: addresses, durations, …"""
    if isinstance(value, Mapping):
        return {name: _storable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value]
    if isinstance(value, (*_EXACT, Enum, set, frozenset, float)):
        stored = plain(value)
        if isinstance(stored, str) and not is_unicode(stored):
            raise InvalidValueError(f"{stored!r} holds half a character (a surrogate), which DynamoDB cannot store")
        return stored
    try:
        return to_jsonable_python(value)
    except ValueError as error:
        raise InvalidValueError(f"{type(value).__name__} cannot be stored: {error}") from None


# -- what is known of a type


def is_exact(annotation: Any) -> bool:
    """Whether every value of a type is read back equal; False if nothing is known."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return is_exact(arguments[0]) and not any(map(is_free, arguments[1:]))
    if origin is Literal:
        return all(isinstance(choice, _EXACT) and not isinstance(choice, Enum) for choice in arguments)
    if origin in (Union, types.UnionType):
        members = [argument for argument in arguments if argument is not type(None)]
        return len(members) == 1 and is_exact(members[0])
    if origin in (tuple, list):
        return all(argument is Ellipsis or is_exact(argument) for argument in arguments)
    if origin in (set, frozenset):
        return _member_kind(arguments[0]) in (str, int, Decimal, bytes)
    if origin is dict:
        return _member_kind(arguments[0]) is str and is_exact(arguments[1])
    if not isinstance(annotation, type):
        return False
    if issubclass(annotation, Enum):
        return all(isinstance(choice.value, str | int | Decimal | bytes) for choice in annotation)
    return annotation in _EXACT


def is_direct(annotation: Any) -> bool:
    """Whether the values of a type are stored as they are, without pydantic's help."""
    if annotation is Any or isinstance(annotation, TypeVar):
        return True
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal or annotation is Ellipsis:
        return True
    if origin is Annotated:
        return is_direct(arguments[0])
    if origin is not None:
        known = origin in (Union, types.UnionType) or (isinstance(origin, type) and issubclass(origin, _DIRECT))
        return known and all(map(is_direct, arguments))
    return isinstance(annotation, type) and issubclass(annotation, _DIRECT)


def mentions_serializer(annotation: Any) -> bool:
    """Whether a serializer of pydantic's stands anywhere in a type."""
    return any(serializes(argument) or mentions_serializer(argument) for argument in get_args(annotation))


def has_own_functions(model: type[BaseModel]) -> bool:
    """Whether a model checks or changes values as a whole, so that a part of it cannot be judged alone."""
    own = model.__pydantic_decorators__
    return bool(own.model_validators or own.root_validators or own.model_serializers)


def _member_kind(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        arguments = get_args(annotation)
        return None if any(map(is_free, arguments[1:])) else _member_kind(arguments[0])
    return annotation
