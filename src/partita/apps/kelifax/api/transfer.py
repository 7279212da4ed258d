"""Export and import over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field

from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Category
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.transfer import MOST_BYTES, Format
from partita.apps.kelifax.service.transfer.files import CONTENT_TYPES, download
from partita.kit.answers import Json
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.jobs.schema import State
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class ImportedRowView(View):
    """The outcome of one row."""

    row: int
    name: str
    outcome: str = Field(description="`added`, `there` or `refused`.")
    reason: str
    slug: str = Field(description="Of the resource, if there is one.")


class ImportReportView(View):
    """The outcome of an import."""

    state: State = Field(description="Of its job.")
    dry_run: bool
    rows: list[ImportedRowView] = Field(description="Empty until the job is done.")


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @api.get(
        "/export",
        Kelifax.TRANSFER,
        response_class=StreamingResponse,
        responses={200: {"description": "The file.", "content": CONTENT_TYPES}},
        refuses=[422],
    )
    async def export(
        format: Annotated[Format, Query(description="A spreadsheet, JSON, or a list in Markdown.")] = "json",
    ) -> StreamingResponse:
        """Every approved resource, as a file."""
        return download(service.transfer, format)

    @api.post(
        "/imports",
        Kelifax.TRANSFER,
        status_code=202,
        response_model=StartedJob,
        refuses=[413, 422],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def import_file(
        viewer: CurrentViewer,
        file: UploadFile,
        format: Annotated[Format | None, Query(description="Recognised from the file if it is left out.")] = None,
        category: Annotated[Category, Query(description="Of resources that name none.")] = "other",
        publish: Annotated[bool, Query(description="Approve them at once, without a review.")] = False,
        dry_run: Annotated[bool, Query(alias="dryRun", description="Only say what would be added.")] = False,
    ) -> Json:
        """Start to add the resources of a file (at most 2 MB and 500 entries) that are not in the directory yet.

        It runs as a job: ask for `GET /api/jobs/{jobId}` until its `state` is `done`, and then for
        `GET /api/kelifax/imports/{jobId}`. A file that cannot be read makes the job fail, with the reason as its
        `error`.
        """
        kept = await service.transfer.keep(await file.read(), file.filename or "")
        job = await service.transfer.begin(
            viewer, kept, format=format, category=category, publish=publish, dry_run=dry_run
        )
        return accepted(job)

    @api.get("/imports/{job_id}", Kelifax.TRANSFER, response_model=ImportReportView, refuses=[404])
    async def get_import(viewer: CurrentViewer, job_id: str) -> Json:
        """What became of every row of an import of yours, once it is done. Imports are kept for two weeks."""
        job = await service.transfer.find(viewer, job_id)
        return Json(ImportReportView.of(service.transfer.report(job), state=job.state))
