"""What a deleted list leaves behind: removed in batches, as often as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import ListRemoval, ListTotals, WatchlistItem
from partita.apps.worthwatch.service.labels import titles_by_ref
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.titles import one_use_less
from partita.store.store import AsyncStore
from partita.table import Delete, Query, Transaction

_ITEMS = 49
"""An item and its title's count are two of a transaction's hundred writes."""
_BATCH = 100


async def finish_list(store: AsyncStore, removal: ListRemoval) -> None:
    """Count the items of a deleted list out and remove its comments and totals. If it is interrupted, it goes on with
    what is left. Who saved it keeps that, and sees that it is gone."""
    watchlist_id = removal.watchlist_id
    while True:
        page = await store.page(schema.items_of(watchlist_id).consistently(), limit=_ITEMS)
        if not page.items:
            break
        await store.attempt(lambda: _count_out(store, watchlist_id))
    for query in (
        schema.comments_on(watchlist_id),
        schema.removed_items(watchlist_id),
        schema.told_days(watchlist_id),
    ):
        await delete_all(store, query)
    await store.write(Delete(ListTotals.key(ListTotals.watchlist_id(watchlist_id))))
    await store.write(Delete(removal.own_key))


async def delete_all(store: AsyncStore, query: Query[Any]) -> None:
    """Delete everything that a query finds."""
    waiting: list[Delete[Any]] = []
    async for item in store.stream(query, chunk=_BATCH):
        waiting.append(Delete(item.own_key))
        if len(waiting) == _BATCH:
            await store.batch_write(waiting)
            waiting = []
    await store.batch_write(waiting)


async def _count_out(store: AsyncStore, watchlist_id: str) -> None:
    """Remove some items together with their places in the counts of their titles."""
    page = await store.page(schema.items_of(watchlist_id).consistently(), limit=_ITEMS)
    items: Sequence[WatchlistItem] = page.items
    titles = await titles_by_ref(store, ((item.content_type, item.content_id) for item in items), consistent=True)
    writes: list[Write] = []
    for item in items:
        writes.append(Delete(item.own_key).unless_changed(item, WatchlistItem.counted))
        if item.as_stored(WatchlistItem.counted):
            ref = item.content_type, item.content_id
            writes.append(one_use_less(ref, titles.get(ref)))
    if writes:
        await store.transact(Transaction(*writes))
