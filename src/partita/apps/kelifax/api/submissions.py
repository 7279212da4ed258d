"""Submitting over HTTP, and the submitter's private link."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request, UploadFile
from pydantic import Field

from partita.apps.kelifax.inputs import PageAddress, Submission
from partita.apps.kelifax.schema import Status
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.submissions import LOGO_BYTES
from partita.kit.answers import Cursor, Json, Limit, Revision, address_of
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class Submitted(View):
    """Where the submitter can see what becomes of a submission."""

    resource_slug: str
    submission_id: str = Field(description="Part of the submitter's private link; nobody else gets it.")
    resource_status: str


class SubmissionStatus(View):
    """How far the review of a submission is."""

    resource_name: str
    resource_status: Status
    submitted_at: str
    rejection_reason: str
    revision: int = Field(description="Send it with a change, which is refused if something has changed since.")
    resource_slug: Annotated[str | None, From("public_slug")] = Field(
        description="The resource in the directory, once it is approved."
    )


class MySubmission(SubmissionStatus):
    """A submission in the list of its submitter."""

    submission_id: str = Field(description="Part of the private link to it.")


class UploadedLogo(View):
    """A logo that waits for its submission."""

    logo_image: str = Field(description="Name this in the submission within a day.")


class Proposal(View):
    """What the page of a resource says about itself; each may be empty."""

    resource_name: str
    usage_purpose: str
    logo_image: str = Field(description="A logo that was kept; name it in the submission within a day.")


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @api.post("/resources", Access.PUBLIC, status_code=201, response_model=Submitted, refuses=[409, 422, 429])
    async def submit(request: Request, viewer: CurrentViewer, submission: Submission) -> Json:
        """Submit a resource for review; a member finds it under their submissions."""
        resource = await service.submissions.submit(submission, address_of(request), viewer.user_id)
        location = f"/api/kelifax/submissions/{resource.submission_id}"
        return Json(Submitted.of(resource), 201, {"Location": location})

    @api.post("/proposals", Access.PUBLIC, response_model=Proposal, refuses=[422, 429])
    async def propose(request: Request, page: PageAddress) -> Json:
        """Read the page of a resource, for a name, a purpose and a logo to begin with."""
        return Json(Proposal.of(await service.filling.propose(page.resource_url, address_of(request))))

    @api.get("/submissions/{submission_id}", Access.PUBLIC, response_model=SubmissionStatus, refuses=[404])
    async def submission_status(submission_id: str) -> Json:
        """How far the review of a submission is, for the submitter with the private link."""
        return Json(SubmissionStatus.of(await service.submissions.status(submission_id)))

    @api.get("/submissions", Access.SIGNED_IN, response_model=ListOf[MySubmission], refuses=[400, 422])
    async def my_submissions(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What you submitted while you were signed in, newest first."""
        return Json(listed(MySubmission, await service.submissions.mine(viewer, limit=limit, cursor=cursor)))

    @api.put(
        "/submissions/{submission_id}", Access.PUBLIC, response_model=SubmissionStatus, refuses=[404, 409, 422, 429]
    )
    async def revise(request: Request, submission_id: str, submission: Submission, revision: Revision = None) -> Json:
        """Change a submission that is not approved; a rejected one waits for review again."""
        changed = await service.submissions.revise(submission_id, submission, address_of(request), revision)
        return Json(SubmissionStatus.of(changed))

    @api.delete("/submissions/{submission_id}", Access.PUBLIC, status_code=204, refuses=[404, 409, 422])
    async def withdraw(submission_id: str, revision: Revision = None) -> None:
        """Withdraw a submission that is not approved: it is deleted for good."""
        await service.submissions.withdraw(submission_id, revision)

    @api.post(
        "/logos",
        Access.PUBLIC,
        status_code=201,
        response_model=UploadedLogo,
        refuses=[413, 422, 429],
        most_bytes=LOGO_BYTES + 10_000,
    )
    async def upload_logo(request: Request, logo: UploadFile) -> Json:
        """Upload a logo (PNG, JPEG or WebP, at most 600 KB, at least 64×64) before the submission that names it."""
        name = await service.submissions.upload_logo(await logo.read(), address_of(request))
        return Json({"logoImage": name}, 201)
