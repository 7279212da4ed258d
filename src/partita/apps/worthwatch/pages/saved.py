"""Saved lists: those with news first."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import SavedInput
from partita.apps.worthwatch.schema import SavedWatchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.saved import MOST_SORTED, SavedList
from partita.apps.worthwatch.service.tiles import Tile, card_of, tile_of_item
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_NEW_POSTERS = 6
_OLDER = 12


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    saved = service.saved

    @pages.get("/saved", Access.SIGNED_IN)
    async def lists(
        request: Request,
        viewer: CurrentViewer,
        start: Annotated[int, Query(ge=0, le=MOST_SORTED)] = 0,
    ) -> Response:
        page = await saved.news_first(viewer, start)
        cards = {
            each.saved.watchlist_id: card_of(each.watchlist, each.curator, None)
            for each in page.items
            if each.watchlist is not None
        }
        return render(request, "worthwatch/saved.html", page=page, cards=cards, new_tiles=_new_tiles)

    @pages.get("/saved/all", Access.SIGNED_IN)
    async def everything(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        """In the order in which they were saved, however many there are."""
        page = await saved.lists(viewer, limit=_OLDER, cursor=cursor)
        return render(request, "worthwatch/saved_all.html", page=page)

    @pages.post("/saved/{watchlist_id}", Access.SIGNED_IN)
    async def save(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        on, back = await _press(request)
        if on:
            await saved.save(viewer, watchlist_id)
            return redirect(back, flash="Saved. You see here what is new on it.")
        await saved.remove(viewer, watchlist_id)
        return redirect(back, flash="The list is not saved any more.", kind="info")

    @pages.post("/saved/{watchlist_id}/bell", Access.SIGNED_IN)
    async def bell(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        on, back = await _press(request)
        if await saved.find(viewer, watchlist_id) is None:
            raise NotFound("You have not saved this list.")
        await saved.save(viewer, watchlist_id, SavedInput(tell_me=on))
        return redirect(back, flash="You are told of its news." if on else "You are not told of its news any more.")


async def visited(request: Request, service: WorthWatchService, saved: SavedWatchlist | None) -> None:
    """A list was looked at by somebody: what comes from now on is new to them. A browser that fetches a page in
    advance, and one that only asks for its head, look at nothing."""
    purpose = request.headers.get("sec-purpose", "") + request.headers.get("purpose", "")
    if saved is not None and request.method == "GET" and "prefetch" not in purpose and "prerender" not in purpose:
        await service.saved.visit(saved)


def _new_tiles(each: SavedList) -> list[Tile]:
    return [tile_of_item(item, since=each.since) for item in each.new[:_NEW_POSTERS]]


async def _press(request: Request) -> tuple[bool, str]:
    async with request.form(max_fields=MOST_FIELDS) as sent:
        return sent.get("on") != "false", local(str(sent.get("back", "")), "/worthwatch/saved")
