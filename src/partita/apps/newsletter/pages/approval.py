"""Review: the edition as it will look, notes at its sections, who sees it, and the decision."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import Decision
from partita.apps.newsletter.pages.notes import add_notes
from partita.apps.newsletter.pages.shares import add_sharing
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.rendering import Renderer
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.kit.routes import CurrentViewer, Routes

_REVIEW = "/editions/{code}/review"
_NO_FORM: Parsed[Any] = Parsed(None)


def _path(code: str) -> str:
    return f"/newsletter/editions/{code}/review"


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def review_page(
        request: Request,
        viewer: Viewer,
        code: str,
        forms: dict[str, Parsed[Any]],
        cite: int | None = None,
        at: str = "",
    ) -> Response:
        newsletter = await service.access.newsletter(viewer, code)
        try:
            text = await service.draft.read(viewer, code)
        except Conflict:  # there is no draft yet: people can still be chosen
            text = None
        looks = {}
        if text is not None:
            renderer = Renderer(
                newsletter, text.draft, lambda where, n: f"{_path(code)}?cite={n}&at={where}#passage-{where}"
            )
            looks = {each.key: renderer.section(place, each.key, each.text) for place, each in enumerate(text.sections)}
        passage = None
        if text is not None and cite is not None:
            try:
                passage = await service.citations.one(viewer, code, cite)
            except NotFound:
                passage = None
        notes = await service.notes.on(viewer, code)
        shares = await service.shares.of(viewer, code)
        approval = await service.approval.of(viewer, code)
        return render(
            request,
            "newsletter/review.html",
            newsletter=newsletter,
            text=text,
            looks=looks,
            passage=passage,
            passage_at=at,
            notes=notes,
            open_notes=sum(each.open for each in notes),
            approval=approval,
            approver=await service.approval.name_of(approval),
            shares=shares,
            pictures=await service.people.pictures([*(each.by for each in notes), *(each.user_id for each in shares)]),
            owns=service.access.owns(viewer, newsletter),
            may_write=await service.access.may_write(viewer, newsletter),
            may_approve=service.approval.may_approve(viewer, newsletter),
            was_asked=await service.approval.was_asked(viewer, newsletter),
            refused=next((each.problem for each in forms.values()), None),
            note_form=forms.get("note", _NO_FORM),
            share_form=forms.get("share") or Parsed(None, {"role": "reader", "review": True}),
            decision_form=forms.get("decision", _NO_FORM),
        )

    @pages.get(_REVIEW, Letters.WRITE)
    async def review(
        request: Request,
        viewer: CurrentViewer,
        code: str,
        cite: Annotated[int | None, Query(ge=1, le=999)] = None,
        at: Annotated[str, Query(max_length=200)] = "",
    ) -> Response:
        """The edition, to say what is wrong and to approve it."""
        return await review_page(request, viewer, code, {}, cite, at)

    add_notes(pages, service, _REVIEW, Letters.WRITE, review_page)
    add_sharing(pages, service, _REVIEW, Letters.WRITE, review_page, "/newsletter")

    @pages.get("/people/complete", Letters.WRITE)
    async def complete(
        request: Request, viewer: CurrentViewer, to: Annotated[str, Query(max_length=320)] = ""
    ) -> Response:
        """Options for a field that names a colleague: people who may use newsletters."""
        return render(request, "people_options.html", people=await service.shares.suggest(viewer, to))

    @pages.post(f"{_REVIEW}/decision", Letters.WRITE, keeps=Decision)
    async def decide(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Approve, ask for changes, have no objections, or take an approval back."""

        async def save(decision: Decision) -> Response:
            await service.approval.decide(viewer, code, decision)
            told = {
                "approve": "Approved.",
                "ask_for_changes": "Changes requested. Your comment was added as a note.",
                "no_objections": "Noted that you have no objections.",
                "withdraw": "Approval withdrawn.",
            }
            return redirect(_path(code), flash=told[decision.decision])

        return await submitted(
            request, Decision, save, lambda form: review_page(request, viewer, code, {"decision": form})
        )
