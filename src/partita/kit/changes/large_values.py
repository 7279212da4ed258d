"""Deletes the files of large values that no item refers to any more."""

from __future__ import annotations

from partita.kit.changes.handlers import Handler
from partita.store.store import AsyncStore
from partita.table import Table, dropped_files
from partita.table.changes import Change


def forget_large_values(name: str, table: Table, store: AsyncStore) -> Handler:
    """A handler that deletes the files that a change made unused; a second time there is nothing left to delete."""

    async def forget(change: Change) -> None:
        names = dropped_files(change.table, change.old, change.new)
        if store.files is not None:
            for each in sorted(names):
                await store.files.delete_async(each)

    return Handler(name, table, forget)
