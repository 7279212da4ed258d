"""Moderation over HTTP, for those who may."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from partita.apps.kelifax.api.reports import ReportEntry
from partita.apps.kelifax.api.resources import ResourceDetail
from partita.apps.kelifax.inputs import FeaturedPlace, Reason, ResourceEdit
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Resource, Status
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor, Json, Limit, Revision
from partita.kit.history.views import ChangeView
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class ModeratedResource(ResourceDetail):
    """A resource as moderators see it, with its submitter."""

    submission_id: str
    resource_status: str
    submitted_at: str
    rejected_at: str
    rejection_reason: str
    submitter_first_name: str
    submitter_last_name: str
    submitter_email: str
    submitter_company: str
    submitter_phone: str
    submitter_domain: Annotated[str, From("domain")]
    revision: int = Field(description="Send it with an edit, and the edit is refused if somebody was faster.")


class LogEntry(View):
    """A decision in the moderation log."""

    slug: str
    logged_at: str
    by: str
    action: str
    reason: str
    changed: list[str] = Field(description="The attributes that an edit changed.")
    edits: list[ChangeView] = Field(description="How an edit changed them; empty for edits that are old.")


class InspectedResource(ModeratedResource):
    """A resource with its open reports and the decisions on it."""

    open_reports: list[ReportEntry]
    history: list[LogEntry] = Field(description="Empty for those who may not read the log.")


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""
    logo_url = service.resources.logo_url

    def moderated(resource: Resource) -> Json:
        return Json(ModeratedResource.of(resource, logo_url=logo_url(resource)))

    @api.get("/moderation", Kelifax.READ_MODERATION, response_model=ListOf[ModeratedResource], refuses=[400, 422])
    async def queue(status: Status = "pending", limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Resources of a status: pending ones oldest first, the others newest first."""
        page = await service.moderation.queue(status, limit=limit, cursor=cursor)
        return Json(listed(ModeratedResource, page, logo_url=logo_url))

    @api.get("/moderation/log", Kelifax.READ_LOG, response_model=ListOf[LogEntry], refuses=[400, 422])
    async def log(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Every decision: who, when, what, why; newest first."""
        return Json(listed(LogEntry, await service.moderation.log(limit=limit, cursor=cursor)))

    @api.get("/moderation/{slug}", Kelifax.READ_MODERATION, response_model=InspectedResource, refuses=[404])
    async def inspect(viewer: CurrentViewer, slug: str) -> Json:
        """A resource of any status, with its submitter, its newest open reports and the last decisions on it."""
        resource = await service.moderation.inspect(slug)
        history = await service.moderation.history(slug) if viewer.may(Kelifax.READ_LOG) else ()
        return Json(
            InspectedResource.of(
                resource,
                logo_url=logo_url(resource),
                open_reports=ReportEntry.each(await service.reports.open_of(slug)),
                history=LogEntry.each(history),
            )
        )

    @api.patch("/moderation/{slug}", Kelifax.EDIT, response_model=ModeratedResource, refuses=[400, 404, 409, 422])
    async def edit(viewer: CurrentViewer, slug: str, edit: ResourceEdit) -> Json:
        """Edit a resource; fields that are left out stay as they are."""
        return moderated(await service.moderation.edit(viewer, slug, edit))

    @api.delete("/moderation/{slug}", Kelifax.DELETE, status_code=204, refuses=[404, 409])
    async def delete(viewer: CurrentViewer, slug: str) -> None:
        """Delete a resource for good."""
        await service.moderation.delete(viewer, slug)

    @api.post("/moderation/{slug}/reopen", Kelifax.APPROVE, response_model=ModeratedResource, refuses=[404, 409, 422])
    async def reopen(viewer: CurrentViewer, slug: str, revision: Revision = None) -> Json:
        """Take a decision back: the resource waits again. With a revision, only if nothing has happened since."""
        return moderated(await service.moderation.reopen(viewer, slug, revision))

    @api.post("/moderation/{slug}/approve", Kelifax.APPROVE, response_model=ModeratedResource, refuses=[404, 409, 422])
    async def approve(viewer: CurrentViewer, slug: str, revision: Revision = None) -> Json:
        """Approve a resource: it becomes public."""
        return moderated(await service.moderation.approve(viewer, slug, revision))

    @api.post("/moderation/{slug}/reject", Kelifax.APPROVE, response_model=ModeratedResource, refuses=[404, 409, 422])
    async def reject(viewer: CurrentViewer, slug: str, rejection: Reason, revision: Revision = None) -> Json:
        """Reject a resource, with a reason for the submitter."""
        return moderated(await service.moderation.reject(viewer, slug, rejection.reason, revision))

    @api.post("/moderation/{slug}/feature", Kelifax.APPROVE, response_model=ModeratedResource, refuses=[404, 409])
    async def feature(viewer: CurrentViewer, slug: str) -> Json:
        """Feature an approved resource."""
        return moderated(await service.moderation.feature(viewer, slug, featured=True))

    @api.post("/moderation/{slug}/unfeature", Kelifax.APPROVE, response_model=ModeratedResource, refuses=[404, 409])
    async def unfeature(viewer: CurrentViewer, slug: str) -> Json:
        """Stop featuring a resource."""
        return moderated(await service.moderation.feature(viewer, slug, featured=False))

    @api.post("/moderation/{slug}/move", Kelifax.APPROVE, response_model=ModeratedResource, refuses=[404, 409, 422])
    async def move(viewer: CurrentViewer, slug: str, place: FeaturedPlace) -> Json:
        """Show a featured resource before another one, or after all of them."""
        return moderated(await service.moderation.move_featured(viewer, slug, place.before))
