"""Comments over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from partita.apps.fus.api.people import PersonView
from partita.apps.fus.api.sites import SiteSummary
from partita.apps.fus.inputs import CommentEdit, NewComment
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

Order = Annotated[Literal["oldest", "newest"], Query(description="The order.")]
MyWords = Annotated[str, Query(max_length=200, description="Words of the comment or of its site.")]
_COMMENT = "/sites/{site_id}/comments/{comment_id}"


class _OfComment(View):
    comment_id: Annotated[str, From("comment.name")] = Field(description="Names the comment within its site.")
    site_id: Annotated[str, From("comment.site_id")]
    body: Annotated[str, From("comment.body")]
    created_at: Annotated[str, From("comment.created_at")]
    updated_at: Annotated[str, From("comment.updated_at")]
    reply_to: Annotated[str | None, From("comment.reply_to")] = Field(
        description="The comment that it answers, which may be deleted."
    )
    revision: Annotated[int, From("comment.revision")] = Field(
        description="Send it with an edit, and the edit is refused if the comment was changed since."
    )


class CommentView(_OfComment):
    """A comment and who wrote it."""

    by: Annotated[PersonView, From("author")]
    stars: int | None = Field(description="What its author gives the site.")


class MyComment(_OfComment):
    """A comment of yours and its site."""

    site: SiteSummary


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/sites/{site_id}/comments", Access.PUBLIC, response_model=ListOf[CommentView], refuses=[400, 404, 422])
    async def comments(site_id: str, sort: Order = "oldest", limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The comments on a site."""
        newest_first = sort == "newest"
        page = await service.comments.of_site(site_id, newest_first=newest_first, limit=limit, cursor=cursor)
        return Json(listed(CommentView, page))

    @api.post(
        "/sites/{site_id}/comments",
        Fus.COMMENT,
        status_code=201,
        response_model=CommentView,
        refuses=[404, 422, 429],
    )
    async def write_comment(viewer: CurrentViewer, site_id: str, comment: NewComment) -> Json:
        """Comment on a site, or answer a comment on it."""
        return Json(CommentView.of(await service.comments.write(viewer, site_id, comment)), 201)

    @api.patch(_COMMENT, Fus.COMMENT, response_model=CommentView, refuses=[404, 409, 422])
    async def edit_comment(viewer: CurrentViewer, site_id: str, comment_id: str, comment: CommentEdit) -> Json:
        """Edit a comment of yours."""
        return Json(CommentView.of(await service.comments.edit(viewer, site_id, comment_id, comment)))

    @api.delete(_COMMENT, Access.SIGNED_IN, status_code=204, refuses=[403, 404, 409])
    async def delete_comment(viewer: CurrentViewer, site_id: str, comment_id: str) -> None:
        """Delete a comment: your own, or anybody's if you are a moderator."""
        await service.comments.delete(viewer, site_id, comment_id)

    @api.get("/me/comments", Access.SIGNED_IN, response_model=ListOf[MyComment], refuses=[400, 422])
    async def my_comments(viewer: CurrentViewer, q: MyWords = "", limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Your comments, newest first; with words, the newest 500 are searched."""
        if q.strip():
            return Json(listed(MyComment, await service.mine.comments(viewer, text=q, limit=limit, cursor=cursor)))
        return Json(listed(MyComment, await service.comments.mine(viewer, limit=limit, cursor=cursor)))
