"""Approval: a colleague has read a draft and agrees with it as it is, or asks for changes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2s

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import Decision
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Draft, Newsletter, Note, Share
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import touch
from partita.apps.newsletter.service.shares import MOST_SHARES
from partita.kit.clock import stamp
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize, refuse_withheld
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid, NotFound
from partita.table import Check, Put, Transaction, Update, Write

NO_OBJECTIONS = "I have read it and have no objections."


@dataclass(frozen=True, slots=True)
class Approval:
    """Where a newsletter stands."""

    approved_by: str | None = None
    approved_at: str | None = None
    approved_revision: int | None = None
    revision: int | None = None
    """The draft's; None if there is none yet."""
    asked_at: str | None = None
    changes_asked_by: str | None = None
    changes_asked_at: str | None = None
    same_edition: bool = True
    """Whether all that is printed is what was approved, beside the text's revision."""

    @property
    def state(self) -> str:
        """`none`, `asked`, `changes_requested`, `approved`, or `changed`: text or configuration
        were edited since it was approved."""
        if self.approved_at is None:
            if self.changes_asked_at is not None:
                return "changes_requested"
            return "asked" if self.asked_at is not None else "none"
        return "approved" if self.approved_revision == self.revision and self.same_edition else "changed"


class Approvals:
    """Decisions about drafts."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    async def of(self, viewer: Viewer, code: str) -> Approval:
        """Where a newsletter stands, for those who may read it."""
        newsletter = await self._access.newsletter(viewer, code)
        return _approval(newsletter, await find(self._store, schema.draft, code))

    async def name_of(self, approval: Approval) -> str:
        """Who decided about it last, by name."""
        by = approval.approved_by or approval.changes_asked_by
        if by is None:
            return ""
        person = await self._kit.accounts.people.find(by)
        return "somebody whose account is gone" if person is None else person.name

    def may_approve(self, viewer: Viewer, newsletter: Newsletter) -> bool:
        """Nobody approves their own, but administrators."""
        if not viewer.may(Letters.APPROVE):
            return False
        return newsletter.user_id != viewer.id or viewer.may(Letters.MANAGE)

    async def was_asked(self, viewer: Viewer, newsletter: Newsletter) -> bool:
        """Whether somebody was asked for a review and has not answered: they may ask for changes, or have none."""
        share = await find(self._store, schema.share, newsletter.newsletter_code, viewer.id)
        return share is not None and share.review_asked

    async def decide(self, viewer: Viewer, code: str, decision: Decision) -> Approval:
        """Approve, ask for changes, have no objections, or take an approval back."""
        newsletter = await self._access.newsletter(viewer, code)
        if decision.decision == "withdraw":
            await self._withdraw(viewer, newsletter)
        else:
            if decision.decision == "approve" or not await self.was_asked(viewer, newsletter):
                self._check_approver(viewer, newsletter)
            draft = await find(self._store, schema.draft, code)
            if draft is None or not draft.generated_content:
                raise Conflict("There is no draft to review yet.", code="step_not_ready")
            if decision.revision is not None and decision.revision != draft.revision:
                raise StaleEdit(draft.revision)
            if decision.decision == "approve":
                await self._approve(viewer, newsletter, draft, decision)
            elif decision.decision == "no_objections":
                await self._has_no_objections(viewer, newsletter, decision)
            else:
                await self._ask_for_changes(viewer, newsletter, decision)
        return await self.of(viewer, code)

    async def _approve(self, viewer: Viewer, newsletter: Newsletter, draft: Draft, decision: Decision) -> None:
        """Of the text that was read: who saves in the same moment has it unapproved."""
        approved = Update(
            newsletter.own_key,
            Newsletter.approved_by.set(viewer.id),
            Newsletter.approved_at.set(stamp(self._kit.clock)),
            Newsletter.approved_revision.set(draft.revision),
            Newsletter.approved_edition.set(printed(newsletter, draft)),
            Newsletter.review_asked_at.remove(),
            Newsletter.changes_asked_by.remove(),
            Newsletter.changes_asked_at.remove(),
        )
        same = Check(draft.own_key, draft.own_key.unchanged_since(draft, Draft.revision))
        stale = StaleEdit(draft.revision + 1)
        done: list[Write] = [*await self._reviewed(viewer, newsletter)]
        if decision.comment:
            done.append(Put(decision_note(self._kit, viewer, newsletter.newsletter_code, decision)).if_new())
        await self._store.transact(Transaction(approved.otherwise(_gone()), same.otherwise(stale), *done))

    async def _ask_for_changes(self, viewer: Viewer, newsletter: Newsletter, decision: Decision) -> None:
        if not decision.comment:
            raise Invalid(FieldError("comment", "Say what should change."))
        note = decision_note(self._kit, viewer, newsletter.newsletter_code, decision)
        undecided = Update(
            newsletter.own_key,
            Newsletter.approved_by.remove(),
            Newsletter.approved_at.remove(),
            Newsletter.approved_revision.remove(),
            Newsletter.approved_edition.remove(),
            Newsletter.review_asked_at.remove(),
            Newsletter.changes_asked_by.set(viewer.id),
            Newsletter.changes_asked_at.set(note.created_at),
        )
        done = await self._reviewed(viewer, newsletter)
        await self._store.transact(Transaction(undecided.otherwise(_gone()), Put(note).if_new(), *done))

    async def _has_no_objections(self, viewer: Viewer, newsletter: Newsletter, decision: Decision) -> None:
        """Answers the request without approving: that stays with those who may. Told to the owner as a note; without a
        comment there is nothing to resolve in it."""
        said = decision if decision.comment else decision.model_copy(update={"comment": NO_OBJECTIONS})
        note = decision_note(self._kit, viewer, newsletter.newsletter_code, said)
        if not decision.comment:
            note = note.model_copy(update={"resolved_at": note.created_at, "resolved_by": viewer.id})
        shares = await self._store.page(schema.shares_of(newsletter.newsletter_code), limit=MOST_SHARES)
        waiting = any(each.review_asked for each in shares if each.user_id != viewer.id)
        answered = () if waiting else (Newsletter.review_asked_at.remove(),)
        touched = touch(newsletter, self._kit.clock.now(), *answered)
        done = await self._reviewed(viewer, newsletter)
        await self._store.transact(Transaction(touched.otherwise(_gone()), Put(note).if_new(), *done))

    async def _reviewed(self, viewer: Viewer, newsletter: Newsletter) -> list[Update[Share]]:
        """Whoever decides has answered the request for a review."""
        share = await find(self._store, schema.share, newsletter.newsletter_code, viewer.id)
        asked = share is not None and share.review_asked
        return [Update(share.own_key, Share.review_asked.set(False))] if share is not None and asked else []

    async def _withdraw(self, viewer: Viewer, newsletter: Newsletter) -> None:
        if newsletter.approved_by != viewer.id and not await self._access.may_write(viewer, newsletter):
            refuse_withheld(viewer, Letters.MANAGE)
            raise Forbidden("Only whoever approved it, and those who may edit it, can take an approval back.")
        if newsletter.approved_at is None:
            raise Conflict("It is not approved.", code="not_approved")
        await self._store.write(Update(newsletter.own_key, *_UNAPPROVED).otherwise(_gone()))

    def _check_approver(self, viewer: Viewer, newsletter: Newsletter) -> None:
        if self.may_approve(viewer, newsletter):
            return
        authorize(viewer, Letters.APPROVE)
        refuse_withheld(viewer, Letters.MANAGE)
        raise Forbidden("Nobody approves their own newsletter. Share it with an editor and ask for a review.")


_UNAPPROVED = (
    Newsletter.approved_by.remove(),
    Newsletter.approved_at.remove(),
    Newsletter.approved_revision.remove(),
    Newsletter.approved_edition.remove(),
    Newsletter.review_asked_at.remove(),
)


PRINTED = ("title", "language", "theme", "issue_label", "issue_number", "geographic_focus", "preheader")
"""What an edition prints of its configuration. The brand is the house's and not part of an approval."""


