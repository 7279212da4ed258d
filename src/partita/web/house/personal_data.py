"""Somebody's own data: what is held, all of it as a file, and erasing it; for administrators, that of others."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.responses import Response

from partita.kit.answers import Json
from partita.kit.pages import NOT_KEPT, confirm, redirect, render
from partita.kit.permissions import Access, House, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.kit.views import View
from partita.web.recognise import forget

_CONTENT: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
_FILE: dict[int | str, dict[str, Any]] = {200: {"description": "The document.", "content": _CONTENT}}
_CLOSED = "The account is closed and is being erased. That takes some minutes."
_WHAT_GOES = (
    "The account is closed at once, and everything of theirs goes or is left without a name. A last mail tells them"
    " when it is done. You cannot undo this."
)


class ErasingView(View):
    """An account that is being erased."""

    erasing: bool
    detail: str


def routes(suite: Suite) -> Routes:
    """Pages."""
    pages = Routes("", tag="house", pages=True)
    data, settings = suite.personal_data, suite.kit.settings

    async def document(viewer: Viewer, user_id: str | None = None) -> Response:
        headers = {"Content-Disposition": 'attachment; filename="my-data.json"', **NOT_KEPT}
        return StreamingResponse(await data.export(viewer, user_id), media_type="application/json", headers=headers)

    @pages.get("/account/data", Access.SIGNED_IN)
    async def show(request: Request) -> Response:
        return render(request, "account/data.html", rooms=data.rooms)

    @pages.get("/account/data/export", Access.SIGNED_IN)
    async def download(viewer: CurrentViewer) -> Response:
        return await document(viewer)

    @pages.get("/account/erase", Access.SIGNED_IN)
    async def ask(request: Request) -> Response:
        return render(request, "account/erase.html", rooms=data.rooms, remains=data.remains)

    @pages.post("/account/erase", Access.SIGNED_IN)
    async def erase(viewer: CurrentViewer) -> Response:
        await data.erase(viewer)
        answer = redirect("/", flash=f"{_CLOSED} Goodbye.", kind="info")
        forget(answer, settings)
        return answer

    @pages.get("/admin/users/{user_id}/data", House.MANAGE_USERS)
    async def download_of(viewer: CurrentViewer, user_id: str) -> Response:
        return await document(viewer, user_id)

    @pages.get("/admin/users/{user_id}/erase", House.MANAGE_USERS)
    async def ask_to_erase(request: Request, user_id: str) -> Response:
        person = await suite.kit.accounts.people.get(user_id)
        return confirm(
            request,
            f"Erase {person.name}?",
            f"{_WHAT_GOES} {data.remains}",
            button="Erase",
            keep=f"/admin/users/{user_id}",
        )

    @pages.post("/admin/users/{user_id}/erase", House.MANAGE_USERS)
    async def erase_other(viewer: CurrentViewer, user_id: str) -> Response:
        await data.erase(viewer, user_id)
        return redirect("/admin/users", flash=_CLOSED, kind="info")

    return pages


def api(suite: Suite) -> Routes:
    """For programs."""
    routes = Routes("/api/account", tag="account", house=True)
    data = suite.personal_data

    @routes.get("/data", Access.SIGNED_IN, response_class=StreamingResponse, responses=_FILE, refuses=[403, 429])
    async def my_data(viewer: CurrentViewer) -> Response:
        """Everything that is held about you, in one document."""
        return StreamingResponse(await data.export(viewer), media_type="application/json", headers=NOT_KEPT)

    @routes.delete("", Access.SIGNED_IN, status_code=202, response_model=ErasingView, refuses=[403, 409])
    async def erase_me(viewer: CurrentViewer) -> Response:
        """Close your account at once, and erase it.

        Only from a browser, with the password or a code entered a few minutes ago. This cannot be undone.
        """
        await data.erase(viewer)
        return Json({"erasing": True, "detail": _CLOSED}, 202)

    @routes.get(
        "/of/{user_id}/data",
        House.MANAGE_USERS,
        response_class=StreamingResponse,
        responses=_FILE,
        refuses=[403, 404, 429],
    )
    async def data_of(viewer: CurrentViewer, user_id: str) -> Response:
        """Everything that is held about somebody, in one document."""
        return StreamingResponse(await data.export(viewer, user_id), media_type="application/json", headers=NOT_KEPT)

    @routes.delete(
        "/of/{user_id}", House.MANAGE_USERS, status_code=202, response_model=ErasingView, refuses=[403, 404, 409]
    )
    async def erase_account(viewer: CurrentViewer, user_id: str) -> Response:
        """Close somebody's account at once, and erase it. This cannot be undone."""
        await data.erase(viewer, user_id)
        return Json({"erasing": True, "detail": _CLOSED}, 202)

    return routes
