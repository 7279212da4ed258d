"""Jobs: one to look at while it runs, with cancel and retry; lists of one's own and of everybody's."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from starlette.responses import Response

from partita.kit.answers import Cursor, Json, Limit
from partita.kit.jobs.schema import State as JobState
from partita.kit.live import State, live
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, House
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.search.rebuilding import REBUILD
from partita.kit.serving import serving
from partita.kit.suite import Suite
from partita.kit.views import From, ListOf, View, listed

_PAGE = 30
_PART = "house/job_status.html"


class JobView(View):
    """A job."""

    id: Annotated[str, From("job_id")]
    kind: str
    title: str
    state: JobState
    cancelling: bool
    step: str
    done: int
    total: int | None
    message: str
    attempts: int
    result: Annotated[dict[str, Any] | None, From("result_values")]
    result_message: str
    result_path: str | None
    error: str
    created_at: str
    started_at: str | None
    finished_at: str | None


def routes(suite: Suite) -> Routes:
    """Pages."""
    pages = Routes("", tag="house", pages=True)
    jobs = suite.kit.jobs

    @pages.get("/jobs/{job_id}", Access.SIGNED_IN)
    async def show(request: Request, viewer: CurrentViewer, job_id: str) -> Response:
        return render(request, "house/job.html", job=await jobs.find(viewer, job_id))

    @pages.get("/jobs/{job_id}/events", Access.SIGNED_IN, polled=True)
    async def events(request: Request, viewer: CurrentViewer, job_id: str) -> Response:
        """The changing parts of the page, as server-sent events."""
        await jobs.find(viewer, job_id)
        part = serving(request).templates.get_template(_PART)

        async def look() -> State | None:
            try:
                job = await jobs.find(viewer, job_id)
            except NotFound:
                return None
            return State(part.render(job=job), job.is_open)

        return live(request, look)

    @pages.post("/jobs/{job_id}/cancel", Access.SIGNED_IN)
    async def cancel(viewer: CurrentViewer, job_id: str) -> Response:
        job = await jobs.cancel(viewer, job_id)
        flash = "Cancelled." if job.state == "cancelled" else "The job stops as soon as it can."
        return redirect(f"/jobs/{job.job_id}", flash=flash, kind="info")

    @pages.post("/jobs/{job_id}/retry", Access.SIGNED_IN)
    async def retry(viewer: CurrentViewer, job_id: str) -> Response:
        job = await jobs.retry(viewer, job_id)
        return redirect(f"/jobs/{job.job_id}", flash="Started again.")

    @pages.get("/account/jobs", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        return render(request, "account/jobs.html", jobs=await jobs.mine(viewer, limit=_PAGE, cursor=cursor))

    @pages.get("/admin/jobs", House.MANAGE_JOBS)
    async def everybodys(request: Request, state: JobState | None = None, cursor: Cursor = None) -> Response:
        page = await jobs.all(limit=_PAGE, cursor=cursor, state=state)
        return render(request, "house/jobs.html", jobs=page, state=state)

    @pages.post("/admin/jobs/search-rebuild", House.MANAGE_JOBS)
    async def rebuild_search(viewer: CurrentViewer) -> Response:
        job = await jobs.start(REBUILD, {}, viewer, key="all")
        return redirect(f"/jobs/{job.job_id}")

    return pages


def api(suite: Suite) -> Routes:
    """For programs."""
    routes = Routes("/api/jobs", tag="jobs", house=True)
    jobs = suite.kit.jobs

    @routes.get("", Access.SIGNED_IN, response_model=ListOf[JobView])
    async def list_jobs(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Response:
        """Your jobs, newest first."""
        return Json(listed(JobView, await jobs.mine(viewer, limit=limit, cursor=cursor)))

    @routes.get("/{job_id}", Access.SIGNED_IN, refuses=(404,), response_model=JobView)
    async def get_job(viewer: CurrentViewer, job_id: str) -> Response:
        """A job: its state, how far it is, and its result.

        Poll it while `state` is `waiting` or `running`.
        """
        return Json(JobView.of(await jobs.find(viewer, job_id)))

    @routes.delete("/{job_id}", Access.SIGNED_IN, refuses=(404, 409), response_model=JobView)
    async def cancel_job(viewer: CurrentViewer, job_id: str) -> Response:
        """Cancel a job.

        A job that waits is cancelled at once. One that runs stops at its next checkpoint; until then `cancelling` is
        true.
        """
        return Json(JobView.of(await jobs.cancel(viewer, job_id)))

    @routes.post("/{job_id}/retry", Access.SIGNED_IN, refuses=(404, 409), response_model=JobView)
    async def retry_job(viewer: CurrentViewer, job_id: str) -> Response:
        """Start a job again that failed or was cancelled; it goes on from its last checkpoint."""
        return Json(JobView.of(await jobs.retry(viewer, job_id)))

    return routes
