"""Optimistic locking: nobody is kept from reading, and whoever writes late is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from partita.dynamo.expressions.tree import And, AttributeNotExists, Compare, Condition, Or, Path, Value
from partita.dynamo.values import AttributeValue
from partita.table.attributes import Action, Attribute, attribute
from partita.table.errors import ChangedMeanwhileError, ModelError

if TYPE_CHECKING:
    from partita.table.items import Item
    from partita.table.writes import Key

I = TypeVar("I", bound="Item")  # noqa: E741 - an item, as T is a type


@dataclass(frozen=True, slots=True)
class _Version:
    """Marks the field that counts an item's versions."""


def version(name: str | None = None) -> Any:
    """A field that counts the versions of an item: 1 when it is new, one more with every `next_version()`."""
    info = attribute(name, default=1, ge=1)
    info.metadata.append(_Version())
    return info


def unchanged(key: Key[Any], read: Item, attributes: Iterable[Attribute[Any]]) -> Condition:
    """The item is there, and these attributes of it are what they were when it was read."""
    _check_same_item(key, read)
    row = read.__layout__.encode(read)
    terms: list[Condition] = [key.present()]
    for each in attributes:
        if read.__attributes__.get(each.field) is not each:
            raise ModelError(f"{each!r} is no attribute of {type(read).__name__}")
        default = getattr(read, each.field) == read.__layout__.absent_as(each.field)
        terms.append(_same(each.seen, row.get(each.name), default))
    return And(tuple(terms))


def _same(path: Path, value: AttributeValue | None, default: bool) -> Condition:
    if value is None:
        return AttributeNotExists(path)
    same = Compare("=", path, Value(value))
    # What is stored as NULL, or as its default, and what is not stored are read alike.
    return Or((same, AttributeNotExists(path))) if default or "NULL" in value else same


def same_version(key: Key[Any], read: Item) -> Condition:
    """The item is there in the version that was read. What was written before versions were counted is the first."""
    _check_same_item(key, read)
    counted = version_of(type(read))
    number: int = getattr(read, counted.field)
    same = counted.equals(number)
    return And((key.present(), Or((same, counted.missing())) if number == 1 else same))


def _check_same_item(key: Key[Any], read: Item) -> None:
    if read.own_key.wire != key.wire:
        raise ModelError(f"A write of {key.wire} cannot depend on another item: {read.own_key.wire}. Use a Check.")


def next_version(item: I) -> I:
    """The item with its version counted up."""
    field = version_of(type(item)).field
    return item.model_copy(update={field: getattr(item, field) + 1})


def set_next_version(read: Item) -> Action:
    """The update that counts the version up."""
    found = version_of(type(read))
    return found.set(getattr(read, found.field) + 1)


@cache
def version_of(item_type: type[Item]) -> Attribute[int]:
    """The attribute that counts the versions of a type."""
    marked = [
        field
        for field, info in item_type.model_fields.items()
        if any(isinstance(entry, _Version) for entry in info.metadata)
    ]
    if len(marked) != 1:
        raise ModelError(f"{item_type.__name__} has {len(marked)} version() fields, and next_version() needs one")
    return item_type.__attributes__[marked[0]]


def changed_meanwhile(key: Key[Any]) -> Callable[[Item | None], ChangedMeanwhileError]:
    """What it means that an item is no longer what was read."""
    shown = ", ".join(str(next(iter(value.values()))) for value in key.wire.values())
    return lambda there: ChangedMeanwhileError(f"{key.item_type.__name__} {shown}", there)
