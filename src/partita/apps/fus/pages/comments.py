"""Writing, editing and deleting comments, and the viewer's comments."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.inputs import CommentEdit, NewComment
from partita.apps.fus.pages.sites import COMMENTS, replying_to, site_page
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.comments import in_threads
from partita.apps.fus.service.history import COMMENT_FIELDS
from partita.apps.fus.service.mine import MOST_COMMENTS, CommentSort
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import confirm, redirect, render, with_message
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_PAGE = 20
_EXCERPT = 200
Words = Annotated[str, Query(max_length=200)]
Short = Annotated[str, Query(max_length=10)]


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    async def comments_part(request: Request, site_id: str, form: Parsed[Any]) -> Response:
        """The comments alone, for a browser with script."""
        site = await service.sites.site(site_id)
        newest_first = site.number_of_comments > COMMENTS
        page = await service.comments.of_site(site_id, newest_first=newest_first, limit=COMMENTS)
        return render(
            request,
            "fus/comments.html",
            refused=form.problem,
            site=site,
            comments=page,
            threads=in_threads(page.items),
            replying=await replying_to(service, site_id, form),
            comment_form=form,
            newest_first=newest_first,
            alone=True,
        )

    @pages.post("/sites/{site_id}/comments", Fus.COMMENT, keeps=NewComment)
    async def write(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        with_script = "hx-request" in request.headers

        async def save(comment: NewComment) -> Response:
            await service.comments.write(viewer, site_id, comment)
            many = (await service.sites.site(site_id)).number_of_comments > COMMENTS
            page = f"/fus/sites/{site_id}{'?comments=newest' if many else ''}"
            if with_script:
                part = with_message(await comments_part(request, site_id, Parsed(None)), "Comment posted.")
                part.headers["HX-Replace-Url"] = page  # what was replied to is no part of it any more
                return part
            return redirect(f"{page}#comments", flash="Comment posted.")

        async def again(form: Parsed[NewComment]) -> Response:
            if with_script:
                return await comments_part(request, site_id, form)
            return await site_page(request, service, viewer, site_id, comment_form=form)

        return await submitted(request, NewComment, save, again)

    @pages.get("/me/comments", Access.SIGNED_IN)
    async def mine(
        request: Request, viewer: CurrentViewer, q: Words = "", sort: Short = "", cursor: Cursor = None
    ) -> Response:
        order: CommentSort = "oldest" if sort == "oldest" else "newest"
        page = await service.mine.comments(viewer, text=q, sort=order, limit=_PAGE, cursor=cursor)
        browsing = {"q": q, "sort": order}
        return render(request, "fus/my_comments.html", page=page, browsing=browsing, most=MOST_COMMENTS)

    async def edit_page(
        request: Request, viewer: Viewer, site_id: str, name: str, form: Parsed[Any] | None = None
    ) -> Response:
        comment = (await service.comments.own(viewer, site_id, name)).comment
        site = await service.sites.site(site_id)
        form = form or filled(CommentEdit, comment)
        return render(request, "fus/edit_comment.html", site=site, comment=comment, form=form)

    @pages.get("/sites/{site_id}/comments/{name}/edit", Fus.COMMENT)
    async def edit_form(request: Request, viewer: CurrentViewer, site_id: str, name: str) -> Response:
        return await edit_page(request, viewer, site_id, name)

    @pages.post("/sites/{site_id}/comments/{name}/edit", Fus.COMMENT, keeps=CommentEdit)
    async def edit(request: Request, viewer: CurrentViewer, site_id: str, name: str) -> Response:
        async def save(comment: CommentEdit) -> Response:
            await service.comments.edit(viewer, site_id, name, comment)
            return redirect(f"/fus/sites/{site_id}#comments", flash="Comment saved.")

        async def again(form: Parsed[CommentEdit]) -> Response:
            return await edit_page(request, viewer, site_id, name, form)

        async def stored() -> Parsed[CommentEdit]:
            return filled(CommentEdit, (await service.comments.own(viewer, site_id, name)).comment)

        back = f"/fus/sites/{site_id}#comments"
        return await edited(request, CommentEdit, save, again, stored, fields=COMMENT_FIELDS, back=back)

    @pages.get("/sites/{site_id}/comments/{name}/delete", Access.SIGNED_IN)
    async def delete_form(request: Request, viewer: CurrentViewer, site_id: str, name: str) -> Response:
        entry = await service.comments.deletable(viewer, site_id, name)
        site = await service.sites.site(site_id)
        author = "You" if entry.comment.user_id == viewer.id else entry.author.name
        body = entry.comment.body
        excerpt = body if len(body) <= _EXCERPT else body[:_EXCERPT].rpartition(" ")[0] + " …"
        return confirm(
            request,
            "Delete this comment?",
            f"{author} wrote on {site.title}: “{excerpt}” This cannot be undone.",
            button="Delete",
            keep=f"/fus/sites/{site_id}#comments",
        )

    @pages.post("/sites/{site_id}/comments/{name}/delete", Access.SIGNED_IN)
    async def delete(viewer: CurrentViewer, site_id: str, name: str) -> Response:
        await service.comments.delete(viewer, site_id, name)
        return redirect(f"/fus/sites/{site_id}#comments", flash="Comment deleted.", kind="info")
