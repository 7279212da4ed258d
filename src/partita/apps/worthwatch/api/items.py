"""The titles of watchlists over HTTP."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from partita.apps.worthwatch.api.lists import Secret
from partita.apps.worthwatch.inputs import ItemEdit, MoveInput, NewItem, NewItems
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import ContentType, WatchlistItem
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.items import item_version
from partita.apps.worthwatch.service.tiles import tile_of_item
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed

_ALL = "/watchlists/{watchlist_id}/items"
_ONE = f"{_ALL}/{{content_type}}/{{content_id}}"


class ItemView(View):
    """A title on a list."""

    content_type: ContentType
    content_id: str
    title: str
    year: int | None
    runtime: int | None = Field(description="In minutes.")
    genres: list[str] = Field(description="Three at most.")
    position: int = Field(description="What titles are ordered by; far apart, so that others fit between.")
    curator_note: str | None
    note_spoils: bool
    added_at: str
    version: str = Field(description="Send it with an edit to have the edit refused if somebody else was faster.")


class TitleView(View):
    """A title by its id."""

    content_type: ContentType
    content_id: str


class AddedView(View):
    """What became of several titles."""

    added: list[ItemView]
    there_already: list[TitleView]


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    items = service.items

    @api.get(_ALL, Access.PUBLIC, response_model=ListOf[ItemView], refuses=[400, 404, 422])
    async def watchlist_items(
        viewer: CurrentViewer, watchlist_id: str, limit: Limit = 48, cursor: Cursor = None, secret: Secret = None
    ) -> Json:
        """The titles of a list, in its order."""
        await service.lists.readable(viewer, watchlist_id, secret)
        page = await items.in_order(watchlist_id, limit=limit, cursor=cursor)
        return Json(listed(ItemView, page, **_MORE))

    @api.post(_ALL, WorthWatch.LIST, status_code=201, response_model=ItemView, refuses=[404, 409, 422])
    async def add_item(viewer: CurrentViewer, watchlist_id: str, new: NewItem) -> Json:
        """Add a title at the end of a list of yours."""
        item = await items.add(viewer, watchlist_id, new)
        where = f"/api/worthwatch/watchlists/{watchlist_id}/items/{item.content_type}/{item.content_id}"
        return Json(_view(item), 201, {"Location": where})

    @api.post(f"{_ALL}/batch", WorthWatch.LIST, response_model=AddedView, refuses=[404, 409, 422])
    async def add_items(viewer: CurrentViewer, watchlist_id: str, new: NewItems) -> Json:
        """Add several titles at the end, in their order; those that are there already stay as they are."""
        became = await items.add_many(viewer, watchlist_id, new)
        there = TitleView.each(became.there_already)
        return Json({"added": ItemView.each(became.added, **_MORE), "thereAlready": there})

    @api.patch(_ONE, WorthWatch.LIST, response_model=ItemView, refuses=[400, 404, 409, 422])
    async def edit_item(
        viewer: CurrentViewer, watchlist_id: str, content_type: ContentType, content_id: str, edit: ItemEdit
    ) -> Json:
        """Change the note on a title; fields that are left out stay as they are."""
        return Json(_view(await items.edit(viewer, watchlist_id, content_type, content_id, edit)))

    @api.delete(_ONE, WorthWatch.LIST, status_code=204, refuses=[404, 409])
    async def remove_item(viewer: CurrentViewer, watchlist_id: str, content_type: ContentType, content_id: str) -> None:
        """Take a title off a list of yours."""
        await items.remove(viewer, watchlist_id, content_type, content_id)

    @api.post(f"{_ONE}/restore", WorthWatch.LIST, response_model=ItemView, refuses=[404, 409])
    async def restore_item(
        viewer: CurrentViewer, watchlist_id: str, content_type: ContentType, content_id: str
    ) -> Json:
        """Put a title back that was taken off within the last day, with its note and where it was."""
        return Json(_view(await items.restore(viewer, watchlist_id, content_type, content_id)))

    @api.post(f"{_ONE}/move", WorthWatch.LIST, response_model=ItemView, refuses=[404, 409, 422])
    async def move_item(
        viewer: CurrentViewer, watchlist_id: str, content_type: ContentType, content_id: str, where: MoveInput
    ) -> Json:
        """Move a title before or after another one, or to a place counted from 1.

        If the other one is not on the list any more, `items` of the problem is the order as it is."""
        return Json(_view(await items.move(viewer, watchlist_id, content_type, content_id, where)))


def _view(item: WatchlistItem) -> dict[str, Any]:
    return ItemView.each((item,), **_MORE)[0]


def _label(field: str) -> Any:
    return lambda item: getattr(item.label, field) if item.label is not None else None


_MORE: dict[str, Any] = {
    "title": lambda item: tile_of_item(item).title,
    "year": _label("year"),
    "runtime": _label("runtime"),
    "genres": lambda item: list(item.label.genres) if item.label is not None else [],
    "note_spoils": lambda item: bool(item.note_spoils),
    "version": item_version,
}
