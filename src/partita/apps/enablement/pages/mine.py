"""My desk: what waits for an owner, and the rest of their work."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.pages import render
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_MOST_RELEASED = 30


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/mine", Enablement.WRITE)
    async def mine(
        request: Request, viewer: CurrentViewer, owner: Annotated[str, Query(max_length=100)] = ""
    ) -> Response:
        """The viewer's desk; administrators open anybody's by username."""
        person = await service.showing.by_username(owner) if owner else None
        if owner and person is None:
            raise NotFound(f"There is nobody called {owner!r}.")
        desk = await service.desks.own(viewer, person.user_id if person else None)
        pending = (*desk.changes_requested, *desk.drafts, *desk.waiting, *desk.scheduled)
        contents = {
            each.content_id: each
            for each in (
                *(each.content for each in pending),
                *(content for content, _ in desk.reports),
                *desk.reviews,
                *desk.expired,
                *desk.released[:_MOST_RELEASED],
            )
        }
        shown = {each.content_id: each for each in await service.showing.each(contents.values())}
        return render(
            request,
            "enablement/mine.html",
            desk=desk,
            shown=shown,
            person=person,
            reporters=await service.showing.names(report.reported_by for _, report in desk.reports),
            released=desk.released[:_MOST_RELEASED],
        )
