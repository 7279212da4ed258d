"""History: the versions of a text by day, what changed by words, and going back."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Cursor
from partita.kit.pages import confirm, redirect, render
from partita.kit.routes import CurrentViewer, Routes

_HISTORY = "/editions/{code}/history"
ACTIONS = {"generated": "Generated", "saved": "Edited", "reset": "Reset to the generated text", "restored": "Restored"}
"""What was done → as people read it."""


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @pages.get(_HISTORY, Letters.WRITE)
    async def history(request: Request, viewer: CurrentViewer, code: str, cursor: Cursor = None) -> Response:
        """The versions, newest first."""
        newsletter = await service.access.newsletter(viewer, code)
        page = await service.history.page(viewer, code, cursor=cursor)
        return render(
            request,
            "newsletter/history.html",
            newsletter=newsletter,
            page=page,
            first=cursor is None,
            actions=ACTIONS,
            may_write=await service.access.may_write(viewer, newsletter),
        )

    @pages.get(f"{_HISTORY}/{{revision}}", Letters.WRITE)
    async def version(
        request: Request,
        viewer: CurrentViewer,
        code: str,
        revision: int,
        compare: Annotated[int | None, Query(ge=1, le=999_999)] = None,
    ) -> Response:
        """A version, and what changed since the one before it, or since another one."""
        newsletter = await service.access.newsletter(viewer, code)
        page = await service.history.page(viewer, code)
        return render(
            request,
            "newsletter/version.html",
            newsletter=newsletter,
            version=await service.history.version(viewer, code, revision),
            comparison=await service.history.compare(viewer, code, compare, revision),
            versions=page.items,
            actions=ACTIONS,
            may_write=await service.access.may_write(viewer, newsletter),
        )

    @pages.get(f"{_HISTORY}/{{revision}}/restore", Letters.WRITE)
    async def ask_restore(request: Request, viewer: CurrentViewer, code: str, revision: int) -> Response:
        """Ask before the text is another one."""
        await service.access.newsletter(viewer, code, write=True)
        await service.history.version(viewer, code, revision)
        return confirm(
            request,
            "Restore this version?",
            "The text is made what it was then. The present text stays in the history.",
            button="Restore",
            keep=f"/newsletter/editions/{code}/history/{revision}",
        )

    @pages.post(f"{_HISTORY}/{{revision}}/restore", Letters.WRITE)
    async def restore(viewer: CurrentViewer, code: str, revision: int) -> Response:
        """Make the text what it was."""
        await service.history.restore(viewer, code, revision)
        return redirect(f"/newsletter/editions/{code}/write", flash="Restored. What was there is in the history.")
