"""Comments on a list: a section of its page that loads after it, and a page of its own for those without script."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import CommentEdit, CommentInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import list_path
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import confirm, redirect, render, with_message
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import Forbidden
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 10
_EXCERPT = 200
_ALL = "/lists/{watchlist_id}/comments"
_ONE = f"{_ALL}/{{name}}"


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    comments = service.comments

    async def comments_page(
        request: Request, viewer: Viewer, watchlist_id: str, form: Parsed[Any], cursor: str | None = None
    ) -> Response:
        """The comments alone for a browser with script, otherwise a page."""
        visible = await service.lists.visible(viewer, watchlist_id)
        part = "hx-request" in request.headers
        return render(
            request,
            "worthwatch/comments.html" if part else "worthwatch/comments_page.html",
            refused=form.problem,
            watchlist=visible.watchlist,
            back=list_path(visible.watchlist),
            comments=await comments.threads(viewer, watchlist_id, limit=_PAGE, cursor=cursor),
            total=(await service.discovery.card(visible)).comments,
            comment_form=form,
            blank_form=Parsed(None),
            is_first=cursor is None,
        )

    @pages.get(_ALL, Access.PUBLIC)
    async def threads(request: Request, viewer: CurrentViewer, watchlist_id: str, cursor: Cursor = None) -> Response:
        return await comments_page(request, viewer, watchlist_id, Parsed(None), cursor)

    @pages.post(_ALL, WorthWatch.COMMENT, keeps=CommentInput)
    async def write(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        async def save(comment: CommentInput) -> Response:
            entry = await comments.write(viewer, watchlist_id, comment)
            said = "Reply posted." if entry.comment.reply_to else "Comment posted."
            if "hx-request" in request.headers:
                return with_message(await comments_page(request, viewer, watchlist_id, Parsed(None)), said)
            return redirect(f"/worthwatch/lists/{watchlist_id}/comments#comments", flash=said)

        async def again(form: Parsed[CommentInput]) -> Response:
            return await comments_page(request, viewer, watchlist_id, form)

        return await submitted(request, CommentInput, save, again)

    async def edit_page(
        request: Request, viewer: Viewer, watchlist_id: str, name: str, form: Parsed[Any] | None = None
    ) -> Response:
        entry = await comments.entry(viewer, watchlist_id, name)
        if not entry.may_edit:
            raise Forbidden("Only its author can edit a comment.")
        return render(
            request,
            "worthwatch/edit_comment.html",
            watchlist=await service.lists.watchlist(watchlist_id),
            comment=entry.comment,
            form=form or filled(CommentEdit, entry.comment),
        )

    @pages.get(f"{_ONE}/edit", WorthWatch.COMMENT)
    async def edit_form(request: Request, viewer: CurrentViewer, watchlist_id: str, name: str) -> Response:
        return await edit_page(request, viewer, watchlist_id, name)

    @pages.post(f"{_ONE}/edit", WorthWatch.COMMENT, keeps=CommentEdit)
    async def edit(request: Request, viewer: CurrentViewer, watchlist_id: str, name: str) -> Response:
        async def save(comment: CommentEdit) -> Response:
            await comments.edit(viewer, watchlist_id, name, comment)
            return redirect(f"/worthwatch/lists/{watchlist_id}/comments#comments", flash="Comment saved.")

        async def again(form: Parsed[CommentEdit]) -> Response:
            return await edit_page(request, viewer, watchlist_id, name, form)

        return await submitted(request, CommentEdit, save, again)

    @pages.get(f"{_ONE}/delete", Access.SIGNED_IN)
    async def delete_form(request: Request, viewer: CurrentViewer, watchlist_id: str, name: str) -> Response:
        entry = await comments.entry(viewer, watchlist_id, name)
        if not entry.may_delete:
            raise Forbidden("Only its author, the list's curator and moderators can remove a comment.")
        author = "You" if entry.may_edit else entry.author.username if entry.author else "Somebody who left"
        text = entry.comment.comment_text
        excerpt = text if len(text) <= _EXCERPT else text[:_EXCERPT].rpartition(" ")[0] + " …"
        return confirm(
            request,
            "Remove this comment?",
            f"{author} wrote: “{excerpt}” This cannot be undone. Replies to it stay.",
            button="Remove",
            keep=f"/worthwatch/lists/{watchlist_id}/comments#comments",
        )

    @pages.post(f"{_ONE}/delete", Access.SIGNED_IN)
    async def delete(viewer: CurrentViewer, watchlist_id: str, name: str) -> Response:
        await comments.delete(viewer, watchlist_id, name)
        return redirect(f"/worthwatch/lists/{watchlist_id}/comments#comments", flash="Comment removed.", kind="info")
