"""The badge of a resource as a picture that other pages show."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.badges import drawing
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.sharing.responses import document_response

_SECONDS = 3600


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/resources/{slug}/badge.svg", Access.PUBLIC, faceless=True)
    async def badge(request: Request, slug: str) -> Response:
        resource = await service.resources.detail(slug)
        answer = document_response(request, drawing(resource).encode(), "image/svg+xml", seconds=_SECONDS)
        answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # it is for pages of others
        return answer
