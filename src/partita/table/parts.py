"""The values a request is given for fields; those of a query must be parts of the key it reads by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from partita.table.attributes import Given
from partita.table.errors import InvalidValueError, KeyPartError, ModelError, SchemaError
from partita.table.suggest import instead_of
from partita.table.tables import Index, Table

if TYPE_CHECKING:
    from partita.table.items import Item


def given_values(
    item_type: type[Item], parts: tuple[Any, ...], named: Mapping[str, Any], *, derived: str = ""
) -> dict[str, Any]:
    """Field → value, of what was given for a type's attributes. Type checkers allow nothing by name."""
    attributes = item_type.__attributes__
    for name in named:
        choice = f"{item_type.__name__}.{name}(…)" if name in attributes else instead_of(name, attributes)
        raise KeyPartError(f"{name}=… is not typed: give {choice}")
    values: dict[str, Any] = {}
    for part in parts:
        if not isinstance(part, Given):
            example = next(iter(item_type.model_fields), "field")
            raise ModelError(f"{part!r} names no attribute: give {item_type.__name__}.{example}(…)")
        if part.owner is not item_type and not issubclass(item_type, part.owner):
            raise ModelError(f"{part.owner.__name__}.{part.field} is not an attribute of {item_type.__name__}")
        if part.field in values:
            raise ModelError(f"{item_type.__name__}.{part.field} is given twice")
        if derived and part.field not in item_type.model_fields:
            raise InvalidValueError(f"{item_type.__name__}.{part.field} is derived: {derived}")
        if not derived:
            attributes[part.field].check_part(part.value)
        values[part.field] = part.value
    return values


def check_index(table: Table, index: object) -> None:
    """An index must be one of the table's own; its name is not enough."""
    if index is not None and not (isinstance(index, Index) and index.table is table):
        names = ", ".join(each.name for each in table.indexes) or "none"
        step = f"give what {table.name}.index(…) returned ({names})"
        raise SchemaError(f"{index!r} is not an index of {table.name}: {step}")


def check_parts(item_type: type[Item], index: Index | None, parts: Mapping[str, Any]) -> None:
    """Every part is used, none is None, and none of the sort key is given without those before it."""
    partition, order = _roles(item_type, index)
    for name, value in parts.items():
        if value is None or (name not in partition and (name not in order or not parts.keys() >= order[name])):
            raise KeyPartError(_why(item_type, index, parts, name))


@cache
def _roles(item_type: type[Item], index: Index | None) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """The fields of the partition key; and those of the sort key, each with the fields that come before it."""
    layout, table = item_type.__layout__, item_type.__table__
    partition = [name for key in (index.pk if index else (table.pk,)) for name in layout.inputs(key.name)]
    order = [name for key in (index.sk if index else table.keys[1:]) for name in layout.inputs(key.name)]
    return frozenset(partition), {name: frozenset(order[:at]) - {name} for at, name in enumerate(order)}


def _why(item_type: type[Item], index: Index | None, parts: Mapping[str, Any], name: str) -> str:
    what, where = item_type.__name__, repr(index) if index else item_type.__table__.name
    _, order = _roles(item_type, index)
    if name not in item_type.__attributes__:
        return f"{what} has no {name}: {instead_of(name, item_type.__attributes__)}"
    if parts[name] is None:
        return f"{name} is None, and keys have no empty parts: give a value, or leave {name} out"
    if index is not None and not all(item_type.__layout__.makes(key.name) for key in index.pk):
        return f"{what} never writes {', '.join(key.name for key in index.pk)}, so {where} cannot find it"
    if name not in order:
        hint = f"{what}.query(…).where({what}.{name}.equals(…))"
        return f"{name} is not part of the key of {where}: filter with {hint}, or declare an index"
    partition, _ = _roles(item_type, index)
    lacking = [each for each in item_type.__attributes__ if each in partition - parts.keys()]
    if lacking:
        return _lacks_partition(item_type, index, lacking, parts)
    missing = ", ".join(other for other in order if other in order[name] - parts.keys())
    return f"{where} is sorted by {', '.join(order)}: {name} needs {missing} too"


def incomplete(item_type: type[Item], what: str, fields: tuple[str, ...]) -> KeyPartError:
    """A partition key lacks a part."""
    wanted = ", ".join(f"{item_type.__name__}.{name}(…)" for name in fields)
    return KeyPartError(f"{what} of {item_type.__name__} is made of {', '.join(fields)}: give {wanted}")


def _lacks_partition(item_type: type[Item], index: Index | None, lacking: list[str], parts: Mapping[str, Any]) -> str:
    """A query reads one partition; if what is given is the key of another index, that is named."""
    what, where = item_type.__name__, repr(index) if index else item_type.__table__.name
    layout = item_type.__layout__
    others = [
        other.name
        for other in item_type.__table__.indexes
        if other is not index and {name for key in other.pk for name in layout.inputs(key.name)} == set(parts)
    ]
    step = f"give {', '.join(f'{what}.{name}(…)' for name in lacking)} too"
    step += f", or the index first: {', '.join(others)}" if others else ""
    return f"{where} is read by {', '.join(lacking)}: {step}"
