"""The page of a content item: who stands behind it, what it shows, its text, and what changed."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.enablement.api.attachments import counts
from partita.apps.enablement.pages.deciding import decision_for
from partita.apps.enablement.pages.steps import STEPS
from partita.apps.enablement.pages.use import use_of
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import Visibility, allows
from partita.apps.enablement.service.desks import Pending
from partita.kit.markdown import with_contents
from partita.kit.pages import render
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_NOTES = 3
_LONG, _MOST_CONTENTS = 4, 40
"""With how many headings a text gets contents, and how many of them are listed."""


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/content/{content_id}", Enablement.READ)
    async def detail(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """One item; or, if it is closed to this person, what it was and what replaced it."""
        content, visibility = await service.content.look(viewer, content_id)
        if visibility.page == "short":
            return await closed(request, viewer, content)
        return await whole(request, viewer, content, visibility)

    async def whole(request: Request, viewer: Viewer, content: Content, visibility: Visibility) -> Response:
        now = service.changing.now()
        if counts(request):
            await service.events.viewed(viewer, content)
        staff = visibility.history
        shown, related = await service.library.with_related(viewer, content)
        proposal = await service.changing.proposal(content.content_id) if staff and content.status != "Draft" else None
        text = with_contents(await service.content.text(content))
        return render(
            request,
            "enablement/content.html",
            shown=shown,
            text=text.html,
            contents=text.contents[:_MOST_CONTENTS] if len(text.contents) >= _LONG else (),
            look=await service.previews.look(content, plays=visibility.download),
            notes=await service.history.latest_notes(content, _NOTES) if visibility.change_notes else [],
            related=related,
            replacement=await replacement(viewer, content),
            visibility=visibility,
            proposal=proposal,
            request_for_changes=await service.history.request_for_changes(content, proposal) if staff else None,
            decision=await decision_for(service, viewer, Pending(content, proposal)),
            use=await use_of(service, viewer, content),
            may_edit=allows(viewer, content, Action.EDIT, now),
            may_delete=allows(viewer, content, Action.DELETE, now),
            steps={action.name for action in STEPS if allows(viewer, content, action, now)},
            following=await service.follows.follows(viewer, "content", content.content_id),
        )

    async def closed(request: Request, viewer: Viewer, content: Content) -> Response:
        shown = await service.showing.one(content)
        other = await replacement(viewer, content)
        return render(request, "enablement/closed.html", status=403, shown=shown, replacement=other)

    async def replacement(viewer: Viewer, content: Content) -> Content | None:
        """What replaced it, if the viewer may know of it."""
        if content.superseded_by is None:
            return None
        try:
            return (await service.content.look(viewer, content.superseded_by))[0]
        except NotFound:
            return None
