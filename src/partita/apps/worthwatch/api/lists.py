"""Watchlists over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from partita.apps.worthwatch.inputs import CopyInput, ListEdit, NewList
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import secret_path
from partita.apps.worthwatch.service.lists import VisibleList, list_version
from partita.apps.worthwatch.service.tiles import ListCard
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

Secret = Annotated[str | None, Query(max_length=200, description="The secret of a private list's link.")]
_ONE = "/watchlists/{watchlist_id}"


class CoverItem(View):
    """One of the first titles of a list."""

    content_type: Annotated[str, From("type")]
    content_id: Annotated[str, From("id")]
    title: str
    year: int | None


class WatchlistSummary(View):
    """A list among others."""

    watchlist_id: Annotated[str, From("watchlist.watchlist_id")]
    curator_id: Annotated[str, From("watchlist.curator_id")]
    curator_name: str
    title: Annotated[str, From("watchlist.title")]
    description: Annotated[str, From("watchlist.description")]
    cover_image_url: Annotated[str | None, From("watchlist.cover_image_url")]
    is_public: Annotated[bool, From("watchlist.is_public")]
    is_ranked: bool
    tags: Annotated[list[str], From("watchlist.tags")]
    item_count: Annotated[int, From("watchlist.item_count")]
    save_count: Annotated[int, From("saves")]
    comment_count: Annotated[int, From("comments")]
    cover_items: Annotated[list[CoverItem], From("fan")]
    published_at: Annotated[str | None, From("watchlist.published_at")]
    last_item_at: Annotated[str | None, From("watchlist.last_item_at")]
    created_at: Annotated[str, From("watchlist.created_at")]
    updated_at: Annotated[str, From("watchlist.updated_at")]


class WatchlistDetail(WatchlistSummary):
    """A list with all its fields, without its titles."""

    cloned_from: Annotated[str | None, From("watchlist.cloned_from")]
    version: str = Field(description="Send it with an edit to have the edit refused if somebody else was faster.")
    hidden: bool = Field(description="Whether the public cannot see it because its curator is suspended.")
    secret_link: str | None = Field(description="The path of its secret link; only you see it.")


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    lists, discovery = service.lists, service.discovery

    async def detail(viewer: Viewer, visible: VisibleList) -> dict[str, Any]:
        card = await discovery.card(visible)
        watchlist = visible.watchlist
        own = watchlist.curator_id == viewer.user_id
        return WatchlistDetail.of(
            card,
            is_ranked=bool(watchlist.is_ranked),
            version=list_version(watchlist),
            hidden=bool(watchlist.hidden),
            secret_link=secret_path(watchlist) if own and watchlist.secret_link else None,
        )

    async def own_detail(viewer: Viewer, watchlist: Watchlist) -> dict[str, Any]:
        return await detail(viewer, VisibleList(watchlist, await service.people.mine(viewer)))

    @api.get("/watchlists", Access.PUBLIC, response_model=ListOf[WatchlistSummary], refuses=[400, 422])
    async def watchlists(
        tag: Annotated[str, Query(max_length=50, description="Only lists with this tag, newest first.")] = "",
        sort: Literal["new", "popular"] = "new",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Public lists that are not empty, the newest first."""
        if tag:
            page = await discovery.tagged(tag, limit=limit, cursor=cursor)
        elif sort == "popular":
            page = await discovery.popular(limit=limit, cursor=cursor)
        else:
            page = await discovery.newest(limit=limit, cursor=cursor)
        return Json(listed(WatchlistSummary, page, is_ranked=_is_ranked))

    @api.post(
        "/watchlists",
        WorthWatch.LIST,
        status_code=201,
        response_model=WatchlistDetail,
        refuses=[403, 409, 422, 429],
    )
    async def create_watchlist(viewer: CurrentViewer, new: NewList) -> Json:
        """Make an empty list. If `isPublic` is left out, it is public for approved curators and private for others."""
        made = await lists.create(viewer, new)
        return Json(
            await own_detail(viewer, made), 201, {"Location": f"/api/worthwatch/watchlists/{made.watchlist_id}"}
        )

    @api.get("/me/watchlists", Access.SIGNED_IN, response_model=ListOf[WatchlistSummary], refuses=[400, 422])
    async def my_watchlists(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Your lists, private ones too, the newest first."""
        page = await discovery.own(viewer, limit=limit, cursor=cursor)
        return Json(listed(WatchlistSummary, page, is_ranked=_is_ranked))

    @api.get(
        "/curators/{user_id}/watchlists",
        Access.PUBLIC,
        response_model=ListOf[WatchlistSummary],
        refuses=[400, 404, 422],
    )
    async def watchlists_of_curator(user_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Public lists of a curator, the newest first."""
        page = await discovery.of_curator(user_id, limit=limit, cursor=cursor)
        return Json(listed(WatchlistSummary, page, is_ranked=_is_ranked))

    @api.get(_ONE, Access.PUBLIC, response_model=WatchlistDetail, refuses=[404])
    async def watchlist(viewer: CurrentViewer, watchlist_id: str, secret: Secret = None) -> Json:
        """A list that is public, yours, or shared by a secret link."""
        return Json(await detail(viewer, await lists.readable(viewer, watchlist_id, secret)))

    @api.patch(_ONE, WorthWatch.LIST, response_model=WatchlistDetail, refuses=[400, 403, 404, 409, 422])
    async def edit_watchlist(viewer: CurrentViewer, watchlist_id: str, edit: ListEdit) -> Json:
        """Edit a list of yours, publish it or take it back; fields that are left out stay as they are."""
        return Json(await own_detail(viewer, await lists.edit(viewer, watchlist_id, edit)))

    @api.delete(_ONE, WorthWatch.LIST, status_code=204, refuses=[404, 409])
    async def delete_watchlist(viewer: CurrentViewer, watchlist_id: str) -> None:
        """Delete a list with its titles and comments."""
        await lists.delete(viewer, watchlist_id)

    @api.post(
        f"{_ONE}/clone",
        WorthWatch.LIST,
        status_code=201,
        response_model=WatchlistDetail,
        refuses=[404, 409, 422, 429],
    )
    async def clone_watchlist(viewer: CurrentViewer, watchlist_id: str, wanted: CopyInput) -> Json:
        """Copy titles and order of a list to a private list of yours. Notes stay with their curator."""
        source = await lists.readable(viewer, watchlist_id, wanted.secret)
        copy = await service.copies.copy(viewer, source, wanted)
        return Json(
            await own_detail(viewer, copy), 201, {"Location": f"/api/worthwatch/watchlists/{copy.watchlist_id}"}
        )

    @api.put(f"{_ONE}/secret-link", WorthWatch.LIST, response_model=WatchlistDetail, refuses=[404, 409])
    async def share_watchlist(viewer: CurrentViewer, watchlist_id: str) -> Json:
        """Give a private list of yours a new secret link; an older one ends."""
        return Json(await own_detail(viewer, await lists.share(viewer, watchlist_id)))

    @api.delete(f"{_ONE}/secret-link", WorthWatch.LIST, status_code=204, refuses=[404, 409])
    async def revoke_secret_link(viewer: CurrentViewer, watchlist_id: str) -> None:
        """End the secret link of a list of yours."""
        await lists.revoke(viewer, watchlist_id)


def _is_ranked(card: ListCard) -> bool:
    return bool(card.watchlist.is_ranked)
