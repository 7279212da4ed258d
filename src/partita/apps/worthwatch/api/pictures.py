"""Uploaded pictures over HTTP: one's own face, the cover of a list, the poster of a title."""

from __future__ import annotations

from fastapi import UploadFile
from pydantic import Field

from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import ContentType
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.answers import Json
from partita.kit.framed import MOST_BYTES
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_BODY = MOST_BYTES + 20_000
_REFUSES = [404, 409, 413, 415, 422, 429]


class PictureView(View):
    """A picture that was uploaded."""

    picture_url: str | None = Field(description="A link to the picture as it was cut, which works for an hour or two.")


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes. PUT replaces; DELETE brings the drawn picture back, also if nothing was uploaded."""
    pictures = service.pictures

    @api.put("/me/picture", WorthWatch.LIST, response_model=PictureView, refuses=_REFUSES, most_bytes=_BODY)
    async def set_my_picture(viewer: CurrentViewer, file: UploadFile) -> Json:
        """Give yourself a face: PNG, JPEG or WebP, at most 4 MB, at least 64 × 64. It is cut to 176 × 176."""
        user = await pictures.set_avatar(viewer, await file.read())
        return Json(PictureView.of(user, picture_url=pictures.url(user)))

    @api.delete("/me/picture", WorthWatch.LIST, status_code=204, refuses=[409])
    async def remove_my_picture(viewer: CurrentViewer) -> None:
        """Show the face that is drawn from your name again."""
        await pictures.set_avatar(viewer, None)

    @api.put(
        "/watchlists/{watchlist_id}/cover",
        WorthWatch.LIST,
        response_model=PictureView,
        refuses=_REFUSES,
        most_bytes=_BODY,
    )
    async def set_cover(viewer: CurrentViewer, watchlist_id: str, file: UploadFile) -> Json:
        """Give a list of yours a cover: PNG, JPEG or WebP, at most 4 MB, at least 320 × 160. It is cut to 2 : 1."""
        await service.lists.own(viewer, watchlist_id)
        watchlist = await pictures.set_cover(viewer, watchlist_id, await file.read())
        return Json(PictureView.of(watchlist, picture_url=pictures.url(watchlist)))

    @api.delete("/watchlists/{watchlist_id}/cover", WorthWatch.LIST, status_code=204, refuses=[404, 409])
    async def remove_cover(viewer: CurrentViewer, watchlist_id: str) -> None:
        """Show the first posters of one of your lists again."""
        await pictures.set_cover(viewer, watchlist_id, None)

    async def poster(viewer: CurrentViewer, content_type: ContentType, content_id: str, file: UploadFile) -> Json:
        title = await pictures.set_poster(viewer, content_type, content_id, await file.read())
        return Json(PictureView.of(title, picture_url=pictures.url(title)))

    @api.put(
        "/movies/{movie_id}/poster",
        WorthWatch.CATALOG,
        response_model=PictureView,
        refuses=_REFUSES,
        most_bytes=_BODY,
    )
    async def set_poster_of_movie(viewer: CurrentViewer, movie_id: str, file: UploadFile) -> Json:
        """Give a film a poster: PNG, JPEG or WebP, at most 4 MB, at least 120 × 180. It is cut to 360 × 540."""
        return await poster(viewer, "MOVIE", movie_id, file)

    @api.put(
        "/shows/{show_id}/poster", WorthWatch.CATALOG, response_model=PictureView, refuses=_REFUSES, most_bytes=_BODY
    )
    async def set_poster_of_show(viewer: CurrentViewer, show_id: str, file: UploadFile) -> Json:
        """Give a series a poster: PNG, JPEG or WebP, at most 4 MB, at least 120 × 180. It is cut to 360 × 540."""
        return await poster(viewer, "SHOW", show_id, file)

    @api.delete("/movies/{movie_id}/poster", WorthWatch.CATALOG, status_code=204, refuses=[404])
    async def remove_poster_of_movie(viewer: CurrentViewer, movie_id: str) -> None:
        """Show the drawn poster of a film again."""
        await pictures.set_poster(viewer, "MOVIE", movie_id, None)

    @api.delete("/shows/{show_id}/poster", WorthWatch.CATALOG, status_code=204, refuses=[404])
    async def remove_poster_of_show(viewer: CurrentViewer, show_id: str) -> None:
        """Show the drawn poster of a series again."""
        await pictures.set_poster(viewer, "SHOW", show_id, None)
