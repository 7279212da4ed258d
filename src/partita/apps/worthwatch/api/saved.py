"""Saved lists over HTTP; only you see yours."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from partita.apps.worthwatch.inputs import SavedInput
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.saved import SavedList
from partita.apps.worthwatch.service.tiles import curator_name
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View


class SavedView(View):
    """A list that you saved."""

    watchlist_id: Annotated[str, From("saved.watchlist_id")]
    title: str = Field(description="If it is not available, the title that it had when you saved it.")
    available: bool = Field(description="False if it is private or gone by now.")
    curator_id: str | None
    curator_name: str | None
    item_count: int | None
    seen: int | None = Field(description="How many of its titles you have seen; null for lists of over 100 titles.")
    has_news: bool
    new: int | None = Field(description="Titles since your last visit; null for lists of over 100 titles.")
    since: str = Field(description="Your last visit, or when you saved it.")
    tell_me: bool = Field(description="Whether you are told of its news.")
    saved_at: Annotated[str, From("saved.saved_at")]


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    saved = service.saved

    @api.get("/saved", Access.SIGNED_IN, response_model=ListOf[SavedView], refuses=[400, 422])
    async def saved_lists(viewer: CurrentViewer, limit: Limit = 12, cursor: Cursor = None) -> Json:
        """Lists that you saved, the last one first, with what is new and how much you have seen."""
        page = await saved.lists(viewer, limit=limit, cursor=cursor)
        return Json({"items": list(map(_view, page)), "next_cursor": page.next_cursor})

    @api.put("/saved/{watchlist_id}", Access.SIGNED_IN, response_model=SavedView, refuses=[404, 409, 422])
    async def save(viewer: CurrentViewer, watchlist_id: str, given: SavedInput | None = None) -> Json:
        """Save a public list of somebody else, and say whether you want to be told of its news."""
        await saved.save(viewer, watchlist_id, given)
        return Json(_view(await saved.one(viewer, watchlist_id)))

    @api.delete("/saved/{watchlist_id}", Access.SIGNED_IN, status_code=204, refuses=[409])
    async def remove_saved(viewer: CurrentViewer, watchlist_id: str) -> None:
        """Save a list no longer."""
        await saved.remove(viewer, watchlist_id)


def _view(each: SavedList) -> dict[str, Any]:
    watchlist, counted = each.watchlist, each.progress
    return SavedView.of(
        each,
        curator_id=None if watchlist is None else watchlist.curator_id,
        curator_name=None if watchlist is None else curator_name(each.curator),
        item_count=None if watchlist is None else watchlist.item_count,
        seen=None if counted is None else counted.seen,
        new=None if counted is None else len(each.new),
        tell_me=each.saved.tell_me is not False,
    )
