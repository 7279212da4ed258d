"""Removing what somebody had who is erased, counted out; nobody is signed in as them, and it may happen twice."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.fus import schema
from partita.apps.fus.schema import Collection, Comment, Group, Membership, Rating
from partita.apps.fus.service.collections import Collections
from partita.apps.fus.service.comments import Comments
from partita.apps.fus.service.ratings import Ratings
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.personal_data import Person
from partita.kit.problems import NotFound
from partita.table import Delete, Transaction, Update


class Leaving:
    """What the systems' other parts do for a viewer, for somebody who is gone."""

    def __init__(self, kit: Kit, ratings: Ratings, comments: Comments, collections: Collections) -> None:
        self._store = kit.store
        self._ratings = ratings
        self._comments = comments
        self._collections = collections

    async def rating(self, rating: Rating, _person: Person) -> None:
        """Remove a rating from its site's sums."""
        with suppress(NotFound):
            await self._ratings.remove(Viewer(user_id=rating.user_id), rating.site_id)

    async def comment(self, comment: Comment, _person: Person) -> None:
        """Remove a comment; answers to it stay."""
        await self._comments.remove_of_one_who_left(comment)

    async def collection(self, collection: Collection, _person: Person) -> None:
        """Remove a collection; the change stream takes out what it held."""
        with suppress(NotFound):
            await self._collections.delete(Viewer(user_id=collection.user_id), collection.collection_id)

    async def membership(self, membership: Membership, _person: Person) -> None:
        """Remove somebody from a group, which counts one less."""

        async def attempt() -> None:
            before = await find(self._store, schema.membership, membership.user_id, membership.group_name)
            if before is None:
                return
            gone = Delete(before.own_key).unless_changed(before, Membership.added_at, Membership.counted)
            group = await find(self._store, schema.group, membership.group_name)
            if group is None or not before.as_stored(Membership.counted) or not group.number_of_members:
                await self._store.write(gone)
                return
            fewer = Update(group.own_key, Group.member_count.add(-1)).unless_changed(group, Group.member_count)
            await self._store.transact(Transaction(gone, fewer))

        await self._store.attempt(attempt)
