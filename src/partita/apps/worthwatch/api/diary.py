"""The diary over HTTP; only you see yours."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from partita.apps.worthwatch.inputs import NewViewing
from partita.apps.worthwatch.schema import ContentType, Viewing
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.tiles import tile_of_label
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View


class ViewingView(View):
    """An entry of your diary."""

    day: str
    viewing_id: str
    content_type: ContentType
    content_id: str
    title: str
    year: int | None
    rewatch: bool
    note: str | None = Field(description="For you alone.")


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    diary = service.diary

    @api.get("/diary", Access.SIGNED_IN, response_model=ListOf[ViewingView], refuses=[400, 422])
    async def entries(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Your diary, newest day first."""
        page = await diary.entries(viewer, limit=limit, cursor=cursor)
        return Json({"items": list(map(_view, page)), "next_cursor": page.next_cursor})

    @api.post("/diary", Access.SIGNED_IN, status_code=201, response_model=ViewingView, refuses=[404, 409, 422])
    async def log_viewing(viewer: CurrentViewer, new: NewViewing) -> Json:
        """Log a viewing, with a rating if you like; that marks the title as seen."""
        entry, _ = await diary.log(viewer, new)
        return Json(_view(entry), 201)

    @api.delete("/diary/{day}/{viewing_id}", Access.SIGNED_IN, status_code=204, refuses=[404, 409])
    async def delete_viewing(viewer: CurrentViewer, day: str, viewing_id: str) -> None:
        """Delete an entry; the title stays seen."""
        await diary.delete(viewer, day, viewing_id)


def _view(entry: Viewing) -> dict[str, Any]:
    tile = tile_of_label(entry.content_type, entry.content_id, entry.label)
    return ViewingView.of(entry, title=tile.title, year=tile.year, rewatch=bool(entry.rewatch))
