"""What the API answers when a request starts a job: 202, and where to look."""

from __future__ import annotations

from partita.kit.answers import Json
from partita.kit.jobs.schema import Job, State
from partita.kit.views import View


class StartedJob(View):
    """A job that was started. Ask for `url` until `state` is `done`, `failed` or `cancelled`."""

    job_id: str
    state: State
    url: str
    """Its address in the API, which is also in the header `Location`."""
    page: str
    """The page that shows how far it is."""


def accepted(job: Job) -> Json:
    """The answer; its route declares `status_code=202, response_model=StartedJob`."""
    url = f"/api/jobs/{job.job_id}"
    return Json(StartedJob.of(job, url=url, page=f"/jobs/{job.job_id}"), 202, {"Location": url})
