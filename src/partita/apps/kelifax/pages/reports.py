"""Reporting a problem, and the moderators' list of reports."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.kelifax.inputs import Reason
from partita.apps.kelifax.pages.resources import resource_page
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor, address_of
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


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
    async def reports(request: Request, cursor: Cursor = None) -> Response:
        """Open reports, newest first."""
        page = await service.reports.all_open(limit=_PAGE, cursor=cursor)
        counts = await service.analytics.statuses()
        return render(request, "kelifax/reports.html", page=page, counts=counts, is_first=cursor is None)

    @pages.post("/moderation/reports/{slug}/{entry_id}/close", Kelifax.APPROVE)
    async def close_report(request: Request, viewer: CurrentViewer, slug: str, entry_id: str) -> Response:
        async with request.form() as sent:
            back = local(str(sent.get("next", "")), "/kelifax/moderation")
        await service.reports.close(viewer, slug, entry_id)
        return redirect(back, flash="Report closed.")
