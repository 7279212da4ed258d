"""What another program wrote, taken in: by its change, or all at once.

Items have what the document says, without what our lists and numbers need. Each is taken in by one transaction that
says so on the item itself, so it happens once, whoever does it, and goes on wherever it was interrupted.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from partita.apps.fus import schema
from partita.apps.fus.adoption import adopt
from partita.apps.fus.counting import one_more_comment
from partita.apps.fus.grants import counts
from partita.apps.fus.ratings import give
from partita.apps.fus.schema import FUS, Comment, Group, Membership, Rating, Site
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.changes import Change
from partita.kit.problems import NotFound
from partita.store.rows import every_row
from partita.store.store import AsyncStore
from partita.table import ForeignItemError, Put, Transaction, Update
from partita.table.migrations import Row


@dataclass(slots=True)
class Intake:
    """How much was taken in, and what could not be."""

    sites: int = 0
    ratings: int = 0
    comments: int = 0
    memberships: int = 0
    refused: list[Site] = field(default_factory=list)
    """Sites whose address another site has."""
    unreadable: list[str] = field(default_factory=list)
    """What does not fit its type: key and reason."""


async def take_in_all(store: AsyncStore) -> Intake:
    """Take in whatever is in the table. Only a scan finds comments that no index of ours holds."""
    done = Intake()
    sites: list[str] = []
    async for row in every_row(store, FUS):
        try:
            if Rating.owns(row):
                done.ratings += await _take_in_rating(store, await store.read(Rating, row))
            elif Comment.owns(row):
                done.comments += await _take_in_comment(store, await store.read(Comment, row))
            elif Membership.owns(row):
                done.memberships += await _take_in_membership(store, await store.read(Membership, row))
            elif Site.owns(row) and Site.timeline.stored_name not in row:
                sites.append(Site.from_row(row).site_id)
            elif Group.owns(row):
                await _list_group(store, row)
        except ForeignItemError as error:
            done.unreadable.append(str(error))
    for site_id in sites:  # after their ratings, whose sums give them their rank
        site = await store.get(schema.site(site_id).consistently())
        listed = None if site is None else site.as_stored(Site.timeline)
        if site is None or listed is not None:
            continue
        if await adopt(store, site):
            done.sites += 1
        else:
            done.refused.append(site)
    return done


async def take_in(store: AsyncStore, change: Change) -> None:
    """Take in what was changed, where that is needed; what was counted and then written over is not counted again."""
    await _take_in_rating(store, *reversed(change.read(Rating)))
    await _take_in_comment(store, *reversed(change.read(Comment)))
    await _take_in_membership(store, *reversed(change.read(Membership)))
    await _keep_member_count(store, *reversed(change.read(Group)))
    if change.new is not None and Group.owns(change.new):
        await _list_group(store, change.new)


async def _take_in_rating(store: AsyncStore, seen: Rating | None, before: Rating | None = None) -> bool:
    if seen is None or not seen.stale():
        return False
    known = None if before is None else before.as_stored(Rating.counted_stars)

    async def attempt() -> bool:
        found = await store.get(schema.my_rating(seen.user_id, seen.site_id).consistently())
        if found is None or not found.stale():
            return False
        counted = found.as_stored(Rating.counted_stars)
        try:
            await give(store, found, found, known if counted is None else counted)
        except NotFound:  # a rating of nothing counts nowhere
            return False
        return True

    return await store.attempt(attempt)


async def _take_in_comment(store: AsyncStore, seen: Comment | None, before: Comment | None = None) -> bool:
    if seen is None or seen.as_stored(Comment.counted):
        return False
    known = before is not None and before.as_stored(Comment.counted)

    async def attempt() -> bool:
        found = await store.get(schema.comment(seen.user_id, seen.site_id, seen.comment_id).consistently())
        if found is None or found.as_stored(Comment.counted):
            return False
        own = Put(found).unless_changed(found, Comment.body, Comment.updated_at, Comment.counted)
        try:
            await store.transact(Transaction(own) if known else Transaction(one_more_comment(found.site_id), own))
        except NotFound:
            return False
        return True

    return await store.attempt(attempt)


async def _take_in_membership(store: AsyncStore, seen: Membership | None, before: Membership | None = None) -> bool:
    if seen is None or seen.as_stored(Membership.counted):
        return False

    async def attempt() -> bool:
        found = await store.get(schema.membership(seen.user_id, seen.group_name).consistently())
        group = await store.get(schema.group(seen.group_name).consistently())
        if found is None or found.as_stored(Membership.counted) or group is None or not counts(found, group):
            return False
        own = Put(found).unless_changed(found, Membership.added_at, Membership.added_by, Membership.counted)
        known = before is not None and before.as_stored(Membership.counted) and counts(before, group)
        # A group that was made anew under the same name has other members.
        more = Update(group.own_key, Group.member_count.add(1)).unless_changed(group, Group.created_at)
        await store.transact(Transaction(own) if known else Transaction(more, own))
        return True

    return await store.attempt(attempt)


async def _list_group(store: AsyncStore, row: Row) -> None:
    """Give a group the keys that it lacks where a setting spreads the list of groups."""
    if not Group.__layout__.derived.keys() <= row.keys():
        group = Group.from_row(row)
        with suppress(ConditionalCheckFailedError):  # it is gone
            await store.write(Update(group.own_key, Group.member_count.add(0)).making_anew(group))


async def _keep_member_count(store: AsyncStore, seen: Group | None, before: Group | None) -> None:
    """A group that was written over gets its number back, unless members have come since."""
    if seen is None or before is None or seen.member_count is not None or before.member_count is None:
        return
    if seen.created_at != before.created_at:  # another group, with other members
        return
    again = Update(seen.own_key, Group.member_count.set(before.member_count))
    with suppress(ConditionalCheckFailedError):
        await store.write(again.when(Group.member_count.missing()))
