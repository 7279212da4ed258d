"""Following curators; how many follow somebody is counted in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import Follow, User
from partita.apps.worthwatch.service.curators import Curators, no_such_curator
from partita.apps.worthwatch.service.people import People
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, Page, Put, Transaction, Update, any_of


class Follows:
    """Who follows whom."""

    def __init__(self, kit: Kit, people: People, curators: Curators) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._curators = curators

    async def follow(self, viewer: Viewer, curator_id: str) -> Follow:
        """Follow a curator; doing it twice changes nothing."""
        if curator_id == viewer.id:
            raise Conflict("You cannot follow yourself.", code="own_profile")
        await self._curators.curator(curator_id)
        await self._people.me(viewer)
        new = Follow(user_id=viewer.id, curator=curator_id, followed_at=stamp(self._kit.clock))

        async def attempt() -> Follow:
            there = await find(self._store, schema.follow, viewer.id, curator_id)
            if there is not None:
                return there
            one_more = Update(User.key(User.user_id(curator_id)), User.follower_count.add(1))
            counted = one_more.when(User.curator_status.equals("approved")).otherwise(no_such_curator())
            await self._store.transact(Transaction(Put(new).if_new().otherwise(_changed), counted))
            return new

        return await self._store.attempt(attempt)

    async def unfollow(self, viewer: Viewer, curator_id: str) -> bool:
        """Follow a curator no longer; returns whether the viewer did."""
        return await self._store.attempt(lambda: unfollow(self._store, viewer.id, curator_id))

    async def follows(self, viewer: Viewer, curator_id: str) -> bool:
        """Whether the viewer follows a curator."""
        return viewer.signed_in and await find(self._store, schema.follow, viewer.id, curator_id) is not None

    async def among(self, viewer: Viewer, curator_ids: Iterable[str]) -> frozenset[str]:
        """Those of the curators on a page whom the viewer follows."""
        keys = [schema.follow(viewer.id, each).key for each in dict.fromkeys(curator_ids)] if viewer.signed_in else []
        found = await self._store.batch_get(keys) if keys else []
        return frozenset(each.curator for each in found if each is not None)

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """The curators whom the viewer follows, newest first; those who are suspended or gone are left out."""

        async def follow(follows: Sequence[Follow]) -> list[User]:
            users = await self._people.by_id(each.curator for each in follows)
            return [user for user in users.values() if user.approved]

        return await follow_page(self._store, schema.followed_shelf(viewer.id), follow, limit=limit, after=cursor)


async def unfollow(store: AsyncStore, user_id: str, curator_id: str) -> bool:
    """Remove a follow and count it out, once; to be attempted again if something changed meanwhile."""
    there = await find(store, schema.follow, user_id, curator_id)
    if there is None:
        return False
    curator = await find(store, schema.user, curator_id)
    gone = Delete(there.own_key).if_there().otherwise(_changed)
    await store.transact(Transaction(gone, _one_less(curator_id, curator)))
    return True


def _one_less(curator_id: str, curator: User | None) -> Update[User] | Check[User]:
    """That there is nothing to subtract from is checked, not assumed."""
    key = User.key(User.user_id(curator_id))
    if curator is None:
        return Check(key, key.absent()).otherwise(_changed)
    if not curator.follower_count:
        none = any_of(User.follower_count.missing(), User.follower_count.equals(0))
        return Check(key, none).otherwise(_changed)
    return Update(key, User.follower_count.add(-1)).otherwise(_changed)


def _changed(there: Any) -> Exception:
    return ChangedMeanwhileError("The follow", there)
