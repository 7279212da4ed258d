"""Attributes: typed on the class, where they make conditions and updates, and plain values on the instance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin, overload

from pydantic import Field, TypeAdapter
from pydantic import ValidationError as PydanticError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Or,
    Path,
    RemoveAction,
    SetAction,
    Size,
    UpdateAction,
    Value,
)
from partita.table.errors import InvalidValueError, ModelError
from partita.table.holds import adapter, wire_types
from partita.table.values import to_wire

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

LARGE_BYTES = 32 * 1024
T = TypeVar("T")
E = TypeVar("E")


class Attribute(Generic[T]):
    """An attribute of an item type: `Site.title.equals("…")` and `Site.title.set("…")` are checked by type checkers."""

    def __init__(self, field: str, name: str, *, stored: bool, owner: str, info: FieldInfo) -> None:
        self.field = field
        self.name = name
        self.stored = stored
        self.owner = owner
        self._info = info
        self._large = bool(stored_as(info).large)

    @overload
    def __get__(self, instance: None, owner: Any) -> Attribute[T]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> T: ...
    def __get__(self, instance: object | None, owner: Any) -> Attribute[T] | T:
        return self

    if TYPE_CHECKING:

        def __set__(self, instance: object, value: T) -> None: ...

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validated as what it holds."""
        return handler(get_args(source)[0])

    def __repr__(self) -> str:
        return f"{self.owner}.{self.field}"

    def __eq__(self, other: object) -> bool:
        raise ModelError(f"{self!r} == … would compare Python objects. Write {self!r}.equals(…) or .differs(…)")

    __hash__ = object.__hash__

    @property
    def path(self) -> Path:
        """Where it is stored."""
        if not self.stored:
            raise ModelError(
                f"{self!r} is a part of the key and not stored on its own: no condition or update can use it"
            )
        return Path((self.name,))

    @property
    def seen(self) -> Path:
        """Where conditions and updates see its value."""
        if self._large:
            raise ModelError(
                f"{self!r} is large and may lie in the file store, where DynamoDB sees nothing of it: it can be set, "
                "removed, and asked whether it exists"
            )
        return self.path

    # -- conditions

    def equals(self, value: T) -> Condition:
        return Compare("=", self.seen, self._operand(value))

    def differs(self, value: T) -> Condition:
        return Compare("<>", self.seen, self._operand(value))

    def __lt__(self, value: T) -> Condition:
        return Compare("<", self.seen, self._operand(value))

    def __le__(self, value: T) -> Condition:
        return Compare("<=", self.seen, self._operand(value))

    def __gt__(self, value: T) -> Condition:
        return Compare(">", self.seen, self._operand(value))

    def __ge__(self, value: T) -> Condition:
        return Compare(">=", self.seen, self._operand(value))

    def between(self, low: T, high: T) -> Condition:
        return Between(self.seen, self._operand(low), self._operand(high))

    def one_of(self, *choices: T) -> Condition:
        return In(self.seen, tuple(map(self._operand, choices)))

    def exists(self) -> Condition:
        return AttributeExists(self.path)

    def missing(self) -> Condition:
        return AttributeNotExists(self.path)

    def begins_with(self: Attribute[str] | Attribute[str | None], prefix: str) -> Condition:
        return BeginsWith(self.seen, self._operand(prefix))

    @overload
    def contains(self: Attribute[str] | Attribute[str | None], member: str) -> Condition: ...
    @overload
    def contains(self: Attribute[tuple[E, ...]] | Attribute[frozenset[E]], member: E) -> Condition: ...
    def contains(self, member: Any) -> Condition:
        return Contains(self.seen, _value(member))

    def size(self) -> SizeOf:
        return SizeOf(Size(self.seen))

    # -- updates

    def set(self, value: T) -> Action:
        """Give it a value, checked as the constructor checks it; None takes it away."""
        checked = self._checked(value)
        wire = to_wire(checked)
        if wire is None and checked is None and stored_as(self._info).null:
            wire = {"NULL": True}
        if wire is None:
            return self.remove()
        return Action(self.field, checked, SetAction(self.path, Value(wire)))

    def set_if_missing(self, value: T) -> Action:
        return Action(self.field, UNKNOWN, SetAction(self.seen, IfNotExists(self.seen, _value(self._checked(value)))))

    def remove(self) -> Action:
        """Take it away; what an item cannot be read without stays."""
        if self._info.is_required() and not self._may_be_away:
            raise InvalidValueError(f"{self!r} has no default, so items could not be read without it: set it instead")
        return Action(self.field, None, RemoveAction(self.path))

    def add(self: Attribute[int] | Attribute[int | None], amount: int) -> Action:
        """Count up or down, from zero where there is nothing."""
        return Action(self.field, UNKNOWN, AddAction(self.seen, self._operand(amount)))

    def increase(self: Attribute[int], amount: int) -> Action:
        """Count up from a number that must be there."""
        operand = Arithmetic("+", self.seen, self._operand(amount))
        return Action(self.field, UNKNOWN, SetAction(self.seen, operand))

    def append(self: Attribute[tuple[E, ...]], *elements: E) -> Action:
        empty = Value({"L": []})
        operand = ListAppend(IfNotExists(self.seen, empty), self._operand(elements))
        return Action(self.field, UNKNOWN, SetAction(self.seen, operand))

    def join(self: Attribute[frozenset[E]], *members: E) -> Action:
        """Put members into a set."""
        return Action(self.field, UNKNOWN, AddAction(self.seen, self._operand(frozenset(members))))

    def leave(self: Attribute[frozenset[E]], *members: E) -> Action:
        """Take members out of a set."""
        return Action(self.field, UNKNOWN, DeleteAction(self.seen, self._operand(frozenset(members))))

    # -- values

    @cached_property
    def _wire_types(self) -> frozenset[str] | None:
        return wire_types(plain_type(self._info.annotation))

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return adapter(plain_type(self._info.annotation), self._info.metadata)

    @property
    def _may_be_away(self) -> bool:
        """Whether a value without an attribute, such as None or an empty set, is among what it holds."""
        types = self._wire_types
        return types is None or bool(types & {"NULL", "SS", "NS", "BS"})

    def _operand(self, value: Any) -> Value:
        """A value of the type that is stored here: for DynamoDB another type is no mistake, it just never fits."""
        if value is None:
            raise InvalidValueError(f"{self!r} cannot be compared with None: use .missing() or .exists()")
        operand = _value(value)
        types = self._wire_types
        if types is not None and next(iter(operand.value)) not in types:
            kept = _shown(plain_type(self._info.annotation))
            raise InvalidValueError(
                f"{self!r} holds {kept}, not {value!r} ({_shown(type(value))}): DynamoDB compares and adds only values "
                "of one type"
            )
        return operand

    def _checked(self, value: Any) -> Any:
        try:
            return self._adapter.validate_python(value)
        except PydanticError as error:
            why = "; ".join(each["msg"] for each in error.errors(include_url=False))
            raise InvalidValueError(f"{self!r} cannot be {value!r}: {why}") from None


