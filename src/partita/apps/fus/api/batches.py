"""Changes of many sites over HTTP."""

from __future__ import annotations

from pydantic import Field

from partita.apps.fus.api.transfer import ImportedRowView
from partita.apps.fus.inputs import SiteChanges, TagRename
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Json
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.jobs.schema import State
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class BatchRowView(ImportedRowView):
    """The outcome for one site; `url` is its title."""

    outcome: str = Field(description="`changed`, `deleted`, `same` or `refused`.")


class BatchReportView(View):
    """The outcome of a change of many sites."""

    state: State = Field(description="Of its job.")
    counts: dict[str, int] = Field(description="How many sites have each outcome.")
    rows: list[BatchRowView] = Field(description="The first 2,000 sites.")


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.post("/tags/rename", Fus.EDIT, status_code=202, response_model=StartedJob, refuses=[404, 422, 429])
    async def rename_tag(viewer: CurrentViewer, rename: TagRename) -> Json:
        """Rename a tag on all sites that have it; if there is such a tag already, the two become one.

        It runs as a job: ask for `GET /api/jobs/{jobId}` until its `state` is `done`, and then for
        `GET /api/fus/batches/{jobId}`.
        """
        return accepted(await service.batches.begin_rename(viewer, rename))

    @api.post("/batches", Fus.EDIT, status_code=202, response_model=StartedJob, refuses=[404, 422, 429])
    async def change_sites(viewer: CurrentViewer, wanted: SiteChanges) -> Json:
        """Add or remove tags of many sites, or delete them.

        Deleting needs the permission to delete sites. It runs as a job, like renaming a tag.
        """
        return accepted(await service.batches.begin(viewer, wanted))

    @api.get("/batches/{job_id}", Access.SIGNED_IN, response_model=BatchReportView, refuses=[404])
    async def get_batch(viewer: CurrentViewer, job_id: str) -> Json:
        """What became of the sites of a change that you started; kept for two weeks."""
        job = await service.batches.find(viewer, job_id)
        return Json(BatchReportView.of(await service.batches.report(job), state=job.state))
