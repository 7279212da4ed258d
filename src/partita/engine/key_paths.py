"""Keys are scalars: no expression may reach inside an attribute that is a key of the table or of any of its indexes.

Nearly every expression names whole attributes only, which a look tells; the paths of the others are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import (
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Compare,
    Condition,
    Path,
    Projection,
    SetAction,
    Update,
    Value,
)
from partita.dynamo.expressions.walk import paths_in, paths_in_update
from partita.engine.definitions import Table


def check_condition(table: Table, condition: Condition | None) -> None:
    """Refuse a condition, filter or key condition with a path into a key attribute."""
    if condition is not None and not _LOOKS.get(type(condition), _unsure)(condition):
        _check(table, paths_in(condition))


def check_projection(table: Table, projection: Projection | None) -> None:
    """Refuse a projection with a path into a key attribute."""
    if projection is not None:
        _check(table, projection.paths)


def check_update(table: Table, update: Update | None) -> None:
    """Refuse an update with a path into a key attribute, on either side."""
    if update is None:
        return
    for action in update.actions:
        if len(action.path.parts) > 1 or (type(action) is SetAction and not _is_whole(action.operand)):
            _check(table, paths_in_update(update))
            return


def _is_whole(operand: Any) -> bool:
    kind = type(operand)
    if kind is Value:
        return True
    if kind is Path:
        return len(operand.parts) == 1
    return kind is Arithmetic and _is_whole(operand.left) and _is_whole(operand.right)


def _unsure(_condition: Any) -> bool:
    return False


_LOOKS: dict[type, Callable[[Any], bool]] = {
    AttributeExists: lambda node: _is_whole(node.path),
    AttributeNotExists: lambda node: _is_whole(node.path),
    Compare: lambda node: _is_whole(node.left) and _is_whole(node.right),
    BeginsWith: lambda node: _is_whole(node.operand) and _is_whole(node.prefix),
}


def _check(table: Table, paths: Iterable[Path]) -> None:
    for path in paths:
        if len(path.parts) > 1:
            for name, what in _keys(table):
                if path.parts[0] == name:
                    raise ValidationError(
                        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                        f"{what}: {name}"
                    )


def _keys(table: Table) -> Iterator[tuple[str, str]]:
    for name, _ in table.keys:
        yield name, "Key"
    for index in table.indexes:
        for name in index.key_names:
            yield name, "IndexKey"
