"""Broken links, for those who edit sites."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.routes import Routes

_PAGE = 20


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("/broken", Fus.EDIT)
    async def broken(request: Request, cursor: Cursor = None) -> Response:
        page = await service.links.broken(limit=_PAGE, cursor=cursor)
        return render(request, "fus/broken.html", page=page)
