"""Copies of pages, for those who may keep them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.pages import confirm, redirect, render
from partita.kit.problems import Conflict, NotFound
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    copies = service.copies

    @pages.get("/copies", Fus.COPY)
    async def browse(
        request: Request, q: Annotated[str, Query(max_length=200)] = "", cursor: Cursor = None
    ) -> Response:
        matches = await copies.browse(text=q, limit=_PAGE, cursor=cursor)
        return render(request, "fus/copies.html", matches=matches, q=q)

    @pages.get("/sites/{site_id}/copy", Fus.COPY)
    async def copy(request: Request, site_id: str) -> Response:
        site = await service.sites.site(site_id)
        try:
            found = await copies.copy(site_id)
        except NotFound:
            found = None
        return render(request, "fus/copy.html", site=site, copy=found)

    @pages.post("/sites/{site_id}/copy", Fus.COPY)
    async def make(viewer: CurrentViewer, site_id: str) -> Response:
        path = f"/fus/sites/{site_id}/copy"
        try:
            await copies.make(viewer, site_id)
        except Conflict as refused:
            return redirect(path, flash=refused.detail, kind="bad")
        return redirect(path, flash="The page is copied.")

    @pages.get("/sites/{site_id}/copy/page", Fus.COPY)
    async def page(site_id: str) -> Response:
        """The page itself, to be saved: browsers never show or run it here."""
        file = await copies.page(site_id)
        headers = {"Content-Disposition": 'attachment; filename="page.html"'}
        return Response(file.data, media_type="application/octet-stream", headers=headers)

    @pages.get("/sites/{site_id}/copy/delete", Fus.COPY)
    async def delete_form(request: Request, site_id: str) -> Response:
        await copies.copy(site_id)
        return confirm(
            request,
            "Delete the copy of this page?",
            "The page may say something else by now, or be gone.",
            button="Delete",
            keep=f"/fus/sites/{site_id}/copy",
        )

    @pages.post("/sites/{site_id}/copy/delete", Fus.COPY)
    async def delete(site_id: str) -> Response:
        await copies.delete(site_id)
        return redirect(f"/fus/sites/{site_id}", flash="Copy deleted.", kind="info")
