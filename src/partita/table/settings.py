"""What an installation decides about a table without touching its schema: its name, and how far an index is spread.

Both are environment variables, read once, when the table is declared: what is made from a table may rely on them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from partita.table.errors import SchemaError
from partita.table.suggest import instead_of

if TYPE_CHECKING:
    from partita.table.tables import Table

_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_TABLE, _SHARDS = "PARTITA_TABLE_", "PARTITA_SHARDS_"


def table_variable(table: str) -> str:
    """The variable that names a table: `fus-main` → `PARTITA_TABLE_FUS_MAIN`."""
    return _TABLE + _spelt(table)


def shards_variable(table: str, index: str | None) -> str:
    """The variable that spreads an index (`fus-main`, `byTag` → `PARTITA_SHARDS_FUS_MAIN_BYTAG`) or its table."""
    return _SHARDS + "_".join(_spelt(name) for name in (table, index) if name is not None)


def name_of(table: str, variable: str | None) -> str:
    """What a table is called here; a schema may have a variable of its own, which goes after ours."""
    for name in (table_variable(table), variable):
        chosen = os.environ.get(name, "") if name else ""
        if chosen and not _NAME.fullmatch(chosen):
            raise SchemaError(f"{name}={chosen}: a table's name is 3 to 255 letters, digits, `_`, `-` or `.`")
        if chosen:
            return chosen
    return table


def check_name(table: str) -> None:
    """DynamoDB's rule for the names of tables."""
    if not _NAME.fullmatch(table):
        raise SchemaError(f"{table!r} names no table: give 3 to 255 letters, digits, `_`, `-` or `.`")


def shards_of(table: str, index: str | None, declared: int) -> int:
    """How many partitions a value of the partition key is spread over, of an index or of the table itself."""
    variable = shards_variable(table, index)
    chosen = os.environ.get(variable)
    if not chosen:
        return declared
    if not chosen.isdecimal() or not 1 <= int(chosen) <= 256:
        raise SchemaError(f"{variable}={chosen}: give a number of shards, 1 to 256")
    return int(chosen)


def misspelt(tables: Iterable[Table], environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables that look like settings of tables and are none, with what was probably meant."""
    variables: list[str] = []
    for table in tables:
        variables += [table_variable(table.default_name), shards_variable(table.default_name, None)]
        variables += [shards_variable(table.default_name, index.name) for index in table.indexes]
    for variable in environment:
        if variable.startswith((_TABLE, _SHARDS)) and variable not in variables:
            yield variable, instead_of(variable, variables)


def _spelt(name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", name.upper())
