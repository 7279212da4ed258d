"""Sites over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from partita.apps.fus.inputs import NewSite, PreviewInput, SiteEdit
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.history.views import ChangeView
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed
from partita.table import Page


class SiteSummary(View):
    """A site in a list."""

    site_id: str
    url: str
    title: str
    description: str
    tags: list[str]
    rating_count: Annotated[int, From("number_of_ratings")]
    rating_average: float | None
    comment_count: Annotated[int, From("number_of_comments")]
    created_at: str
    updated_at: str


class SiteDetail(SiteSummary):
    """A site with all its fields."""

    rating_histogram: Annotated[dict[str, int], From("ratings_by_stars")] = Field(
        description="How many people gave each number of stars."
    )
    scraped_content: str = Field(description="The text of the page when it was read.")
    fetched_at: str | None = Field(description="When the page was read; null if that never worked.")
    fetch_note: str | None = Field(description="Why the page could not be read.")
    revision: int = Field(description="Send it with an edit to have the edit refused if somebody else was faster.")


class SiteChange(View):
    """Who changed a site, and how."""

    at: str
    by: str
    action: str
    edits: list[ChangeView] = Field(description="What changed; empty if the action says it all.")


class PreviewView(View):
    """What a page says; nothing is saved."""

    url: str
    title: str
    description: str
    text: str
    note: str | None = Field(description="Why the page could not be read.")
    known_as: SiteSummary | None = Field(description="The site in the catalog that has this address.")


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.post("/sites", Fus.CREATE, status_code=201, response_model=SiteDetail, refuses=[409, 422, 429])
    async def add(viewer: CurrentViewer, site: NewSite) -> Json:
        """Add a site. What is left out is taken from its page; if that cannot be read, `fetchNote` says why."""
        added = await service.sites.add(viewer, site)
        return Json(SiteDetail.of(added), 201, {"Location": f"/api/fus/sites/{added.site_id}"})

    @api.post("/sites/preview", Fus.CREATE, response_model=PreviewView, refuses=[422, 429])
    async def preview(viewer: CurrentViewer, wanted: PreviewInput) -> Json:
        """Read a page without saving anything."""
        return Json(PreviewView.of(await service.sites.preview(viewer, wanted.url)))

    @api.get("/sites/{site_id}", Access.PUBLIC, response_model=SiteDetail, refuses=[404])
    async def site(site_id: str) -> Json:
        """A site."""
        return Json(SiteDetail.of(await service.sites.site(site_id)))

    @api.get("/sites/{site_id}/related", Access.PUBLIC, response_model=ListOf[SiteSummary], refuses=[404])
    async def related(site_id: str) -> Json:
        """Up to six sites with the same tags, or liked by the same people, best first."""
        await service.sites.site(site_id)
        return Json(listed(SiteSummary, Page(await service.related.to(site_id), None)))

    @api.patch("/sites/{site_id}", Fus.EDIT, response_model=SiteDetail, refuses=[400, 404, 409, 422, 429])
    async def edit(viewer: CurrentViewer, site_id: str, edit: SiteEdit) -> Json:
        """Edit a site; fields that are left out stay as they are."""
        return Json(SiteDetail.of(await service.sites.edit(viewer, site_id, edit)))

    @api.get("/sites/{site_id}/history", Fus.EDIT, response_model=ListOf[SiteChange], refuses=[400, 422])
    async def history(site_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Who changed a site, newest first; also if it is deleted."""
        return Json(listed(SiteChange, await service.history.of_site(site_id, limit=limit, cursor=cursor)))

    @api.delete("/sites/{site_id}", Fus.DELETE, status_code=204, refuses=[404, 409])
    async def delete(viewer: CurrentViewer, site_id: str) -> None:
        """Delete a site with its tags, ratings and comments."""
        await service.sites.delete(viewer, site_id)
