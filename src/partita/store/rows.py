"""All rows of a table, whatever they are: for what takes in or moves everything that is there."""

from __future__ import annotations

from collections.abc import AsyncIterator

from partita.store.store import AsyncStore
from partita.table import Table
from partita.table.migrations import Row
from partita.table.scans import segment_page


async def every_row(store: AsyncStore, table: Table, *, chunk: int = 500) -> AsyncIterator[Row]:
    """One row after the other, read by so many at a time."""
    after = None
    while True:
        page = await store.run(segment_page(table.name, segment=0, segments=1, after=after, limit=chunk))
        for row in page.rows:
            yield row
        after = page.after
        if after is None:
            return
