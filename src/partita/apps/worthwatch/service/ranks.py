"""What lists are ordered by and only the table knows after an update: it follows by the change stream.

Each function reads the item again and writes on the condition that it is still so; whoever changes it meanwhile makes
another change, which is still to come.
"""

from __future__ import annotations

from contextlib import suppress

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import heat, tag_rank
from partita.apps.worthwatch.schema import ListTotals, TagTotal, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.live import warmed
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Delete, Update


async def rank_tag(store: AsyncStore, total: TagTotal) -> None:
    """Put a tag where its count belongs; one that no live list has any more is forgotten."""
    with suppress(ConditionalCheckFailedError, ChangedMeanwhileError):
        if total.count <= 0:
            await store.write(Delete(total.own_key).when(TagTotal.count <= 0))
        elif total.rank != (rank := tag_rank(total.tag, total.count)):
            await store.write(Update(total.own_key, TagTotal.rank.set(rank)).unless_changed(total, TagTotal.count))


async def warm(store: AsyncStore, totals: ListTotals) -> None:
    """Put a list where its saves belong among the popular ones."""
    watchlist = await store.get(schema.watchlist(totals.watchlist_id).consistently())
    if watchlist is None or watchlist.published_at is None:
        return
    wanted = heat(totals.save_count or 0, watchlist.published_at)
    if totals.heat != wanted:
        with suppress(ChangedMeanwhileError):
            await store.write(Update(totals.own_key, *warmed(wanted)).unless_changed(totals, ListTotals.save_count))


async def follow_live(store: AsyncStore, watchlist: Watchlist) -> None:
    """Say on the items of a list since when it is live, so that titles find the lists that they are on."""
    now = await store.get(schema.watchlist(watchlist.watchlist_id).consistently())
    if now is None:
        return  # its removal takes the items
    since = now.published_at if now.live else None
    async for item in store.stream(schema.items_of(now.watchlist_id).consistently()):
        if item.live_since == since:
            continue
        change = WatchlistItem.live_since.remove() if since is None else WatchlistItem.live_since.set(since)
        with suppress(ConditionalCheckFailedError):  # it has been taken off the list
            await store.write(Update(item.own_key, change))
