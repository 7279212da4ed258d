"""Export and import over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field

from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import MOST_BYTES, Format
from partita.apps.fus.service.transfer.files import content_types, download
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

ExportFormat = Annotated[Format, Query(description="Bookmarks as browsers have them, a spreadsheet, or JSON.")]
ImportFormat = Annotated[Format | None, Query(description="Recognised from the file if it is left out.")]
FoldersAsTags = Annotated[bool, Query(alias="foldersAsTags", description="Whether folders of bookmarks become tags.")]


class ImportedRowView(View):
    """The outcome of one row."""

    row: int
    url: str
    outcome: str = Field(description="`added`, `there` or `refused`.")
    reason: str
    site_id: str | None


class ImportReport(View):
    """The outcome of an import."""

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
        response_model=ImportReport,
        refuses=[413, 422, 429],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def import_file(
        viewer: CurrentViewer, file: UploadFile, format: ImportFormat = None, folders_as_tags: FoldersAsTags = False
    ) -> Json:
        """Add the sites of a file (at most 2 MB and 2,000 entries) that are not in the catalog yet."""
        data = await file.read()
        report = await service.transfer.import_file(viewer, data, format, folders_as_tags=folders_as_tags)
        return Json(ImportReport.of(report))
