"""Attributes: plain values on an item, and on its class what conditions, updates and keys are made from."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, get_args, get_origin, overload
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core.core_schema import no_info_after_validator_function
from typing_extensions import TypeVar  # with defaults, which Python has from 3.13 on

from partita.dynamo.expressions.tree import (
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Contains,
    In,
    Path,
    Size,
    Value,
)
from partita.dynamo.values import order
from partita.table.actions import Action, Changes
from partita.table.annotations import type_name, wire_types
from partita.table.codecs import Codec, has_own_functions
from partita.table.conditions import Condition, SizeOf, check_choices
from partita.table.constraints import Limits, bare, element_of, limits_of, marks, runs_functions
from partita.table.declarations import Stored, stored_as
from partita.table.errors import InvalidValueError, KeyPartError, ModelError
from partita.table.moments import in_utc
from partita.table.spelling import key_text
from partita.table.suggest import instead_of
from partita.table.values import to_wire

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

T = TypeVar("T", default=Any)
O = TypeVar("O", default=Any)  # noqa: E741 - the owner, as T is a type
E = TypeVar("E")
V = TypeVar("V")
M = TypeVar("M", default=Any)
N = TypeVar("N", bound=BaseModel)


_PART_KINDS = (str, int, bool, Decimal, bytes, datetime, date, UUID)


class _Nothing:
    """No item is one: whoever assigns to an attribute of an item is told by type checkers."""


class Attribute(Generic[T]):
    """How a field is declared: `title: Attribute[str]` is a text on every item, and an `AttributeOf` on its class."""

    @overload
    def __get__(self: Attribute[N], instance: None, owner: type[O]) -> ModelAttributeOf[O, N]: ...
    @overload
    def __get__(self, instance: None, owner: type[O]) -> AttributeOf[O, T]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> T: ...
    def __get__(self, instance: object | None, owner: Any) -> Any:
        return self

    if TYPE_CHECKING:

        def __set__(self, instance: _Nothing, value: T) -> None: ...

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validated as what it holds; a moment is kept in UTC, as it is read, so that nothing made of it differs."""
        held = get_args(source)[0]
        schema = handler.generate_schema(held)
        if bare(held) is not datetime:
            return schema
        if schema["type"] == "nullable":  # stays outside, or pydantic could not apply the field's own settings
            return {**schema, "schema": no_info_after_validator_function(in_utc, schema["schema"])}
        return no_info_after_validator_function(in_utc, schema)


class Given(Generic[O]):
    """A value for an attribute, as in `Book.title("Emma")`: a part of a key, or a field of a changed item."""

    # No dataclass: one is made for every part of every key, and a frozen dataclass takes three times as long.
    __slots__ = ("field", "owner", "value")

    def __init__(self, owner: type[Any], field: str, value: Any) -> None:
        self.owner = owner
        self.field = field
        self.value = value

    def __repr__(self) -> str:
        return f"{self.owner.__name__}.{self.field}({self.value!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Given):
            return NotImplemented
        return (self.owner, self.field, self.value) == (other.owner, other.field, other.value)

    def __hash__(self) -> int:
        return hash((self.owner, self.field))

    if TYPE_CHECKING:

        def _about(self, owner: O) -> O: ...


