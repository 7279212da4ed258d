"""Reviews of proposals: a colleague who was asked says that it is ready, or what should change."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import Decision
from partita.apps.newsletter.schema import Proposal, Share
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.approval import decision_note
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals
from partita.apps.newsletter.service.proposing.states import check_move
from partita.kit.clock import stamp
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Forbidden, Invalid, NotFound
from partita.table import Put, Transaction, Update, Write


class ProposalReviews:
    """Decisions about proposals."""

    def __init__(self, kit: Kit, access: Access, proposals: Proposals) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._proposals = proposals

    async def may_decide(self, viewer: Viewer, proposal: Proposal) -> bool:
        """Those who were asked for a review, while it is in review. Its owner says by its status that it is ready."""
        if proposal.status != "in_review":
            return False
        share = await find(self._store, schema.share, proposal.proposal_code, viewer.id)
        return share is not None and share.review_asked

    async def decide(self, viewer: Viewer, code: str, decision: Decision) -> None:
        """It is ready, or goes back to draft with a note that says why."""
        if not await self.may_decide(viewer, await self._access.proposal(viewer, code)):
            raise Forbidden("Only those who were asked for a review can decide about it, while it is in review.")
        if decision.decision not in ("approve", "ask_for_changes"):
            raise Invalid(FieldError("decision", "A proposal is approved, or changes are asked for."))
        if decision.decision == "ask_for_changes" and not decision.comment:
            raise Invalid(FieldError("comment", "Say what should change."))
        status = "ready" if decision.decision == "approve" else "draft"
        now = stamp(self._kit.clock)

        def decided(before: OpenProposal) -> Proposal:
            if decision.revision is not None and decision.revision != before.proposal.revision:
                raise StaleEdit(before.proposal.revision)
            check_move(before.proposal.status, status)
            review = {"by": viewer.id, "by_name": viewer.name or viewer.username, "at": now, "status": status}
            metadata = {**as_plain(before.proposal.metadata), "review": review}
            return before.proposal.model_copy(update={"status": status, "metadata": metadata})

        async def attempt() -> None:
            put = await self._proposals.put_back(code, decided)
            if put is None:
                raise NotFound("It has just been deleted.")
            writes: list[Write] = [put]
            share = await find(self._store, schema.share, code, viewer.id)
            if share is not None:
                writes.append(Update(share.own_key, Share.review_asked.set(False)))
            if decision.comment:
                writes.append(Put(decision_note(self._kit, viewer, code, decision)).if_new())
            await self._store.transact(Transaction(*writes))

        await self._store.attempt(attempt)
