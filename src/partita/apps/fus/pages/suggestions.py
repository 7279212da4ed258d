"""Suggesting sites, and deciding on what was suggested."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.inputs import DeclineInput, NewSite, NewSuggestion
from partita.apps.fus.pages.sites import from_link
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.sites import AlreadyThere
from partita.kit.answers import Cursor
from partita.kit.desks import Desk, next_in
from partita.kit.flashes import Kind
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.problems import Conflict, NotFound
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
_SEPARATED = frozenset({"tags"})
_TOO_LATE = "Somebody has decided on this suggestion already."
DESK = "/fus/suggestions"
At = Annotated[str, Query(max_length=400)]


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    suggestions = service.suggestions

    def form_page(request: Request, form: Parsed[Any]) -> Response:
        known_as = form.refusal.site_id if isinstance(form.refusal, AlreadyThere) else None
        return render(request, "fus/suggest.html", form=form, known_as=known_as)

    async def desk_page(
        request: Request,
        at: str,
        cursor: str | None,
        form: Parsed[Any] | None = None,
        decline_form: Parsed[Any] | None = None,
    ) -> Response:
        """What waits, with one suggestion open; also one that is not on this page of the queue."""
        page = await suggestions.waiting(limit=_PAGE, cursor=cursor)
        if cursor and not page.items and form is None and decline_form is None:
            return redirect(DESK)
        desk = Desk.of(DESK, page, lambda each: each.suggestion.name, at=at, cursor=cursor)
        if at and desk.open_key != at:
            with suppress(NotFound):
                elsewhere = await suggestions.find(at)
                desk = replace(desk, current=elsewhere) if elsewhere.suggestion.waits else desk
        if form is None:
            form = Parsed(None)
            if desk.current is not None:
                form = filled(NewSite, desk.current.suggestion, separated=_SEPARATED)
                form.values["fetch"] = "true"
        return render(
            request,
            "fus/suggestions.html",
            refused=form.problem or (None if decline_form is None else decline_form.problem),
            desk=desk,
            form=form,
            decline_form=decline_form or Parsed(None),
            known_as=form.refusal.site_id if isinstance(form.refusal, AlreadyThere) else None,
        )

    def decided(name: str, onward: str, flash: str, kind: Kind = "good") -> Response:
        """On to the next one, with a way back."""
        return redirect(onward or DESK, flash=flash, kind=kind, undo=f"{DESK}/{quote(name, safe='')}/reopen")

    async def waits(name: str) -> bool:
        return (await suggestions.find(name)).suggestion.waits

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
    async def waiting(request: Request, at: At = "", cursor: Cursor = None) -> Response:
        return await desk_page(request, at, cursor)

    @pages.get("/suggestions/{name}", Fus.CREATE)
    async def one(request: Request, name: str) -> Response:
        """What became of a suggestion; one that waits is on the desk."""
        found = await suggestions.find(name)
        if found.suggestion.waits:
            return redirect(f"{DESK}?{urlencode({'at': name})}")
        return render(request, "fus/suggestion.html", found=found)

    @pages.post("/suggestions/{name}/accept", Fus.CREATE, keeps=NewSite)
    async def accept(request: Request, viewer: CurrentViewer, name: str, cursor: Cursor = None) -> Response:
        onward = await next_in(request)

        async def save(new: NewSite) -> Response:
            site = await suggestions.accept(viewer, name, new)
            return decided(name, onward, f"“{site.title}” is in the catalog now.")

        async def again(form: Parsed[NewSite]) -> Response:
            if not await waits(name):
                return redirect(onward or DESK, flash=_TOO_LATE, kind="warn")
            return await desk_page(request, name, cursor, form)

        return await submitted(request, NewSite, save, again, separated=_SEPARATED)

    @pages.post("/suggestions/{name}/decline", Fus.CREATE, keeps=DeclineInput)
    async def decline(request: Request, viewer: CurrentViewer, name: str, cursor: Cursor = None) -> Response:
        onward = await next_in(request)

        async def save(declined: DeclineInput) -> Response:
            made = await suggestions.decline(viewer, name, declined)
            return decided(name, onward, f"“{made.title or made.host}” declined.", "info")

        async def again(form: Parsed[DeclineInput]) -> Response:
            if not await waits(name):
                return redirect(onward or DESK, flash=_TOO_LATE, kind="warn")
            return await desk_page(request, name, cursor, decline_form=form)

        return await submitted(request, DeclineInput, save, again)

    @pages.post("/suggestions/{name}/reopen", Fus.CREATE)
    async def reopen(viewer: CurrentViewer, name: str) -> Response:
        """Undo a decision of one's own."""
        try:
            made = await suggestions.reopen(viewer, name)
        except Conflict as problem:
            return redirect(DESK, flash=problem.detail, kind="warn")
        at = urlencode({"at": name})
        return redirect(f"{DESK}?{at}", flash=f"“{made.title or made.host}” waits again.", kind="info")
