"""Reviews of proposals over HTTP."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import Decision
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_PATH = "/proposals/{code}/review"


class ReviewView(View):
    """Where the review of a proposal stands."""

    model_config = ConfigDict(alias_generator=None)

    status: str
    revision: int
    asked: list[str] = Field(description="Ids of those who were asked for a review and have not decided.")
    decided_by: str | None
    decided_by_name: str | None
    decided_at: str | None
    decided: str | None = Field(description="`ready` if they approved it, `draft` if they asked for changes.")
    may_decide: bool = Field(description="Whether you can decide about it now.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def of(viewer: Viewer, code: str) -> dict[str, Any]:
        proposal = (await service.proposals.read(viewer, code)).proposal
        decided = as_plain(proposal.metadata).get("review") or {}
        return {
            "status": proposal.status,
            "revision": proposal.revision,
            "asked": [each.user_id for each in await service.shares.of(viewer, code) if each.review_asked],
            "decided_by": decided.get("by"),
            "decided_by_name": decided.get("by_name"),
            "decided_at": decided.get("at"),
            "decided": decided.get("status"),
            "may_decide": await service.proposal_reviews.may_decide(viewer, proposal),
        }

    @api.get(_PATH, Letters.PROPOSE, response_model=ReviewView, refuses=[404])
    async def proposal_review(viewer: CurrentViewer, code: str) -> Json:
        """Where it stands."""
        return Json(await of(viewer, code))

    @api.post(_PATH, Letters.PROPOSE, response_model=ReviewView, refuses=[403, 404, 409, 422])
    async def decide_on_proposal(viewer: CurrentViewer, code: str, decision: Decision) -> Json:
        """Approve it, or ask for changes with a comment.

        Only those who were asked for a review can, while it is in review."""
        await service.proposal_reviews.decide(viewer, code, decision)
        return Json(await of(viewer, code))
