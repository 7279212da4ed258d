"""What a deleted site or group leaves behind: removed in batches, as often as it takes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.schema import GroupRemoval, SiteRemoval, TagTotal
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.store.store import AsyncStore
from partita.table import Delete, Query

_BATCH = 100


async def finish_site(store: AsyncStore, removal: SiteRemoval) -> None:
    """Remove the ratings, comments and tags of a deleted site. If it is interrupted, it goes on with what is left."""
    site_id = removal.site_id
    ratings: list[Query[Any]] = [schema.ratings_of(site_id, stars) for stars in range(1, 6)]
    for query in (*ratings, schema.comments_of(site_id), schema.tags_of(site_id)):
        await _delete_all(store, query)
    await store.write(Delete(removal.own_key))


async def finish_group(store: AsyncStore, removal: GroupRemoval) -> None:
    """Remove the memberships of a deleted group; only then its name is free."""
    await _delete_all(store, schema.members_of(removal.name))
    await store.write(Delete(removal.own_key))


async def forget_unused(store: AsyncStore, total: TagTotal) -> None:
    """Remove the total of a tag that no site has any more."""
    if total.count <= 0:
        with suppress(ConditionalCheckFailedError):  # somebody uses it again
            await store.write(Delete(total.own_key).when(TagTotal.count <= 0))


async def _delete_all(store: AsyncStore, query: Query[Any]) -> None:
    waiting: list[Delete[Any]] = []
    async for item in store.stream(query, chunk=_BATCH):
        waiting.append(Delete(item.own_key))
        if len(waiting) == _BATCH:
            await store.batch_write(waiting)
            waiting = []
    await store.batch_write(waiting)
