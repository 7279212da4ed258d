"""Import: a CSV file is checked, its files arrive one by one, drafts are made while people do something else."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.api.imports import bad_rows_file, line_of
from partita.apps.enablement.inputs import MOST_IMPORT_ROWS
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.import_rows import COLUMNS, MOST_BYTES
from partita.apps.enablement.service.imports import Checks
from partita.kit.files import MOST_UPLOAD, UPLOAD_BODY
from partita.kit.forms import Parsed
from partita.kit.jobs import Job
from partita.kit.pages import confirm as confirm_page
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.spreadsheets import download

_SHORT_SECONDS = 1.5
"""An import that takes no longer is answered with its result."""
_EXAMPLE = {
    "title": "How to price it",
    "summary": "List prices and discounts.",
    "suite": "Atlas",
    "concept": "Pricing",
    "tags": "prices; discounts",
    "audience": "Sales",
    "review_date": "2027-01-31",
    "file_name": "prices.pdf",
}


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
        """A file to begin with, about the first product of the list."""
        row = _EXAMPLE
        for suite in (await service.products.get()).suites[:1]:
            row = _EXAMPLE | {"suite": suite.name, "concept": "".join(suite.concepts[:1])}
        return download("content-to-import", COLUMNS, [[row.get(name, "") for name in COLUMNS]])

    @pages.get("/import/{import_id}", Enablement.WRITE)
    async def look(
        request: Request, viewer: CurrentViewer, import_id: str, line: Annotated[int, Query(ge=0, le=9999)] = 0
    ) -> Response:
        """What was checked, and how far it is; with `line`, the form asks for the file of that row."""
        return await _look(request, viewer, await imports.find(viewer, import_id), Parsed(None), line=line)

    async def _look(
        request: Request,
        viewer: Viewer,
        checks: Checks,
        form: Parsed[Any],
        refused: Problem | None = None,
        *,
        line: int = 0,
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
            chosen=next((row for row in checks.awaited if row.number == line), None),
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
            checks = await imports.add_file(viewer, import_id, sent.file, line_of(sent.fields))
        except Problem as problem:
            line = line_of(sent.fields) or 0
            return await _look(request, viewer, checks, _refused(problem), problem, line=line)
        return redirect(_place(checks), flash=f"{sent.file.called} has arrived.")

    @pages.get("/import/{import_id}/discard", Enablement.WRITE)
    async def ask_to_discard(request: Request, viewer: CurrentViewer, import_id: str) -> Response:
        checks = await imports.find(viewer, import_id)
        number = len(checks.work.files)
        files = f" and the {number:,} {'file' if number == 1 else 'files'} that you have sent" if number else ""
        return confirm_page(
            request,
            f"Discard the import of {checks.work.called}?",
            f"Its rows{files} are deleted. No draft was made of them.",
            button="Discard this import",
            keep=_place(checks),
        )

    @pages.post("/import/{import_id}/discard", Enablement.WRITE)
    async def discard(viewer: CurrentViewer, import_id: str) -> Response:
        try:
            work = await imports.discard(viewer, import_id)
        except Conflict as started:
            return redirect(f"/enablement/import/{import_id}", flash=started.detail, kind="warn")
        return redirect("/enablement/import", flash=f"The import of {work.called} is discarded.")

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
