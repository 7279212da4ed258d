"""Optimistic locking: nobody is kept from reading, and whoever writes late is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from partita.dynamo.expressions.tree import And, AttributeNotExists, Compare, Condition, Or, Path, Value
from partita.dynamo.values import AttributeValue
from partita.table.actions import Action
from partita.table.attributes import AttributeOf
from partita.table.declarations import Version, attribute
from partita.table.errors import ChangedMeanwhileError, ModelError

if TYPE_CHECKING:
    from partita.table.items import Item
    from partita.table.writes import Key

I = TypeVar("I", bound="Item")  # noqa: E741 - an item, as T is a type


def version(name: str | None = None) -> Any:
    """A field that counts the versions of an item: 1 when it is new, one more with every `next_version()`.

    The first version is not stored, so that rows of tables that never counted them stay as they are.
    """
    info = attribute(name, default=1, ge=1)
    info.metadata.append(Version())
    return info


def unchanged(key: Key[Any], read: Item, attributes: Iterable[AttributeOf[Any, Any]]) -> Condition:
    """The item is there, and these attributes of it are what they were when it was read."""
    _check_same_item(key, read)
    terms: list[Condition] = [key.present().tree]
    layout = read.__layout__
    for each in attributes:
        if each.is_nested or read.__attributes__.get(each.field_name) is not each:
            raise ModelError(f"{each!r} is not an attribute of {type(read).__name__}")
        if each.is_derived:
            terms.append(same(each.seen, _derived_as_read(read, each), False))
            continue
        value = getattr(read, each.field_name)
        terms.append(same(each.seen, _stored(read, each, value), value == layout.read_without(each.field_name)))
    return And(tuple(terms))


def _derived_as_read(read: Item, attribute: AttributeOf[Any, Any]) -> AttributeValue | None:
    """A derived attribute as it was stored: another program may have stored something else than follows."""
    stored = read.__dict__.get("_as_stored")
    if stored is not None:
        value: AttributeValue | None = stored.get(attribute.stored_name)
        return value
    return read.__layout__.computed[attribute.stored_name].wire(read.__dict__)


def _stored(read: Item, attribute: AttributeOf[Any, Any], value: Any) -> AttributeValue | None:
    wire = attribute.codec.encode(value)
    return {"NULL": True} if wire is None and value is None and attribute.field_name in read.__layout__.nulls else wire


def same(path: Path, value: AttributeValue | None, default: bool) -> Condition:
    """The stored value is this one; a missing attribute will do if it reads as this value."""
    if value is None:
        return AttributeNotExists(path)
    same = Compare("=", path, Value(value))
    # What is stored as NULL, or as its default, and what is not stored are read alike.
    return Or((same, AttributeNotExists(path))) if default or "NULL" in value else same


def same_version(key: Key[Any], read: Item) -> Condition:
    """The item is there in the version that was read. What was written before versions were counted is the first."""
    _check_same_item(key, read)
    counted = version_of(type(read))
    number: int = getattr(read, counted.field_name)
    same = counted.equals(number).tree
    return And((key.present().tree, Or((same, counted.missing().tree)) if number == 1 else same))


def _check_same_item(key: Key[Any], read: Item) -> None:
    if read.own_key.wire != key.wire:
        raise ModelError(f"A write of {key.wire} cannot depend on another item: {read.own_key.wire}. Use a Check.")


def next_version(item: I) -> I:
    """The item with its version counted up."""
    counted = version_of(type(item))
    return item.with_(counted(getattr(item, counted.field_name) + 1))


def set_next_version(read: Item) -> Action[Any]:
    """The update that counts the version up."""
    attribute = version_of(type(read))
    return attribute.set(getattr(read, attribute.field_name) + 1)


@cache
def version_of(item_type: type[Item]) -> AttributeOf[Any, int]:
    """The attribute that counts the versions of a type."""
    marked = [
        field
        for field, info in item_type.model_fields.items()
        if any(isinstance(entry, Version) for entry in info.metadata)
    ]
    if len(marked) != 1:
        raise ModelError(f"{item_type.__name__} has {len(marked)} version() fields, and next_version() needs one")
    return item_type.__attributes__[marked[0]]


def changed_meanwhile(key: Key[Any]) -> Callable[[Item | None], ChangedMeanwhileError]:
    """What it means that an item is no longer what was read."""
    text = ", ".join(str(next(iter(value.values()))) for value in key.wire.values())
    return lambda there: ChangedMeanwhileError(f"{key.item_type.__name__} {text}", there)
