"""Upvotes and saved resources."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.mine import MOST
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS
from partita.kit.pages import local, redirect, render
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/saved", Kelifax.LIKE)
    async def saved(
        request: Request,
        viewer: CurrentViewer,
        category: Annotated[str, Query(max_length=30)] = "",
        cursor: Cursor = None,
    ) -> Response:
        chosen = next((each for each in CATEGORIES if each == category), None)
        page = await service.mine.saved(viewer, chosen, limit=_PAGE, cursor=cursor)
        names = {each: category_name(each) for each in CATEGORIES}
        return render(request, "kelifax/saved.html", page=page, chosen=chosen, names=names, most=MOST)

    @pages.post("/resources/{slug}/upvote", Kelifax.LIKE)
    async def upvote(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        """From a resource's page or from a list, where the button alone is sent again."""
        on, back = await _pressed(request, slug)
        resource = await (service.liked.upvote(viewer, slug) if on else service.liked.take_back(viewer, slug))
        if "hx-request" in request.headers:
            return render(request, "kelifax/vote.html", resource=resource, upvoted=on, back=back)
        return redirect(back)

    @pages.post("/resources/{slug}/saved", Kelifax.LIKE)
    async def save(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        on, back = await _pressed(request, slug)
        if on:
            await service.liked.save(viewer, slug)
            return redirect(back, flash="Saved.")
        await service.liked.forget(viewer, slug)
        return redirect(back, flash="No longer saved.", kind="info")


async def _pressed(request: Request, slug: str) -> tuple[bool, str]:
    """Whether a button marks something or takes the mark away, and the page that it is on."""
    async with request.form(max_fields=MOST_FIELDS) as sent:
        return sent.get("on") != "false", local(str(sent.get("next", "")), f"/kelifax/resources/{slug}")
