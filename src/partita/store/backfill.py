"""Index keys for rows that were written before the index was declared.

DynamoDB fills a new index from what rows hold, and rows of an earlier schema lack the attributes that only this index
needs. They are written before the index is added: if that is interrupted, the index is still missing, and the next
start begins again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from partita.dynamo.errors import ConditionalCheckFailedError, ResourceNotFoundError
from partita.store.doctor import Ailment, Runs, examine, examined, mend, row_under
from partita.table.tables import Index, Table

Call = Callable[[str, dict[str, Any]], dict[str, Any]]
_log = logging.getLogger("partita.tables")
_MOST_TRIES = 10


def backfill(store: Runs, call: Call, table: Table) -> None:
    """Write the keys of the indexes that are declared with `backfill` and that an existing table lacks."""
    missing = _missing(call, table)
    if not missing:
        return
    wanted = {key.name for index in missing for key in index.key_names}
    count = sum(_mend(store, ailment, wanted) for ailment in examine(store, table))
    names = ", ".join(index.name for index in missing)
    _log.warning("%s: the key of the new index %s was written into %d rows", table.name, names, count)


def _missing(call: Call, table: Table) -> Sequence[Index]:
    declared = [index for index in table.indexes if index.backfill]
    if not declared:
        return ()
    try:
        described = call("DescribeTable", {"TableName": table.name})["Table"]
    except ResourceNotFoundError:
        return ()
    there = {each["IndexName"] for each in described.get("GlobalSecondaryIndexes") or ()}
    return [index for index in declared if index.name not in there]


def _mend(store: Runs, ailment: Ailment | None, wanted: set[str]) -> bool:
    """Make the derived attributes of a row anew, if one of those that are wanted is not right."""
    for _ in range(_MOST_TRIES):
        if ailment is None or ailment.kind != "stale" or not wanted.intersection(name for name, _ in ailment.wrong):
            return False
        try:
            return mend(store, ailment)
        except ConditionalCheckFailedError:  # the row was changed meanwhile
            row = row_under(store, ailment.table, ailment.key)
            ailment = None if row is None else examined(store, ailment.table, row)
    raise ConditionalCheckFailedError("A row kept changing while the key of a new index was written. Start again.")
