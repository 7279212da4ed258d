"""What a deleted site, group or collection leaves behind: removed in batches, as often as it takes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.schema import (
    CollectedSite,
    Collection,
    CollectionMark,
    CollectionRemoval,
    GroupRemoval,
    SiteRemoval,
    TagTotal,
)
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Delete, Query, Transaction, Update

_BATCH = 100


async def finish_site(store: AsyncStore, removal: SiteRemoval) -> None:
    """Remove the ratings, comments and tags of a deleted site, also from collections. If it is interrupted, it goes on
    with what is left."""
    site_id = removal.site_id
    async for mark in store.stream(schema.collections_with(site_id)):
        await uncollect(store, mark)
    ratings: list[Query[Any]] = [schema.ratings_of(site_id, stars) for stars in range(1, 6)]
    for query in (*ratings, schema.comments_of(site_id), schema.tags_of(site_id)):
        await _delete_all(store, query)
    for key in (schema.related_to(site_id).key, schema.page_copy(site_id).key, schema.link_check(site_id).key):
        await store.write(Delete(key))
    await store.write(Delete(removal.own_key))


async def uncollect(store: AsyncStore, mark: CollectionMark) -> None:
    """Take a site out of a collection, which counts one less; once, whoever does it."""
    collection = Collection.key(Collection.user_id(mark.of_user), Collection.collection_id(mark.collection_id))
    fewer = Update(collection, Collection.site_count.add(-1)).otherwise(_Gone)
    own = uncollecting(mark)
    try:
        try:
            await store.transact(Transaction(*own, fewer))
        except _Gone:  # the collection is deleted too
            await store.transact(Transaction(*own))
    except ChangedMeanwhileError:  # somebody else took it out
        return


def uncollecting(mark: CollectionMark) -> tuple[Delete[Any], ...]:
    """What takes a site out of a collection, but for the count."""
    entry = CollectedSite.key(
        CollectedSite.collection_id(mark.collection_id),
        CollectedSite.added_at(mark.collected_at),
        CollectedSite.site_id(mark.site_id),
    )
    return Delete(mark.own_key).unless_changed(mark, CollectionMark.collected_at), Delete(entry)


async def finish_collection(store: AsyncStore, removal: CollectionRemoval) -> None:
    """Remove what a deleted collection held; interrupted, it goes on with what is left."""
    async for entry in store.stream(schema.collected_in(removal.collection_id), chunk=_BATCH):
        mark = CollectionMark.key(
            CollectionMark.site_id(entry.site_id), CollectionMark.collection_id(entry.collection_id)
        )
        await store.transact(Transaction(Delete(mark), Delete(entry.own_key)))
    await store.write(Delete(removal.own_key))


class _Gone(Exception):
    """The collection is not there any more."""


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
