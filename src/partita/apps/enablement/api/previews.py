"""Pictures of content over HTTP: covers and pages."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.routes import CurrentViewer, Routes

_BYTES = {"schema": {"type": "string", "format": "binary"}}
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The picture.", "content": {"image/webp": _BYTES, "image/svg+xml": _BYTES}}
}


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.get(
        "/content/{content_id}/cover",
        Enablement.READ,
        response_class=Response,
        responses=_PICTURE,
        refuses=[404],
    )
    async def cover(viewer: CurrentViewer, content_id: str) -> Response:
        """The face of an item: its first page, its picture, or a drawn one. It always has one."""
        return picture(*await service.previews.face(viewer, content_id))

    @api.get(
        "/content/{content_id}/pages/{number}",
        Enablement.READ,
        response_class=Response,
        responses=_PICTURE,
        refuses=[404],
    )
    async def page_picture(viewer: CurrentViewer, content_id: str, number: str) -> Response:
        """The picture of a page, of the first twenty; the first is 1."""
        return picture(await service.previews.page_for(viewer, content_id, number), "image/webp")


def picture(data: bytes, kind: str, *, seconds: int = 86_400) -> Response:
    """A picture that only this person's browser keeps; its address changes with it."""
    headers = {
        "Cache-Control": f"private, max-age={seconds}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(data, media_type=kind, headers=headers)
