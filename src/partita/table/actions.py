"""What an update does to an attribute, and what must hold so that the item can still be read afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, Generic, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from typing_extensions import TypeVar  # with defaults, which Python has from 3.13 on

from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    Comparator,
    Compare,
    Condition,
    Contains,
    DeleteAction,
    IfNotExists,
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
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue
from partita.table.annotations import is_set, type_name
from partita.table.codecs import Codec
from partita.table.constraints import Limits, bare, is_optional
from partita.table.declarations import stored_as
from partita.table.errors import InvalidValueError, ModelError
from partita.table.values import to_wire

if TYPE_CHECKING:
    from partita.table.attributes import AttributeOf

O = TypeVar("O", default=Any)  # noqa: E741 - the owner, as T is a type


class _Unknown:
    """A value only the table knows."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = _Unknown()


@dataclass(frozen=True, slots=True)
class Action(Generic[O]):
    """What an update does to one field; `value` is what it will be, if that is known."""

    owner: type[Any]
    field: str
    value: Any
    action: UpdateAction
    needs: Condition | None = None
    """What must hold, or the item could not be read afterwards."""

    if TYPE_CHECKING:  # makes it invariant

        def _about(self, owner: O) -> O: ...


class Changes:
    """The ways to change one attribute."""

    __slots__ = ("_codec", "_element", "_info", "_limits", "_of")

    def __init__(
        self, of: AttributeOf[Any, Any], info: FieldInfo, codec: Codec, element: Codec, limits: Limits
    ) -> None:
        if of.is_derived:
            raise ModelError(f"{of!r} is made of other fields: change those, and it follows")
        self._of = of
        self._info = info
        self._codec = codec
        self._element = element
        self._limits = limits

    # -- one value

    def set(self, value: Any) -> Action[Any]:
        checked = self._codec.validated(value)
        wire = self._codec.encode(checked)
        if wire is None and checked is None and (stored_as(self._info).null or self._of.is_nested):
            wire = {"NULL": True}
        if wire is None:
            self.check_absence(checked)
            return self._action(checked, RemoveAction(self._of.path))
        return self._action(checked, SetAction(self._of.path, Value(wire)))

    def check_absence(self, value: Any) -> None:
        """An attribute that is not there must read as this value."""
        absent = None if self._of.is_nested else self._of.owner_type.__layout__.read_without(self._of.field_name)
        if value != absent:
            raise InvalidValueError(
                f"{self._of!r} cannot be an empty set: DynamoDB has none, and without it this reads as {absent!r}"
            )

    def set_if_missing(self, value: Any) -> Action[Any]:
        wire = self._codec.encode(self._codec.validated(value))
        if wire is None:
            raise ModelError(f"{self._of!r} would be given nothing: leave it out")
        path = self._of.seen
        return self._action(UNKNOWN, SetAction(path, IfNotExists(path, Value(wire))))

    def remove(self) -> Action[Any]:
        if not self._may_be_away():
            raise InvalidValueError(
                f"{self._of!r} has no default, so items could not be read without it: set it instead"
            )
        return self._action(None, RemoveAction(self._of.path))

    def _may_be_away(self) -> bool:
        if self._of.is_member:
            return True  # of a list, whose rest moves up, or of a map
        held = self._of.annotation
        if get_origin(held) is Literal and len(get_args(held)) == 1 and not self._of.is_nested:
            return False  # it tells which type the row is
        empty = stored_as(self._info).null or not is_optional(held)
        if is_set(held) and empty and not self._of.is_nested:
            return not self._limits.min_length  # without the attribute it reads as empty, whatever the default
        if not self._info.is_required():
            factory = self._info.default_factory
            return factory is None or self._info.get_default(
                call_default_factory=True, validated_data={}
            ) == self._info.get_default(call_default_factory=True, validated_data={})
        return is_optional(held) and not self._of.is_nested

    # -- numbers

    def add(self, amount: Any) -> Action[Any]:
        with localcontext(prec=200):  # more digits than DynamoDB's numbers have; Decimal would round to 28
            return self._add(amount)

    def _add(self, amount: Any) -> Action[Any]:
        kind = bare(self._of.annotation)
        wanted = (int,) if kind is int else (int, Decimal)
        if kind not in (int, Decimal) or not isinstance(amount, wanted) or isinstance(amount, bool):
            raise InvalidValueError(f"{self._of!r} holds {type_name(kind)}, to which {amount!r} cannot be added")
        self._check_functions("counts")
        step = self._limits.multiple_of
        if step is not None and amount % _exact(step):
            raise InvalidValueError(f"{self._of!r} is a multiple of {step}: {amount!r} cannot be added")
        places = self._limits.decimal_places
        if places is not None and Decimal(amount) % Decimal(1).scaleb(-places):
            raise InvalidValueError(f"{self._of!r} has {places} decimal places: {amount!r} cannot be added")
        base = self._default() or 0
        path = self._of.seen
        action: UpdateAction = AddAction(path, _number(amount))
        if base or self._of.is_nested:  # ADD begins with zero, and only DynamoDB's top level has it
            action = SetAction(path, Arithmetic("+", IfNotExists(path, _number(base)), _number(amount)))
        return self._action(UNKNOWN, action, self._within(path, amount, base))

    def _within(self, path: Path, amount: Any, base: Any) -> Condition | None:
        """The number is such that it stays within its bounds."""
        limits = self._limits
        bounds: list[tuple[Comparator, Any]] = []
        if amount < 0:
            bounds = [(">=", limits.ge), (">", limits.gt)]
        elif amount > 0:
            bounds = [("<=", limits.le), ("<", limits.lt)]
        terms: list[Condition] = [
            Compare(operator, path, _number(_exact(bound) - amount)) for operator, bound in bounds if bound is not None
        ]
        result = base + amount
        fits = (
            (limits.ge is None or result >= limits.ge)
            and (limits.gt is None or result > limits.gt)
            and (limits.le is None or result <= limits.le)
            and (limits.lt is None or result < limits.lt)
        )
        return _or_absent(path, terms, fits)

    # -- lists

    def extend(self, elements: Iterable[Any], *, first: bool) -> Action[Any]:
        self._check_kind("list", list, tuple)
        self._check_functions("grows")
        wires = [self._encoded(element) for element in elements]
        if not wires:
            raise InvalidValueError(f"{self._of!r} gets nothing: leave it out, or give an element")
        path, default = self._of.seen, list(self._default() or ())
        there = IfNotExists(path, Value({"L": [self._encoded(element) for element in default]}))
        new = Value({"L": wires})
        operand = ListAppend(new, there) if first else ListAppend(there, new)
        most = self._limits.max_length
        room: list[Condition] = [] if most is None else [Compare("<=", Size(path), _number(most - len(wires)))]
        needs = _or_absent(path, room, self._fits(len(default) + len(wires)))
        return self._action(UNKNOWN, SetAction(path, operand), needs)

    def _fits(self, length: int) -> bool:
        most = self._limits.max_length
        return (self._limits.min_length or 0) <= length and (most is None or length <= most)

    # -- sets

    def join(self, members: Iterable[Any]) -> Action[Any]:
        wire, each = self._members(members)
        path, most = self._of.seen, self._limits.max_length
        room: list[Condition] = []
        if most is not None:
            there: Condition = (
                And(tuple(Contains(path, Value(one)) for one in each))
                if len(each) > 1
                else Contains(path, Value(each[0]))
            )
            room = [Or((Compare("<=", Size(path), _number(most - len(each))), there))]
        needs = _or_absent(path, room, self._fits(len(each)))
        return self._action(UNKNOWN, AddAction(path, Value(wire)), needs)

    def leave(self, members: Iterable[Any]) -> Action[Any]:
        wire, each = self._members(members)
        path, least = self._of.seen, self._limits.min_length
        needs: Condition | None = None
        if least:
            away: tuple[Condition, ...] = tuple(Not(Contains(path, Value(one))) for one in each)
            enough = Compare(">=", Size(path), _number(least + len(each)))
            needs = Or((enough, And(away) if len(away) > 1 else away[0]))
        return self._action(UNKNOWN, DeleteAction(path, Value(wire)), needs)

    def _members(self, members: Iterable[Any]) -> tuple[AttributeValue, list[AttributeValue]]:
        if self._of.is_nested:
            raise ModelError(
                f"{self._of!r} lies inside an attribute, where DynamoDB has no ADD and DELETE: set it whole"
            )
        self._check_kind("set", set, frozenset)
        self._check_functions("grows")
        each = list({repr(wire): wire for wire in map(self._encoded, members)}.values())
        if not each:
            raise InvalidValueError(f"{self._of!r} gets nothing: leave it out, or give a member")
        kinds = {next(iter(wire)) for wire in each}
        if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
            raise InvalidValueError(f"{self._of!r} is a set: DynamoDB has sets of text, of numbers and of bytes")
        kind = kinds.pop()
        return {f"{kind}S": [wire[kind] for wire in each]}, each

    # -- what all share

    def _check_kind(self, what: str, *wanted: type) -> None:
        kind = bare(self._of.annotation)
        origin, arguments = get_origin(kind) or kind, get_args(kind)
        if kind is not Any and (origin not in wanted or (origin is tuple and arguments and Ellipsis not in arguments)):
            raise InvalidValueError(
                f"{self._of!r} holds {type_name(kind)}, which is no {what} that grows: set it whole"
            )

    def _encoded(self, element: Any) -> AttributeValue:
        wire = self._element.encode(self._element.validated(element))
        return {"NULL": True} if wire is None else wire

    def _default(self) -> Any:
        """The value it reads as if nothing is stored."""
        if self._of.is_nested:
            default = self._info.get_default(call_default_factory=True, validated_data={})
            return None if self._info.is_required() else default
        return self._of.owner_type.__layout__.read_without(self._of.field_name)

    def _check_functions(self, what: str) -> None:
        if self._limits.free or self._codec.dump is not None:
            raise ModelError(
                f"A function checks {self._of!r}, and no condition can stand for it while the table {what}: use set(…)"
            )

    def _action(self, value: Any, action: UpdateAction, needs: Condition | None = None) -> Action[Any]:
        own = self._of.owner_type.__pydantic_decorators__
        for each in (*own.field_validators.values(), *own.validators.values()):
            if self._of.field_name in each.info.fields or "*" in each.info.fields:
                raise ModelError(
                    f"A validator of the class checks {self._of!r}, which no update of a part can run: write it "
                    "with Put, or make the function part of the type, as in Annotated[int, AfterValidator(…)]"
                )
        known = UNKNOWN if self._of.is_nested else value
        terms = [term for term in (needs, self._place_needs(action)) if term is not None]
        both = And(tuple(terms)) if len(terms) > 1 else terms[0] if terms else None
        return Action(self._of.owner_type, self._of.field_name, known, action, both)

    def _place_needs(self, action: UpdateAction) -> Condition | None:
        """What must hold of the list, map or model around a place, so that it stays what its type says."""
        around = self._of.inside
        if around is None:
            return None
        path, whole, limits = self._of.path, around.path, around.limits
        removes = isinstance(action, RemoveAction)
        if isinstance(path.parts[-1], int):
            there: Condition = AttributeExists(path)  # DynamoDB would append what is set beyond the end
            if removes and limits.min_length:
                return And((there, Compare(">", Size(whole), _number(limits.min_length))))
            return there
        if self._of.is_member and removes and limits.min_length:
            return Or((AttributeNotExists(path), Compare(">", Size(whole), _number(limits.min_length))))
        if self._of.is_member and not removes and limits.max_length is not None:
            return Or((AttributeExists(path), Compare("<", Size(whole), _number(limits.max_length))))
        return AttributeExists(whole)


def _or_absent(path: Path, terms: list[Condition], fits: bool) -> Condition | None:
    """The terms hold of the stored value; if there is none, the default decides."""
    if not terms:
        return None if fits else AttributeExists(path)
    there: Condition = terms[0] if len(terms) == 1 else And(tuple(terms))
    return Or((there, AttributeNotExists(path))) if fits else there


def _exact(bound: Any) -> Any:
    return Decimal(str(bound)) if isinstance(bound, float) else bound


def _number(value: Any) -> Value:
    wire = to_wire(value)
    assert wire is not None  # a number is never absent
    return Value(wire)
