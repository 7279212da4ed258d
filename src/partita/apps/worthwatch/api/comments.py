"""Comments over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from partita.apps.worthwatch.api.people import PersonView
from partita.apps.worthwatch.inputs import CommentEdit, CommentInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.comments import CommentEntry
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View

_ALL = "/watchlists/{watchlist_id}/comments"
_ONE = f"{_ALL}/{{comment_id}}"


class CommentView(View):
    """A comment. One that was removed and has replies keeps its place, without text and author."""

    comment_id: str = Field(description="Names the comment within its list.")
    watchlist_id: Annotated[str, From("comment.watchlist_id")]
    comment_text: Annotated[str, From("comment.comment_text")]
    created_at: Annotated[str, From("comment.created_at")]
    edited_at: Annotated[str | None, From("comment.edited_at")]
    reply_to: str | None
    reply_count: int
    has_spoilers: bool
    removed_by: Annotated[Literal["author", "curator", "moderator"] | None, From("comment.removed_by")]
    by: Annotated[PersonView | None, From("author")]


class ThreadView(CommentView):
    """A comment with its first replies, oldest first."""

    replies: list[CommentView]
    more_replies: bool


def _fields(entry: CommentEntry) -> dict[str, Any]:
    return {
        "comment_id": entry.name,
        "reply_to": entry.comment.reply_to,
        "reply_count": entry.comment.reply_count or 0,
        "has_spoilers": bool(entry.comment.has_spoilers),
    }


def _view(entry: CommentEntry) -> dict[str, Any]:
    return CommentView.of(entry, **_fields(entry))


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    comments = service.comments

    @api.get(_ALL, Access.PUBLIC, response_model=ListOf[ThreadView], refuses=[400, 404, 422])
    async def comments_on(viewer: CurrentViewer, watchlist_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The comments on a list with their replies, newest first."""
        page = await comments.threads(viewer, watchlist_id, limit=limit, cursor=cursor)
        answers = [
            ThreadView.of(
                thread.entry,
                replies=[_view(reply) for reply in thread.replies],
                more_replies=thread.more,
                **_fields(thread.entry),
            )
            for thread in page
        ]
        return Json({"items": answers, "next_cursor": page.next_cursor})

    @api.post(_ALL, WorthWatch.COMMENT, status_code=201, response_model=CommentView, refuses=[404, 409, 422, 429])
    async def write_comment(viewer: CurrentViewer, watchlist_id: str, comment: CommentInput) -> Json:
        """Comment on a list, or answer a comment."""
        return Json(_view(await comments.write(viewer, watchlist_id, comment)), 201)

    @api.get(_ONE, Access.PUBLIC, response_model=CommentView, refuses=[404])
    async def one_comment(viewer: CurrentViewer, watchlist_id: str, comment_id: str) -> Json:
        """One comment."""
        return Json(_view(await comments.entry(viewer, watchlist_id, comment_id)))

    @api.get(f"{_ONE}/replies", Access.PUBLIC, response_model=ListOf[CommentView], refuses=[400, 404, 422])
    async def replies_to(
        viewer: CurrentViewer, watchlist_id: str, comment_id: str, limit: Limit = 20, cursor: Cursor = None
    ) -> Json:
        """The replies to a comment, oldest first."""
        page = await comments.replies(viewer, watchlist_id, comment_id, limit=limit, cursor=cursor)
        return Json({"items": [_view(each) for each in page], "next_cursor": page.next_cursor})

    @api.patch(_ONE, WorthWatch.COMMENT, response_model=CommentView, refuses=[404, 409, 422])
    async def edit_comment(viewer: CurrentViewer, watchlist_id: str, comment_id: str, comment: CommentEdit) -> Json:
        """Edit a comment of yours."""
        return Json(_view(await comments.edit(viewer, watchlist_id, comment_id, comment)))

    @api.delete(_ONE, Access.SIGNED_IN, status_code=204, refuses=[403, 404, 409])
    async def delete_comment(viewer: CurrentViewer, watchlist_id: str, comment_id: str) -> None:
        """Remove a comment: your own, one on your list, or anybody's if you are a moderator."""
        await comments.delete(viewer, watchlist_id, comment_id)
