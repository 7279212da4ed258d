"""Uploaded pictures: the poster of a title, one's own face, the cover of a list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import Request
from starlette.responses import Response

from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, Kind, edit_path
from partita.apps.worthwatch.service.pictures import AVATAR, COVER, POSTER
from partita.kit.files import UPLOAD_BODY
from partita.kit.framed import Frame
from partita.kit.pages import redirect
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    pictures = service.pictures

    async def changed(
        request: Request, frame: Frame, change: Callable[[bytes | None], Awaitable[object]], back: str
    ) -> Response:
        try:
            data = await pictures.receive(request, frame)
            await change(data)
        except NotFound:
            raise
        except Problem as problem:
            said = problem.errors[0].message if problem.errors else problem.detail
            return redirect(back, flash=said, kind="bad")
        return redirect(back, flash="Picture removed." if data is None else "Picture saved.")

    @pages.post("/profile/picture", WorthWatch.LIST, most_bytes=UPLOAD_BODY)
    async def avatar(request: Request, viewer: CurrentViewer) -> Response:
        return await changed(
            request, AVATAR, lambda data: pictures.set_avatar(viewer, data), "/worthwatch/profile#picture"
        )

    @pages.post("/lists/{watchlist_id}/cover", WorthWatch.LIST, most_bytes=UPLOAD_BODY)
    async def cover(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        await service.lists.own(viewer, watchlist_id)
        back = f"{edit_path(watchlist_id)}#picture"
        return await changed(request, COVER, lambda data: pictures.set_cover(viewer, watchlist_id, data), back)

    @pages.post("/catalog/{kind}/{content_id}/poster", WorthWatch.CATALOG, most_bytes=UPLOAD_BODY)
    async def poster(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        back = f"/worthwatch/catalog/{kind}/{content_id}#picture"
        return await changed(
            request, POSTER, lambda data: pictures.set_poster(viewer, title.content_type, content_id, data), back
        )
