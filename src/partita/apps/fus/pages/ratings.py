"""What the viewer has rated."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.formats import host_of
from partita.apps.fus.schema import STARS
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("/me/ratings", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await service.ratings.my_ratings(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "fus/my_ratings.html", page=page, mean=STARS.mean, host_of=host_of)
