"""The life cycle: submit, decide, release, confirm, retire, expire, renew, reinstate, hand over. Each is one
transaction with its row of the history."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_after, day_of, today_of
from partita.apps.enablement.inputs import (
    Approval,
    ChangesRequest,
    Reason,
    Retirement,
    Submission,
    Transfer,
    Validity,
)
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import REVIEW_DAYS, Content, Proposal
from partita.apps.enablement.service.access import is_scheduled, own_work, require
from partita.apps.enablement.service.bookkeeping import Write
from partita.apps.enablement.service.changing import Changing, Step, check_version, expiry_of
from partita.apps.enablement.service.checks import check_complete, check_dates, check_note, check_valid
from partita.apps.enablement.service.proposals import (
    NOT_SUBMITTED,
    Proposals,
    fields_with,
    merged,
    no_proposal,
    removal_of,
)
from partita.apps.enablement.service.releases import (
    approved,
    proposal_schedule,
    release_day,
    released,
    scheduled,
)
from partita.kit.accounts import Account
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid
from partita.table import Check
from partita.table.types import timestamp
from partita.table.versions import changed_meanwhile

_LONGEST_CHAIN = 20


class Lifecycle:
    """Everything that moves content from state to state."""

    def __init__(self, kit: Kit, changing: Changing, proposals: Proposals) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._proposals = proposals

    # Author and approver

    async def submit(
        self, viewer: Viewer, content_id: str, submission: Submission, *, batch: str | None = None
    ) -> Content | Proposal:
        """Ask the approvers to release a draft, or the proposal to change something released. `batch` is the job that
        does this with several items."""

        async def attempt() -> Content | Proposal:
            content, proposal = await self._both(viewer, content_id, Action.EDIT)
            current: Content | Proposal = content if proposal is None else proposal
            check_version(submission.version, current.version)
            if current.approval_state in ("waiting", "scheduled"):
                raise Conflict("This is with the approvers already.", code="already_submitted")
            note = submission.note or current.change_note
            check_complete(fields_with(content, proposal), note, content.major)
            now = self._changing.now()
            update: dict[str, Any] = {
                "approval_state": "waiting",
                "submitted_at": timestamp(now),
                "submitted_by": viewer.id,
                "change_note": note,
            }
            if proposal is not None:
                return await self._proposals.commit(viewer.id, content, proposal, update, "submitted", note, batch)
            step = Step(content.model_copy(update=update), "submitted", note, batch=batch)
            return await self._changing.commit(viewer.id, content, step, now)

        return await self._store.attempt(attempt)

    async def withdraw(self, viewer: Viewer, content_id: str) -> Content | Proposal:
        """Take it back from the approvers, to write on."""

        async def attempt() -> Content | Proposal:
            content, proposal = await self._both(viewer, content_id, Action.EDIT)
            current: Content | Proposal = content if proposal is None else proposal
            if current.approval_state is None:
                raise Conflict("This is not with the approvers.", code="not_submitted")
            if proposal is not None:
                return await self._proposals.commit(viewer.id, content, proposal, NOT_SUBMITTED, "withdrawn")
            step = Step(content.with_(Content.approval_state(None)), "withdrawn")
            return await self._changing.commit(viewer.id, content, step, self._changing.now())

        return await self._store.attempt(attempt)

    async def request_changes(self, viewer: Viewer, content_id: str, request: ChangesRequest) -> Content | Proposal:
        """Send it back to its author, who is told why."""

        async def attempt() -> Content | Proposal:
            content, proposal = await self._decidable(viewer, content_id)
            current: Content | Proposal = content if proposal is None else proposal
            check_version(request.version, current.version)
            if current.approval_state not in ("waiting", "scheduled"):
                raise Conflict("This does not wait for approval.", code="not_submitted")
            action, update = "changes_requested", {**NOT_SUBMITTED, "approval_state": "changes_requested"}
            if proposal is not None:
                return await self._proposals.commit(viewer.id, content, proposal, update, action, request.comment)
            step = Step(content.with_(Content.approval_state("changes_requested")), action, request.comment)
            return await self._changing.commit(viewer.id, content, step, self._changing.now())

        return await self._store.attempt(attempt)

    async def approve(
        self, viewer: Viewer, content_id: str, approval: Approval, *, batch: str | None = None
    ) -> Content:
        """Release what the approver saw: any draft, or a proposal that was submitted; now, or on a later day. `batch`
        is the job that does this with several items."""

        async def attempt() -> Content:
            content, proposal = await self._decidable(viewer, content_id)
            check_version(approval.version, content.version if proposal is None else proposal.version)
            if proposal is not None:
                return await self._approve_proposal(viewer, content, proposal, approval, batch)
            now = self._changing.now()
            note = approval.note or content.change_note
            check_note(content, note)
            check_valid(content, now)
            day = release_day(approval.release_on, content.effective_date, today_of(now))
            after = approved(content, viewer.id, note, day, now)
            check_dates(after)
            action = "approved" if day is None else "scheduled"
            step = Step(after, action, approval.comment, major=True, ask_again=approval.ask_again, batch=batch)
            return await self._changing.commit(viewer.id, content, step, now)

        return await self._store.attempt(attempt)

    async def _approve_proposal(
        self, viewer: Viewer, content: Content, proposal: Proposal, approval: Approval, batch: str | None
    ) -> Content:
        if proposal.approval_state not in ("waiting", "scheduled"):
            raise Conflict("Its author has not submitted this change.", code="not_submitted")
        now = self._changing.now()
        note = approval.note or proposal.change_note
        check_note(content, note)
        after = merged(content, proposal)
        check_valid(after, now)
        day = release_day(approval.release_on, after.effective_date, today_of(now))
        waits = is_scheduled(content, now)  # readers have nothing yet that they could keep until then
        if day is not None and not waits:
            check_dates(after.model_copy(update={"effective_date": day}))
            update = {
                **proposal_schedule(content.content_id, day),
                "approved_by": viewer.id,
                "change_note": note,
                "ask_again": approval.ask_again,
            }
            await self._proposals.commit(viewer.id, content, proposal, update, "scheduled", approval.comment, batch)
            return content
        step = Step(
            approved(after, viewer.id, note, day, now),
            "approved" if day is None else "scheduled",
            approval.comment,
            major=True,
            ask_again=approval.ask_again,
            batch=batch,
            writes=removal_of(proposal),
        )
        return await self._changing.commit(viewer.id, content, step, now)

    # The clock's part of a release

    async def release(self, content: Content, by: str) -> Content:
        """Give scheduled content to readers; its approval has counted the major up already."""
        now = self._changing.now()
        return await self._changing.commit(by, content, Step(released(content, now), "released"), now)

    async def release_proposal(self, proposal: Proposal, by: str) -> Content | None:
        """Merge a scheduled proposal on its day. If its content was taken from readers meanwhile, it must be decided on
        again: None."""
        content = await find(self._store, schema.content, proposal.of_content)
        now = self._changing.now()
        if content is None or content.status != "Approved":
            if content is not None:
                await self._proposals.unschedule(by, content, proposal)
            return None
        after = approved(merged(content, proposal), proposal.approved_by or by, proposal.change_note, None, now)
        step = Step(
            after,
            "released",
            major=True,
            approved_by=proposal.approved_by,
            ask_again=proposal.ask_again,
            writes=removal_of(proposal),
        )
        return await self._changing.commit(by, content, step, now)

    # While it is released

    async def confirm(self, viewer: Viewer, content_id: str) -> Content:
        """Still correct: reviewed today, and again after its interval."""
        products = await self._store.get(schema.products())

        async def confirmed(before: Content, now: datetime) -> Step:
            suite_days = REVIEW_DAYS if products is None else products.review_days(before.product_suite)
            after = before.with_(
                Content.review_due_date(day_after(today_of(now), before.review_every_days or suite_days)),
                Content.confirmed_at(timestamp(now)),
                Content.confirmed_by(viewer.id),
            )
            return Step(after, "confirmed", quiet=True)

        return await self._changing.change(viewer, content_id, Action.CONFIRM, confirmed)

    async def plan(self, viewer: Viewer, content_id: str, validity: Validity) -> Content:
        """Change the release day of what is scheduled, or how long something is valid."""
        changes = dict(validity.changes)
        day = changes.pop("release_on", None)

        async def planned(before: Content, now: datetime) -> Step:
            check_version(validity.version, before.version)
            after = before.model_copy(update=changes)
            if day is not None:
                if not is_scheduled(before, now):
                    raise Conflict("Readers have this already. Expire or retire it instead.", code="wrong_state")
                later = day > today_of(now)
                after = scheduled(after, day, now) if later else released(after, now)
                check_dates(after)
                return Step(after, "planned" if later else "released")
            check_dates(after)
            return Step(after, "planned")

        return await self._changing.change(viewer, content_id, Action.PLAN, planned)

    async def hand_over(self, viewer: Viewer, content_id: str, transfer: Transfer) -> Content:
        """Give it to a colleague who may write. If its owner is gone, approvers may do that too."""
        heir = await self.heir(transfer)
        content = await self._changing.content(content_id)
        orphaned = viewer.may(Enablement.APPROVE) and await self.has_no_owner(content)

        async def handed_over(before: Content, now: datetime) -> Step:
            if not orphaned or before.owner_user_id != content.owner_user_id:
                require(viewer, before, Action.HAND_OVER, now)
            if before.owner_user_id == heir.user_id:
                raise Conflict("They own this already.", code="already_owner")
            after = before.with_(Content.owner_user_id(heir.user_id))
            return Step(after, "handed_over", transfer.comment, quiet=True)

        needs = Action.READ if orphaned else Action.HAND_OVER
        return await self._changing.change(viewer, content_id, needs, handed_over)

    async def heir(self, transfer: Transfer) -> Account:
        """Whom something is handed over to; refused unless they may write."""
        heir = await self._kit.accounts.people.by_username(transfer.to)
        may_write = heir is not None and Enablement.WRITE in await self._kit.accounts.permissions.of(heir)
        if heir is None or heir.suspended or not may_write:
            raise Invalid(FieldError("to", "Choose somebody with the role contributor or above."))
        return heir

    async def has_no_owner(self, content: Content) -> bool:
        """Whether the owner's account is gone or suspended."""
        owner = await self._kit.accounts.people.find(content.owner_user_id)
        return owner is None or owner.suspended

    # Leaving readers, and coming back

    async def retire(self, viewer: Viewer, content_id: str, retirement: Retirement) -> Content:
        """Take it out of use; readers get a short page with the reason and what replaces it."""

        async def retired(before: Content, now: datetime) -> Step:  # noqa: ARG001
            checks = await self._replacement(before, retirement.superseded_by)
            after = before.with_(
                Content.status("Deprecated"),
                Content.approval_state(None),
                Content.retired_because(retirement.reason),
                Content.superseded_by(retirement.superseded_by),
            )
            return Step(after, "retired", retirement.reason, writes=checks)

        return await self._changing.change(viewer, content_id, Action.PLAN, retired)

    async def expire(self, viewer: Viewer, content_id: str, reason: Reason | None = None) -> Content:
        """End its validity before its date."""

        async def expired(before: Content, now: datetime) -> Step:  # noqa: ARG001
            return expiry_of(before, None if reason is None else reason.comment)

        return await self._changing.change(viewer, content_id, Action.PLAN, expired)

    async def renew(self, viewer: Viewer, content_id: str) -> Content:
        """Make a draft of what has expired. Readers do not see it until it is approved again; a proposal that waits
        becomes the renewal."""

        async def renewed(before: Content, now: datetime) -> Step:  # noqa: ARG001
            proposal = await self._changing.proposal(content_id)
            writes: tuple[Write, ...] = ()
            if proposal is not None:
                state = proposal.approval_state if proposal.approval_state != "scheduled" else None
                after = merged(before, proposal).with_(Content.approval_state(state))
                writes = removal_of(proposal)
            else:
                after = before.with_(Content.change_note(None))
            after = after.with_(Content.status("Draft"), Content.released_at(None))
            return Step(after, "renewed", writes=writes)

        return await self._changing.change(viewer, content_id, Action.RENEW, renewed)

    async def reinstate(self, viewer: Viewer, content_id: str) -> Content:
        """Give something retired to readers again, as it was."""

        async def reinstated(before: Content, now: datetime) -> Step:
            check_valid(before, now)
            after = before.with_(Content.status("Approved"), Content.superseded_by(None), Content.retired_because(None))
            day = day_of(before.effective_date)
            later = day is not None and day > today_of(now)
            if later and day is not None:
                after = scheduled(after, day, now)
            elif before.released_at is None:
                after = released(after, now)
            return Step(after, "reinstated")

        return await self._changing.change(viewer, content_id, Action.REINSTATE, reinstated)

    async def _both(self, viewer: Viewer, content_id: str, needs: Action) -> tuple[Content, Proposal | None]:
        """A draft without, or approved content with the proposal to change it."""
        content = await self._changing.allowed(viewer, content_id, needs)
        if content.status == "Draft":
            return content, None
        proposal = await self._changing.proposal(content_id)
        if proposal is None:
            raise no_proposal(content, self._changing)
        return content, proposal

    async def _decidable(self, viewer: Viewer, content_id: str) -> tuple[Content, Proposal | None]:
        content, proposal = await self._both(viewer, content_id, Action.DECIDE)
        refused = own_work(viewer, content, (content if proposal is None else proposal).changed_by)
        if refused is not None:
            raise refused
        return content, proposal

    async def _replacement(self, content: Content, replacement: str | None) -> tuple[Write, ...]:
        """Checks that the replacement is there and does not lead back, now and when it is written."""
        checks: list[Write] = []
        following = replacement
        while following is not None:
            if following == content.content_id or len(checks) == _LONGEST_CHAIN:
                message = "This leads back to what is retired: choose content that does not name it as its replacement."
                raise Invalid(FieldError("superseded_by", message))
            found = await find(self._store, schema.content, following)
            if found is None:
                if following == replacement:
                    raise Invalid(FieldError("superseded_by", f"There is no content {following!r}."))
                break
            same = found.own_key.unchanged_since(found, Content.superseded_by)
            checks.append(Check(found.own_key, same).otherwise(changed_meanwhile(found.own_key)))
            following = found.superseded_by
        return tuple(checks)
