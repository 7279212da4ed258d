"""Submitting a resource in three steps, and seeing how far it is."""

from __future__ import annotations

from fastapi import Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from partita.apps.kelifax.pages.shown import OPTIONS
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.wizard import Wizard, wizard
from partita.kit.answers import address_of
from partita.kit.forms import Parsed
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import Problem
from partita.kit.routes import Routes

_MOST_BYTES = 6_000_000
"""Ten times what a logo may have: a photograph that somebody takes for one is answered beside its field."""
_TOO_LARGE = (
    "The logo is far too large. Go back with your browser: what you typed is still there. "
    "Then choose a picture of at most 600 KB, or go on without one."
)


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/submit", Access.PUBLIC)
    async def submit_form(request: Request) -> Response:
        return _wizard(request, Wizard(1, Parsed(None, {}, {})))

    @pages.post("/submit", Access.PUBLIC, most_bytes=_MOST_BYTES)
    async def submit(request: Request) -> Response:
        """One of three steps; what was typed in the others travels along."""
        try:
            async with request.form(max_fields=200, max_files=1) as sent:
                logo = await _logo(service, sent, request)
                step = wizard(sent, logo)
        except HTTPException as error:
            if error.status_code != 413:
                raise
            raise HTTPException(413, _TOO_LARGE, error.headers) from None
        if step.ready is None:
            return _wizard(request, step)
        try:
            resource = await service.submit(step.ready, address_of(request))
        except Problem as problem:
            return _wizard(request, step.refused(problem))
        return redirect(
            f"/kelifax/submissions/{resource.submission_id}",
            flash="Thank you. Keep the address of this page: it shows how far the review is.",
        )

    @pages.get("/submissions/{submission_id}", Access.PUBLIC)
    async def submission_status(request: Request, submission_id: str) -> Response:
        """The submitter's private link."""
        resource = await service.submission_status(submission_id)
        return render(
            request,
            "kelifax/submission.html",
            headers={"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"},
            resource=resource,
        )


async def _logo(service: KelifaxService, sent: FormData, request: Request) -> str | Problem | None:
    """The name of the logo that came with the form, or why it cannot be taken."""
    upload = sent.get("logo")
    if upload is None or isinstance(upload, str) or not upload.size:
        return None
    try:
        return await service.upload_logo(await upload.read(), address_of(request))
    except Problem as problem:
        return problem


def _wizard(request: Request, step: Wizard) -> Response:
    return render(
        request,
        "kelifax/submit.html",
        status=422 if step.form.errors else 200,
        refused=step.refusal,
        step=step,
        form=step.form,
        options=OPTIONS,
    )
