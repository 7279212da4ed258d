"""The list of tables: stored in the file, cached per process, read again when another process has changed it."""

from __future__ import annotations

from collections.abc import Mapping

import apsw
import orjson

from partita.dynamo.errors import ResourceNotFoundError
from partita.dynamo.frozen import dataclass
from partita.engine import definitions
from partita.engine.definitions import Table
from partita.engine.place import Place


@dataclass(frozen=True, slots=True)
class Catalog:
    """The tables at one version."""

    version: int
    tables: Mapping[str, Table]
    place: Place
    guarded: bool = False
    """Whether any table has a resource policy."""
    watched: bool = False
    """Whether the keys of any table are counted."""

    def table(self, name: str) -> Table:
        """The table of that name or ARN, ready for use."""
        table = self.tables.get(name) or self.tables.get(self.place.table_name(name))
        if table is None or table.restoring is not None:
            raise missing_table()
        return table


EMPTY = Catalog(0, {}, Place())


def missing_table(name: str | None = None) -> ResourceNotFoundError:
    """DynamoDB's error for a missing table."""
    detail = "" if name is None else f": Table: {name} not found"
    return ResourceNotFoundError("Requested resource not found" + detail)


def version(connection: apsw.Connection) -> int:
    """The version in the file."""
    return int(next(connection.execute("SELECT version FROM catalog"))[0])


def load(connection: apsw.Connection, place: Place) -> Catalog:
    """The catalog in the file; the caller has a transaction open."""
    rows = connection.execute("SELECT definition FROM tables")
    tables = [definitions.from_json(orjson.loads(definition)) for (definition,) in rows]
    return Catalog(
        version(connection),
        {table.name: table for table in tables},
        place,
        guarded=any(table.policies for table in tables),
        watched=any(table.insights for table in tables),
    )


def next_id(connection: apsw.Connection) -> int:
    """An id that no table, index or stream has had before."""
    (number,) = next(connection.execute("UPDATE catalog SET next_id = next_id + 1 RETURNING next_id - 1"))
    return int(number)


def save(connection: apsw.Connection, table: Table) -> None:
    """Write a table's definition; other processes see it at their next write, or when they miss something."""
    connection.execute(
        "INSERT INTO tables (id, name, definition) VALUES (?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, definition = excluded.definition",
        (table.id, table.name, definitions.to_json(table)),
    )
    touch(connection)


def remove(connection: apsw.Connection, table: Table) -> None:
    """Delete a table's definition."""
    connection.execute("DELETE FROM tables WHERE id = ?", (table.id,))
    touch(connection)


def touch(connection: apsw.Connection) -> None:
    """Make every process read the catalog again."""
    connection.execute("UPDATE catalog SET version = version + 1")
