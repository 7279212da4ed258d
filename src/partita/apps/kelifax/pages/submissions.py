"""Submitting a resource in three steps, and the submitter's private page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from partita.apps.kelifax.formats import LICENCES, PRICINGS, category_name
from partita.apps.kelifax.inputs import PageAddress, Submission, submission_of
from partita.apps.kelifax.pages.wizard import LOGO, OPENED_AT, STEPS, URL, Wizard, wizard
from partita.apps.kelifax.schema import CATEGORIES, STATUSES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.history import submission_fields
from partita.apps.kelifax.service.mine import MOST
from partita.apps.kelifax.service.resources import AddressTaken
from partita.kit.answers import Cursor, address_of
from partita.kit.forms import MOST_FIELDS, Parsed, filled, parse
from partita.kit.inputs import StaleEdit
from partita.kit.pages import SECRET_ADDRESS, confirm, redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import Conflict, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import both_versions, disputed

OPTIONS = {
    "category": [(category, category_name(category)) for category in CATEGORIES],
    "licence": [*LICENCES.items()],
    "pricing": [*PRICINGS.items()],
}
"""What the lists of the form offer."""
_PAGE = 20
MOST_LOGO_FORM = 6_000_000
"""Ten times the limit of a logo, so that the form can be shown again with an error beside a photograph."""
_REJECTED = "Moderators have rejected your submission meanwhile. Read why above, then change it or send it again."
_TOO_LARGE = (
    "The logo is far too large. Go back with your browser: what you typed is still there. "
    "Then choose a picture of at most 600 KB, or continue without one."
)


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/submit", Access.PUBLIC)
    async def submit_form(request: Request, viewer: CurrentViewer) -> Response:
        known = await service.submissions.known_submitter(viewer)
        return _step(
            request, service, Wizard(1, Parsed(None, {f"submitter.{name}": text for name, text in known.items()}))
        )

    @pages.post("/submit", Access.PUBLIC, most_bytes=MOST_LOGO_FORM)
    async def submit(request: Request, viewer: CurrentViewer) -> Response:
        """One of three steps; what was typed in the others is in hidden fields."""
        step = await read_step(request)
        if step.submission is None:
            return _step(request, service, step)
        try:
            resource = await service.submissions.submit(step.submission, address_of(request), viewer.user_id)
        except Problem as problem:
            return _step(request, service, step.refused(problem))
        return redirect(
            f"/kelifax/submissions/{resource.submission_id}",
            flash="Thank you. Keep the address of this page: here you can see how far the review is.",
        )

    async def read_step(request: Request, slug: str = "") -> Wizard:
        """The step that comes after the one that was sent; of a submission that has this slug already."""
        try:
            async with request.form(max_fields=MOST_FIELDS, max_files=1) as sent:
                step = wizard(sent, await _logo(service, sent, request))
        except HTTPException as error:
            if error.status_code != 413:
                raise
            raise HTTPException(413, _TOO_LARGE, error.headers) from None
        url = step.form.values.get(URL)
        asked = step.fill or (step.at == len(STEPS) and step.submission is None and not step.form.errors)
        if asked and isinstance(url, str):
            taken = await service.resources.address_taken(url, URL, except_by=slug)
            if taken is not None:
                return step.refused(taken)
        return await fill_in(step, address_of(request)) if step.fill else step

    async def fill_in(step: Wizard, address: str) -> Wizard:
        """The step with what the page of its address says; or with why it could not be read."""
        sent = parse(PageAddress, {"resourceUrl": step.form.values.get(URL, "")})
        if sent.value is None:
            return replace(step, form=replace(step.form, errors={URL: sent.errors["resourceUrl"]}))
        try:
            proposal = await service.filling.propose(sent.value.resource_url, address, logo=step.logo_file is None)
        except Problem as problem:
            message = f"{problem.detail} You can fill in the fields yourself."
            return replace(step, form=replace(step.form, errors={URL: message}, refusal=problem))
        return step.filled_in(proposal)

    @pages.get("/submissions", Access.SIGNED_IN)
    async def my_submissions(
        request: Request,
        viewer: CurrentViewer,
        status: Annotated[str, Query(max_length=20)] = "",
        cursor: Cursor = None,
    ) -> Response:
        chosen = next((each for each in STATUSES if each == status), None)
        page = await service.mine.submissions(viewer, chosen, limit=_PAGE, cursor=cursor)
        return render(request, "kelifax/submissions.html", page=page, chosen=chosen, most=MOST)

    def edit_step(request: Request, resource: Resource, step: Wizard) -> Response:
        return _step(request, service, step, resource)

    async def revise(request: Request, resource: Resource, step: Wizard, revision: int | None) -> Response:
        """Save what was typed, if the submission is still at the revision that was opened."""
        assert step.submission is not None
        submission_id = resource.submission_id
        try:
            await service.submissions.revise(submission_id, step.submission, address_of(request), revision)
        except NotFound:
            raise
        except StaleEdit as stale:
            return await changed_meanwhile(request, await service.submissions.to_edit(submission_id), step, stale)
        except Problem as problem:
            return edit_step(request, resource, step.refused(problem))
        return redirect(
            f"/kelifax/submissions/{submission_id}", flash="Thank you. Moderators will look at what you changed."
        )

    async def changed_meanwhile(request: Request, resource: Resource, step: Wizard, stale: StaleEdit) -> Response:
        """Both versions to choose from. If they are the same it was sent twice, or moderators have rejected it, which
        its submitter is to read first."""
        typed, stored = step.form.values, _opened(resource).values
        fields = submission_fields(str(typed.get(LOGO, "")), resource.logo_image)
        if disputed(fields, typed, stored):
            return both_versions(
                request,
                stale,
                typed,
                stored,
                fields=fields,
                back=f"/kelifax/submissions/{resource.submission_id}",
                last=await service.submissions.last_step(resource),
                headers=SECRET_ADDRESS,
            )
        if resource.resource_status == "rejected":
            rejected = Conflict(_REJECTED, code=stale.code)
            return edit_step(request, resource, Wizard(step.at, _opened(resource).refused(rejected)))
        return await revise(request, resource, step, resource.revision)

    @pages.get("/submissions/{submission_id}/edit", Access.PUBLIC)
    async def edit_form(request: Request, submission_id: str) -> Response:
        resource = await service.submissions.status(submission_id)
        if resource.is_approved:
            return redirect(f"/kelifax/submissions/{submission_id}")
        return edit_step(request, resource, Wizard(OPENED_AT, _opened(resource)))

    @pages.post("/submissions/{submission_id}/edit", Access.PUBLIC, most_bytes=MOST_LOGO_FORM)
    async def edit(request: Request, submission_id: str) -> Response:
        resource = await service.submissions.status(submission_id)
        step = await read_step(request, resource.resource_slug)
        if step.submission is None:
            return edit_step(request, resource, step)
        return await revise(request, resource, step, step.revision)

    @pages.get("/submissions/{submission_id}/withdraw", Access.PUBLIC)
    async def withdraw_form(request: Request, submission_id: str) -> Response:
        resource = await service.submissions.status(submission_id)
        return confirm(
            request,
            f"Withdraw “{resource.resource_name}”?",
            "Your submission and its logo are deleted for good, and nobody reviews it any more.",
            button="Withdraw",
            keep=f"/kelifax/submissions/{submission_id}",
            headers=SECRET_ADDRESS,
        )

    @pages.post("/submissions/{submission_id}/withdraw", Access.PUBLIC)
    async def withdraw(submission_id: str) -> Response:
        try:
            await service.submissions.withdraw(submission_id)
        except Conflict as problem:
            return redirect(f"/kelifax/submissions/{submission_id}", flash=problem.detail, kind="warn")
        return redirect("/kelifax", flash="Your submission is withdrawn.", kind="info")

    @pages.get("/submissions/{submission_id}", Access.PUBLIC)
    async def submission_status(request: Request, submission_id: str) -> Response:
        """The submitter's private page."""
        resource = await service.submissions.status(submission_id)
        steps = await service.submissions.steps(resource)
        return render(request, "kelifax/submission.html", headers=SECRET_ADDRESS, resource=resource, steps=steps)


async def _logo(service: KelifaxService, sent: FormData, request: Request) -> str | Problem | None:
    """The name of the logo that was uploaded with the form, or why it is refused."""
    upload = sent.get("logo")
    if upload is None or isinstance(upload, str) or not upload.size:
        return None
    try:
        return await service.submissions.upload_logo(await upload.read(), address_of(request))
    except Problem as problem:
        return problem


def _opened(resource: Resource) -> Parsed[Submission]:
    """The form of a submission as it is stored, with the revision that it names through all steps."""
    form = filled(Submission, submission_of(resource), separated={"resource.tags"})
    return replace(form, values={**form.values, "revision": str(resource.revision)})


def _step(request: Request, service: KelifaxService, step: Wizard, resource: Resource | None = None) -> Response:
    """A step of the form; of a submission that there is already, if one is given."""
    return render(
        request,
        "kelifax/submit.html",
        headers=None if resource is None else SECRET_ADDRESS,
        step=step,
        form=step.form,
        options=OPTIONS,
        resource=resource,
        fills=service.filling.enabled,
        there_already=refusal.slug if isinstance(refusal := step.form.refusal, AddressTaken) else "",
    )
