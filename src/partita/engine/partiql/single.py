"""The one item that a write, or a read in a batch or a transaction, is about: its key, and what else is asked."""

from __future__ import annotations

from collections.abc import Iterator

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import And, Compare, Condition, In, Path, Value
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue, Item, equal, type_of
from partita.engine.definitions import Table

INCOMPLETE = "Where clause does not contain a mandatory equality on all key attributes"


@dataclass(frozen=True, slots=True)
class One:
    """A key, whole or not, the conditions besides, and the first key attribute with two different values."""

    key: Item
    rest: tuple[Condition, ...]
    twice: str | None

    def is_whole(self, table: Table) -> bool:
        return len(self.key) == len(table.keys)

    def checked_key(self, table: Table) -> Item:
        """The whole key, in the words of a single write."""
        if self.twice is not None:
            raise ValidationError(
                f"Multiple conditions on same key {self.twice}. Only single item Update/Insert/Delete are supported"
            )
        if not self.is_whole(table):
            raise ValidationError(INCOMPLETE)
        check_key_types(table, self.key)
        return self.key


def check_key_types(table: Table, item: Item) -> None:
    """Refuse an item or key whose key attributes are missing or of another type."""
    for name, kind in table.keys:
        value = item.get(name)
        if value is None:
            raise ValidationError(f"Key attribute should be present in the item: Key {name}")
        if type_of(value) != kind:
            raise ValidationError(f"Key attribute's data type should match its data type in table's schema: Key {name}")


def one(table: Table, where: Condition | None, *, choices: bool = False) -> One:
    """Which item a WHERE is about; with `choices`, IN with one value is an equality too."""
    key: Item = {}
    rest: list[Condition] = []
    twice: str | None = None
    names = {name for name, _ in table.keys}
    for condition in _conjuncts(where):
        found = _equality(condition, names, choices=choices)
        if found is None:
            rest.append(condition)
            continue
        name, value = found
        if name in key and not equal(key[name], value):
            twice = twice or name
            rest.append(condition)
        key.setdefault(name, value)
    return One(key, tuple(rest), twice)


def _conjuncts(where: Condition | None) -> Iterator[Condition]:
    if isinstance(where, And):
        for term in where.terms:
            yield from _conjuncts(term)
    elif where is not None:
        yield where


def _equality(condition: Condition, names: set[str], *, choices: bool) -> tuple[str, AttributeValue] | None:
    left: object
    right: object
    match condition:
        case Compare("=", left, right):
            pass
        case In(left, (right,)) if choices:
            pass
        case _:
            return None
    if isinstance(left, Value):
        left, right = right, left
    if isinstance(left, Path) and isinstance(right, Value) and len(left.parts) == 1 and left.parts[0] in names:
        return str(left.parts[0]), right.value
    return None
