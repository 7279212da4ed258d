"""Import, as a job with a report, and export."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES, Category
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.transfer import MOST_BYTES, MOST_ENTRIES, Format, Outcome
from partita.apps.kelifax.service.transfer.files import download
from partita.kit.files import UPLOAD_BODY
from partita.kit.forms import Parsed
from partita.kit.jobs import Job
from partita.kit.pages import redirect, render
from partita.kit.problems import FieldError, Invalid, Problem
from partita.kit.routes import CurrentViewer, Routes

_IMPORT = "/kelifax/moderation/import"
_SHORT_SECONDS = 1.5
"""An import that takes no longer is answered with its report."""
_CATEGORIES = [(category, category_name(category)) for category in CATEGORIES]


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""
    transfer = service.transfer

    @pages.get("/moderation/import", Kelifax.TRANSFER)
    async def import_form(request: Request) -> Response:
        return _form(request, Parsed(None, {"category": "other"}))

    @pages.post("/moderation/import", Kelifax.TRANSFER, most_bytes=UPLOAD_BODY)
    async def import_file(request: Request, viewer: CurrentViewer) -> Response:
        sent = await transfer.receive(request)
        category: Category = next((each for each in CATEGORIES if each == sent.fields.get("category")), "other")
        publish, dry_run = bool(sent.fields.get("publish")), sent.fields.get("go") != "import"
        form: Parsed[Any] = Parsed(None, {"category": category, "publish": "true" if publish else ""})
        try:
            if sent.file is None:
                raise Invalid(FieldError("file", "Choose a file."))
            job = await transfer.begin(viewer, sent.file, category=category, publish=publish, dry_run=dry_run)
        except Problem as problem:
            return _form(request, form, problem)
        job = await transfer.ended_within(job, _SHORT_SECONDS)
        if job.state == "failed":
            return _form(request, form, Invalid(FieldError("file", job.error), code="unreadable_file"))
        return redirect(_place(job))

    @pages.get("/moderation/import/{job_id}", Kelifax.TRANSFER)
    async def imported(request: Request, viewer: CurrentViewer, job_id: str, show: Outcome | None = None) -> Response:
        job = await transfer.find(viewer, job_id)
        if job.state != "done":
            return redirect(f"/jobs/{job.job_id}")
        report = transfer.report(job)
        # What needs a look comes first.
        outcomes: tuple[Outcome, ...] = ("refused", "there", "added")
        shown = show if show is not None else next((each for each in outcomes if report.counts[each]), outcomes[-1])
        return render(request, "kelifax/imported.html", job=job, report=report, shown=shown, rows=report.of(shown))

    @pages.post("/moderation/import/{job_id}", Kelifax.TRANSFER)
    async def import_tried(viewer: CurrentViewer, job_id: str) -> Response:
        job = await transfer.begin_tried(viewer, job_id)
        return redirect(_place(await transfer.ended_within(job, _SHORT_SECONDS)))

    @pages.get("/moderation/export", Kelifax.TRANSFER)
    async def export_page(request: Request) -> Response:
        return render(request, "kelifax/export.html", total=(await service.analytics.statuses())["approved"])

    @pages.get("/moderation/export/{format}", Kelifax.TRANSFER)
    async def export(format: Format) -> StreamingResponse:
        return download(transfer, format)


def _form(request: Request, form: Parsed[Any], problem: Problem | None = None) -> Response:
    if problem is not None:
        form = form.refused(problem if problem.errors else Invalid(FieldError("file", problem.detail)))
    return render(
        request,
        "kelifax/import.html",
        refused=problem,
        form=form,
        options=_CATEGORIES,
        most=MOST_BYTES,
        most_entries=MOST_ENTRIES,
    )


def _place(job: Job) -> str:
    """The report of an import that has ended; how far it is, of one that has not."""
    return job.result_path or f"/jobs/{job.job_id}"
