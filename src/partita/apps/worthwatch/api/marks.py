"""Seen, To watch and Not for me over HTTP; only you see yours."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from partita.apps.worthwatch.api.titles import TitleSummary
from partita.apps.worthwatch.inputs import QueueInput, SeenInput
from partita.apps.worthwatch.schema import ContentType, Mine
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.shelves import Wanted
from partita.apps.worthwatch.service.tiles import tile_of_label
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

_ONE = "{content_type}/{content_id}"
_PUT = [404, 409, 422]
_DELETE = [409, 422]


class MineView(View):
    """What you have done with a title."""

    content_type: ContentType
    content_id: str
    seen: bool
    marked_at: str | None = Field(description="When you marked it as seen.")
    times: int = Field(description="How many entries your diary has for it.")
    last_seen_on: str | None
    to_watch: bool
    not_for_me: bool
    rating: int | None


class MarkedTitleView(View):
    """A title, and what you have done with it."""

    mine: MineView
    title: TitleSummary | None = Field(description="Null if the title is gone.")


class QueuedView(View):
    """A title that you want to watch."""

    content_type: Annotated[ContentType, From("place.content_type")]
    content_id: Annotated[str, From("place.content_id")]
    title: str
    year: int | None
    runtime: int | None = Field(description="In minutes.")
    queued_at: Annotated[str, From("place.queued_at")]
    from_list: str | None = Field(description="The list that gave you the idea, while you can see it.")
    from_list_title: str | None


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    marks, shelves = service.marks, service.shelves

    @api.get("/seen", Access.SIGNED_IN, response_model=ListOf[MarkedTitleView], refuses=[400, 422])
    async def seen(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What you have seen; what you marked last first."""
        page = await shelves.seen(viewer, limit=limit, cursor=cursor)
        return Json(listed(MarkedTitleView, page, mine=lambda each: _mine(each.mine)))

    @api.put(f"/seen/{_ONE}", Access.SIGNED_IN, response_model=MineView, refuses=_PUT)
    async def mark_seen(
        viewer: CurrentViewer, content_type: ContentType, content_id: str, given: SeenInput | None = None
    ) -> Json:
        """Mark a title as seen, perhaps on a day, which your diary then has; it leaves To watch."""
        return Json(_mine(await marks.mark_seen(viewer, content_type, content_id, given)))

    @api.delete(f"/seen/{_ONE}", Access.SIGNED_IN, status_code=204, refuses=_DELETE)
    async def take_seen_back(viewer: CurrentViewer, content_type: ContentType, content_id: str) -> None:
        """A title is not seen; refused while your rating or your diary says that it is."""
        await marks.take_seen_back(viewer, content_type, content_id)

    @api.get("/to-watch", Access.SIGNED_IN, response_model=ListOf[QueuedView], refuses=[400, 422])
    async def to_watch(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What you want to watch, newest first."""
        page = await shelves.to_watch(viewer, limit=limit, cursor=cursor)
        return Json({"items": list(map(_queued, page)), "next_cursor": page.next_cursor})

    @api.put(f"/to-watch/{_ONE}", Access.SIGNED_IN, response_model=MineView, refuses=_PUT)
    async def want(
        viewer: CurrentViewer, content_type: ContentType, content_id: str, given: QueueInput | None = None
    ) -> Json:
        """Put a title on To watch, with the list that gave you the idea; a list you cannot see is not kept."""
        return Json(_mine(await marks.want(viewer, content_type, content_id, given)))

    @api.delete(f"/to-watch/{_ONE}", Access.SIGNED_IN, status_code=204, refuses=_DELETE)
    async def drop(viewer: CurrentViewer, content_type: ContentType, content_id: str) -> None:
        """Take a title off To watch."""
        await marks.drop(viewer, content_type, content_id)

    @api.get("/not-for-me", Access.SIGNED_IN, response_model=ListOf[MarkedTitleView], refuses=[400, 422])
    async def not_for_me(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What you have put aside without having seen it."""
        page = await shelves.not_for_me(viewer, limit=limit, cursor=cursor)
        return Json(listed(MarkedTitleView, page, mine=lambda each: _mine(each.mine)))

    @api.put(f"/not-for-me/{_ONE}", Access.SIGNED_IN, response_model=MineView, refuses=_PUT)
    async def put_aside(viewer: CurrentViewer, content_type: ContentType, content_id: str) -> Json:
        """Nothing proposes this title to you any more; it leaves To watch."""
        return Json(_mine(await marks.put_aside(viewer, content_type, content_id)))

    @api.delete(f"/not-for-me/{_ONE}", Access.SIGNED_IN, status_code=204, refuses=_DELETE)
    async def take_up_again(viewer: CurrentViewer, content_type: ContentType, content_id: str) -> None:
        """A title may be proposed to you again."""
        await marks.take_up_again(viewer, content_type, content_id)


def _mine(mine: Mine) -> dict[str, Any]:
    return MineView.of(mine, times=mine.times or 0, to_watch=bool(mine.queued), not_for_me=bool(mine.not_for_me))


def _queued(wanted: Wanted) -> dict[str, Any]:
    tile = tile_of_label(wanted.place.content_type, wanted.place.content_id, wanted.place.label)
    idea = wanted.from_list
    return QueuedView.of(
        wanted,
        title=tile.title,
        year=tile.year,
        runtime=tile.runtime,
        from_list=None if idea is None else idea.watchlist_id,
        from_list_title=None if idea is None else idea.title,
    )
