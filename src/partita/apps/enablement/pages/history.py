"""Versions of content, what changed between two of them, and everything that was done and said."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.inputs import NewComment
from partita.apps.enablement.pages.changes import LABELS, told
from partita.apps.enablement.pages.deciding import decision_for
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import allows
from partita.apps.enablement.service.desks import Pending
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 30
ACTIONS = {
    "created": "Created",
    "edited": "Edited",
    "proposed": "Change proposed",
    "proposal_discarded": "Change given up",
    "submitted": "Submitted for approval",
    "withdrawn": "Withdrawn",
    "changes_requested": "Changes requested",
    "approved": "Approved",
    "scheduled": "Approved for a later day",
    "released": "Released",
    "unscheduled": "Day taken back",
    "planned": "Dates changed",
    "confirmed": "Confirmed as correct",
    "handed_over": "Handed over",
    "retired": "Retired",
    "expired": "Expired",
    "renewed": "Being renewed",
    "reinstated": "Back in use",
    "comment": "Comment",
    "asked_to_read": "People asked to read it",
    "asked_no_more": "Nobody asked to read it any more",
    "reminded": "People reminded to read it",
    "reported": "Reported",
    "report_closed": "Report answered",
}
"""What was done → as people read it."""


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/content/{content_id}/versions", Enablement.READ)
    async def versions(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """What was released, newest first; readers see notes and days."""
        content, visibility = await service.content.look(viewer, content_id)
        if visibility.history:
            found = await service.history.versions(viewer, content_id)
        else:
            found = await service.history.change_notes(viewer, content_id)
        pending = visibility.history and await service.history.has_pending(content)
        return render(
            request,
            "enablement/versions.html",
            shown=await service.showing.one(content),
            versions=found,
            people=await service.showing.names(each.approved_by for each in found) if visibility.history else {},
            staff=visibility.history,
            pending=pending,
        )

    @pages.get("/content/{content_id}/compare", Enablement.READ)
    async def compare(
        request: Request,
        viewer: CurrentViewer,
        content_id: str,
        before: Annotated[int, Query(ge=1, le=999_999_999, alias="from")],
        after: Annotated[str, Query(max_length=10, alias="to")] = "",
    ) -> Response:
        """What changed between two versions, or between one and what is proposed or drafted."""
        major = int(after) if after.isascii() and after.isdecimal() else None
        content, visibility = await service.content.look(viewer, content_id)
        # What waits is read first: a decision is on no more than the comparison shows.
        decision = None
        if visibility.history and major is None and before == content.major:
            pending = Pending(content, await service.changing.proposal(content_id))
            decision = await decision_for(service, viewer, pending)
        comparison = await service.history.compare(viewer, content_id, before, major)
        shown = await service.showing.one(content)
        return render(
            request,
            "enablement/compare.html",
            shown=shown,
            comparison=comparison,
            labels=LABELS,
            decision=decision,
        )

    async def history_page(
        request: Request, viewer: Viewer, content_id: str, form: Parsed[NewComment], cursor: str | None = None
    ) -> Response:
        page = await service.history.entries(viewer, content_id, limit=_PAGE, cursor=cursor)
        content, _ = await service.content.look(viewer, content_id)
        return render(
            request,
            "enablement/history.html",
            shown=await service.showing.one(content),
            next_cursor=page.next_cursor,
            **await told(service, viewer, page.items),
            actions=ACTIONS,
            labels=LABELS,
            form=form,
            may_comment=allows(viewer, content, Action.COMMENT, service.changing.now()),
        )

    @pages.get("/content/{content_id}/history", Enablement.READ)
    async def history(request: Request, viewer: CurrentViewer, content_id: str, cursor: Cursor = None) -> Response:
        """Everything that was done and said."""
        return await history_page(request, viewer, content_id, Parsed(None), cursor)

    @pages.post("/content/{content_id}/comments", Enablement.READ, keeps=NewComment)
    async def comment(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Say something to its owner and the approvers."""

        async def save(new: NewComment) -> Response:
            await service.history.comment(viewer, content_id, new)
            return redirect(f"/enablement/content/{content_id}/history", flash="Comment posted.")

        async def again(form: Parsed[NewComment]) -> Response:
            return await history_page(request, viewer, content_id, form)

        return await submitted(request, NewComment, save, again)
