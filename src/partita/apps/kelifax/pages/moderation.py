"""The desk of the moderators: what waits, what was decided, what is reported, and the numbers."""

from __future__ import annotations

from typing import Annotated, get_args

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from partita.apps.kelifax.pages.shown import shown
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Status
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Invalid, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
_REPORTS = 5
"""So many reports are shown above what waits; the others have a page of their own."""
_REPORTS_OF_ONE = 50
_HISTORY = 20


class ReasonForm(BaseModel):
    """Why a resource is rejected."""

    reason: str = ""


_NOTHING_TYPED: Parsed[ReasonForm] = Parsed(None)


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    # -- lists

    @pages.get("/moderation", Kelifax.READ_MODERATION)
    async def queue(
        request: Request, status: Annotated[str, Query(max_length=20)] = "pending", cursor: Cursor = None
    ) -> Response:
        chosen: Status = status if status in get_args(Status) else "pending"  # type: ignore[assignment]
        page = await service.queue(chosen, limit=_PAGE, cursor=cursor)
        first = chosen == "pending" and cursor is None
        reports = (await service.open_reports(limit=_REPORTS + 1)).items if first else ()
        return render(
            request,
            "kelifax/queue.html",
            page=page,
            chosen=chosen,
            counts=await service.statuses(),
            reports=reports[:_REPORTS],
            more_reports=len(reports) > _REPORTS,
            logo_url=service.logo_url,
        )

    @pages.get("/moderation/reports", Kelifax.READ_MODERATION)
    async def reports(request: Request, cursor: Cursor = None) -> Response:
        """Everything that was reported and that nobody has dealt with."""
        page = await service.open_reports(limit=_PAGE, cursor=cursor)
        counts = await service.statuses()
        return render(request, "kelifax/reports.html", page=page, counts=counts, further=cursor is not None)

    @pages.get("/moderation/log", Kelifax.READ_LOG)
    async def log(request: Request, cursor: Cursor = None) -> Response:
        return render(request, "kelifax/log.html", page=await service.log(limit=50, cursor=cursor))

    @pages.post("/moderation/reports/{slug}/{entry_id}/close", Kelifax.APPROVE)
    async def close_report(request: Request, viewer: CurrentViewer, slug: str, entry_id: str) -> Response:
        async with request.form() as sent:
            following = local(str(sent.get("next", "")), "/kelifax/moderation")
        await service.close_report(viewer, slug, entry_id)
        return redirect(following, flash="The report is closed.")

    # -- one resource

    async def inspected(
        request: Request, slug: str, form: Parsed[ReasonForm], refused: Problem | None = None
    ) -> Response:
        try:
            resource = await service.inspect(slug)
        except NotFound as missing:
            history = await service.history_of(slug, _HISTORY)
            if not history:
                raise
            return render(request, "kelifax/gone.html", refused=missing, slug=slug, history=history, most=_HISTORY)
        return render(
            request,
            "kelifax/inspect.html",
            refused=refused,
            **shown(service, resource),
            reports=await service.open_reports_of(slug, _REPORTS_OF_ONE),
            history=await service.history_of(slug, _HISTORY),
            most=_HISTORY,
            form=form,
        )

    @pages.get("/moderation/{slug}", Kelifax.READ_MODERATION)
    async def inspect(request: Request, slug: str) -> Response:
        return await inspected(request, slug, _NOTHING_TYPED)

    @pages.post("/moderation/{slug}/approve", Kelifax.APPROVE)
    async def approve(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        try:
            resource = await service.approve(viewer, slug)
        except Conflict as problem:
            return await inspected(request, slug, _NOTHING_TYPED.refused(problem), problem)
        return redirect(f"/kelifax/moderation/{slug}", flash=f"{resource.resource_name} is public now.")

    @pages.post("/moderation/{slug}/reject", Kelifax.APPROVE)
    async def reject(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async with request.form() as sent:
            form = parse(ReasonForm, sent)
        try:
            resource = await service.reject(viewer, slug, form.value.reason if form.value is not None else "")
        except (Conflict, Invalid) as problem:
            return await inspected(request, slug, form.refused(problem), problem)
        return redirect(f"/kelifax/moderation/{slug}", flash=f"{resource.resource_name} is rejected.", kind="info")

    @pages.post("/moderation/{slug}/feature", Kelifax.APPROVE)
    async def feature(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        return await put(request, viewer, slug, featured=True)

    @pages.post("/moderation/{slug}/unfeature", Kelifax.APPROVE)
    async def unfeature(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        return await put(request, viewer, slug, featured=False)

    async def put(request: Request, viewer: Viewer, slug: str, *, featured: bool) -> Response:
        """In front, or back among the others."""
        try:
            await service.feature(viewer, slug, featured=featured)
        except Conflict as problem:
            return await inspected(request, slug, _NOTHING_TYPED.refused(problem), problem)
        told = "It stands in front now." if featured else "It stands among the others again."
        return redirect(f"/kelifax/moderation/{slug}", flash=told, kind="good" if featured else "info")

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
