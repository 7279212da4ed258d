"""The same step for several items over HTTP."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import ConfigDict

from partita.apps.enablement.inputs import BulkAction, BulkStep
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class OutcomeView(View):
    """What became of one item."""

    model_config = ConfigDict(alias_generator=None)

    content_id: str
    title: str
    refused: str
    """Why it was refused; empty if it was done."""


class BulkReport(View):
    """What became of every item so far."""

    model_config = ConfigDict(alias_generator=None)

    action: BulkAction
    state: str
    outcomes: list[OutcomeView]


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.post("/bulk", Enablement.WRITE, status_code=202, response_model=StartedJob, refuses=[422])
    async def change_many(viewer: CurrentViewer, step: BulkStep) -> Json:
        """Approve, retire or hand over up to 100 items, as a job. What is refused does not stop the rest."""
        return accepted(await service.bulk.start(viewer, step))

    @api.get("/bulk/{job_id}", Enablement.WRITE, response_model=BulkReport, refuses=[404])
    async def report_of_many(viewer: CurrentViewer, job_id: str) -> Json:
        """What became of the items."""
        report = await service.bulk.report(viewer, job_id)
        outcomes = [asdict(each) for each in report.outcomes]
        return Json({"action": report.action, "state": report.job.state, "outcomes": outcomes})
