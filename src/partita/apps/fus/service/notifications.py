"""Notifications: comments on sites that people added or commented on, groups that they are added to, and imports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.schema import Comment, Membership
from partita.apps.fus.service.grants import counts
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.notifications import Kind, Words

_MOST_COMMENTS = 2000
"""Of a site with more, only those who wrote the newest ones hear of another."""


def _commented(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{'A new comment' if count == 1 else f'{count:,} new comments'} on “{data['title']}”")


def _joined(data: Mapping[str, Any], _count: int) -> Words:
    return Words(f"You were added to the group “{data['group']}”", "The page of your groups shows what it allows.")


def _imported(data: Mapping[str, Any], _count: int) -> Words:
    if "error" in data:
        return Words(f"“{data['called']}” was not imported", data["error"])
    counts = f"{data['added']:,} added, {data['there']:,} already there, {data['refused']:,} refused."
    return Words(f"“{data['called']}” is imported", counts)


COMMENTED = Kind(
    "fus.comment-added",
    "A comment on a site that I added or commented on",
    _commented,
    "You get this because you added this site to fus, or commented on it.",
)
JOINED = Kind(
    "fus.group-joined",
    "I was added to a group",
    _joined,
    "You get this because somebody added you to a group in fus.",
)
IMPORTED = Kind(
    "fus.import-ended",
    "An import of mine is done",
    _imported,
    "You get this because you started an import in fus.",
)
KINDS = (COMMENTED, JOINED, IMPORTED)


class FusNotifications:
    """Tells people; each of these may run any number of times for one cause."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store
        self._accounts = kit.accounts
        self._notifications = kit.notifications

    async def tell_commented(self, comment: Comment) -> None:
        """Somebody commented on a site: to whoever added it, and to the others who had commented on it."""
        there = await find(self._store, schema.comment, comment.user_id, comment.site_id, comment.comment_id)
        site = await find(self._store, schema.site, comment.site_id)
        if there is None or site is None:
            return  # deleted meanwhile
        # Not those who came later: told again, this must concern the same people.
        place = Comment.created_at(comment.created_at), Comment.comment_id(comment.comment_id)
        earlier = schema.comments_of(site.site_id).before(*place).newest_first()
        written = await self._store.page(earlier, limit=_MOST_COMMENTS)
        listeners = {each.user_id for each in written} | {site.added_by or ""}
        for user_id in sorted(listeners - {comment.user_id, ""}):
            await self._notifications.tell(
                user_id,
                COMMENTED,
                cause=comment.name,
                at=comment.created_at,
                data={"title": site.title},
                link=f"/fus/sites/{site.site_id}",
                group=site.site_id,
            )

    async def tell_joined(self, joined: Membership) -> None:
        """Somebody was added to a group: to them, unless they did it themselves or are out again."""
        membership = await find(self._store, schema.membership, joined.user_id, joined.group_name)
        group = await find(self._store, schema.group, joined.group_name)
        if membership is None or group is None or not counts(membership, group):
            return
        if membership.added_at != joined.added_at:
            return  # out and in again: that is another cause
        person = await self._accounts.people.find(joined.user_id)
        if person is None or membership.added_by in (person.username, person.user_id):
            return
        await self._notifications.tell(
            joined.user_id,
            JOINED,
            cause=f"{joined.group_name} {joined.added_at}",
            at=joined.added_at,
            data={"group": joined.group_name},
            link="/fus/me/groups",
        )

    async def tell_imported(self, user_id: str, job_id: str, at: str, data: Mapping[str, Any]) -> None:
        """An import has ended, or failed: to whoever started it."""
        failed = "error" in data
        await self._notifications.tell(
            user_id,
            IMPORTED,
            cause=f"{job_id} {'failed' if failed else 'done'}",
            at=at,
            data=data,
            link=f"/jobs/{job_id}" if failed else f"/fus/import/{job_id}",
        )
