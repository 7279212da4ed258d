"""Import, as a job with a report, and export."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.inputs import ImportOptions
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import MOST_BYTES, Format, Outcome
from partita.apps.fus.service.transfer.files import download, report_download
from partita.kit.files import UPLOAD_BODY
from partita.kit.forms import Parsed, parse, save_or_again
from partita.kit.jobs import Job
from partita.kit.pages import redirect, render
from partita.kit.problems import FieldError, Invalid, Problem
from partita.kit.routes import CurrentViewer, Routes

_MOST_ROWS = 200
_SHORT_SECONDS = 1.5
"""An import that takes no longer is answered with its report."""


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    transfer = service.transfer

    @pages.get("/import", Fus.IMPORT)
    async def import_form(request: Request) -> Response:
        return _form(request, Parsed(None))

    @pages.post("/import", Fus.IMPORT, most_bytes=UPLOAD_BODY, keeps=ImportOptions)
    async def import_file(request: Request, viewer: CurrentViewer) -> Response:
        sent = await transfer.receive(request)
        form = parse(ImportOptions, sent.fields, separated={"tags"})

        async def save(chosen: ImportOptions) -> Response:
            if sent.file is None:
                raise Invalid(FieldError("file", "Choose a file."))
            job = await transfer.begin_import(
                viewer,
                sent.file,
                folders_as_tags=chosen.folders_as_tags,
                tags=chosen.tags,
                dry_run=chosen.dry_run,
            )
            job = await transfer.ended_within(job, _SHORT_SECONDS)
            if job.state == "failed":
                raise Invalid(FieldError("file", job.error), code="unreadable_file")
            return redirect(_place(job))

        async def again(form: Parsed[ImportOptions]) -> Response:
            if sent.taken is not None and form.refusal is None:
                await transfer.discard(sent.taken)  # what was chosen for it is wrong
            refused = form.refusal
            if refused is not None and not refused.errors:
                form = form.refused(Invalid(FieldError("file", refused.detail)))
            return _form(request, form, refused)

        return await save_or_again(request, form, save, again)

    @pages.get("/import/{job_id}", Fus.IMPORT)
    async def imported(request: Request, viewer: CurrentViewer, job_id: str, show: Outcome | None = None) -> Response:
        job = await transfer.find(viewer, job_id)
        if job.is_open:
            return redirect(_place(job))
        report = await transfer.report(job)
        # What needs a look comes first.
        outcomes: tuple[Outcome, ...] = ("refused", "there", "added")
        shown = show if show is not None else next((each for each in outcomes if report.count(each)), outcomes[-1])
        rows = report.of(shown)
        return render(
            request,
            "fus/imported.html",
            job=job,
            report=report,
            dry_run=transfer.is_dry_run(job),
            shown=shown,
            rows=rows[:_MOST_ROWS],
            left_out=max(len(rows) - _MOST_ROWS, 0),
        )

    @pages.post("/import/{job_id}", Fus.IMPORT)
    async def import_checked(viewer: CurrentViewer, job_id: str) -> Response:
        """Import the file of a dry run."""
        job = await transfer.ended_within(await transfer.import_checked(viewer, job_id), _SHORT_SECONDS)
        return redirect(_place(job))

    @pages.get("/import/{job_id}/csv", Fus.IMPORT)
    async def imported_csv(viewer: CurrentViewer, job_id: str) -> Response:
        return report_download(await transfer.report(await transfer.find(viewer, job_id)))

    @pages.get("/export", Fus.EXPORT)
    async def export_page(request: Request) -> Response:
        return render(request, "fus/export.html", total=await service.sites.total())

    @pages.get("/export/{format}", Fus.EXPORT)
    async def export(format: Format) -> Response:
        return download(transfer, format)


def _form(request: Request, form: Parsed[Any], refused: Problem | None = None) -> Response:
    return render(request, "fus/import.html", refused=refused, form=form, most=MOST_BYTES)


def _place(job: Job) -> str:
    """The report of an import that has ended; how far it is, of one that has not."""
    return job.result_path or f"/jobs/{job.job_id}"
