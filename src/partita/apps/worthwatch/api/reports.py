"""Reports and the log over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from partita.apps.worthwatch.api.people import PersonView
from partita.apps.worthwatch.inputs import ReportedResolution, ReportInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.reports import What
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.problems import BadRequest
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

Day = Annotated[str | None, Query(max_length=10, description="A day, such as 2026-05-01; today if nothing is named.")]
Of = Annotated[str | None, Query(max_length=300, description="One thing, such as `WATCHLIST#…` or `MOVIE#…`.")]
By = Annotated[str | None, Query(max_length=100, description="The id of somebody, for what they did.")]


class MyReport(View):
    """A report of yours."""

    reported_at: str
    reason: str
    state: Literal["open", "kept", "removed", "suspended"]


class ReportView(View):
    """A report that waits."""

    what: Annotated[What, From("thing.what")]
    id: Annotated[str, From("thing.id")] = Field(description="Names the thing, as in the report.")
    is_there: Annotated[bool, From("thing.there")] = Field(description="Whether there is still something to remove.")
    reported_at: Annotated[str, From("report.reported_at")]
    reason: Annotated[str, From("report.reason")]
    reported_by: Annotated[PersonView | None, From("reporter")]
    of_person: Annotated[PersonView | None, From("thing.person")]


class Resolved(View):
    """What became of reports."""

    ended: int = Field(description="How many reports that ended.")


class LogView(View):
    """A change that others could see."""

    what: Annotated[str, From("log.what")]
    at: Annotated[str, From("log.at")]
    verb: Annotated[str, From("log.verb")]
    before: Annotated[dict[str, Any], From("log.before")]
    after: Annotated[dict[str, Any], From("log.after")]
    by: Annotated[PersonView | None, From("who")]


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @api.post("/reports", WorthWatch.REPORT, status_code=201, response_model=MyReport, refuses=[404, 409, 422, 429])
    async def report(viewer: CurrentViewer, report: ReportInput) -> Json:
        """Report a list, a comment, a review or a person, once."""
        return Json(MyReport.of(await service.reports.report(viewer, report)), 201)

    @api.get("/reports", WorthWatch.MODERATE, response_model=ListOf[ReportView], refuses=[400, 422])
    async def reports_waiting(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Reports that wait, oldest first."""
        return Json(listed(ReportView, await service.reports.waiting(limit=limit, cursor=cursor)))

    @api.post("/reports/resolve", WorthWatch.MODERATE, response_model=Resolved, refuses=[404, 409, 422])
    async def resolve_reports(viewer: CurrentViewer, resolution: ReportedResolution) -> Json:
        """Keep a reported thing, remove it, or suspend its curator; that ends all its reports."""
        ended = await service.reports.resolve(viewer, resolution.what, resolution.id, resolution)
        return Json({"ended": ended})

    @api.get("/log", WorthWatch.LOG, response_model=ListOf[LogView], refuses=[400, 422])
    async def read_log(day: Day = None, of: Of = None, by: By = None, limit: Limit = 50, cursor: Cursor = None) -> Json:
        """Who changed what others can see, newest first: on a day, of one thing, or by somebody."""
        if sum(each is not None for each in (day, of, by)) > 1:
            raise BadRequest("Name a day, a thing or a person, not several.", code="several_filters")
        if of is not None:
            page = await service.logs.of(of, limit=limit, cursor=cursor)
        elif by is not None:
            page = await service.logs.by(by, limit=limit, cursor=cursor)
        else:
            page = await service.logs.on_day(day, limit=limit, cursor=cursor)
        return Json(listed(LogView, page))
