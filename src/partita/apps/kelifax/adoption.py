"""Resources that another program wrote: as the document has them, without what keeps our lists and totals exact."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from partita.apps.kelifax import schema
from partita.apps.kelifax.bookkeeping import UrlTaken, changes, completed, forgotten, in_order, rewritten, tag_items
from partita.apps.kelifax.formats import split_tags
from partita.apps.kelifax.schema import RESOURCES, Resource, ResourceTag
from partita.store.rows import every_row
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, ForeignItemError, Put, Transaction
from partita.table.versions import changed_meanwhile


@dataclass(slots=True)
class Adoption:
    """How many were taken in, and what could not be."""

    adopted: int = 0
    refused: list[tuple[Resource, str]] = field(default_factory=list)
    """Resources whose address another one has, and which."""
    unreadable: list[str] = field(default_factory=list)
    """What does not fit its type: key and reason."""


async def adopt(store: AsyncStore, slug: str, before: Resource | None = None) -> bool:
    """List a resource, claim its address and count it, exactly once, whoever else is at it; False where it was done.

    `before` is the resource that another program may have written over: what it was counted as, it is no longer.
    """

    async def attempt() -> bool:
        found = await store.get(schema.resource(slug).consistently())
        if found is None or in_order(found):
            return False
        after = completed(found)
        known = before if found.as_stored(Resource.booked_as) is None else found
        await store.transact(Transaction(rewritten(found, after), *changes(known, after)))
        return True

    return await store.attempt(attempt)


async def retag(store: AsyncStore, slug: str, tags: Iterable[str]) -> None:
    """List a resource under those of the tags that it has, and not under the others, where somebody changed them."""
    keys = [ResourceTag.key(ResourceTag.slug(slug), ResourceTag.resource_tag(tag)) for tag in sorted(set(tags))]

    async def attempt() -> None:
        found = await store.get(schema.resource(slug).consistently())
        if found is None or not in_order(found):
            return  # that is another change
        wanted = {item.own_key: item for item in tag_items(found)}
        listed = await store.batch_get(keys, consistent=True)
        writes = [
            Delete(key) if wanted.get(key) is None else Put(wanted[key])
            for key, item in zip(keys, listed, strict=True)
            if item != wanted.get(key)
        ]
        if writes:
            same = Check(found.own_key, found.own_key.unchanged_since(found, Resource.tags, Resource.booked_as))
            await store.transact(Transaction(same.otherwise(changed_meanwhile(found.own_key)), *writes))

    await store.attempt(attempt)


async def forget(store: AsyncStore, gone: Resource) -> None:
    """Take back what is known of a resource that another program deleted: we would have given its claim back."""
    url = gone.as_stored(Resource.claimed_url)
    if url is None:
        return
    claim = await store.get(schema.resource_with_url(url).consistently())
    if claim is None or claim.claimed_by != gone.resource_slug:
        return
    absent = Check(gone.own_key, gone.own_key.absent()).otherwise(changed_meanwhile(gone.own_key))
    with suppress(ChangedMeanwhileError):  # somebody did it, or it is there again
        await store.transact(Transaction(absent, *forgotten(gone)))


async def follow(store: AsyncStore, old: Resource | None, new: Resource | None) -> None:
    """Put in order what another program may have changed; what we changed ourselves is in order already."""
    if new is None:
        if old is not None:
            await forget(store, old)
    elif not in_order(new):
        await adopt(store, new.resource_slug, old)
    elif old is not None and old.tags != new.tags:
        await retag(store, new.resource_slug, (*split_tags(old.tags), *split_tags(new.tags)))


async def adopt_all(store: AsyncStore) -> Adoption:
    """Adopt whatever is in the table and not in order. Nothing but a scan finds all of it."""
    done = Adoption()
    async for row in every_row(store, RESOURCES):
        if not Resource.owns(row):
            continue
        try:
            resource = Resource.from_row(row)
        except ForeignItemError as error:
            done.unreadable.append(str(error))
            continue
        if in_order(resource):
            continue
        try:
            done.adopted += await adopt(store, resource.resource_slug)
        except UrlTaken as taken:
            done.refused.append((resource, taken.slug))
    return done
