"""Notifications: replies, comments on sites that people added or commented on, groups that they are added to, imports,
changes of many sites, and suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Comment, Membership, Suggestion
from partita.apps.fus.service.comments import answered_author
from partita.apps.fus.service.grants import counts
from partita.kit.import_ends import import_words
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.notifications import Kind, Words

_MOST_COMMENTS = 2000
"""Of a site with more, only those who wrote the newest ones hear of another."""


def _commented(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{'A new comment' if count == 1 else f'{count:,} new comments'} on “{data['title']}”")


def _answered(data: Mapping[str, Any], count: int) -> Words:
    who = "Somebody replied" if count == 1 else f"{count:,} replies"
    return Words(f"{who} to your comment on “{data['title']}”")


def _joined(data: Mapping[str, Any], _count: int) -> Words:
    return Words(f"You were added to the group “{data['group']}”", "The page of your groups shows what it allows.")


def _changed(data: Mapping[str, Any], _count: int) -> Words:
    return Words(f"{data['title']}: done", data["summary"])


def _suggested(data: Mapping[str, Any], count: int) -> Words:
    if count == 1:
        return Words(f"“{data['title']}” was suggested for the catalog")
    return Words(f"{count:,} sites were suggested for the catalog")


def _decided(data: Mapping[str, Any], _count: int) -> Words:
    if data["accepted"]:
        return Words(f"“{data['title']}”, which you suggested, is in the catalog now")
    return Words(f"“{data['title']}”, which you suggested, was declined", data["answer"])


COMMENTED = Kind(
    "fus.comment-added",
    "A comment on a site that I added or commented on",
    _commented,
    "You get this because you added this site to fus, or commented on it.",
)
ANSWERED = Kind(
    "fus.comment-answered",
    "A reply to a comment of mine",
    _answered,
    "You get this because you wrote a comment in fus that somebody replied to.",
)
JOINED = Kind(
    "fus.group-joined",
    "I was added to a group",
    _joined,
    "You get this because somebody added you to a group in fus.",
)
IMPORTED = Kind(
    "fus.import-ended",
    "An import of mine is done, or has failed",
    import_words,
    "You get this because you started an import in fus.",
)
CHANGED = Kind(
    "fus.change-ended",
    "A change of many sites that I started is done",
    _changed,
    "You get this because you started to change many sites in fus.",
)
SUGGESTED = Kind(
    "fus.suggestion-made",
    "A site was suggested",
    _suggested,
    "You get this because you may add sites to fus.",
    needs=Fus.CREATE,
)
DECIDED = Kind(
    "fus.suggestion-decided",
    "A suggestion of mine was accepted or declined",
    _decided,
    "You get this because you suggested a site in fus.",
)
KINDS = (COMMENTED, ANSWERED, JOINED, IMPORTED, CHANGED, SUGGESTED, DECIDED)


class FusNotifications:
    """Tells people; each of these may run any number of times for one cause."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store
        self._accounts = kit.accounts
        self._notifications = kit.notifications

    async def tell_commented(self, comment: Comment) -> None:
        """Somebody commented on a site: to whoever added it, and to the others who had commented on it;
        whose comment it answers is told that."""
        there = await find(self._store, schema.comment, comment.user_id, comment.site_id, comment.comment_id)
        site = await find(self._store, schema.site, comment.site_id)
        if there is None or site is None:
            return  # deleted meanwhile
        # Not those who came later: told again, this must concern the same people.
        place = Comment.created_at(comment.created_at), Comment.comment_id(comment.comment_id)
        earlier = schema.comments_of(site.site_id).before(*place).newest_first()
        written = await self._store.page(earlier, limit=_MOST_COMMENTS)
        listeners = {each.user_id for each in written} | {site.added_by or ""}
        answered = answered_author(comment)
        for user_id in sorted(listeners - {comment.user_id, ""}):
            await self._notifications.tell(
                user_id,
                ANSWERED if user_id == answered else COMMENTED,
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

    async def tell_changed(self, user_id: str, job_id: str, at: str, title: str, summary: str) -> None:
        """A change of many sites has ended: to whoever started it."""
        await self._notifications.tell(
            user_id,
            CHANGED,
            cause=job_id,
            at=at,
            data={"title": title, "summary": summary},
            link=f"/fus/batches/{job_id}",
        )

    async def tell_suggested(self, made: Suggestion) -> None:
        """Somebody suggested a site: to those who may add sites, unless it is withdrawn or decided."""
        there = await find(self._store, schema.suggestion, made.user_id, made.suggestion_id)
        if there is None or not there.waits:
            return
        for user_id in await self._accounts.permissions.holders(Fus.CREATE):
            if user_id != made.user_id:
                await self._notifications.tell(
                    user_id,
                    SUGGESTED,
                    cause=made.name,
                    at=made.created_at,
                    data={"title": made.title or made.host},
                    link="/fus/suggestions",
                    group="suggestions",
                )

    async def tell_decided(self, decided: Suggestion) -> None:
        """A suggestion was accepted or declined: to whoever made it, unless they decided it themselves."""
        if decided.decided_at is None or decided.decided_by == decided.user_id:
            return
        there = await find(self._store, schema.suggestion, decided.user_id, decided.suggestion_id)
        if there is None or there.revision != decided.revision:
            return  # taken back meanwhile
        accepted = decided.status == "accepted"
        await self._notifications.tell(
            decided.user_id,
            DECIDED,
            cause=decided.name if decided.revision == 2 else f"{decided.name} {decided.revision}",
            at=decided.decided_at,
            data={"title": decided.title or decided.host, "accepted": accepted, "answer": decided.answer},
            link=f"/fus/sites/{decided.became}" if accepted else "/fus/me/suggestions",
        )
