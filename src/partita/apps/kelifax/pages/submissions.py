"""Submitting a resource in three steps, and the submitter's private page."""

from __future__ import annotations

from fastapi import Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.pages.wizard import Wizard, wizard
from partita.apps.kelifax.schema import CATEGORIES
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import address_of
from partita.kit.forms import MOST_FIELDS, Parsed
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import Problem
from partita.kit.routes import Routes

CATEGORY_OPTIONS = [(category, category_name(category)) for category in CATEGORIES]
_MOST_BYTES = 6_000_000
"""Ten times the limit of a logo, so that the form can be shown again with an error beside a photograph."""
_TOO_LARGE = (
    "The logo is far too large. Go back with your browser: what you typed is still there. "
    "Then choose a picture of at most 600 KB, or continue without one."
)


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/submit", Access.PUBLIC)
    async def submit_form(request: Request) -> Response:
        return _step(request, Wizard(1, Parsed(None)))

    @pages.post("/submit", Access.PUBLIC, most_bytes=_MOST_BYTES)
    async def submit(request: Request) -> Response:
        """One of three steps; what was typed in the others is in hidden fields."""
        try:
            async with request.form(max_fields=MOST_FIELDS, max_files=1) as sent:
                step = wizard(sent, await _logo(service, sent, request))
        except HTTPException as error:
            if error.status_code != 413:
                raise
            raise HTTPException(413, _TOO_LARGE, error.headers) from None
        if step.submission is None:
            return _step(request, step)
        try:
            resource = await service.submissions.submit(step.submission, address_of(request))
        except Problem as problem:
            return _step(request, step.refused(problem))
        return redirect(
            f"/kelifax/submissions/{resource.submission_id}",
            flash="Thank you. Keep the address of this page: here you can see how far the review is.",
        )

    @pages.get("/submissions/{submission_id}", Access.PUBLIC)
    async def submission_status(request: Request, submission_id: str) -> Response:
        """The submitter's private page."""
        return render(
            request,
            "kelifax/submission.html",
            headers={"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"},
            resource=await service.submissions.status(submission_id),
        )


async def _logo(service: KelifaxService, sent: FormData, request: Request) -> str | Problem | None:
    """The name of the logo that was uploaded with the form, or why it is refused."""
    upload = sent.get("logo")
    if upload is None or isinstance(upload, str) or not upload.size:
        return None
    try:
        return await service.submissions.upload_logo(await upload.read(), address_of(request))
    except Problem as problem:
        return problem


def _step(request: Request, step: Wizard) -> Response:
    return render(request, "kelifax/submit.html", step=step, form=step.form, options=CATEGORY_OPTIONS)
