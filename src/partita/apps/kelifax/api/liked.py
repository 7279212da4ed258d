"""Upvotes and saved resources over HTTP."""

from __future__ import annotations

from partita.apps.kelifax.api.resources import ResourceSummary
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, listed


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""
    logo_url = service.resources.logo_url

    @api.put("/resources/{slug}/upvote", Kelifax.LIKE, response_model=ResourceSummary, refuses=[404])
    async def upvote(viewer: CurrentViewer, slug: str) -> Json:
        """Upvote a resource; once more changes nothing."""
        resource = await service.liked.upvote(viewer, slug)
        return Json(ResourceSummary.of(resource, logo_url=logo_url(resource)))

    @api.delete("/resources/{slug}/upvote", Kelifax.LIKE, response_model=ResourceSummary, refuses=[404])
    async def take_back(viewer: CurrentViewer, slug: str) -> Json:
        """Take an upvote back."""
        resource = await service.liked.take_back(viewer, slug)
        return Json(ResourceSummary.of(resource, logo_url=logo_url(resource)))

    @api.put("/saved/{slug}", Kelifax.LIKE, status_code=204, refuses=[404])
    async def save(viewer: CurrentViewer, slug: str) -> None:
        """Keep a resource among yours."""
        await service.liked.save(viewer, slug)

    @api.delete("/saved/{slug}", Kelifax.LIKE, status_code=204)
    async def forget(viewer: CurrentViewer, slug: str) -> None:
        """Keep a resource no longer."""
        await service.liked.forget(viewer, slug)

    @api.get("/saved", Kelifax.LIKE, response_model=ListOf[ResourceSummary], refuses=[400, 422])
    async def saved(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What you saved and is still public, the last saved first."""
        page = await service.liked.saved(viewer, limit=limit, cursor=cursor)
        return Json(listed(ResourceSummary, page, logo_url=logo_url))
