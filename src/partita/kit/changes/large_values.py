"""Changes of items with values that lie in files: reading them, and deleting files that no item names any more."""

from __future__ import annotations

from typing import TypeVar

from partita.dynamo.values import Item as Row
from partita.kit.changes.handlers import Handler
from partita.store.store import AsyncStore
from partita.table import Item, LostValueError, Table, dropped_files
from partita.table.changes import Change
from partita.table.markers import markers_in

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type


def small_images(change: Change, item_type: type[I]) -> tuple[I | None, I | None]:
    """The images as one type without what lies in files, for handlers that need nothing of it."""
    return _small(item_type, change.old), _small(item_type, change.new)


async def whole_images(store: AsyncStore, change: Change, item_type: type[I]) -> tuple[I | None, I | None]:
    """The images as one type. Files that a later change has deleted already are left out; that change comes too."""
    return await _whole(store, item_type, change.old), await _whole(store, item_type, change.new)


def _small(item_type: type[I], row: Row | None) -> I | None:
    if row is None:
        return None
    files = markers_in(item_type, row)
    return item_type.from_own_row({name: value for name, value in row.items() if name not in files} if files else row)


async def _whole(store: AsyncStore, item_type: type[I], row: Row | None) -> I | None:
    try:
        return None if row is None else await store.read(item_type, row)
    except LostValueError:
        return _small(item_type, row)


def forget_large_values(name: str, table: Table, store: AsyncStore) -> Handler:
    """A handler that deletes the files that a change made unused; a second time there is nothing left to delete."""

    async def forget(change: Change) -> None:
        names = dropped_files(change.table, change.old, change.new)
        if store.files is not None:
            for each in sorted(names):
                await store.files.delete_async(each)

    return Handler(name, table, forget)
