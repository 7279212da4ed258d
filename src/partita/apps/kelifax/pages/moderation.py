"""The desk of the moderators: what waits, what was decided, what is reported, and the numbers."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from partita.apps.kelifax.pages.shown import shown
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Status
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.problems import Problem
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


class ReasonForm(BaseModel):
    """Why a resource is rejected."""

    reason: str = ""


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/moderation", Kelifax.READ_MODERATION)
    async def queue(
        request: Request, status: Annotated[str, Query(max_length=20)] = "pending", cursor: Cursor = None
    ) -> Response:
        chosen: Status = status if status in get_args(Status) else "pending"  # type: ignore[assignment]
        page = await service.queue(chosen, limit=_PAGE, cursor=cursor)
        reports = await service.open_reports(limit=_PAGE)
        told = await service.analytics()
        return render(
            request,
            "kelifax/queue.html",
            page=page,
            chosen=chosen,
            counts=told.statuses,
            reports=reports,
            logo_url=service.logo_url,
        )

    @pages.get("/moderation/log", Kelifax.READ_LOG)
    async def log(request: Request, cursor: Cursor = None) -> Response:
        return render(request, "kelifax/log.html", page=await service.log(limit=50, cursor=cursor))

    @pages.post("/moderation/reports/{slug}/{entry_id}/close", Kelifax.APPROVE)
    async def close_report(viewer: CurrentViewer, slug: str, entry_id: str) -> Response:
        await service.close_report(viewer, slug, entry_id)
        return redirect("/kelifax/moderation", flash="The report is closed.")

    @pages.get("/moderation/{slug}", Kelifax.READ_MODERATION)
    async def inspect(request: Request, slug: str) -> Response:
        return await _inspected(request, slug, Parsed(None, {}, {}))

    async def _inspected(request: Request, slug: str, form: Parsed[Any], status: int = 200) -> Response:
        resource = await service.inspect(slug)
        return render(request, "kelifax/inspect.html", status=status, **shown(service, resource), form=form)

    @pages.post("/moderation/{slug}/approve", Kelifax.APPROVE)
    async def approve(viewer: CurrentViewer, slug: str) -> Response:
        resource = await service.approve(viewer, slug)
        return redirect(f"/kelifax/moderation/{slug}", flash=f"{resource.resource_name} is public now.")

    @pages.post("/moderation/{slug}/reject", Kelifax.APPROVE)
    async def reject(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async with request.form() as sent:
            form = parse(ReasonForm, sent)
        try:
            reason = form.value.reason if form.value is not None else ""
            resource = await service.reject(viewer, slug, reason)
        except Problem as problem:
            if not problem.errors:
                raise
            return await _inspected(request, slug, form.refused(problem), problem.status)
        return redirect(f"/kelifax/moderation/{slug}", flash=f"{resource.resource_name} is rejected.", kind="info")

    @pages.post("/moderation/{slug}/feature", Kelifax.APPROVE)
    async def feature(viewer: CurrentViewer, slug: str) -> Response:
        await service.feature(viewer, slug, featured=True)
        return redirect(f"/kelifax/moderation/{slug}", flash="It stands in front now.")

    @pages.post("/moderation/{slug}/unfeature", Kelifax.APPROVE)
    async def unfeature(viewer: CurrentViewer, slug: str) -> Response:
        await service.feature(viewer, slug, featured=False)
        return redirect(f"/kelifax/moderation/{slug}", flash="It stands among the others again.", kind="info")

    @pages.get("/moderation/{slug}/delete", Kelifax.DELETE)
    async def delete_form(request: Request, slug: str) -> Response:
        return render(request, "kelifax/delete.html", resource=await service.inspect(slug))

    @pages.post("/moderation/{slug}/delete", Kelifax.DELETE)
    async def delete(viewer: CurrentViewer, slug: str) -> Response:
        await service.delete(viewer, slug)
        return redirect("/kelifax/moderation", flash="The resource is deleted.", kind="info")

    @pages.get("/analytics", Kelifax.READ_ANALYTICS)
    async def analytics(request: Request) -> Response:
        told = await service.analytics()
        views = [(resource.resource_name, resource.view_count) for resource in told.popular]
        return render(request, "kelifax/analytics.html", told=told, views=views)
