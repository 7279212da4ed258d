"""Approval of a newsletter over HTTP."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from partita.apps.newsletter.inputs import Decision
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class ApprovalView(View):
    """Where a newsletter stands."""

    model_config = ConfigDict(alias_generator=None)

    state: Literal["none", "asked", "changes_requested", "approved", "changed"] = Field(
        description="`changed`: the text, or what the configuration prints, was edited since it was approved."
    )
    approved_by: str | None
    approved_at: str | None
    approved_revision: int | None
    revision: int | None = Field(description="The draft's; null if there is none yet.")
    asked_at: str | None = Field(description="When a review was asked for.")
    changes_asked_by: str | None
    changes_asked_at: str | None = Field(description="When a reviewer asked for changes.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get("/newsletters/{code}/approval", Letters.WRITE, response_model=ApprovalView, refuses=[404])
    async def approval(viewer: CurrentViewer, code: str) -> Json:
        """Where it stands."""
        return Json(ApprovalView.of(await service.approval.of(viewer, code)))

    @api.post("/newsletters/{code}/approval", Letters.WRITE, response_model=ApprovalView, refuses=[403, 404, 409, 422])
    async def decide(viewer: CurrentViewer, code: str, decision: Decision) -> Json:
        """Approve it, ask for changes, or take an approval back.

        Nobody approves their own but administrators. Whoever was asked for a review and may not approve asks for
        changes, or has no objections.
        """
        return Json(ApprovalView.of(await service.approval.decide(viewer, code, decision)))
