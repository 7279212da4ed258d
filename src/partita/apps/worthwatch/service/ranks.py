"""What lists are ordered by and only the table knows after an update: it follows by the change stream.

Each function reads the item again and writes on the condition that it is still so; whoever changes it meanwhile makes
another change, which is still to come.
"""

from __future__ import annotations

from contextlib import suppress

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import heat, tag_rank
from partita.apps.worthwatch.schema import Popularity, TagTotal, Watchlist, WatchlistItem
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


async def warm(store: AsyncStore, watchlist_id: str) -> None:
    """Put a live list where its saves belong among the popular ones. Its place is read before its saves, and written
    if nobody has moved it since: so no older number of saves overtakes a newer one."""

    async def attempt() -> None:
        place = await store.get(schema.popularity(watchlist_id).consistently())
        watchlist = await store.get(schema.watchlist(watchlist_id).consistently())
        if place is None or watchlist is None or watchlist.published_at is None:
            return
        totals = await store.get(schema.totals(watchlist_id).consistently())
        wanted = heat((totals.save_count if totals else 0) or 0, watchlist.published_at)
        if place.heat != wanted:
            moved = Update(place.own_key, Popularity.heat.set(wanted))
            await store.write(moved.unless_changed(place, Popularity.heat))

    await store.attempt(attempt)


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