def printed(newsletter: Newsletter, draft: Draft) -> str:
    """A digest of what an edition prints; also of a text that another program has written, which counts no revision."""
    told = [getattr(newsletter, name) for name in PRINTED]
    told.append(draft.user_edits if draft.has_user_edits else draft.generated_content)
    return blake2s(json.dumps(told).encode(), digest_size=16).hexdigest()


def decision_note(kit: Kit, viewer: Viewer, code: str, decision: Decision) -> Note:
    """The comment of a decision, kept as a note on all of it."""
    return Note(
        code=code,
        created_at=stamp(kit.clock),
        note_id=kit.ids.new(),
        text=decision.comment,
        by=viewer.id,
        by_name=viewer.name or viewer.username,
        decision=decision.decision,
    )


def _approval(newsletter: Newsletter, draft: Draft | None) -> Approval:
    approved = newsletter.approved_edition
    same = draft is None or approved is None or approved == printed(newsletter, draft)
    return Approval(
        newsletter.approved_by,
        newsletter.approved_at,
        newsletter.approved_revision,
        None if draft is None or not draft.generated_content else draft.revision,
        newsletter.review_asked_at,
        newsletter.changes_asked_by,
        newsletter.changes_asked_at,
        same,
    )


def _gone() -> NotFound:
    return NotFound("There is no such newsletter.")
