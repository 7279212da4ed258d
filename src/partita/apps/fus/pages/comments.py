"""Comments that are there: changing and removing one, and everything the viewer has said."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.comments import Said
from partita.apps.fus.formats import comment_name
from partita.apps.fus.inputs import CommentInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer, authorize
from partita.kit.problems import Forbidden
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    async def found(site_id: str, name: str) -> dict[str, Any]:
        said = await service.comments.comment(site_id, name)
        return {"site": await service.sites.site(site_id), "said": said, "name": name}

    @pages.get("/me/comments", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await service.comments.mine(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "fus/my_comments.html", page=page, comment_name=comment_name)

    @pages.get("/sites/{site_id}/comments/{name}/edit", Fus.COMMENT)
    async def edit_form(request: Request, viewer: CurrentViewer, site_id: str, name: str) -> Response:
        shown = await found(site_id, name)
        _own(viewer, shown["said"])
        form: Parsed[Any] = Parsed(None, {"body": shown["said"].comment.body})
        return render(request, "fus/edit_comment.html", **shown, form=form)

    @pages.post("/sites/{site_id}/comments/{name}/edit", Fus.COMMENT)
    async def edit(request: Request, viewer: CurrentViewer, site_id: str, name: str) -> Response:
        async with request.form() as sent:
            form = parse(CommentInput, sent)
        if form.value is None:
            shown = await found(site_id, name)
            _own(viewer, shown["said"])
            return render(request, "fus/edit_comment.html", status=422, **shown, form=form)
        await service.comments.edit(viewer, site_id, name, form.value)
        return redirect(f"/fus/sites/{site_id}#comments", flash="Your comment is changed.")

    @pages.get("/sites/{site_id}/comments/{name}/delete", Access.SIGNED_IN)
    async def delete_form(request: Request, viewer: CurrentViewer, site_id: str, name: str) -> Response:
        shown = await found(site_id, name)
        authorize(viewer, Fus.COMMENT if shown["said"].comment.user_id == viewer.id else Fus.MODERATE)
        return render(request, "fus/delete_comment.html", **shown)

    @pages.post("/sites/{site_id}/comments/{name}/delete", Access.SIGNED_IN)
    async def delete(viewer: CurrentViewer, site_id: str, name: str) -> Response:
        await service.comments.delete(viewer, site_id, name)
        return redirect(f"/fus/sites/{site_id}#comments", flash="The comment is removed.", kind="info")


def _own(viewer: Viewer, said: Said) -> None:
    if said.comment.user_id != viewer.id:
        raise Forbidden("Only who wrote a comment can change it.")
