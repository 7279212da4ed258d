"""Changing many sites at once, and renaming tags: a form, a job, a report."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.formats import tag_of
from partita.apps.fus.inputs import SitesForm, TagRename, likely_tags
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer.report import BatchOutcome
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, submitted
from partita.kit.jobs import Job
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 50
_MOST_ROWS = 200
_SHORT_SECONDS = 1.5


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    batches = service.batches

    async def started(job: Job) -> Response:
        job = await batches.ended_within(job, _SHORT_SECONDS)
        return redirect(job.result_path or f"/jobs/{job.job_id}")

    async def choose(
        request: Request, form: Parsed[Any], q: str, tags: tuple[str, ...], cursor: str | None
    ) -> Response:
        matches = await service.catalog.browse(text=q, tags=tags, limit=_PAGE, cursor=cursor)
        return render(request, "fus/select.html", form=form, matches=matches, q=q, tags=tags)

    @pages.get("/select", Fus.EDIT)
    async def choose_form(
        request: Request,
        q: Annotated[str, Query(max_length=200)] = "",
        tags: Annotated[list[str], Query(max_length=50)] = [],  # noqa: B006 - FastAPI leaves it alone
        cursor: Cursor = None,
    ) -> Response:
        return await choose(request, Parsed(None), q, likely_tags(tags), cursor)

    @pages.post("/select", Fus.EDIT, keeps=SitesForm)
    async def change(request: Request, viewer: CurrentViewer) -> Response:
        """Change the sites; before they are deleted, ask."""

        async def again(form: Parsed[SitesForm]) -> Response:
            q, tag = str(form.values.get("q", ""))[:200], str(form.values.get("tag", ""))
            return await choose(request, form, q, likely_tags([tag]), None)

        async def save(sent: SitesForm) -> Response:
            wanted = sent.changes
            if wanted.delete and not sent.sure and (wanted.site_ids or wanted.tag):
                number = len(wanted.site_ids) if wanted.tag is None else await batches.sites_with(wanted.tag)
                return render(request, "fus/delete_many.html", wanted=wanted, number=number)
            return await started(await batches.begin(viewer, wanted))

        return await submitted(request, SitesForm, save, again, separated={"tags"})

    @pages.get("/tags/rename", Fus.EDIT)
    async def rename_form(request: Request, tag: Annotated[str, Query(max_length=200)] = "") -> Response:
        return await rename_page(request, Parsed(None, {"tag": str(tag_of(tag))}))

    @pages.post("/tags/rename", Fus.EDIT, keeps=TagRename)
    async def rename(request: Request, viewer: CurrentViewer) -> Response:
        async def save(wanted: TagRename) -> Response:
            return await started(await batches.begin_rename(viewer, wanted))

        async def again(form: Parsed[TagRename]) -> Response:
            return await rename_page(request, form)

        return await submitted(request, TagRename, save, again)

    async def rename_page(request: Request, form: Parsed[Any]) -> Response:
        return render(request, "fus/rename_tag.html", form=form)

    @pages.get("/batches/{job_id}", Access.SIGNED_IN)
    async def report(
        request: Request, viewer: CurrentViewer, job_id: str, show: BatchOutcome | None = None
    ) -> Response:
        job = await batches.find(viewer, job_id)
        if job.is_open:
            return redirect(f"/jobs/{job.job_id}")
        report = await batches.report(job)
        # What needs a look comes first.
        outcomes: tuple[BatchOutcome, ...] = ("refused", "changed", "deleted", "same")
        shown = show if show is not None else next((each for each in outcomes if report.counts[each]), outcomes[1])
        rows = report.of(shown)[:_MOST_ROWS]
        left_out = report.counts[shown] - len(rows)
        return render(request, "fus/batch.html", job=job, report=report, shown=shown, rows=rows, left_out=left_out)
