"""Notifications: what is shared with people, what is said about their newsletters, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, is_newsletter
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, Note, Proposal, Share
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.notifications import Kind, Words


def _shared(data: Mapping[str, Any], _count: int) -> Words:
    if data.get("review"):
        return Words(f"{data['by']} asked you to review “{data['title']}”")
    may = "edit" if data.get("role") == "editor" else "read"
    return Words(f"{data['by']} shared “{data['title']}” with you", f"You can {may} it.")


def _noted(data: Mapping[str, Any], count: int) -> Words:
    notes = "A new note" if count == 1 else f"{count:,} new notes"
    return Words(f"{notes} on “{data['title']}”", data["text"] if count == 1 else "")


def _approved(data: Mapping[str, Any], _count: int) -> Words:
    return Words(f"{data['by']} approved “{data['title']}”")


def _changes_requested(data: Mapping[str, Any], _count: int) -> Words:
    return Words(f"{data['by']} asked for changes to “{data['title']}”", data.get("text", ""))


SHARED = Kind(
    "newsletter.shared",
    "A newsletter or proposal is shared with me, or I am asked for a review",
    _shared,
    "You get this because somebody shared something with you.",
    needs=Letters.WRITE,
)
NOTED = Kind(
    "newsletter.note-added",
    "A note on a newsletter or proposal of mine",
    _noted,
    "You get this because the newsletter or proposal is yours.",
    needs=Letters.WRITE,
)
APPROVED = Kind(
    "newsletter.approved",
    "A newsletter or proposal of mine is approved",
    _approved,
    "You get this because the newsletter or proposal is yours.",
    needs=Letters.WRITE,
)
CHANGES_REQUESTED = Kind(
    "newsletter.changes-requested",
    "A reviewer asks for changes to a newsletter or proposal of mine",
    _changes_requested,
    "You get this because the newsletter or proposal is yours.",
    needs=Letters.WRITE,
)
KINDS = (SHARED, NOTED, APPROVED, CHANGES_REQUESTED)


class LetterNotifications:
    """Tells people; each of these may run any number of times for one cause."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def tell_shared(self, share: Share) -> None:
        """Something was shared: to whom it was shared with, unless that has ended again."""
        there = await find(self._store, schema.share, share.code, share.user_id)
        subject = await self._subject(share.code)
        if there is None or there.shared_at != share.shared_at or subject is None:
            return
        by = await self._kit.accounts.people.find(share.shared_by)
        await self._kit.notifications.tell(
            share.user_id,
            SHARED,
            cause=f"{share.code} {share.shared_at}",
            at=share.shared_at,
            data={
                "title": subject.title,
                "by": by.name if by else "Somebody",
                "role": share.role,
                "review": share.review_asked,
            },
            link=_page(share.code, "review" if share.review_asked else ""),
        )

    async def tell_noted(self, note: Note) -> None:
        """A note was left: to the owner, unless they wrote it themselves. The comment of a decision is told as that
        decision: changes that are asked for here, an approval by `tell_approved` and `tell_decided`."""
        subject = await self._subject(note.code)
        there = await find(self._store, schema.note, note.code, note.created_at, note.note_id)
        if subject is None or there is None or subject.user_id == note.by:
            return
        if note.decision == "ask_for_changes":
            await self._kit.notifications.tell(
                subject.user_id,
                CHANGES_REQUESTED,
                cause=note.note_id,
                at=note.created_at,
                data={"title": subject.title, "by": note.by_name or "Somebody", "text": note.text[:300]},
                link=_page(note.code, "review"),
            )
        if note.decision in ("approve", "ask_for_changes"):
            return
        await self._kit.notifications.tell(
            subject.user_id,
            NOTED,
            cause=note.note_id,
            at=note.created_at,
            data={"title": subject.title, "text": f"{note.by_name}: {note.text[:300]}"},
            link=_page(note.code, "review"),
            group=note.code,
        )

    async def tell_approved(self, newsletter: Newsletter) -> None:
        """A newsletter was approved: to its owner, unless it was taken back."""
        there = await find(self._store, schema.newsletter, newsletter.newsletter_code)
        if there is None or newsletter.approved_at is None or there.approved_at != newsletter.approved_at:
            return
        if newsletter.approved_by in (None, newsletter.user_id):
            return
        by = await self._kit.accounts.people.find(newsletter.approved_by or "")
        await self._kit.notifications.tell(
            newsletter.user_id,
            APPROVED,
            cause=f"{newsletter.newsletter_code} {newsletter.approved_at}",
            at=newsletter.approved_at,
            data={"title": newsletter.title, "by": by.name if by else "Somebody"},
            link=_page(newsletter.newsletter_code, "review"),
        )

    async def tell_decided(self, proposal: Proposal) -> None:
        """A reviewer approved a proposal: to its owner, unless somebody has decided again."""
        there = await find(self._store, schema.proposal, proposal.proposal_code)
        review = as_plain(proposal.metadata).get("review") or {}
        if there is None or as_plain(there.metadata).get("review") != review or review.get("by") == proposal.user_id:
            return
        await self._kit.notifications.tell(
            proposal.user_id,
            APPROVED,
            cause=f"{proposal.proposal_code} {review['at']}",
            at=str(review["at"]),
            data={"title": proposal.title, "by": review.get("by_name") or "Somebody"},
            link=_page(proposal.proposal_code, "review"),
        )

    async def _subject(self, code: str) -> Newsletter | Proposal | None:
        if is_newsletter(code):
            return await find(self._store, schema.newsletter, code)
        return await find(self._store, schema.proposal, code)


def _page(code: str, page: str) -> str:
    kind = "editions" if is_newsletter(code) else "proposals"
    return f"/newsletter/{kind}/{code}" + (f"/{page}" if page else "")
