"""Import, with a report, and export."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import MOST_BYTES, Format
from partita.apps.fus.service.transfer.files import download
from partita.kit.forms import Parsed
from partita.kit.pages import render
from partita.kit.problems import FieldError, Invalid, Problem
from partita.kit.routes import CurrentViewer, Routes

_MOST_ROWS = 200


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("/import", Fus.IMPORT)
    async def import_form(request: Request) -> Response:
        return render(request, "fus/import.html", form=Parsed(None), report=None)

    @pages.post("/import", Fus.IMPORT, most_bytes=MOST_BYTES + 20_000)
    async def import_file(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form(max_files=1, max_fields=10) as sent:
            upload = sent.get("file")
            data = b"" if upload is None or isinstance(upload, str) else await upload.read()
            folders_as_tags = bool(sent.get("foldersAsTags"))
        form: Parsed[Any] = Parsed(None, {"foldersAsTags": "true" if folders_as_tags else ""})
        try:
            if not data:
                raise Invalid(FieldError("file", "Choose a file."))
            report = await service.transfer.import_file(viewer, data, folders_as_tags=folders_as_tags)
        except Problem as problem:
            by_field = problem if problem.errors else Invalid(FieldError("file", problem.detail))
            return render(request, "fus/import.html", refused=problem, form=form.refused(by_field), report=None)
        not_added = [row for row in report.rows if row.outcome != "added"]
        return render(
            request,
            "fus/import.html",
            form=form,
            report=report,
            not_added=not_added[:_MOST_ROWS],
            left_out=max(len(not_added) - _MOST_ROWS, 0),
        )

    @pages.get("/export", Fus.EXPORT)
    async def export_page(request: Request) -> Response:
        return render(request, "fus/export.html", total=await service.sites.total())

    @pages.get("/export/{format}", Fus.EXPORT)
    async def export(format: Format) -> Response:
        return download(service.transfer, format)
