"""Resources that another program wrote: how they get the index keys, guard, tags and totals that ours have."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Resource, ResourceTag
from partita.apps.kelifax.service.bookkeeping import (
    completed,
    derived_writes,
    in_order,
    removal_writes,
    rewrite,
    tag_items,
)
from partita.kit.adoption import Adoption, AdoptionRefused
from partita.kit.lists import find
from partita.kit.urls import UrlTaken
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, Put, Transaction
from partita.table.versions import changed_meanwhile


def adoptions(store: AsyncStore) -> tuple[Adoption[Resource], ...]:
    """How resources are adopted."""

    async def adopt(resource: Resource, before: Resource | None) -> bool:
        """A resource in order has nothing to adopt but changed tags: only its change tells of those."""
        if not in_order(resource):
            return await _adopt(store, resource, before)
        if before is not None and before.tags != resource.tags:
            return await _adopt_tags(store, resource.resource_slug, (*before.tag_list, *resource.tag_list))
        return False

    async def forget(deleted: Resource) -> None:
        await _forget(store, deleted)

    async def is_due(resource: Resource) -> bool:
        return not in_order(resource)

    return (Adoption(Resource, "resource", adopt, forget, is_due=is_due),)


async def _adopt(store: AsyncStore, seen: Resource, before: Resource | None) -> bool:
    """Write index keys, guard, tags and totals exactly once, even if several workers try; False if another did.

    `before` is the resource that another program may have overwritten: it is no longer counted.
    """

    async def attempt() -> bool:
        current = await find(store, schema.resource, seen.resource_slug)
        if current is None or in_order(current):
            return False
        after = completed(current)
        counted = before if current.as_stored(Resource.booked_as) is None else current
        try:
            await store.transact(Transaction(rewrite(current, after), *derived_writes(counted, after)))
        except UrlTaken as taken:
            raise AdoptionRefused(f"{taken.owner} has its address {current.resource_url}") from None
        return True

    return await store.attempt(attempt)


async def _adopt_tags(store: AsyncStore, slug: str, tags: Iterable[str]) -> bool:
    """List a resource under those of the tags that it has, and not under the others."""
    keys = [ResourceTag.key(ResourceTag.slug(slug), ResourceTag.resource_tag(tag)) for tag in sorted(set(tags))]

    async def attempt() -> bool:
        current = await find(store, schema.resource, slug)
        if current is None or not in_order(current):
            return False  # that is another change
        wanted = {item.own_key: item for item in tag_items(current)}
        stored = await store.batch_get(keys, consistent=True)
        writes = [
            Delete(key) if wanted.get(key) is None else Put(wanted[key])
            for key, item in zip(keys, stored, strict=True)
            if item != wanted.get(key)
        ]
        if writes:
            same = Check(current.own_key, current.own_key.unchanged_since(current, Resource.tags, Resource.booked_as))
            await store.transact(Transaction(same.otherwise(changed_meanwhile(current.own_key)), *writes))
        return bool(writes)

    return await store.attempt(attempt)


async def _forget(store: AsyncStore, deleted: Resource) -> None:
    """Remove guard, tags and totals of a resource that another program deleted; we would have removed its guard."""
    url = deleted.as_stored(Resource.claimed_url)
    if url is None:
        return
    guard = await find(store, schema.resource_with_url, url)
    if guard is None or guard.claimed_by != deleted.resource_slug:
        return
    absent = Check(deleted.own_key, deleted.own_key.absent()).otherwise(changed_meanwhile(deleted.own_key))
    with suppress(ChangedMeanwhileError):  # somebody did it, or it is there again
        await store.transact(Transaction(absent, *removal_writes(deleted)))
