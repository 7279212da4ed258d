"""What somebody takes with them."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import Format
from partita.apps.fus.service.transfer.files import saved_as
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("/me/data", Access.SIGNED_IN)
    async def choose(request: Request) -> Response:
        return render(request, "fus/my_data.html")

    @pages.get("/me/data/{format}", Access.SIGNED_IN)
    async def download(viewer: CurrentViewer, format: Format) -> Response:
        return saved_as(service.my_data.export(viewer, format), format, "fus-my-data")