def plain_type(annotation: Any) -> Any:
    """The type inside `Attribute[…]`."""
    return get_args(annotation)[0] if get_origin(annotation) is Attribute else annotation


def _shown(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")


class _Unknown:
    """A value only the table knows."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = _Unknown()


@dataclass(frozen=True, slots=True)
class Action:
    """What an update does to one field; `value` is what it will be, where that is known."""

    field: str
    value: Any
    action: UpdateAction


@dataclass(frozen=True, slots=True)
class SizeOf:
    """The size of an attribute, to be compared."""

    size: Size

    def __lt__(self, value: int) -> Condition:
        return Compare("<", self.size, _value(value))

    def __le__(self, value: int) -> Condition:
        return Compare("<=", self.size, _value(value))

    def __gt__(self, value: int) -> Condition:
        return Compare(">", self.size, _value(value))

    def __ge__(self, value: int) -> Condition:
        return Compare(">=", self.size, _value(value))


def all_of(*conditions: Condition) -> Condition:
    """Every condition holds."""
    return conditions[0] if len(conditions) == 1 else And(conditions)


def any_of(*conditions: Condition) -> Condition:
    """At least one condition holds."""
    return conditions[0] if len(conditions) == 1 else Or(conditions)


def not_(condition: Condition) -> Condition:
    """The condition does not hold."""
    return Not(condition)


@dataclass(frozen=True, slots=True)
class Stored:
    """How a field is stored; kept in pydantic's field metadata."""

    name: str | None = None
    stored: bool = True
    null: bool = False
    large: int = 0
    """Bytes beyond which a value goes to the file store; none where there is no such bound."""


def stored_as(info: FieldInfo) -> Stored:
    """How a field is stored."""
    return next((entry for entry in info.metadata if isinstance(entry, Stored)), Stored())


def attribute(
    name: str | None = None,
    *,
    default: Any = ...,
    default_factory: Any = None,
    stored: bool = True,
    null: bool = False,
    large: bool | int = False,
    **constraints: Any,
) -> Any:
    """A field: its stored name, its default, and pydantic's constraints (ge, le, max_length, pattern, …).

    `stored=False` is a part of the key that is not an attribute of its own; `null=True` stores None as NULL instead of
    leaving the attribute out; `large=True` keeps a value of over 32 KB (or so many bytes) in the file store.
    """
    if default_factory is not None:
        info = Field(default_factory=default_factory, **constraints)
    else:
        info = Field(default, **constraints)
    info.metadata.append(Stored(name, stored, null, LARGE_BYTES if large is True else int(large)))
    return info


def key_part(**constraints: Any) -> Any:
    """A field that only the key holds."""
    return attribute(stored=False, **constraints)


def _value(value: Any) -> Value:
    wire = to_wire(value)
    if wire is None:
        raise ModelError("None cannot be compared or added: use .missing() or .remove()")
    return Value(wire)
