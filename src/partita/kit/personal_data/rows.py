"""Rows of all tables: one after the other, read again, and changed only if nobody else has changed them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from partita.dynamo import requests
from partita.dynamo.errors import DynamoError, InternalServerError
from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Compare,
    Condition,
    Path,
    SetAction,
    Update,
    Value,
)
from partita.dynamo.values import Item as Row
from partita.kit.personal_data.holdings import Holding, Person
from partita.kit.personal_data.matching import may_concern
from partita.store.store import AsyncStore
from partita.table import Item, LostValueError, Table, dropped_files
from partita.table.effects import DeleteFiles, SaveFiles, Steps
from partita.table.large import stored_anew, with_files
from partita.table.markers import markers_of
from partita.table.scans import SegmentPage, segment_page

_log = logging.getLogger(__name__)


async def some_rows(store: AsyncStore, table: Table, after: Row | None, *, limit: int = 200) -> SegmentPage:
    """The next rows of a table. Ids stand in logs and in other people's items, which no index lists by person."""
    return await store.run(segment_page(table.name, segment=0, segments=1, after=after, limit=limit))


def holding_of(row: Row, holdings: Sequence[Holding]) -> Holding | None:
    """What a row is, if a system has declared it."""
    return next((each for each in holdings if each.item_type.owns(row)), None)


def key_of(table: Table, row: Row) -> Row:
    """The key of a row."""
    return {key.name: row[key.name] for key in table.keys}


async def row_now(store: AsyncStore, table: Table, key: Row) -> Row | None:
    """A row as it is now; None if it is gone."""

    def read() -> Steps[Row | None]:
        response = yield requests.GetItem(table=table.name, key=key, consistent=True)
        row: Row | None = response.get("Item")
        return row

    return await store.run(read())


class WholeRows:
    """Rows with the values that are too large for them and lie in files."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store
        self._without_person: set[str] = set()

    async def whole(self, table: Table, row: Row) -> Row | None:
        """The row with everything that belongs to it; None if it was deleted meanwhile."""
        try:
            return await self._store.run(with_files(table, row))
        except LostValueError as error:
            _log.warning("a large value is left out: %s", error)
            return row

    async def about(self, table: Table, row: Row, person: Person) -> Row | None:
        """The row, whole, if it may be about the person. A file never changes: one that says nothing of them is read
        once, however often its row comes."""
        markers = markers_of(table, row)
        if all(marker.name in self._without_person for marker in markers.values()):
            return row if may_concern(row, person) else None
        whole = await self.whole(table, row)
        if whole is None:
            return None
        for name, marker in markers.items():
            if name in whole and whole[name] != row[name] and not may_concern({name: whole[name]}, person):
                self._without_person.add(marker.name)
        return whole if may_concern(whole, person) else None


async def replace_row(
    store: AsyncStore, table: Table, before: Row, whole: Row, after: Row, item_type: type[Item] | None = None
) -> None:
    """Write how a whole row differs from what it shall be, under another key if that differs; `before` is the row as it
    is stored. `ConditionalCheckFailedError` or `TransactionCanceledError` if somebody was faster."""
    old, new = key_of(table, before), key_of(table, after)
    changed = {name: value for name, value in after.items() if value != whole[name]}
    if old != new:  # files belong to one item each: those of the old one go with it
        changed |= {name: after[name] for name in after if whole[name] != before.get(name)}
    files: dict[str, bytes] = {}
    stored = stored_anew(table, before, changed, files)
    dropped = tuple(dropped_files(table, before, {**before, **stored}))
    # Under another key the whole row is written, so all of it must be as it was read: nothing may have come to it.
    known = () if item_type is None else item_type.__layout__.names.values()
    same = _unchanged(table, before, stored if old == new else {**before, **dict.fromkeys(known)})

    def write() -> Steps[None]:
        if files:
            yield SaveFiles(files)
        try:
            yield _replacing(table, before, stored, new, same)
        except DynamoError as error:
            if files and not isinstance(error, InternalServerError):
                yield DeleteFiles(tuple(files))  # nothing was written, so nothing names them
            raise
        if dropped:
            yield DeleteFiles(dropped)  # the house's table has no stream that would tell

    await store.run(write())


def _replacing(
    table: Table, before: Row, stored: Row, new: Row, same: Condition
) -> requests.UpdateItem | requests.TransactWriteItems:
    old = key_of(table, before)
    if old == new:
        sets = tuple(SetAction(Path((name,)), Value(value)) for name, value in stored.items())
        return requests.UpdateItem(table=table.name, key=old, update=Update(sets), condition=same)
    free = AttributeNotExists(Path((table.pk.name,)))
    return requests.TransactWriteItems(
        actions=(
            requests.PutItem(table=table.name, item={**before, **stored}, condition=free),
            requests.DeleteItem(table=table.name, key=old, condition=same),
        )
    )


async def delete_row(store: AsyncStore, table: Table, row: Row) -> None:
    """Delete a row, whatever became of it."""

    def write() -> Steps[None]:
        yield requests.DeleteItem(table=table.name, key=key_of(table, row))

    await store.run(write())


def _unchanged(table: Table, before: Row, names: Iterable[str]) -> Condition:
    keys = {key.name for key in table.keys}
    same: list[Condition] = [AttributeExists(Path((table.pk.name,)))]
    for name in names:
        if name not in keys:
            path = Path((name,))
            same.append(Compare("=", path, Value(before[name])) if name in before else AttributeNotExists(path))
    return And(tuple(same)) if len(same) > 1 else same[0]
