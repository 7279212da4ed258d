"""Export and import over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field

from partita.apps.fus.inputs import wanted_tags
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import MOST_BYTES, Format
from partita.apps.fus.service.transfer.files import content_types, download
from partita.kit.answers import Json
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.jobs.schema import State
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

ExportFormat = Annotated[Format, Query(description="Bookmarks as browsers have them, a spreadsheet, or JSON.")]
ImportFormat = Annotated[Format | None, Query(description="Recognised from the file if it is left out.")]
FoldersAsTags = Annotated[bool, Query(alias="foldersAsTags", description="Whether folders of bookmarks become tags.")]
TagsForAll = Annotated[
    list[str], Query(max_length=20, description="Tags for every site of the file: repeated, or separated by commas.")
]
DryRun = Annotated[bool, Query(alias="dryRun", description="Only report what would be added.")]


class ImportedRowView(View):
    """The outcome of one row."""

    row: int
    url: str
    outcome: str = Field(description="`added`, `there` or `refused`.")
    reason: str
    site_id: str | None


class ImportReport(View):
    """The outcome of an import."""

    state: State = Field(description="Of its job.")
    dry_run: bool = Field(description="Whether nothing was added: then `added` is what would be.")
    added: int
    there: int
    refused: int
    rows: list[ImportedRowView]


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get(
        "/catalog/export",
        Fus.EXPORT,
        response_class=StreamingResponse,
        responses={200: {"description": "The file.", "content": content_types()}},
        refuses=[422],
    )
    async def export(format: ExportFormat = "html") -> StreamingResponse:
        """Every site, as a file."""
        return download(service.transfer, format)

    @api.post(
        "/catalog/import",
        Fus.IMPORT,
        status_code=202,
        response_model=StartedJob,
        refuses=[413, 422, 429],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def import_file(
        viewer: CurrentViewer,
        file: UploadFile,
        format: ImportFormat = None,
        folders_as_tags: FoldersAsTags = False,
        tags: TagsForAll = [],  # noqa: B006 - FastAPI reads the default and leaves it alone
        dry_run: DryRun = False,
    ) -> Json:
        """Start to add the sites of a file (at most 2 MB and 2,000 entries) that are not in the catalog yet.

        The file holds bookmarks of a browser or of Pocket (HTML), CSV (also Raindrop's and Pocket's), or JSON (also
        Pinboard's).

        It runs as a job: ask for `GET /api/jobs/{jobId}` until its `state` is `done`, and then for
        `GET /api/fus/catalog/imports/{jobId}`. A file that cannot be read makes the job fail, with the reason as its
        `error`. While the same file is imported, sending it again gives the same job.
        """
        for_all = wanted_tags(tags)
        kept = await service.transfer.keep(await file.read(), file.filename or "")
        job = await service.transfer.begin_import(
            viewer, kept, format, folders_as_tags=folders_as_tags, tags=for_all, dry_run=dry_run
        )
        return accepted(job)

    @api.get("/catalog/imports/{job_id}", Fus.IMPORT, response_model=ImportReport, refuses=[404])
    async def get_import(viewer: CurrentViewer, job_id: str) -> Json:
        """What became of every row of an import of yours; of one that has not ended, of the rows so far.

        Imports are kept for two weeks.
        """
        job = await service.transfer.find(viewer, job_id)
        dry_run = service.transfer.is_dry_run(job)
        return Json(ImportReport.of(await service.transfer.report(job), state=job.state, dry_run=dry_run))
