"""Keys are scalars: no expression may reach inside an attribute that is a key of the table or of any of its indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Condition, Path, Projection, Update
from partita.dynamo.expressions.walk import paths_in, paths_in_update
from partita.engine.definitions import Table


def check_condition(table: Table, condition: Condition | None) -> None:
    """Refuse a condition, filter or key condition with a path into a key attribute."""
    if condition is not None:
        _check(table, paths_in(condition))


def check_projection(table: Table, projection: Projection | None) -> None:
    """Refuse a projection with a path into a key attribute."""
    if projection is not None:
        _check(table, projection.paths)


def check_update(table: Table, update: Update | None) -> None:
    """Refuse an update with a path into a key attribute, on either side."""
    if update is not None:
        _check(table, paths_in_update(update))


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
