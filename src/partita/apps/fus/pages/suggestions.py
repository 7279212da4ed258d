"""Suggesting sites, and deciding on what was suggested."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.inputs import DeclineInput, NewSite, NewSuggestion
from partita.apps.fus.pages.sites import from_link
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.sites import AlreadyThere
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
_SEPARATED = frozenset({"tags"})


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    suggestions = service.suggestions

    def form_page(request: Request, form: Parsed[Any]) -> Response:
        known_as = form.refusal.site_id if isinstance(form.refusal, AlreadyThere) else None
        return render(request, "fus/suggest.html", form=form, known_as=known_as)

    async def decision_page(
        request: Request, name: str, form: Parsed[Any] | None = None, decline_form: Parsed[Any] | None = None
    ) -> Response:
        found = await suggestions.find(name)
        if form is None:
            form = filled(NewSite, found.suggestion, separated=_SEPARATED)
            form.values["fetch"] = "true"
        return render(
            request,
            "fus/suggestion.html",
            refused=form.problem or (None if decline_form is None else decline_form.problem),
            found=found,
            form=form,
            decline_form=decline_form or Parsed(None),
            known_as=form.refusal.site_id if isinstance(form.refusal, AlreadyThere) else None,
        )

    @pages.get("/suggest", Fus.SUGGEST)
    async def suggest_form(request: Request) -> Response:
        return form_page(request, from_link(request))

    @pages.post("/suggest", Fus.SUGGEST, keeps=NewSuggestion)
    async def suggest(request: Request, viewer: CurrentViewer) -> Response:
        async def save(new: NewSuggestion) -> Response:
            await suggestions.suggest(viewer, new)
            return redirect("/fus/me/suggestions", flash="Thank you. You will be told what becomes of it.")

        async def again(form: Parsed[NewSuggestion]) -> Response:
            return form_page(request, form)

        return await submitted(request, NewSuggestion, save, again, separated=_SEPARATED)

    @pages.get("/me/suggestions", Fus.SUGGEST)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await suggestions.mine(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "fus/my_suggestions.html", page=page)

    @pages.get("/me/suggestions/{suggestion_id}/withdraw", Fus.SUGGEST)
    async def withdraw_form(request: Request, viewer: CurrentViewer, suggestion_id: str) -> Response:
        made = await suggestions.my_suggestion(viewer, suggestion_id)
        return confirm(
            request,
            f"Withdraw your suggestion of “{made.title or made.host}”?",
            "Nobody will decide on it.",
            button="Withdraw",
            keep="/fus/me/suggestions",
        )

    @pages.post("/me/suggestions/{suggestion_id}/withdraw", Fus.SUGGEST)
    async def withdraw(viewer: CurrentViewer, suggestion_id: str) -> Response:
        await suggestions.withdraw(viewer, suggestion_id)
        return redirect("/fus/me/suggestions", flash="Suggestion withdrawn.", kind="info")

    @pages.get("/suggestions", Fus.CREATE)
    async def waiting(request: Request, cursor: Cursor = None) -> Response:
        page = await suggestions.waiting(limit=_PAGE, cursor=cursor)
        return render(request, "fus/suggestions.html", page=page)

    @pages.get("/suggestions/{name}", Fus.CREATE)
    async def decide(request: Request, name: str) -> Response:
        return await decision_page(request, name)

    @pages.post("/suggestions/{name}/accept", Fus.CREATE, keeps=NewSite)
    async def accept(request: Request, viewer: CurrentViewer, name: str) -> Response:
        async def save(new: NewSite) -> Response:
            site = await suggestions.accept(viewer, name, new)
            return redirect("/fus/suggestions", flash=f"“{site.title}” is in the catalog now.")

        async def again(form: Parsed[NewSite]) -> Response:
            return await decision_page(request, name, form)

        return await submitted(request, NewSite, save, again, separated=_SEPARATED)

    @pages.post("/suggestions/{name}/decline", Fus.CREATE, keeps=DeclineInput)
    async def decline(request: Request, viewer: CurrentViewer, name: str) -> Response:
        async def save(declined: DeclineInput) -> Response:
            await suggestions.decline(viewer, name, declined)
            return redirect("/fus/suggestions", flash="Suggestion declined.", kind="info")

        async def again(form: Parsed[DeclineInput]) -> Response:
            return await decision_page(request, name, decline_form=form)

        return await submitted(request, DeclineInput, save, again)