class AttributeOf(Generic[O, T]):
    """An attribute of an item type, or a place inside one: `Site.title`, `Order.ship_to.city`, `Order.lines[0]`."""

    def __init__(
        self,
        owner: type[Any],
        field: str,
        place: tuple[str | int, ...],
        info: FieldInfo,
        *,
        annotation: Any = None,
        stored: bool = True,
        derived: bool = False,
        inside: AttributeOf[Any, Any] | None = None,
        member: bool = False,
        label: str | None = None,
        dump: Any = None,
    ) -> None:
        self._owner = owner
        self._place = place
        self._info = info
        self._annotation = plain_type(info.annotation) if annotation is None else annotation
        self._stored = stored
        self._dump = dump
        self._label = label or f"{owner.__name__}.{field}"
        self.field_name = field
        self.inside = inside
        """The attribute around it, if it lies inside one."""
        self.is_member = member
        """Whether it is a member of a list or a map, which need not be there."""
        self.is_derived = derived
        """Whether it is made of other fields, so that nobody sets it."""

    def __repr__(self) -> str:
        return self._label

    def __eq__(self, other: object) -> bool:
        raise ModelError(f"{self!r} == … would compare Python objects. Write {self!r}.equals(…) or .differs(…)")

    __hash__ = object.__hash__

    def __call__(self, value: T) -> Given[O]:
        """A value for it: a part of a key, or what a changed item has there."""
        if self.inside is not None:
            raise ModelError(f"{self!r} lies inside {self.field_name}: give the whole {self.field_name}")
        return Given(self._owner, self.field_name, self._spelled(value) if self.rewrites else value)

    # -- its path

    @property
    def stored_name(self) -> str:
        """The name of the attribute in the table."""
        return str(self._place[0])

    @property
    def owner_type(self) -> type[Any]:
        """The item type that has it."""
        return self._owner

    @property
    def is_nested(self) -> bool:
        """Whether it lies inside an attribute."""
        return self.inside is not None

    @property
    def path(self) -> Path:
        """The path under which it is stored."""
        if not self._stored:
            raise ModelError(
                f"{self!r} is a part of the key and not stored on its own: no condition or update can use it"
            )
        return Path(self._place)

    @property
    def seen(self) -> Path:
        """The path that conditions and updates use."""
        if stored_as(self._info).large:
            raise ModelError(
                f"{self!r} is large and may lie in the file store, where DynamoDB sees nothing of it: it can be set, "
                "removed, and asked whether it exists"
            )
        return self.path

    # -- inside it

    @overload
    def __getitem__(self: AttributeOf[O, dict[str, N]], key: str) -> ModelAttributeOf[O, N]: ...
    @overload
    def __getitem__(self: AttributeOf[O, tuple[N, ...]], key: int) -> ModelAttributeOf[O, N]: ...
    @overload
    def __getitem__(self: AttributeOf[O, list[N]], key: int) -> ModelAttributeOf[O, N]: ...
    @overload
    def __getitem__(self: AttributeOf[O, dict[str, V]], key: str) -> AttributeOf[O, V]: ...
    @overload
    def __getitem__(  # type: ignore[overload-overlap]  # no map is a model
        self: AttributeOf[O, dict[str, V] | None], key: str
    ) -> AttributeOf[O, V]: ...
    @overload
    def __getitem__(self: AttributeOf[O, tuple[V, ...]], key: int) -> AttributeOf[O, V]: ...
    @overload
    def __getitem__(self: AttributeOf[O, tuple[V, ...] | None], key: int) -> AttributeOf[O, V]: ...
    @overload
    def __getitem__(self: AttributeOf[O, list[V]], key: int) -> AttributeOf[O, V]: ...
    @overload
    def __getitem__(self: AttributeOf[O, list[V] | None], key: int) -> AttributeOf[O, V]: ...
    @overload
    def __getitem__(self: AttributeOf[O, N | None], key: str) -> ModelAttributeOf[O, Any]: ...
    def __getitem__(self, key: Any) -> Any:
        """What a map has under a key, a list at a position, or a model in a field."""
        kind = bare(self._annotation)
        origin = get_origin(kind) or kind
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._field(kind, key)
        wanted = (dict, Mapping) if isinstance(key, str) else (list, tuple)
        fits = kind is Any or (isinstance(origin, type) and issubclass(origin, wanted))
        if not fits or (isinstance(key, int) and key < 0):
            raise ModelError(f"{self!r} holds {type_name(kind)}, which has nothing at {key!r}")
        held, arguments = element_of(self._annotation), get_args(kind)
        if origin is dict and arguments and arguments[0] not in (str, Any):
            checked = Codec(f"A key of {self!r}", arguments[0], ()).validated(key)
            if key_text(checked) != key:
                raise ModelError(f"{self!r} spells {key!r} as {key_text(checked)!r}: write that")
        fixed = origin is tuple and bool(arguments) and Ellipsis not in arguments
        if fixed:
            if key >= len(arguments):
                raise ModelError(f"{self!r} holds {type_name(kind)}, which has nothing at {key!r}")
            held = arguments[key]  # each place has its own type, and none can be taken away
        return self._inner(key, held, FieldInfo(annotation=held), member=not fixed)

    def _field(self, model: type[BaseModel], name: str) -> ModelAttributeOf[O, Any]:
        info = model.model_fields.get(name)
        if info is None:
            raise ModelError(f"{self!r} has no {name}: {instead_of(name, model.model_fields)}")
        if self._codec.dump is not None and (has_own_functions(model) or runs_functions(model)):
            raise ModelError(
                f"{model.__name__} is checked and stored as a whole, so nothing inside {self!r} stands alone"
            )
        stored = info.serialization_alias or info.alias or name
        return self._inner(stored, info.annotation, info, label=f".{name}")

    def _inner(
        self, step: str | int, annotation: Any, info: FieldInfo, *, member: bool = False, label: str | None = None
    ) -> ModelAttributeOf[O, Any]:
        if stored_as(self._info).large:
            raise ModelError(f"{self!r} is large and may lie in the file store, where DynamoDB sees nothing of it")
        return ModelAttributeOf(
            self._owner,
            self.field_name,
            (*self._place, step),
            info,
            annotation=annotation,
            stored=self._stored,
            derived=self.is_derived,
            inside=self,
            member=member,
            label=f"{self._label}{label or f'[{step!r}]'}",
        )

    # -- conditions

    def equals(self, value: T) -> Condition[O]:
        return self._compared("=", value)

    def differs(self, value: T) -> Condition[O]:
        return self._compared("<>", value)

    def __lt__(self, value: T) -> Condition[O]:
        return self._compared("<", value)

    def __le__(self, value: T) -> Condition[O]:
        return self._compared("<=", value)

    def __gt__(self, value: T) -> Condition[O]:
        return self._compared(">", value)

    def __ge__(self, value: T) -> Condition[O]:
        return self._compared(">=", value)

    def between(self, low: T, high: T) -> Condition[O]:
        first, last = self._operand(low), self._operand(high)
        if (order(first.value, last.value) or 0) > 0:
            raise InvalidValueError(f"{self!r} between {low!r} and {high!r}: give the smaller one first")
        return self._condition(Between(self.seen, first, last))

    def one_of(self, *choices: T) -> Condition[O]:
        check_choices(len(choices))
        return self._condition(In(self.seen, tuple(map(self._operand, choices))))

    def exists(self) -> Condition[O]:
        return self._condition(AttributeExists(self.path))

    def missing(self) -> Condition[O]:
        return self._condition(AttributeNotExists(self.path))

    def begins_with(self: AttributeOf[O, str] | AttributeOf[O, str | None], prefix: str) -> Condition[O]:
        return self._condition(BeginsWith(self.seen, self._operand(prefix)))

    @overload
    def contains(self: AttributeOf[O, str] | AttributeOf[O, str | None], member: str) -> Condition[O]: ...
    @overload
    def contains(self: AttributeOf[O, tuple[E, ...]] | AttributeOf[O, frozenset[E]], member: E) -> Condition[O]: ...
    @overload
    def contains(
        self: AttributeOf[O, tuple[E, ...] | None] | AttributeOf[O, frozenset[E] | None], member: E
    ) -> Condition[O]: ...
    @overload
    def contains(self: AttributeOf[O, list[E]] | AttributeOf[O, builtins.set[E]], member: E) -> Condition[O]: ...
    @overload
    def contains(
        self: AttributeOf[O, list[E] | None] | AttributeOf[O, builtins.set[E] | None], member: E
    ) -> Condition[O]: ...
    def contains(self, member: Any) -> Condition[O]:
        inside = bare(self._annotation)
        wire = to_wire(member) if inside is str else self._element.encode(member)
        if wire is None:
            raise InvalidValueError(f"{self!r} cannot contain {member!r}")
        return self._condition(Contains(self.seen, Value(wire)))

    def size(self) -> SizeOf[O]:
        return SizeOf(Size(self.seen), self._owner)

    # -- updates

    def set(self, value: T) -> Action[O]:
        """Give it a value, checked as the constructor checks it; None takes it away."""
        return self._changes.set(value)

    def set_if_missing(self, value: T) -> Action[O]:
        """Give it a value if it has none."""
        return self._changes.set_if_missing(value)

    def remove(self) -> Action[O]:
        """Take it away; what an item cannot be read without stays."""
        return self._changes.remove()

    @overload
    def add(self: AttributeOf[O, int] | AttributeOf[O, int | None], amount: int) -> Action[O]: ...
    @overload
    def add(self: AttributeOf[O, Decimal] | AttributeOf[O, Decimal | None], amount: Decimal | int) -> Action[O]: ...
    def add(self, amount: Any) -> Action[O]:
        """Count up or down, from the default (or zero) if there is no value; never beyond the declared bounds."""
        return self._changes.add(amount)

    @overload
    def append(self: AttributeOf[O, tuple[E, ...]], *elements: E) -> Action[O]: ...
    @overload
    def append(self: AttributeOf[O, tuple[E, ...] | None], *elements: E) -> Action[O]: ...
    @overload
    def append(self: AttributeOf[O, list[E]], *elements: E) -> Action[O]: ...
    @overload
    def append(self: AttributeOf[O, list[E] | None], *elements: E) -> Action[O]: ...
    def append(self, *elements: Any) -> Action[O]:
        """Put elements at the end of a list."""
        return self._changes.extend(elements, first=False)

    @overload
    def prepend(self: AttributeOf[O, tuple[E, ...]], *elements: E) -> Action[O]: ...
    @overload
    def prepend(self: AttributeOf[O, tuple[E, ...] | None], *elements: E) -> Action[O]: ...
    @overload
    def prepend(self: AttributeOf[O, list[E]], *elements: E) -> Action[O]: ...
    @overload
    def prepend(self: AttributeOf[O, list[E] | None], *elements: E) -> Action[O]: ...
    def prepend(self, *elements: Any) -> Action[O]:
        """Put elements at the start of a list."""
        return self._changes.extend(elements, first=True)

    @overload
    def join(self: AttributeOf[O, frozenset[E]], *members: E) -> Action[O]: ...
    @overload
    def join(self: AttributeOf[O, frozenset[E] | None], *members: E) -> Action[O]: ...
    @overload
    def join(self: AttributeOf[O, builtins.set[E]], *members: E) -> Action[O]: ...
    @overload
    def join(self: AttributeOf[O, builtins.set[E] | None], *members: E) -> Action[O]: ...
    def join(self, *members: Any) -> Action[O]:
        """Put members into a set."""
        return self._changes.join(members)

    @overload
    def leave(self: AttributeOf[O, frozenset[E]], *members: E) -> Action[O]: ...
    @overload
    def leave(self: AttributeOf[O, frozenset[E] | None], *members: E) -> Action[O]: ...
    @overload
    def leave(self: AttributeOf[O, builtins.set[E]], *members: E) -> Action[O]: ...
    @overload
    def leave(self: AttributeOf[O, builtins.set[E] | None], *members: E) -> Action[O]: ...
    def leave(self, *members: Any) -> Action[O]:
        """Take members out of a set."""
        return self._changes.leave(members)

    # -- values

    @property
    def annotation(self) -> Any:
        """The type of its values."""
        return self._annotation

    @cached_property
    def limits(self) -> Limits:
        """The bounds of its values."""
        return limits_of(self._annotation, self._info.metadata)

    @cached_property
    def _codec(self) -> Codec:
        return Codec(repr(self), self._annotation, self._info.metadata, self._dump)

    @property
    def codec(self) -> Codec:
        """How its values are stored."""
        return self._codec

    @cached_property
    def _element(self) -> Codec:
        return Codec(f"An element of {self!r}", element_of(self._annotation), [])

    @cached_property
    def _changes(self) -> Changes:
        return Changes(self, self._info, self._codec, self._element, self.limits)

    @cached_property
    def _wire_types(self) -> frozenset[str] | None:
        return wire_types(self._annotation) if not self._codec.dump else None

    @cached_property
    def rewrites(self) -> bool:
        """Whether its declaration changes texts, such as to small letters, so that keys must be changed alike."""
        names = ("to_lower", "to_upper", "strip_whitespace")
        return any(getattr(mark, name, None) for mark in marks(self._annotation, self._info.metadata) for name in names)

    def _spelled(self, value: Any) -> Any:
        if value is None:
            return value
        try:
            return self._codec.validated(value)
        except InvalidValueError:
            return value  # no item can have it, so nothing is found

    def check_part(self, value: Any) -> None:
        """Refuse a value of another type as a part of a key: it would be spelled in a way that no item spells it."""
        kind = self._part_kind
        if (
            kind is None
            or value is None
            or (isinstance(value, kind) and not (kind is date and isinstance(value, datetime)))
        ):
            return
        if (kind is Decimal and isinstance(value, int)) or (
            issubclass(kind, Enum) and value in {each.value for each in kind}
        ):
            return
        raise KeyPartError(f"{self!r} holds {type_name(self._annotation)}, not {value!r} ({type_name(type(value))})")

    @cached_property
    def _part_kind(self) -> type[Any] | None:
        kind = bare(self._annotation)
        if not isinstance(kind, type) or self._codec.dump is not None:
            return None
        return kind if kind in _PART_KINDS or issubclass(kind, Enum) else None

    def _condition(self, tree: Any) -> Condition[O]:
        return Condition(tree, self._owner)

    def _compared(self, operator: Comparator, value: T) -> Condition[O]:
        return self._condition(Compare(operator, self.seen, self._operand(value)))

    def _operand(self, value: Any) -> Value:
        """A value of the type that is stored here: for DynamoDB another type is no mistake, it just never fits."""
        if value is None:
            raise InvalidValueError(f"{self!r} cannot be compared with None: use .missing() or .exists()")
        wire = self._codec.encode(value) if self._codec.dump else to_wire(value)
        if wire is None:
            raise InvalidValueError(f"{self!r} cannot be compared with an empty set, which DynamoDB has not")
        types = self._wire_types
        if types is not None and next(iter(wire)) not in types:
            raise InvalidValueError(
                f"{self!r} holds {type_name(self._annotation)}, not {value!r} ({type_name(type(value))}): DynamoDB "
                "compares and adds only values of one type"
            )
        return Value(wire)


class ModelAttributeOf(AttributeOf[O, M]):
    """An attribute that holds a model: what is inside is found by its name, or as `Order.ship_to["name"]`."""

    if TYPE_CHECKING:

        def __getitem__(self, key: str | int) -> ModelAttributeOf[O, Any]: ...

    def __getattr__(self, name: str) -> ModelAttributeOf[O, Any]:
        kind = bare(self.__dict__["_annotation"]) if "_annotation" in self.__dict__ else None
        if name.startswith("_") or not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        inner: ModelAttributeOf[O, Any] = self._field(kind, name)
        return inner


def plain_type(annotation: Any) -> Any:
    """The type inside `Attribute[…]`."""
    return get_args(annotation)[0] if get_origin(annotation) is Attribute else annotation


__all__ = ["Action", "Attribute", "AttributeOf", "Given", "ModelAttributeOf", "Stored", "plain_type"]
