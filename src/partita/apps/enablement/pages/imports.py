"""Import: a CSV file is checked, its files arrive one by one, drafts are made while people do something else."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.enablement.api.imports import bad_rows_file
from partita.apps.enablement.inputs import MOST_IMPORT_ROWS
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.import_rows import COLUMNS, MOST_BYTES
from partita.apps.enablement.service.imports import Checks
from partita.kit.files import MOST_UPLOAD, UPLOAD_BODY
from partita.kit.forms import Parsed
from partita.kit.jobs import Job
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.spreadsheets import download

_SHORT_SECONDS = 1.5
"""An import that takes no longer is answered with its result."""
_EXAMPLE = (
    "How to price Atlas",
    "List prices and discounts.",
    "Atlas",
    "Pricing",
    "prices; discounts",
    "Sales",
    "2027-01-31",
    "",
    "atlas-prices.pdf",
)


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    imports = service.imports

    @pages.get("/import", Enablement.WRITE)
    async def choose(request: Request, viewer: CurrentViewer) -> Response:
        return await _choose(request, viewer, Parsed(None))

    async def _choose(request: Request, viewer: Viewer, form: Parsed[Any], refused: Problem | None = None) -> Response:
        return render(
            request,
            "enablement/import.html",
            refused=refused,
            form=form,
            columns=COLUMNS,
            most=MOST_BYTES,
            most_rows=MOST_IMPORT_ROWS,
            imports=await imports.mine(viewer),
        )

    @pages.post("/import", Enablement.WRITE, most_bytes=UPLOAD_BODY)
    async def check(request: Request, viewer: CurrentViewer) -> Response:
        """Check the file; nothing is made yet."""
        async with request.form() as sent:
            file = sent.get("file")
            data, called = (b"", "") if file is None or isinstance(file, str) else (await file.read(), file.filename)
        try:
            if not called:
                raise Invalid(FieldError("file", "Choose a file."))
            checks = await imports.begin(viewer, data, called)
        except Problem as problem:
            return await _choose(request, viewer, _refused(problem), problem)
        return redirect(_place(checks))

    @pages.get("/import/example.csv", Enablement.WRITE)
    async def example() -> Response:
        """A file to begin with."""
        return download("content-to-import", COLUMNS, [_EXAMPLE])

    @pages.get("/import/{import_id}", Enablement.WRITE)
    async def look(request: Request, viewer: CurrentViewer, import_id: str) -> Response:
        return await _look(request, viewer, await imports.find(viewer, import_id), Parsed(None))

    async def _look(
        request: Request, viewer: Viewer, checks: Checks, form: Parsed[Any], refused: Problem | None = None
    ) -> Response:
        done = checks.work.state == "done"
        drafts = await imports.drafts(checks, checks.good) if done else {}
        return render(
            request,
            "enablement/importing.html",
            refused=refused,
            form=form,
            checks=checks,
            work=checks.work,
            most=MOST_UPLOAD,
            job=await _job(viewer, checks),
            drafts=drafts,
            to_submit=sum(each.status == "Draft" and each.approval_state is None for each in drafts.values()),
        )

    async def _job(viewer: Viewer, checks: Checks) -> Job | None:
        """The work while it goes on, for whoever started it."""
        if checks.work.job_id is None:
            return None
        try:
            job = await service.imports.job(viewer, checks.work.job_id)
        except NotFound:
            return None
        return job if job.is_open or job.state in ("failed", "cancelled") else None

    @pages.post("/import/{import_id}/files", Enablement.WRITE, most_bytes=UPLOAD_BODY)
    async def add_file(request: Request, viewer: CurrentViewer, import_id: str) -> Response:
        """Take one file; with script several are sent one after the other."""
        checks = await imports.find(viewer, import_id)
        sent = await imports.receive(request)
        try:
            if sent.file is None:
                raise Invalid(FieldError("file", "Choose a file."))
            checks = await imports.add_file(viewer, import_id, sent.file)
        except Problem as problem:
            return await _look(request, viewer, checks, _refused(problem), problem)
        return redirect(_place(checks), flash=f"{sent.file.called} has arrived.")

    @pages.post("/import/{import_id}/start", Enablement.WRITE)
    async def start(request: Request, viewer: CurrentViewer, import_id: str) -> Response:
        """Make the drafts, and submit them if that is wanted."""
        submit = bool((await request.form()).get("submit"))
        job = await imports.start(viewer, import_id, submit=submit)
        job = await imports.ended_within(job, _SHORT_SECONDS)
        return redirect(f"/enablement/import/{import_id}", flash=job.result_message)

    @pages.get("/import/{import_id}/bad-rows.csv", Enablement.WRITE)
    async def bad_rows(viewer: CurrentViewer, import_id: str) -> Response:
        return bad_rows_file(await imports.find(viewer, import_id))


def _refused(problem: Problem) -> Parsed[Any]:
    form: Parsed[Any] = Parsed(None)
    return form.refused(problem if problem.errors else Invalid(FieldError("file", problem.detail)))


def _place(checks: Checks) -> str:
    return f"/enablement/import/{checks.work.import_id}"
