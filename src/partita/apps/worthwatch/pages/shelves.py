"""To watch: newest first, or shortest first; and one of them by chance."""

from __future__ import annotations

from dataclasses import replace
from secrets import choice
from typing import Literal

from fastapi import Request
from starlette.responses import Response

from partita.apps.worthwatch.schema import Queued
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import list_path, title_path
from partita.apps.worthwatch.service.shelves import Wanted
from partita.apps.worthwatch.service.tiles import Tile, curator_name, tile_of_label
from partita.kit.answers import Cursor
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import BadRequest
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 48


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    shelves = service.shelves

    @pages.get("/to-watch", Access.SIGNED_IN)
    async def to_watch(
        request: Request,
        viewer: CurrentViewer,
        sort: Literal["newest", "length"] = "newest",
        cursor: Cursor = None,
    ) -> Response:
        following: str | None = None
        if sort == "length":
            places = sorted(await shelves.to_sort(viewer), key=_length)
            start = _start(cursor)
            wanted = await shelves.with_lists(viewer, places[start : start + _PAGE])
            following = str(start + _PAGE) if start + _PAGE < len(places) else None
        else:
            page = await shelves.to_watch(viewer, limit=_PAGE, cursor=cursor)
            wanted, following = list(page.items), page.next_cursor
        shown = [(_tile(each), each) for each in wanted]
        return render(
            request,
            "worthwatch/to_watch.html",
            shown=shown,
            sort=sort,
            next_cursor=following,
            list_path=list_path,
            curator_name=curator_name,
        )

    @pages.get("/to-watch/surprise", Access.SIGNED_IN)
    async def surprise(viewer: CurrentViewer) -> Response:
        """One of them; another each time."""
        places = await shelves.to_sort(viewer)
        if not places:
            return redirect("/worthwatch/to-watch", flash="There is nothing to choose from yet.", kind="info")
        place = choice(places)
        tile = tile_of_label(place.content_type, place.content_id, place.label)
        return redirect(title_path(*tile.ref, tile.title), flash=f"How about “{tile.title}”?", kind="info")


def _tile(wanted: Wanted) -> Tile:
    place = wanted.place
    return replace(tile_of_label(place.content_type, place.content_id, place.label), queued=True)


def _length(place: Queued) -> tuple[bool, int]:
    """What is not known, as of series, comes last."""
    runtime = None if place.label is None else place.label.runtime
    return runtime is None, runtime or 0


def _start(cursor: str | None) -> int:
    if cursor is not None and not (cursor.isdecimal() and len(cursor) <= 4):
        raise BadRequest("This address is not one of ours. Begin with the first page.", code="invalid_cursor")
    return int(cursor or "0")
