"""Kelifax over HTTP: the public directory, and moderation for those who may."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request, UploadFile
from pydantic import BaseModel, Field

from partita.apps.kelifax import views
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Category, Decision, Report, Resource, Status
from partita.apps.kelifax.service import LOGO_BYTES, KelifaxService
from partita.apps.kelifax.submission import Edit, Submission, Text
from partita.apps.kelifax.views import View
from partita.kit.answers import Cursor, Json, Limit, address_of, listed
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

Tag = Annotated[str | None, Query(max_length=30, description="Only resources with this tag.")]
Words = Annotated[str, Query(max_length=200, description="Words to search for; the last may be unfinished.")]

Sorted = Annotated[
    Literal["newest", "popular"],
    Query(description="Ignored with `q`: best first. With `tag`, `newest` only."),
]


class Submitted(View):
    """Where a submission can be followed."""

    resource_slug: str
    submission_id: str = Field(description="Part of the submitter's private link; nobody else gets to know it.")
    resource_status: str


class SubmissionStatus(View):
    """How far a submission is."""

    resource_name: str
    resource_status: Status
    submitted_at: str
    rejection_reason: str
    resource_slug: str | None = Field(description="Where it can be seen, once it is approved.")


class Reason(BaseModel):
    """Why."""

    reason: Annotated[Text, Field(min_length=1, max_length=1000)]


class CategoryCount(BaseModel):
    category: Category
    count: int


class Categories(BaseModel):
    items: list[CategoryCount]


class LogEntry(View):
    slug: str
    logged_at: str
    by: str
    action: str
    reason: str
    changed: list[str] = Field(description="Which attributes an edit changed.")


class LogList(BaseModel):
    items: list[LogEntry]
    next_cursor: str | None


class ReportEntry(View):
    slug: str
    entry_id: str
    logged_at: str
    reason: str


class ReportList(BaseModel):
    items: list[ReportEntry]
    next_cursor: str | None


class Inspected(views.Moderated):
    """A resource with what people report of it and what moderators have done with it."""

    open_reports: list[ReportEntry]
    history: list[LogEntry] = Field(description="Empty for those who may not read the log.")


class Totals(View):
    """Numbers for moderators."""

    by_status: dict[str, int]
    by_category: dict[str, int]
    by_submitter_domain: dict[str, int] = Field(description="The 20 domains that submitted most, largest first.")
    submissions_per_day: dict[str, int] = Field(
        description="The last 30 days that had any submissions, oldest first; days without are left out."
    )
    most_viewed: list[views.Summary] = Field(description="The ten approved resources with the most views.")


class UploadedLogo(View):
    logo_image: str = Field(description="Name this in the submission within a day.")


def routes(service: KelifaxService) -> Routes:
    """The API."""
    api = Routes("/api/kelifax", tag="kelifax")

    def public(resource: Resource) -> dict[str, Any]:
        return views.detail(resource, service.logo_url(resource))

    def moderated(resource: Resource) -> Json:
        return Json(views.moderated(resource, service.logo_url(resource)))

    @api.post("/resources", Access.PUBLIC, status_code=201, response_model=Submitted, refuses=[409, 422, 429])
    async def submit(request: Request, submission: Submission) -> Json:
        """Submit a resource for review."""
        resource = await service.submit(submission, address_of(request))
        told = {
            "resourceSlug": resource.resource_slug,
            "submissionId": resource.submission_id,
            "resourceStatus": resource.resource_status,
        }
        return Json(told, 201, {"Location": f"/api/kelifax/submissions/{resource.submission_id}"})

    @api.get("/resources", Access.PUBLIC, response_model=views.SummaryList, refuses=[400, 422])
    async def browse(
        category: Annotated[Category | None, Query(description="Only this category.")] = None,
        tag: Tag = None,
        q: Words = "",
        sort: Sorted = "newest",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Approved resources: newest or most viewed first, or what has all words of `q`, best first.

        With `q` the order is that of relevance, and `sort` is ignored. With `tag` and without `q` resources are listed
        newest first; `sort=popular` is refused with 422 then.
        """
        page = await service.browse(category=category, tag=tag, text=q, sort=sort, limit=limit, cursor=cursor)
        found = [views.summary(each.resource, service.logo_url(each.resource)) for each in page.found]
        return listed(found, page.next_cursor)

    @api.get("/resources/{slug}", Access.PUBLIC, response_model=views.Detail, refuses=[404])
    async def detail(slug: str) -> Json:
        """An approved resource."""
        return Json(public(await service.detail(slug)))

    @api.post("/resources/{slug}/reports", Access.PUBLIC, status_code=204, refuses=[404, 422, 429])
    async def report(request: Request, slug: str, report: Reason) -> None:
        """Say that something is wrong with a resource."""
        await service.report(slug, report.reason, address_of(request))

    @api.get("/categories", Access.PUBLIC, response_model=Categories)
    async def categories() -> Json:
        """Every category with the number of its approved resources."""
        counts = await service.categories()
        return Json({"items": [{"category": category, "count": count} for category, count in counts.items()]})

    @api.get("/submissions/{submission_id}", Access.PUBLIC, response_model=SubmissionStatus, refuses=[404])
    async def submission_status(submission_id: str) -> Json:
        """How far a submission is; for whoever has the private link."""
        resource = await service.submission_status(submission_id)
        return Json(
            {
                "resourceName": resource.resource_name,
                "resourceStatus": resource.resource_status,
                "submittedAt": resource.submitted_at,
                "rejectionReason": resource.rejection_reason,
                "resourceSlug": resource.resource_slug if resource.resource_status == "approved" else None,
            }
        )

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
        return Json({"logoImage": await service.upload_logo(await logo.read(), address_of(request))}, 201)

    # -- moderation

    @api.get("/moderation", Kelifax.READ_MODERATION, response_model=views.ModeratedList, refuses=[400, 422])
    async def queue(status: Status = "pending", limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Resources of a status: what waits longest first, decided ones newest first."""
        page = await service.queue(status, limit=limit, cursor=cursor)
        return listed([views.moderated(resource, service.logo_url(resource)) for resource in page], page.next_cursor)

    @api.get("/moderation/log", Kelifax.READ_LOG, response_model=LogList, refuses=[400, 422])
    async def log(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Every decision: who, when, what, why; newest first."""
        page = await service.log(limit=limit, cursor=cursor)
        return listed([_logged(entry) for entry in page], page.next_cursor)

    @api.get("/moderation/reports", Kelifax.READ_MODERATION, response_model=ReportList, refuses=[400, 422])
    async def reports(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Reports that nobody has dealt with, newest first."""
        page = await service.open_reports(limit=limit, cursor=cursor)
        return listed([_reported(each) for each in page], page.next_cursor)

    @api.delete("/moderation/reports/{slug}/{entry_id}", Kelifax.APPROVE, status_code=204, refuses=[404])
    async def close_report(viewer: CurrentViewer, slug: str, entry_id: str) -> None:
        """Close a report that was dealt with."""
        await service.close_report(viewer, slug, entry_id)

    @api.get("/moderation/{slug}", Kelifax.READ_MODERATION, response_model=Inspected, refuses=[404])
    async def inspect(viewer: CurrentViewer, slug: str) -> Json:
        """A resource whatever its status, with who submitted it, its newest open reports and what was decided last."""
        resource = await service.inspect(slug)
        history = await service.history_of(slug) if viewer.may(Kelifax.READ_LOG) else ()
        return Json(
            {
                **views.moderated(resource, service.logo_url(resource)),
                "openReports": [_reported(each) for each in await service.open_reports_of(slug)],
                "history": [_logged(entry) for entry in history],
            }
        )

    @api.patch("/moderation/{slug}", Kelifax.EDIT, response_model=views.Moderated, refuses=[400, 404, 409, 422])
    async def edit(viewer: CurrentViewer, slug: str, edit: Edit) -> Json:
        """Change what is said about a resource; what is left out stays."""
        return moderated(await service.edit(viewer, slug, edit))

    @api.delete("/moderation/{slug}", Kelifax.DELETE, status_code=204, refuses=[404, 409])
    async def delete(viewer: CurrentViewer, slug: str) -> None:
        """Remove a resource for good."""
        await service.delete(viewer, slug)

    @api.post("/moderation/{slug}/approve", Kelifax.APPROVE, response_model=views.Moderated, refuses=[404, 409])
    async def approve(viewer: CurrentViewer, slug: str) -> Json:
        """Let the public see a resource."""
        return moderated(await service.approve(viewer, slug))

    @api.post("/moderation/{slug}/reject", Kelifax.APPROVE, response_model=views.Moderated, refuses=[404, 409, 422])
    async def reject(viewer: CurrentViewer, slug: str, rejection: Reason) -> Json:
        """Keep a resource from the public, with the reason that the submitter will read."""
        return moderated(await service.reject(viewer, slug, rejection.reason))

    @api.post("/moderation/{slug}/feature", Kelifax.APPROVE, response_model=views.Moderated, refuses=[404, 409])
    async def feature(viewer: CurrentViewer, slug: str) -> Json:
        """Put an approved resource in front."""
        return moderated(await service.feature(viewer, slug, featured=True))

    @api.post("/moderation/{slug}/unfeature", Kelifax.APPROVE, response_model=views.Moderated, refuses=[404, 409])
    async def unfeature(viewer: CurrentViewer, slug: str) -> Json:
        """Put a featured resource back among the others."""
        return moderated(await service.feature(viewer, slug, featured=False))

    @api.get("/analytics", Kelifax.READ_ANALYTICS, response_model=Totals)
    async def analytics() -> Json:
        """Totals by status, category and domain, submissions per day, and what is viewed most.

        Of the domains the 20 largest are listed, of the days the last 30 that had any submissions.
        """
        told = await service.analytics()
        return Json(
            {
                "byStatus": told.statuses,
                "byCategory": told.categories,
                "bySubmitterDomain": dict(told.domains),
                "submissionsPerDay": dict(told.days),
                "mostViewed": [views.summary(each, service.logo_url(each)) for each in told.popular],
            }
        )

    return api


def _logged(entry: Decision) -> dict[str, Any]:
    return {
        "slug": entry.slug,
        "loggedAt": entry.logged_at,
        "by": entry.by,
        "action": entry.action,
        "reason": entry.reason,
        "changed": list(entry.changed),
    }


def _reported(report: Report) -> dict[str, Any]:
    return {
        "slug": report.slug,
        "entryId": report.entry_id,
        "loggedAt": report.logged_at,
        "reason": report.reason,
    }
