"""Citations of a proposal: what a number leads to, and passages that are put into the text."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import NewProposalCitation
from partita.apps.newsletter.pages.proposals import base
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.forms import parse
from partita.kit.pages import redirect, render
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_CITATIONS = "/proposals/{code}/citations"


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    citations = service.proposal_citations

    @pages.get(f"{_CITATIONS}/{{number}}", Letters.PROPOSE)
    async def citation(request: Request, viewer: CurrentViewer, code: str, number: int) -> Response:
        """What a number leads to; a part of the page for the script."""
        return render(request, "newsletter/passage.html", passage=await citations.one(viewer, code, number))

    @pages.post(_CITATIONS, Letters.PROPOSE)
    async def put_in(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Put sentences at the end of a section with their number; with script they go where the cursor is."""
        async with request.form(max_fields=200) as sent:
            fields = {name: value for name, value in sent.multi_items() if isinstance(value, str)}
            quotes = [value for value in sent.getlist("quote") if isinstance(value, str)]
        form = parse(NewProposalCitation, {**fields, "quote": "\n".join(quotes)})
        if form.value is None:
            raise NotFound("This form is damaged. Open the section again.")
        number = await citations.add(viewer, code, form.value)
        return redirect(
            base(code, section=form.value.section, cite=number), flash=f"[{number}] added at the end of the section."
        )
