"""What is copied of titles, on lists and on their covers; it follows by the change stream.

Each function reads what is there now and writes what that makes; whoever changes it meanwhile makes another change,
which is still to come.
"""

from __future__ import annotations

from contextlib import suppress

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import Watchlist, WatchlistItem
from partita.apps.worthwatch.service.labels import Ref, Title, label_of, named_by, title_get
from partita.apps.worthwatch.service.tiles import FAN
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.store.store import AsyncStore
from partita.table import Update

_TRIES = 10


def on_a_cover(item: WatchlistItem) -> tuple[object, ...]:
    """What the cover of its list shows of a title, and what decides whether it does."""
    return item.position, item.label


async def follow_items(store: AsyncStore, watchlist_id: str) -> None:
    """Put the first titles of a list on its cover."""

    async def attempt() -> None:
        before = await store.get(schema.watchlist(watchlist_id).consistently())
        if before is None:
            return  # its removal takes the items
        first = await store.page(schema.items_in_order(watchlist_id), limit=FAN)
        cover = tuple(
            named_by(each.content_type, each.content_id, each.label) for each in first if each.label is not None
        )
        if cover == (before.cover_items or ()):
            return
        change = Watchlist.cover_items.set(cover) if cover else Watchlist.cover_items.remove()
        await store.write(Update(before.own_key, change).unless_changed(before, Watchlist.cover_items))

    with suppress(ConditionalCheckFailedError):  # the list has gone
        await store.attempt(attempt, tries=_TRIES)


async def follow_title(store: AsyncStore, ref: Ref) -> None:
    """Give the items of all lists the label that their title has now."""
    title: Title | None = await store.get(title_get(*ref).consistently())
    if title is None:
        return
    label = label_of(title)
    async for item in store.stream(schema.lists_with(*ref)):
        if item.label != label:
            with suppress(ConditionalCheckFailedError):  # it has been taken off the list
                await store.write(Update(item.own_key, WatchlistItem.label.set(label)))
