"""Proposals: a change of released content, which readers do not see until it is approved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.enablement.permissions import Action
from partita.apps.enablement.schema import (
    FIELDS,
    PREVIEW_FIELDS,
    Content,
    ContentFields,
    Proposal,
    fields_of,
)
from partita.apps.enablement.service.access import state_of
from partita.apps.enablement.service.bookkeeping import Write, changes_between, entry
from partita.apps.enablement.service.changing import Changing, check_version
from partita.apps.enablement.service.checks import check_dates
from partita.kit.inputs import nothing_to_change
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, Put, Transaction, Update
from partita.table.types import timestamp
from partita.table.versions import changed_meanwhile

NOT_SUBMITTED: dict[str, Any] = {
    "approval_state": None,
    "approved_by": None,
    "release_on": None,
    "due_day": None,
    "due_key": None,
    "ask_again": False,
}
"""A proposal that nobody has decided on: whatever is changed after a decision must be decided on again."""


class Proposals:
    """Changes of content that is approved."""

    def __init__(self, kit: Kit, changing: Changing) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing

    async def proposal(self, viewer: Viewer, content_id: str) -> Proposal:
        """The proposal, for those who may read the history."""
        await self._changing.allowed(viewer, content_id, Action.HISTORY)
        found = await self._changing.proposal(content_id)
        if found is None:
            raise NotFound("Nobody has proposed a change of this.", code="no_proposal")
        return found

    async def change_fields(
        self,
        viewer: Viewer,
        content_id: str,
        changes: Mapping[str, Any],
        *,
        version: str | None = None,
        writes: tuple[Write, ...] = (),
    ) -> Proposal:
        """Change fields of the proposal, or begin one; `writes` belong to its transaction."""

        async def attempt() -> Proposal:
            content = await self._changing.allowed(viewer, content_id, Action.EDIT)
            before = await self._changing.proposal(content_id)
            check_version(version, content.version if before is None else before.version)
            return await self._write(viewer, content, before, changes, writes)

        return await self._store.attempt(attempt)

    async def discard(self, viewer: Viewer, content_id: str) -> None:
        """Give a proposal up."""

        async def attempt() -> None:
            content = await self._changing.allowed(viewer, content_id, Action.EDIT)
            before = await self._changing.proposal(content_id)
            if before is None:
                raise NotFound("Nobody has proposed a change of this.", code="no_proposal")
            told = entry(
                self._kit.ids.new(),
                viewer.id,
                "proposal_discarded",
                self._changing.now(),
                before=content,
                after=None,
            )
            await self._store.transact(Transaction(*removal_of(before), Put(told).if_new()))

        await self._store.attempt(attempt)

    async def commit(
        self,
        by: str,
        content: Content,
        before: Proposal,
        changes: Mapping[str, Any],
        action: str,
        comment: str | None = None,
        batch: str | None = None,
    ) -> Proposal:
        """Write a decision about a proposal and its history; the content item stays as it is."""
        after = before.model_copy(update=dict(changes))
        now = self._changing.now()
        told = entry(self._kit.ids.new(), by, action, now, before=content, after=None, comment=comment, batch=batch)
        update = Update.between(before, after).next_version(before)
        await self._store.transact(Transaction(still_approved(content), update, Put(told).if_new()))
        return after.with_(Proposal.revision(before.revision + 1))

    async def unschedule(self, by: str, content: Content, before: Proposal) -> None:
        """Take the day from a proposal whose content readers no longer have."""
        after = before.model_copy(update=NOT_SUBMITTED)
        told = entry(self._kit.ids.new(), by, "unscheduled", self._changing.now(), before=content, after=None)
        await self._store.transact(Transaction(Update.between(before, after).next_version(before), Put(told).if_new()))

    async def _write(
        self,
        viewer: Viewer,
        content: Content,
        before: Proposal | None,
        changes: Mapping[str, Any],
        writes: tuple[Write, ...],
    ) -> Proposal:
        if content.status != "Approved":
            raise Conflict("Only approved content is changed by a proposal.", code="wrong_state")
        now = self._changing.now()
        base = fields_with(content, before)
        wanted = base.model_copy(update=dict(changes))
        check_dates(wanted)
        fields = dict(changes_between(base, wanted, FIELDS))
        if not fields:
            raise nothing_to_change()
        proposed = frozenset(name for name in FIELDS if getattr(wanted, name) != getattr(content, name))
        told = entry(self._kit.ids.new(), viewer.id, "proposed", now, before=content, after=None, fields=fields)
        new_file = dict.fromkeys(PREVIEW_FIELDS) if "s3_key" in changes else {}
        own: Put[Proposal] | Update[Proposal]
        if before is None:
            after = Proposal(
                of_content=content.content_id,
                based_on=content.version,
                fields=wanted,
                proposed=proposed,
                begun_at=timestamp(now),
                begun_by=viewer.id,
                changed_by=viewer.id,
            )
            own = Put(after).if_new().otherwise(lambda there: ChangedMeanwhileError("The proposal", there))
        else:
            undecided = NOT_SUBMITTED if before.approval_state == "scheduled" else {}
            update = {"fields": wanted, "proposed": proposed, "changed_by": viewer.id, **undecided, **new_file}
            after = before.model_copy(update={**update, "revision": before.revision + 1})
            own = Update.between(before, after).next_version(before)
        await self._store.transact(Transaction(still_approved(content), own, Put(told).if_new(), *writes))
        return after


def fields_with(content: Content, proposal: Proposal | None) -> ContentFields:
    """The fields of an item as they will be when its proposal is merged."""
    fields = fields_of(content)
    if proposal is None:
        return fields
    return fields.model_copy(update={name: getattr(proposal.fields, name) for name in proposal.proposed})


def merged(content: Content, proposal: Proposal) -> Content:
    """The item with what is proposed; what else has changed meanwhile stays."""
    update: dict[str, Any] = {name: getattr(proposal.fields, name) for name in proposal.proposed}
    if "s3_key" in proposal.proposed:
        update |= {name: getattr(proposal, name) for name in PREVIEW_FIELDS}
    update |= {
        "changed_by": proposal.changed_by,
        "submitted_at": proposal.submitted_at,
        "submitted_by": proposal.submitted_by,
        "change_note": proposal.change_note,
    }
    return content.model_copy(update=update)


def removal_of(proposal: Proposal) -> tuple[Delete[Proposal], ...]:
    """The write that removes a proposal which is merged or given up; fails if it has changed."""
    return (Delete(proposal.own_key).unless_changed(proposal, Proposal.revision),)


def still_approved(content: Content) -> Check[Content]:
    """The item has not left the readers meanwhile."""
    same = content.own_key.unchanged_since(content, Content.status)
    return Check(content.own_key, same).otherwise(changed_meanwhile(content.own_key))


def no_proposal(content: Content, changing: Changing) -> Conflict:
    """The refusal of a decision about a change that nobody has proposed."""
    state = state_of(content, changing.now())
    return Conflict(
        f"“{content.title}” is {state.lower()}, and nobody has proposed a change of it.", code="no_proposal"
    )
