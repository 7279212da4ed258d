"""Review of a proposal: its sections as they will look, notes, who was asked, and the decision."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import Decision
from partita.apps.newsletter.pages.notes import add_notes
from partita.apps.newsletter.pages.proposals import Key, Number, base, cited_or_none, section_html
from partita.apps.newsletter.pages.shares import add_sharing
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.proposals import OpenProposal
from partita.apps.newsletter.service.proposing.states import STATUSES
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes

_REVIEW = "/proposals/{code}/review"
_NO_FORM: Parsed[Any] = Parsed(None)


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    def look(there: OpenProposal, key: str, text: str) -> Markup:
        """A section whose citations open below it."""
        review = f"{base(there.proposal.proposal_code)}/review"
        return section_html(there, text, lambda n: f"{review}?cite={n}&at={quote(key)}#passage-{key}", f"{key}-")

    async def review_page(
        request: Request,
        viewer: Viewer,
        code: str,
        forms: dict[str, Parsed[Any]],
        cite: int | None = None,
        at: str = "",
    ) -> Response:
        there = await service.proposals.read(viewer, code)
        notes = await service.notes.on(viewer, code)
        shares = await service.shares.of(viewer, code)
        return render(
            request,
            "newsletter/proposal_review.html",
            there=there,
            proposal=there.proposal,
            reviewed=as_plain(there.proposal.metadata).get("review") or {},
            statuses=STATUSES,
            looks={each.key: look(there, each.key, each.text) for each in there.sections},
            passage=await cited_or_none(service, viewer, code, cite),
            passage_at=at,
            notes=notes,
            open_notes=sum(each.open for each in notes),
            shares=shares,
            pictures=await service.people.pictures([*(each.by for each in notes), *(each.user_id for each in shares)]),
            owns=service.access.owns(viewer, there.proposal),
            may_write=await service.access.may_write(viewer, there.proposal),
            may_decide=await service.proposal_reviews.may_decide(viewer, there.proposal),
            may_ask=there.proposal.status in ("draft", "in_review"),
            refused=next((each.problem for each in forms.values()), None),
            note_form=forms.get("note", _NO_FORM),
            share_form=forms.get("share") or Parsed(None, {"role": "reader", "review": True}),
            decision_form=forms.get("decision", _NO_FORM),
        )

    @pages.get(_REVIEW, Letters.PROPOSE)
    async def review(request: Request, viewer: CurrentViewer, code: str, cite: Number = None, at: Key = "") -> Response:
        """The proposal, to ask for a review, to say what is wrong, and to decide."""
        return await review_page(request, viewer, code, {}, cite, at)

    add_notes(pages, service, _REVIEW, Letters.PROPOSE, review_page)
    add_sharing(pages, service, _REVIEW, Letters.PROPOSE, review_page, "/newsletter/proposals")

    @pages.post(f"{_REVIEW}/decision", Letters.PROPOSE, keeps=Decision)
    async def decide(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """It is ready, or something should change."""

        async def save(decision: Decision) -> Response:
            await service.proposal_reviews.decide(viewer, code, decision)
            ready = "Approved: the proposal is ready to submit."
            told = ready if decision.decision == "approve" else "Changes requested. Your comment was added as a note."
            return redirect(f"{base(code)}/review", flash=told)

        return await submitted(
            request, Decision, save, lambda form: review_page(request, viewer, code, {"decision": form})
        )
