"""Reporting a problem, and the moderators' list of reports."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.inputs import Reason
from partita.apps.kelifax.pages.moderation import section_counts
from partita.apps.kelifax.pages.resources import resource_page
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor, address_of
from partita.kit.desks import Desk, next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
_PATH = "/kelifax/moderation/reports"


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.post("/resources/{slug}/reports", Access.PUBLIC)
    async def report(request: Request, slug: str) -> Response:
        async def save(report: Reason) -> Response:
            await service.reports.add(slug, report.reason, address_of(request))
            return redirect(f"/kelifax/resources/{slug}", flash="Thank you. A moderator will look into it.")

        async def again(form: Parsed[Reason]) -> Response:
            return await resource_page(service, request, slug, form)

        return await submitted(request, Reason, save, again)

    @pages.get("/moderation/reports", Kelifax.READ_MODERATION)
    async def reports(
        request: Request, at: Annotated[str, Query(max_length=200)] = "", cursor: Cursor = None
    ) -> Response:
        """Open reports, newest first, with one of them open."""
        page = await service.reports.queue(limit=_PAGE, cursor=cursor)
        desk = Desk.of(_PATH, page, lambda reported: reported.key, at=at, cursor=cursor)
        return render(request, "kelifax/reports.html", desk=desk, counts=await section_counts(service))

    @pages.post("/moderation/reports/{slug}/{entry_id}/close", Kelifax.APPROVE)
    async def close_report(request: Request, viewer: CurrentViewer, slug: str, entry_id: str) -> Response:
        onward = await next_in(request) or "/kelifax/moderation"
        await service.reports.close(viewer, slug, entry_id)
        return redirect(onward, flash="Report closed.", undo=f"{_PATH}/{slug}/{entry_id}/reopen")

    @pages.post("/moderation/reports/{slug}/{entry_id}/reopen", Kelifax.APPROVE)
    async def reopen_report(viewer: CurrentViewer, slug: str, entry_id: str) -> Response:
        await service.reports.reopen(viewer, slug, entry_id)
        return redirect(f"{_PATH}?{urlencode({'at': f'{slug}/{entry_id}'})}", flash="Report reopened.", kind="info")
