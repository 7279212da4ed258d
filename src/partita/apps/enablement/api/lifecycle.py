"""The life cycle over HTTP: submit, decide, confirm, plan, retire, expire, renew, reinstate, hand over."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.enablement.inputs import (
    Approval,
    ChangesRequest,
    Reason,
    Retirement,
    Submission,
    Transfer,
    Validity,
)
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import ApprovalState, Content, Proposal, Status
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_REFUSES = [403, 404, 409, 422]


class Moved(View):
    """A content item after a step of its life cycle."""

    model_config = ConfigDict(alias_generator=None)

    content_id: str
    proposal: bool = Field(description="Whether this is about the proposal to change it.")
    status: Status
    approval_state: ApprovalState | None
    version: str = Field(description="What the next decision names.")
    owner_user_id: str
    review_due_date: str | None
    effective_date: str | None
    expiry_date: str | None
    superseded_by: str | None


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    lifecycle = service.lifecycle

    async def moved(result: Content | Proposal) -> Json:
        if isinstance(result, Content):
            return Json(Moved.of(result, proposal=False))
        content = await service.changing.content(result.of_content)
        of_proposal: dict[str, Any] = {"approval_state": result.approval_state, "version": result.version}
        return Json(Moved.of(content, proposal=True, **of_proposal))

    @api.post("/content/{content_id}/submit", Enablement.WRITE, response_model=Moved, refuses=_REFUSES)
    async def submit(viewer: CurrentViewer, content_id: str, submission: Submission) -> Json:
        """Ask the approvers to release a draft, or the proposal to change something released."""
        return await moved(await lifecycle.submit(viewer, content_id, submission))

    @api.post("/content/{content_id}/withdraw", Enablement.WRITE, response_model=Moved, refuses=_REFUSES)
    async def withdraw(viewer: CurrentViewer, content_id: str) -> Json:
        """Take it back from the approvers, to write on."""
        return await moved(await lifecycle.withdraw(viewer, content_id))

    @api.post("/content/{content_id}/request-changes", Enablement.APPROVE, response_model=Moved, refuses=_REFUSES)
    async def request_changes(viewer: CurrentViewer, content_id: str, request: ChangesRequest) -> Json:
        """Send it back to its author, and say why."""
        return await moved(await lifecycle.request_changes(viewer, content_id, request))

    @api.post("/content/{content_id}/approve", Enablement.APPROVE, response_model=Moved, refuses=_REFUSES)
    async def approve(viewer: CurrentViewer, content_id: str, approval: Approval) -> Json:
        """Release the version that you saw: any draft, or a proposal that was submitted; now, or on a later day."""
        return await moved(await lifecycle.approve(viewer, content_id, approval))

    @api.post("/content/{content_id}/confirm", Enablement.WRITE, response_model=Moved, refuses=_REFUSES)
    async def confirm(viewer: CurrentViewer, content_id: str) -> Json:
        """Still correct: its next review is due after its interval."""
        return await moved(await lifecycle.confirm(viewer, content_id))

    @api.put("/content/{content_id}/validity", Enablement.APPROVE, response_model=Moved, refuses=_REFUSES)
    async def plan(viewer: CurrentViewer, content_id: str, validity: Validity) -> Json:
        """Change the release day of what is scheduled, or how long it is valid; fields that are left out stay."""
        return await moved(await lifecycle.plan(viewer, content_id, validity))

    @api.post("/content/{content_id}/deprecate", Enablement.APPROVE, response_model=Moved, refuses=_REFUSES)
    async def retire(viewer: CurrentViewer, content_id: str, retirement: Retirement) -> Json:
        """Take it out of use, and name what replaces it."""
        return await moved(await lifecycle.retire(viewer, content_id, retirement))

    @api.post("/content/{content_id}/expire", Enablement.APPROVE, response_model=Moved, refuses=_REFUSES)
    async def expire(viewer: CurrentViewer, content_id: str, reason: Reason | None = None) -> Json:
        """End its validity before its date."""
        return await moved(await lifecycle.expire(viewer, content_id, reason))

    @api.post("/content/{content_id}/renew", Enablement.WRITE, response_model=Moved, refuses=_REFUSES)
    async def renew(viewer: CurrentViewer, content_id: str) -> Json:
        """Make a draft of what has expired. Readers do not see it until it is approved again."""
        return await moved(await lifecycle.renew(viewer, content_id))

    @api.post("/content/{content_id}/reinstate", Enablement.APPROVE, response_model=Moved, refuses=_REFUSES)
    async def reinstate(viewer: CurrentViewer, content_id: str) -> Json:
        """Give something retired to readers again, as it was."""
        return await moved(await lifecycle.reinstate(viewer, content_id))

    @api.post("/content/{content_id}/transfer", Enablement.WRITE, response_model=Moved, refuses=_REFUSES)
    async def transfer(viewer: CurrentViewer, content_id: str, to: Transfer) -> Json:
        """Hand it to a colleague who may write."""
        return await moved(await lifecycle.hand_over(viewer, content_id, to))
