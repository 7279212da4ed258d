"""How items that another program wrote are adopted: as the document has them, not listed, guarded or counted by us.

Each is adopted by one transaction that says so on the item itself, so it happens once, whoever does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.schema import STARS, Comment, Group, Membership, Rating, Site
from partita.apps.fus.service.bookkeeping import changes, write_rating
from partita.apps.fus.service.counting import one_more_comment
from partita.apps.fus.service.grants import counts
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.adoption import Adoption, AdoptionRefused, plainly
from partita.kit.problems import NotFound
from partita.kit.urls import UrlTaken
from partita.store.store import AsyncStore
from partita.table import Action, ChangedMeanwhileError, Put, Transaction, Update


def adoptions(store: AsyncStore) -> tuple[Adoption[Any], ...]:
    """How each type is adopted. Sites come last, since their ratings give them their rank."""
    adopt = _Adopting(store)
    return (
        Adoption(Site, "site", adopt.site, after_others=True, is_due=plainly(lambda site: not site.listed)),
        Adoption(Rating, "rating", adopt.rating, is_due=adopt.is_due_rating),
        Adoption(Comment, "comment", adopt.comment, is_due=adopt.is_due_comment),
        Adoption(Group, "group", adopt.group, is_due=plainly(lambda group: bool(group.stale()))),
        Adoption(Membership, "membership", adopt.membership, is_due=adopt.is_due_membership),
    )


async def adopt_site(store: AsyncStore, site: Site, before: Site | None = None) -> bool:
    """List a site, guard its address, and count it and its tags, exactly once; `UrlTaken` if another site has its
    address. `before` is the site as it was listed, if another program has overwritten it: it gets its numbers back."""
    after = _ranked(site)
    own = Update(
        site.own_key,
        Site.rating_rank.set(after.rating_rank),
        Site.tags.set(after.tags),  # in our spelling, as they are counted
        *(_numbers_of(before) if before is not None else ()),
    )
    # All keys are written again: a setting may spread the documented lists by keys of its own.
    own = own.making_anew(after).when(Site.timeline.missing())
    own = own.unless_changed(site, Site.url, Site.title, Site.updated_at)
    try:
        try:
            await store.transact(Transaction(own, *changes(before, after)))
        except UrlTaken as taken:
            if taken.owner != site.site_id:
                raise
            await store.write(own)  # it was listed once, so it is guarded and counted
    except ChangedMeanwhileError:  # somebody else adopted it, or changed it: then that change is still to come
        return False
    return True


class _Adopting:
    """What adopts an item of each type; see `kit.adoption`."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store

    async def site(self, seen: Site, before: Site | None) -> bool:
        """A listed site is kept in order instead: its place in the lists follows its title and ratings."""
        if seen.listed:
            await self._keep_in_order(seen)
            return False
        site = await self._store.get(schema.site(seen.site_id).consistently())
        if site is None or site.listed:
            return False
        overwritten = before if before is not None and before.listed else None
        try:
            return await adopt_site(self._store, site, overwritten)
        except UrlTaken:
            raise AdoptionRefused(f"another site has its address {site.url}") from None

    async def rating(self, seen: Rating, before: Rating | None) -> bool:
        if not seen.stale():
            return False
        counted_before = None if before is None else before.as_stored(Rating.counted_stars)

        async def attempt() -> bool:
            rating = await self._store.get(schema.my_rating(seen.user_id, seen.site_id).consistently())
            if rating is None or not rating.stale():
                return False
            counted = rating.as_stored(Rating.counted_stars)
            try:
                await write_rating(self._store, rating, rating, counted_before if counted is None else counted)
            except NotFound:  # a rating of no site counts nowhere
                return False
            return True

        return await self._store.attempt(attempt)

    async def is_due_rating(self, seen: Rating) -> bool:
        return bool(seen.stale()) and await self._has_site(seen)

    async def comment(self, seen: Comment, before: Comment | None) -> bool:
        if seen.as_stored(Comment.counted):
            return False
        counted_before = before is not None and before.as_stored(Comment.counted)

        async def attempt() -> bool:
            get = schema.comment(seen.user_id, seen.site_id, seen.comment_id)
            comment = await self._store.get(get.consistently())
            if comment is None or comment.as_stored(Comment.counted):
                return False
            own = Put(comment).unless_changed(comment, Comment.body, Comment.updated_at, Comment.counted)
            count = () if counted_before else (one_more_comment(comment.site_id),)
            try:
                await self._store.transact(Transaction(*count, own))
            except NotFound:  # a comment on no site counts nowhere
                return False
            return True

        return await self._store.attempt(attempt)

    async def is_due_comment(self, seen: Comment) -> bool:
        return not seen.as_stored(Comment.counted) and await self._has_site(seen)

    async def _has_site(self, seen: Rating | Comment) -> bool:
        """What belongs to no site counts nowhere, so there is nothing to do for it."""
        return await self._store.get(schema.site(seen.site_id)) is not None

    async def membership(self, seen: Membership, before: Membership | None) -> bool:
        if seen.as_stored(Membership.counted):
            return False

        async def attempt() -> bool:
            member = await self._store.get(schema.membership(seen.user_id, seen.group_name).consistently())
            group = await self._store.get(schema.group(seen.group_name).consistently())
            if member is None or member.as_stored(Membership.counted) or group is None or not counts(member, group):
                return False
            own = Put(member).unless_changed(member, Membership.added_at, Membership.added_by, Membership.counted)
            counted_before = before is not None and before.as_stored(Membership.counted) and counts(before, group)
            # A group that was created again under the same name has other members.
            more = Update(group.own_key, Group.member_count.add(1)).unless_changed(group, Group.created_at)
            await self._store.transact(Transaction(own) if counted_before else Transaction(more, own))
            return True

        return await self._store.attempt(attempt)

    async def is_due_membership(self, seen: Membership) -> bool:
        if seen.as_stored(Membership.counted):
            return False
        group = await self._store.get(schema.group(seen.group_name))
        return group is not None and counts(seen, group)

    async def group(self, seen: Group, before: Group | None) -> bool:
        """Restore the number of members of an overwritten group, and write the keys that a setting spreads lists by."""
        if before is not None:
            await self._keep_member_count(seen, before)
        if not seen.stale():
            return False
        try:
            await self._store.write(Update(seen.own_key, Group.member_count.add(0)).making_anew(seen))
        except ConditionalCheckFailedError:  # it is gone
            return False
        return True

    async def _keep_member_count(self, seen: Group, before: Group) -> None:
        if seen.member_count is not None or before.member_count is None:
            return
        if seen.created_at != before.created_at:  # another group, with other members
            return
        again = Update(seen.own_key, Group.member_count.set(before.member_count))
        with suppress(ConditionalCheckFailedError):  # members have come since
            await self._store.write(again.when(Group.member_count.missing()))

    async def _keep_in_order(self, site: Site) -> None:
        after = _ranked(site)
        if after == site and not site.stale():
            return
        own = Update(site.own_key, Site.rating_rank.set(after.rating_rank)).making_anew(after)
        with suppress(ChangedMeanwhileError):  # then that change is still to come
            await self._store.write(own.unless_changed(site, Site.title, Site.rating_count, Site.rating_sum))


def _ranked(site: Site) -> Site:
    return site.with_(Site.rating_rank(site.rank))


def _numbers_of(site: Site) -> Iterator[Action]:
    for counter in (Site.comment_count, STARS.count, STARS.total, *STARS.histogram.values()):
        amount = getattr(site, counter.field_name)
        if amount:
            yield counter.add(amount)
