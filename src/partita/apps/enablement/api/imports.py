"""Imports over HTTP: a CSV file, then its files one by one, then drafts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Request, UploadFile
from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.enablement.inputs import ImportStart
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Import
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.import_rows import MOST_BYTES
from partita.apps.enablement.service.imports import Checks
from partita.kit.answers import Json
from partita.kit.files import UPLOAD_BODY, form_with_files
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.problems import BadRequest
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.spreadsheets import CSV, CSV_RESPONSE
from partita.kit.views import View

ImportState = Annotated[str, Field(description="`waiting` for files, `running`, or `done`.")]


class ImportView(View):
    """An import and how far it is."""

    model_config = ConfigDict(alias_generator=None)

    import_id: str
    called: str = Field(description="What the CSV file was called.")
    begun_by: str
    begun_at: str
    state: ImportState
    row_count: int
    bad_rows: int = Field(description="Rows that were refused, by the check or when their drafts were made.")
    done_rows: int = Field(description="Rows whose drafts were made.")
    job_id: str | None


class ImportList(View):
    """Your latest imports."""

    items: list[ImportView]


class ImportRowView(View):
    """A row of an import."""

    model_config = ConfigDict(alias_generator=None)

    number: int = Field(description="Its line in the file.")
    title: str
    file_name: str
    file_sent: bool
    problem: str = Field(description="What is wrong with it; empty if nothing is.")
    content_id: str | None = Field(description="The id of its draft, also before there is one; null if it is refused.")


class ImportDetail(ImportView):
    """An import with its rows."""

    rows: list[ImportRowView]


def _detail(checks: Checks, status: int = 200) -> Json:
    rows = [
        ImportRowView.of(
            row,
            file_sent=checks.has_file(row),
            content_id=checks.content_id(row) if row.is_good else None,
        )
        for row in checks.rows
    ]
    return Json(ImportDetail.of(checks.work, rows=rows), status)


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    imports = service.imports

    @api.get("/imports", Enablement.WRITE, response_model=ImportList)
    async def list_imports(viewer: CurrentViewer) -> Json:
        """Your latest imports, newest first; 20 at most."""
        found: list[Import] = await imports.mine(viewer)
        return Json({"items": ImportView.each(found)})

    @api.post(
        "/imports",
        Enablement.WRITE,
        status_code=201,
        response_model=ImportDetail,
        refuses=[413, 422, 429],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def check_import(viewer: CurrentViewer, file: UploadFile) -> Json:
        """Check a CSV file of 500 rows at most.

        Its columns are title, summary, suite, concept, tags, audience, review_date, expiry_date and file_name.
        Nothing is made until the import is started."""
        return _detail(await imports.begin(viewer, await file.read(), file.filename or ""), 201)

    @api.get("/imports/{import_id}", Enablement.WRITE, response_model=ImportDetail, refuses=[404])
    async def get_import(viewer: CurrentViewer, import_id: str) -> Json:
        """An import of yours with its rows and what is wrong with them."""
        return _detail(await imports.find(viewer, import_id))

    @api.get(
        "/imports/{import_id}/bad-rows.csv",
        Enablement.WRITE,
        response_class=Response,
        responses={200: CSV_RESPONSE},
        refuses=[404],
    )
    async def export_bad_rows(viewer: CurrentViewer, import_id: str) -> Response:
        """The rows that were refused, with the reasons: correct them and send them as a new import."""
        return bad_rows_file(await imports.find(viewer, import_id))

    @api.post(
        "/imports/{import_id}/files",
        Enablement.WRITE,
        response_model=ImportDetail,
        refuses=[400, 404, 409, 413, 415, 422],
        most_bytes=UPLOAD_BODY,
        openapi_extra=form_with_files("file", "line"),
    )
    async def add_import_file(request: Request, viewer: CurrentViewer, import_id: str) -> Json:
        """Send a file that a row names, as a form with the field `file`; 100 MB at most.

        With the number of a row in the field `line` before it, it belongs to that row, whatever its name. If it is
        sent again, it replaces the first."""
        await imports.find(viewer, import_id)
        sent = await imports.receive(request, ("line",))
        if sent.file is None:
            raise BadRequest("Send a form with the file in the field “file”.", code="file_missing")
        return _detail(await imports.add_file(viewer, import_id, sent.file, line_of(sent.fields)))

    @api.delete("/imports/{import_id}", Enablement.WRITE, status_code=204, refuses=[404, 409])
    async def discard_import(viewer: CurrentViewer, import_id: str) -> Response:
        """Discard an import that was not started, with the files that were sent for it."""
        await imports.discard(viewer, import_id)
        return Response(status_code=204)

    @api.post(
        "/imports/{import_id}/start",
        Enablement.WRITE,
        status_code=202,
        response_model=StartedJob,
        refuses=[404, 409, 422],
    )
    async def start_import(viewer: CurrentViewer, import_id: str, start: ImportStart) -> Json:
        """Start to make drafts of the good rows, as a job.

        Rows whose files were not sent are refused. With `submit`, drafts that are complete are submitted for
        approval; that may also be asked for when it is done."""
        return accepted(await imports.start(viewer, import_id, submit=start.submit))


def line_of(fields: Mapping[str, str]) -> int | None:
    """The row that somebody chose a file for; None if its name says it."""
    sent = fields.get("line", "")
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 6 else None


def bad_rows_file(checks: Checks) -> Response:
    """The refused rows as a download."""
    headers = {"Content-Disposition": 'attachment; filename="rows-to-correct.csv"'}
    return Response(checks.csv, media_type=CSV, headers=headers)
