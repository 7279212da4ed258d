"""Item types that are made while a test runs, and how many examples a law takes."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

from hypothesis import HealthCheck, settings

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, Table

_NUMBERS = count(1)
_TIMES = float(os.environ.get("PARTITA_EXAMPLES", "1"))


def examples(number: int) -> settings:
    """So many examples, times PARTITA_EXAMPLES for a long run."""
    unhurried = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=max(1, int(number * _TIMES)), deadline=None, suppress_health_check=unhurried)


def new_table(**declared: Any) -> Table:
    """A table that no other test has."""
    return Table(f"law{next(_NUMBERS)}", **{"pk": "PK", "sk": "SK", **declared})


def declared(
    name: str, table: Table, fields: Mapping[str, tuple[Any, Any]], body: Mapping[str, Any] | None = None, **given: Any
) -> Any:
    """An item type with these fields, each a type and its declaration, and whatever else its body has."""

    wrapped: Any = Attribute

    def fill(names: dict[str, Any]) -> None:
        names["__module__"] = __name__
        for field, (annotation, declaration) in fields.items():
            names[field] = declaration
            names["__annotations__"][field] = wrapped[annotation]
        names.update(body or {})

    return types.new_class(name, (Item,), {"table": table, **given}, fill)


@contextmanager
def temporary_store(**given: Any) -> Iterator[EmbeddedStore]:
    """A store that remembers no rows, so that every row is read anew."""
    with Engine.temporary(background=False) as engine:
        yield EmbeddedStore(engine, **{"remembered": 0, **given})


def rows_of(store: EmbeddedStore, table: Table) -> list[dict[str, Any]]:
    """Everything that is stored."""
    found: list[dict[str, Any]] = store.engine.call("Scan", {"TableName": table.name})["Items"]
    return found
