"""Copies of pages over HTTP, for those who may keep them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from partita.apps.fus.api.catalog import Words
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.lists import without_marks
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class CopyView(View):
    """What a page said when it was copied."""

    site_id: str
    page_url: str = Field(description="Where the page was in the end.")
    title: str
    text: str
    size: int = Field(description="Of the page itself, in bytes.")
    copied_at: str
    copied_by: str


class CopiedSiteView(View):
    """A copy in a list."""

    site_id: Annotated[str, From("site.site_id")]
    title: Annotated[str, From("site.title")]
    url: Annotated[str, From("site.url")]
    copied_at: Annotated[str, From("copy.copied_at")]


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/copies", Fus.COPY, response_model=ListOf[CopiedSiteView], refuses=[400, 422])
    async def copies(q: Words = "", limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Copies of pages with the words of `q`, best match first; without words all of them."""
        page = await service.copies.browse(text=q, limit=limit, cursor=cursor)
        return Json(listed(CopiedSiteView, without_marks(page)))

    @api.get("/sites/{site_id}/copy", Fus.COPY, response_model=CopyView, refuses=[404])
    async def get_copy(site_id: str) -> Json:
        """The copy of a site's page."""
        return Json(CopyView.of(await service.copies.copy(site_id)))

    @api.put("/sites/{site_id}/copy", Fus.COPY, response_model=CopyView, refuses=[404, 409, 429])
    async def make_copy(viewer: CurrentViewer, site_id: str) -> Json:
        """Fetch the page of a site and keep it, instead of an older copy."""
        return Json(CopyView.of(await service.copies.make(viewer, site_id)))

    @api.delete("/sites/{site_id}/copy", Fus.COPY, status_code=204, refuses=[404])
    async def delete_copy(site_id: str) -> None:
        """Delete the copy."""
        await service.copies.delete(site_id)
