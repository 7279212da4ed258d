"""Pictures of content for pages: covers, pages, films, and the preview that asks again while it is made."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from partita.apps.enablement.api.previews import picture
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import no_such_content
from partita.kit.files.content import WEBP
from partita.kit.pages import render
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/content/{content_id}/cover", Enablement.READ)
    async def cover(viewer: CurrentViewer, content_id: str) -> Response:
        """The face of an item; it always has one."""
        return picture(*await service.previews.face(viewer, content_id))

    @pages.get("/content/{content_id}/versions/{major}/cover", Enablement.READ)
    async def old_cover(viewer: CurrentViewer, content_id: str, major: int) -> Response:
        """The face of a version."""
        return picture(*await service.previews.old_face(viewer, content_id, major))

    @pages.get("/content/{content_id}/proposal/cover", Enablement.READ)
    async def next_cover(viewer: CurrentViewer, content_id: str) -> Response:
        """The face of what is proposed or drafted; it may be another in a moment."""
        return picture(*await service.previews.next_face(viewer, content_id), seconds=0)

    @pages.get("/content/{content_id}/pages/{number}", Enablement.READ)
    async def page(viewer: CurrentViewer, content_id: str, number: str) -> Response:
        """The picture of a page."""
        return picture(await service.previews.page_for(viewer, content_id, number), WEBP)

    @pages.get("/content/{content_id}/media", Enablement.READ)
    async def media(viewer: CurrentViewer, content_id: str) -> Response:
        """A film, to be played on its page."""
        link = await service.attachments.media(viewer, content_id)
        return RedirectResponse(link, 302, {"Cache-Control": "private, no-store"})

    @pages.get("/content/{content_id}/preview", Enablement.READ)
    async def preview(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """The preview alone, for a page that waits for it."""
        content, visibility = await service.content.look(viewer, content_id)
        if visibility.page != "whole":
            raise no_such_content(content_id)
        return render(
            request,
            "enablement/preview.html",
            shown=await service.showing.one(content),
            look=await service.previews.look(content, plays=visibility.download),
        )
