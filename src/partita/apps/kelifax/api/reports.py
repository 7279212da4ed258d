"""Reports over HTTP."""

from __future__ import annotations

from fastapi import Request

from partita.apps.kelifax.inputs import Reason
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor, Json, Limit, address_of
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed


class ReportEntry(View):
    """An open report."""

    slug: str
    entry_id: str
    logged_at: str
    reason: str


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @api.post("/resources/{slug}/reports", Access.PUBLIC, status_code=204, refuses=[404, 422, 429])
    async def report(request: Request, slug: str, report: Reason) -> None:
        """Report a problem with a resource."""
        await service.reports.add(slug, report.reason, address_of(request))

    @api.get("/moderation/reports", Kelifax.READ_MODERATION, response_model=ListOf[ReportEntry], refuses=[400, 422])
    async def reports(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Open reports, newest first."""
        return Json(listed(ReportEntry, await service.reports.all_open(limit=limit, cursor=cursor)))

    @api.delete("/moderation/reports/{slug}/{entry_id}", Kelifax.APPROVE, status_code=204, refuses=[404])
    async def close_report(viewer: CurrentViewer, slug: str, entry_id: str) -> None:
        """Close a report."""
        await service.reports.close(viewer, slug, entry_id)

    @api.post("/moderation/reports/{slug}/{entry_id}/reopen", Kelifax.APPROVE, status_code=204, refuses=[404])
    async def reopen_report(viewer: CurrentViewer, slug: str, entry_id: str) -> None:
        """Take it back that a report was closed."""
        await service.reports.reopen(viewer, slug, entry_id)
