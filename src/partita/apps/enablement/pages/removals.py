"""Deleting for good: the page that says what is lost, and asks."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from starlette.responses import Response

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.removal import Losses
from partita.kit.pages import redirect, render
from partita.kit.routes import CurrentViewer, Routes


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/content/{content_id}/delete", Enablement.WRITE)
    async def ask(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """What would be lost."""
        content, losses = await service.removals.losses(viewer, content_id)
        shown = await service.showing.one(content)
        return render(request, "enablement/delete.html", shown=shown, losses=tuple(lines(losses)))

    @pages.post("/content/{content_id}/delete", Enablement.WRITE)
    async def delete(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        version = str((await request.form()).get("version", ""))[:40] or None
        removal = await service.removals.delete(viewer, content_id, version=version)
        return redirect("/enablement", flash=f"“{removal.title}” is deleted.")


def lines(losses: Losses) -> Iterator[str]:
    """What is lost, in people's words."""
    if losses.file_name:
        yield f"the file {losses.file_name}"
    if losses.versions:
        yield _counted(losses.versions, "released version")
    if losses.proposal:
        yield "the change that is being prepared"
    if losses.comments:
        yield _counted(losses.comments, "comment")
    if losses.people:
        yield f"who has read it: {_counted(losses.people, 'person', 'people')}"
    if losses.votes:
        yield _counted(losses.votes, "vote")
    if losses.open_reports:
        yield _counted(losses.open_reports, "open report")
    if losses.must_read:
        yield "who must read it and who has confirmed"


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
