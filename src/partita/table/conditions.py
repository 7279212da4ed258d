"""Conditions, each about items of one type, so that type checkers see where one is used for another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar  # with defaults, which Python has from 3.13 on

from partita.dynamo.expressions import tree
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import IN_OPERANDS
from partita.table.errors import InvalidValueError, ModelError

if TYPE_CHECKING:
    from partita.table.items import Item

O = TypeVar("O", default=Any)  # noqa: E741 - the owner, as T is a type


@dataclass(frozen=True, slots=True)
class Condition(Generic[O]):
    """Something that holds of an item, or does not."""

    tree: tree.Condition
    owner: type[Any] | None = None
    """The type of the items that it is about; None if it may be any."""

    if TYPE_CHECKING:  # makes it invariant: a condition is about this type, not about some of its relatives

        def _about(self, owner: O) -> O: ...

    def __and__(self, other: Condition[O]) -> Condition[O]:
        return all_of(self, other)

    def __or__(self, other: Condition[O]) -> Condition[O]:
        return any_of(self, other)

    def __invert__(self) -> Condition[O]:
        return not_(self)

    def __bool__(self) -> bool:
        raise ModelError("A condition is neither true nor false here: join conditions with all_of, any_of and not_")


@dataclass(frozen=True, slots=True, eq=False)
class SizeOf(Generic[O]):
    """The size of an attribute, to be compared."""

    size: tree.Size
    owner: type[Any]

    def equals(self, value: int) -> Condition[O]:
        return self._compared("=", value)

    def differs(self, value: int) -> Condition[O]:
        return self._compared("<>", value)

    def between(self, low: int, high: int) -> Condition[O]:
        check_order(low, high)
        return Condition(tree.Between(self.size, _number(low), _number(high)), self.owner)

    def __lt__(self, value: int) -> Condition[O]:
        return self._compared("<", value)

    def __le__(self, value: int) -> Condition[O]:
        return self._compared("<=", value)

    def __gt__(self, value: int) -> Condition[O]:
        return self._compared(">", value)

    def __ge__(self, value: int) -> Condition[O]:
        return self._compared(">=", value)

    def __eq__(self, other: object) -> bool:
        raise ModelError("size() == … would compare Python objects. Write .size().equals(…) or .differs(…)")

    __hash__ = object.__hash__

    def _compared(self, operator: tree.Comparator, value: int) -> Condition[O]:
        return Condition(tree.Compare(operator, self.size, _number(value)), self.owner)


def _number(value: int) -> tree.Value:
    return tree.Value({"N": str(value)})


def all_of(*conditions: Condition[O]) -> Condition[O]:
    """Every condition holds."""
    if not conditions:
        raise ModelError("all_of() of no conditions: give at least one, or leave it out")
    _trees(conditions)
    return conditions[0] if len(conditions) == 1 else Condition(tree.And(_trees(conditions)), _owner(conditions))


def any_of(*conditions: Condition[O]) -> Condition[O]:
    """At least one condition holds."""
    if not conditions:
        raise ModelError("any_of() of no conditions: give at least one, or leave it out")
    return conditions[0] if len(conditions) == 1 else Condition(tree.Or(_trees(conditions)), _owner(conditions))


def not_(condition: Condition[O]) -> Condition[O]:
    """The condition does not hold."""
    return Condition(tree.Not(_trees((condition,))[0]), condition.owner)


def _trees(conditions: tuple[Condition[Any], ...]) -> tuple[tree.Condition, ...]:
    for condition in conditions:
        expect_condition(condition)
    return tuple(condition.tree for condition in conditions)


def _owner(conditions: tuple[Condition[Any], ...]) -> type[Any] | None:
    owners = {condition.owner for condition in conditions if condition.owner is not None}
    if len(owners) > 1:
        names = " and ".join(sorted(owner.__name__ for owner in owners))
        raise ModelError(f"A condition is about items of one type, not about {names}")
    return next(iter(owners), None)


def expect_condition(condition: object) -> None:
    """Refuse what is no condition, such as the result of `==`."""
    if not isinstance(condition, Condition):
        raise ModelError(f"{condition!r} is no condition: make one from an attribute, as in Book.stars > 3")


def tree_for(condition: Condition[Any], *item_types: type[Item]) -> tree.Condition:
    """The syntax tree of a condition about one of these types."""
    expect_condition(condition)
    owner = condition.owner
    if owner is not None and not any(owner is kind or issubclass(kind, owner) for kind in item_types):
        wanted = " or ".join(kind.__name__ for kind in item_types)
        raise ModelError(f"A condition on {owner.__name__} says nothing about {wanted}: use attributes of {wanted}")
    return condition.tree


def check_order(low: Any, high: Any) -> None:
    """DynamoDB refuses a range whose end comes before its start."""
    if low > high:
        raise InvalidValueError(f"between({low!r}, {high!r}) is empty: give the smaller one first")


def check_choices(choices: int) -> None:
    """DynamoDB compares with one to a hundred values."""
    if not 1 <= choices <= IN_OPERANDS:
        raise InvalidValueError(
            f"one_of() of {choices} values: give 1 to {IN_OPERANDS}; join several with any_of(…), or ask no question "
            "that nothing can answer"
        )


def paths_in(condition: tree.Condition) -> Iterator[tree.Path]:
    """Every path that a condition looks at."""
    match condition:
        case tree.And(terms) | tree.Or(terms):
            for term in terms:
                yield from paths_in(term)
        case tree.Not(term):
            yield from paths_in(term)
        case tree.AttributeExists(path) | tree.AttributeNotExists(path):
            yield path
        case tree.AttributeType(operand, _):
            yield from _paths(operand)
        case tree.Compare(_, left, right):
            yield from _paths(left, right)
        case tree.Between(operand, low, high):
            yield from _paths(operand, low, high)
        case tree.In(operand, choices):
            yield from _paths(operand, *choices)
        case tree.BeginsWith(operand, other) | tree.Contains(operand, other):
            yield from _paths(operand, other)


def _paths(*operands: tree.Operand) -> Iterator[tree.Path]:
    for operand in operands:
        inner = operand.of if isinstance(operand, tree.Size) else operand
        if isinstance(inner, tree.Path):
            yield inner
