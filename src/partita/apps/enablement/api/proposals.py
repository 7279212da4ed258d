"""Proposals over HTTP: the change of released content, which readers do not see until it is approved."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.enablement.api.content import Edited, edited
from partita.apps.enablement.inputs import ContentEdit
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import ApprovalState
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.problems import Conflict
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, View


class ProposalView(View):
    """The proposal to change an item."""

    model_config = ConfigDict(alias_generator=None)

    content_id: Annotated[str, From("of_content")]
    version: str = Field(description="What an edit or an approval names.")
    based_on: str
    begun_at: str
    begun_by: str
    changed_by: str
    approval_state: ApprovalState | None
    submitted_at: str | None
    submitted_by: str | None
    change_note: str | None
    release_on: str | None
    changed: dict[str, Any] = Field(description="The fields that it changes, as they will be.")
    text: str


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.get("/content/{content_id}/proposal", Enablement.READ, response_model=ProposalView, refuses=[403, 404])
    async def proposal(viewer: CurrentViewer, content_id: str) -> Json:
        """The proposal, if there is one."""
        found = await service.proposals.proposal(viewer, content_id)
        hidden = ("s3_uri", "s3_bucket", "s3_key")
        changed = {name: getattr(found.fields, name) for name in sorted(found.proposed) if name not in hidden}
        return Json(ProposalView.of(found, changed=changed, text=await service.content.text(found.fields)))

    @api.put(
        "/content/{content_id}/proposal", Enablement.WRITE, response_model=Edited, refuses=[400, 403, 404, 409, 422]
    )
    async def edit_proposal(viewer: CurrentViewer, content_id: str, changes: ContentEdit) -> Json:
        """Begin a proposal, or change it. Drafts are changed directly."""
        content, _ = await service.content.look(viewer, content_id)
        if content.status == "Draft":
            raise Conflict("This is a draft: change it directly.", code="wrong_state")
        return Json(edited(await service.content.edit(viewer, content_id, changes)))

    @api.delete("/content/{content_id}/proposal", Enablement.WRITE, status_code=204, refuses=[403, 404, 409])
    async def discard_proposal(viewer: CurrentViewer, content_id: str) -> Response:
        """Give a proposal up."""
        await service.proposals.discard(viewer, content_id)
        return Response(status_code=204)
