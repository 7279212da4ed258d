"""Suggestions over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from partita.apps.fus.api.people import PersonView
from partita.apps.fus.api.sites import SiteDetail
from partita.apps.fus.inputs import DeclineInput, NewSite, NewSuggestion
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class SuggestionView(View):
    """A suggestion of yours, and what became of it."""

    suggestion_id: str
    url: str
    title: str
    description: str
    tags: list[str]
    status: str = Field(description="`waiting`, `accepted` or `declined`.")
    answer: str = Field(description="Why it was declined.")
    site_id: Annotated[str | None, From("became")] = Field(description="The site that it became.")
    created_at: str


class WaitingSuggestionView(View):
    """A suggestion that waits for a decision."""

    name: Annotated[str, From("suggestion.name")] = Field(description="Its id in the addresses of decisions.")
    url: Annotated[str, From("suggestion.url")]
    title: Annotated[str, From("suggestion.title")]
    description: Annotated[str, From("suggestion.description")]
    tags: Annotated[list[str], From("suggestion.tags")]
    created_at: Annotated[str, From("suggestion.created_at")]
    by: PersonView


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""
    suggestions = service.suggestions

    @api.post("/suggestions", Fus.SUGGEST, status_code=201, response_model=SuggestionView, refuses=[409, 422, 429])
    async def suggest(viewer: CurrentViewer, suggestion: NewSuggestion) -> Json:
        """Suggest a site for the catalog."""
        return Json(SuggestionView.of(await suggestions.suggest(viewer, suggestion)), 201)

    @api.get("/me/suggestions", Access.SIGNED_IN, response_model=ListOf[SuggestionView], refuses=[400, 422])
    async def my_suggestions(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Your suggestions, newest first."""
        return Json(listed(SuggestionView, await suggestions.mine(viewer, limit=limit, cursor=cursor)))

    @api.delete("/me/suggestions/{suggestion_id}", Fus.SUGGEST, status_code=204, refuses=[404, 409])
    async def withdraw_suggestion(viewer: CurrentViewer, suggestion_id: str) -> None:
        """Take back a suggestion that waits."""
        await suggestions.withdraw(viewer, suggestion_id)

    @api.get("/suggestions", Fus.CREATE, response_model=ListOf[WaitingSuggestionView], refuses=[400, 422])
    async def waiting_suggestions(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Suggestions that wait for a decision, oldest first."""
        return Json(listed(WaitingSuggestionView, await suggestions.waiting(limit=limit, cursor=cursor)))

    @api.post(
        "/suggestions/{name}/accept",
        Fus.CREATE,
        status_code=201,
        response_model=SiteDetail,
        refuses=[404, 409, 422, 429],
    )
    async def accept_suggestion(viewer: CurrentViewer, name: str, site: NewSite) -> Json:
        """Add a site that was suggested, as you edited it."""
        added = await suggestions.accept(viewer, name, site)
        return Json(SiteDetail.of(added), 201, {"Location": f"/api/fus/sites/{added.site_id}"})

    @api.post("/suggestions/{name}/decline", Fus.CREATE, status_code=204, refuses=[404, 409, 422])
    async def decline_suggestion(viewer: CurrentViewer, name: str, declined: DeclineInput) -> None:
        """Decline a suggestion; whoever made it is told why."""
        await suggestions.decline(viewer, name, declined)
