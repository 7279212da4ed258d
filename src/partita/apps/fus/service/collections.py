"""Collections: sites that somebody keeps together, for themselves or for everybody who has the link."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.inputs import CollectionEdit, CollectionInput
from partita.apps.fus.schema import (
    MOST_COLLECTED,
    MOST_COLLECTIONS,
    CollectedSite,
    Collection,
    CollectionLink,
    CollectionMark,
    CollectionRemoval,
    Profile,
    Site,
)
from partita.apps.fus.service.bookkeeping import Write
from partita.apps.fus.service.counting import no_such_site
from partita.apps.fus.service.people import People, Person
from partita.apps.fus.service.removal import uncollecting
from partita.apps.fus.service.sites import Sites
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, Page, Put, Transaction, Update

COLLECTING = Rule("fus-collect", most=600, seconds=3600)


@dataclass(frozen=True, slots=True)
class Shared:
    """A collection as everybody with the link sees it."""

    collection: Collection
    by: Person


class Collections:
    """What people keep together. A collection counts its sites in the transactions that change it."""

    def __init__(self, kit: Kit, people: People, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._sites = sites

    async def mine(self, viewer: Viewer) -> tuple[Collection, ...]:
        """All collections of the viewer, newest first; nobody has many."""
        return (await self._store.page(schema.my_collections(viewer.id), limit=MOST_COLLECTIONS)).items

    async def collection(self, viewer: Viewer, collection_id: str) -> Collection:
        """A collection of the viewer's own."""
        missing = NotFound("You have no such collection.")
        return await find_or(missing, self._store, schema.collection, viewer.id, collection_id)

    async def create(self, viewer: Viewer, new: CollectionInput) -> Collection:
        """A new collection that only its owner sees."""
        await self._kit.limits.check(COLLECTING, viewer.id)
        made = Collection(
            user_id=viewer.id,
            collection_id=self._kit.ids.new(),
            name=new.name,
            description=new.description,
            created_at=stamp(self._kit.clock),
        )
        too_many = Conflict(f"You have {MOST_COLLECTIONS} collections. Delete one first.", code="too_many_collections")
        count = Update(Profile.key(Profile.user_id(viewer.id)), Profile.collection_count.add(1)).or_new()
        await self._store.transact(Transaction(count.otherwise(too_many), Put(made).if_new()))
        return made

    async def edit(self, viewer: Viewer, collection_id: str, edit: CollectionEdit) -> Collection:
        """Call it otherwise."""

        async def attempt() -> Collection:
            before = await self.collection(viewer, collection_id)
            edit.check_revision(before.revision)
            if (edit.name, edit.description) == (before.name, before.description):
                return before
            changes = (Collection.name.set(edit.name), Collection.description.set(edit.description))
            return await self._store.update(Update(before.own_key, *changes).next_version(before))

        return await self._store.attempt(attempt)

    async def share(self, viewer: Viewer, collection_id: str) -> Collection:
        """Open a link to it; the same one if there is one."""

        async def attempt() -> Collection:
            before = await self.collection(viewer, collection_id)
            if before.secret is not None:
                return before
            secret = secrets.token_urlsafe(16)
            link = CollectionLink(secret=secret, of_user=viewer.id, of_collection=collection_id)
            own = Update(before.own_key, Collection.secret.set(secret)).unless_changed(before, Collection.secret)
            await self._store.transact(Transaction(own, Put(link).if_new()))
            return before.with_(Collection.secret(secret))

        return await self._store.attempt(attempt)

    async def unshare(self, viewer: Viewer, collection_id: str) -> Collection:
        """Close the link for good: another one will be different."""

        async def attempt() -> Collection:
            before = await self.collection(viewer, collection_id)
            if before.secret is None:
                return before
            own = Update(before.own_key, Collection.secret.remove()).unless_changed(before, Collection.secret)
            await self._store.transact(Transaction(own, _closed(before.secret)))
            return before.with_(Collection.secret(None))

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, collection_id: str) -> Collection:
        """Delete it; what it held is taken out by the change stream."""

        async def attempt() -> Collection:
            before = await self.collection(viewer, collection_id)
            removal = CollectionRemoval(collection_id=collection_id, removed_at=stamp(self._kit.clock))
            await self._store.transact(
                Transaction(
                    Delete(before.own_key).unless_changed(before, Collection.secret),
                    Update(Profile.key(Profile.user_id(viewer.id)), Profile.collection_count.add(-1)),
                    *(() if before.secret is None else (_closed(before.secret),)),
                    Put(removal),
                )
            )
            return before

        return await self._store.attempt(attempt)

    async def add(self, viewer: Viewer, collection_id: str, site_id: str) -> Collection:
        """Put a site into a collection; nothing changes if it is in it."""
        await self._kit.limits.check(COLLECTING, viewer.id)
        collection = await self.collection(viewer, collection_id)
        site, now = await self._sites.site(site_id), stamp(self._kit.clock)
        with suppress(_InIt):
            await self._store.transact(Transaction(*collecting(collection, site, now)))
        return collection

    async def remove(self, viewer: Viewer, collection_id: str, site_id: str) -> Collection:
        """Take a site out of a collection."""

        async def attempt() -> Collection:
            collection = await self.collection(viewer, collection_id)
            missing = NotFound("This site is not in the collection.")
            mark = await find_or(missing, self._store, schema.collection_mark, site_id, collection_id)
            fewer = Update(collection.own_key, Collection.site_count.add(-1)).otherwise(
                ChangedMeanwhileError("The collection")
            )
            await self._store.transact(Transaction(*uncollecting(mark), fewer))
            return collection

        return await self._store.attempt(attempt)

    async def with_site(self, viewer: Viewer, site_id: str) -> list[tuple[Collection, bool]]:
        """The viewer's collections, and whether each has the site."""
        if not viewer.signed_in:
            return []
        mine = await self.mine(viewer)
        keys = [schema.collection_mark(site_id, each.collection_id).key for each in mine]
        marks = await self._store.batch_get(keys) if keys else []
        return [(each, mark is not None) for each, mark in zip(mine, marks, strict=True)]

    async def sites(self, collection: Collection, *, limit: int = 20, cursor: str | None = None) -> Page[Site]:
        """The sites of a collection, latest first."""

        async def follow(entries: Sequence[CollectedSite]) -> list[Site]:
            return list((await self._sites.by_id(entry.site_id for entry in entries)).values())

        query = schema.collected_in(collection.collection_id)
        return await follow_page(self._store, query, follow, limit=limit, after=cursor)

    async def shared(self, secret: str) -> Shared:
        """The collection behind a link that is open."""
        missing = NotFound("This link is closed. Ask whoever sent it to you.")
        link = await find_or(missing, self._store, schema.collection_link, secret)
        collection = await find(self._store, schema.collection, link.of_user, link.of_collection)
        if collection is None or collection.secret != secret:
            raise missing
        return Shared(collection, (await self._people.named([collection.user_id]))[collection.user_id])


def collecting(collection: Collection, site: Site, at: str) -> tuple[Write, ...]:
    """What puts a site into a collection: once, as long as both are there, and only if there is room."""
    of_both = {"site_id": site.site_id, "collection_id": collection.collection_id}
    mark = CollectionMark(**of_both, of_user=collection.user_id, collected_at=at)
    full = Conflict(f"A collection holds at most {MOST_COLLECTED} sites.", code="collection_full")
    gone = NotFound("You have no such collection.")
    more = Update(collection.own_key, Collection.site_count.add(1))
    return (
        Put(mark).if_new().otherwise(_InIt()),
        more.otherwise(lambda there: gone if there is None else full),
        Put(CollectedSite(**of_both, added_at=at)),
        Check(site.own_key, site.own_key.present()).otherwise(no_such_site(site.site_id)),
    )


class _InIt(Exception):
    """The site is in the collection already."""


def _closed(secret: str) -> Delete[CollectionLink]:
    return Delete(CollectionLink.key(CollectionLink.secret(secret)))
