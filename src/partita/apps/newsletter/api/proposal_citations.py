"""Citations of a proposal over HTTP."""

from __future__ import annotations

from partita.apps.newsletter.api.draft import CitationView, NewNumber, PassagePart
from partita.apps.newsletter.inputs import NewProposalCitation
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes

_CITATIONS = "/proposals/{code}/citations"


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    citations = service.proposal_citations

    @api.get(f"{_CITATIONS}/{{n}}", Letters.PROPOSE, response_model=CitationView, refuses=[404, 422])
    async def get_proposal_citation(viewer: CurrentViewer, code: str, n: int) -> Json:
        """The passage that `[n]` leads to, with the sentences marked that the text has used."""
        found = await citations.one(viewer, code, n)
        return Json(CitationView.of(found, parts=PassagePart.each(found.stretches)))

    @api.post(_CITATIONS, Letters.PROPOSE, status_code=201, response_model=NewNumber, refuses=[403, 404, 409, 413, 422])
    async def add_proposal_citation(viewer: CurrentViewer, code: str, new: NewProposalCitation) -> Json:
        """The number for a passage of the proposal's files or of a shared source."""
        return Json({"n": await citations.add(viewer, code, new)}, 201)
