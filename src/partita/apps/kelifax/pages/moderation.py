"""The moderators' pages: the queue, a resource with its decisions, its edit, and the log."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.inputs import CANNED, Chosen, EditForm, Rejection, ShortEditForm, edit_form_of
from partita.apps.kelifax.pages.submissions import MOST_LOGO_FORM, OPTIONS
from partita.apps.kelifax.pages.wizard import with_one_more
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import ACTION_NAMES, STATUSES, Resource, Status
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.history import RESOURCE_FIELDS, timeline_entry
from partita.apps.kelifax.service.reports import MOST_COUNTED
from partita.kit.answers import Cursor, Revision
from partita.kit.desks import Desk, cursor_in, next_in
from partita.kit.flashes import Kind
from partita.kit.forms import MOST_CHOSEN_FROM, MOST_FIELDS, Parsed, filled, parse, submitted
from partita.kit.history import TimelineEntry
from partita.kit.pages import NOT_KEPT, confirm, redirect, render
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes, viewer_of
from partita.kit.stale import edited

_PAGE = 20
_LOG_PAGE = 30
DESK = "/kelifax/moderation"
_REPORTS_OF_ONE = 50
_HISTORY = 20
_EARLIER = 4
_SEPARATED = {"tags"}
_CANNED = [*CANNED.items()]
_LINES = {"keyFeatures", "useCases"}


async def section_counts(service: KelifaxService) -> dict[str, str]:
    """What stands beside the names of moderation's sections."""
    statuses, reports = await service.analytics.statuses(), await service.reports.count_open(MOST_COUNTED)
    numbers: dict[str, str] = {status: f"{count:,}" for status, count in statuses.items()}
    return {**numbers, "reports": f"{reports}+" if reports == MOST_COUNTED else f"{reports}"}


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    async def desk_page(request: Request, at: str, cursor: str | None, form: Parsed[Rejection]) -> Response:
        """What waits, with one submission open; also one that is not on this page of the queue."""
        page = await service.moderation.queue("pending", limit=_PAGE, cursor=cursor)
        if cursor and not page.items:
            return await desk_page(request, at, None, form) if form.errors else redirect(DESK)
        viewer = await viewer_of(request)
        desk = Desk.of(DESK, page, lambda resource: resource.resource_slug, at=at, cursor=cursor)
        if at and desk.open_key != at:
            elsewhere = (await service.resources.of_any_status([at])).get(at)
            if elsewhere is not None and elsewhere.resource_status == "pending":
                desk = replace(desk, current=elsewhere)
        earlier: list[TimelineEntry] = []
        if desk.current is not None and desk.current.revision > 1 and viewer.may(Kelifax.READ_LOG):
            earlier = [*map(timeline_entry, await service.moderation.history(desk.open_key, _EARLIER))]
        return render(
            request,
            "kelifax/desk.html",
            headers=NOT_KEPT,
            desk=desk,
            form=form,
            counts=await section_counts(service),
            canned=_CANNED,
            earlier=earlier,
        )

    @pages.get("/moderation", Kelifax.READ_MODERATION)
    async def queue(
        request: Request,
        status: Annotated[str, Query(max_length=20)] = "pending",
        at: Annotated[str, Query(max_length=200)] = "",
        cursor: Cursor = None,
    ) -> Response:
        chosen: Status = status if status in STATUSES else "pending"
        if chosen == "pending":
            return await desk_page(request, at, cursor, Parsed(None))
        page = await service.moderation.queue(chosen, limit=_PAGE, cursor=cursor)
        return render(request, "kelifax/queue.html", page=page, chosen=chosen, counts=await section_counts(service))

    @pages.get("/moderation/featured", Kelifax.APPROVE)
    async def arrange(request: Request) -> Response:
        return render(
            request,
            "kelifax/featured.html",
            featured=await service.resources.featured(),
            counts=await section_counts(service),
        )

    @pages.get("/moderation/broken", Kelifax.READ_MODERATION)
    async def broken(request: Request, cursor: Cursor = None) -> Response:
        """Resources whose address does not answer any more."""
        page = await service.links.broken(limit=_PAGE, cursor=cursor)
        return render(request, "kelifax/broken.html", page=page, counts=await section_counts(service))

    @pages.get("/moderation/log", Kelifax.READ_LOG)
    async def log(
        request: Request,
        action: Annotated[str, Query(max_length=30)] = "",
        by: Annotated[str, Query(max_length=64)] = "",
        cursor: Cursor = None,
    ) -> Response:
        chosen, who = action if action in ACTION_NAMES else "", by.strip()
        page = await service.moderation.log(chosen, who, limit=_LOG_PAGE, cursor=cursor)
        return render(
            request,
            "kelifax/log.html",
            page=page,
            resources=await service.resources.of_any_status(entry.slug for entry in page),
            people=await service.moderation.deciders(page),
            actions=ACTION_NAMES,
            action=chosen,
            by=who,
        )

    @pages.get("/moderation/many", Kelifax.APPROVE)
    async def many(request: Request, cursor: Cursor = None) -> Response:
        return await many_page(request, cursor, Parsed(None))

    async def many_page(request: Request, cursor: str | None, form: Parsed[Chosen]) -> Response:
        page = await service.moderation.queue("pending", limit=_PAGE, cursor=cursor)
        if cursor and not page.items:
            return redirect(f"{DESK}/many")
        counts = await section_counts(service)
        return render(request, "kelifax/many.html", page=page, form=form, counts=counts, canned=_CANNED)

    @pages.post("/moderation/many", Kelifax.APPROVE, keeps=Chosen)
    async def decide_many(request: Request, viewer: CurrentViewer) -> Response:
        async def save(chosen: Chosen) -> Response:
            done = await service.moderation.decide_many(viewer, chosen.revisions, chosen.rejection)
            left = f" {done.left} still wait: they have changed, or their address is taken." if done.left else ""
            word = "approved" if chosen.rejection is None else "rejected"
            flash = f"{done.decided:,} {word}.{left}"
            return redirect(f"{DESK}/many", flash=flash, kind="warn" if done.left else "good")

        async def again(form: Parsed[Chosen]) -> Response:
            return await many_page(request, None, form)

        return await submitted(request, Chosen, save, again)

    async def resource_page(request: Request, slug: str, form: Parsed[Rejection]) -> Response:
        decisions = await service.moderation.history(slug, _HISTORY)
        history = [*map(timeline_entry, decisions)]
        try:
            resource = await service.moderation.inspect(slug)
        except NotFound as missing:
            if not decisions.items:
                raise
            return render(request, "kelifax/gone.html", refused=missing, slug=slug, history=history)
        return render(
            request,
            "kelifax/inspect.html",
            headers=NOT_KEPT,
            resource=resource,
            reports=await service.reports.open_of(slug, _REPORTS_OF_ONE),
            history=history,
            form=form,
            canned=_CANNED,
        )

    @pages.get("/moderation/{slug}/history", Kelifax.READ_LOG)
    async def history(request: Request, slug: str, cursor: Cursor = None) -> Response:
        page = await service.moderation.history(slug, _LOG_PAGE, cursor=cursor)
        entries = [*map(timeline_entry, page)]
        resource = (await service.resources.of_any_status([slug])).get(slug)
        name = slug if resource is None else resource.resource_name
        return render(
            request, "kelifax/history.html", slug=slug, name=name, entries=entries, next_cursor=page.next_cursor
        )

    @pages.get("/moderation/{slug}", Kelifax.READ_MODERATION)
    async def inspect(request: Request, slug: str) -> Response:
        return await resource_page(request, slug, Parsed(None))

    async def decide(
        request: Request, slug: str, decision: Awaitable[Resource], flash: str, kind: Kind = "good"
    ) -> Response:
        """Make a decision by a button alone; if it is refused, the resource's page says why."""
        try:
            await decision
        except Conflict as problem:
            nothing_typed: Parsed[Rejection] = Parsed(None)
            return await resource_page(request, slug, nothing_typed.refused(problem))
        return redirect(f"/kelifax/moderation/{slug}", flash=flash, kind=kind)

    def decided_at_desk(resource: Resource, onward: str, flash: str, kind: Kind = "good") -> Response:
        """On to the next one, with a way back."""
        undo = f"{DESK}/{resource.resource_slug}/reopen?revision={resource.revision}"
        return redirect(onward, flash=flash, kind=kind, undo=undo)

    @pages.post("/moderation/{slug}/approve", Kelifax.APPROVE)
    async def approve(request: Request, viewer: CurrentViewer, slug: str, revision: Revision = None) -> Response:
        onward = await next_in(request)
        decision = service.moderation.approve(viewer, slug, revision)
        if not onward:
            return await decide(request, slug, decision, "Approved.")
        try:
            resource = await decision
        except Conflict as problem:
            place = {"cursor": await cursor_in(request), "at": slug}
            same = f"{DESK}?{urlencode({name: value for name, value in place.items() if value})}"
            look_again = same if problem.code == "changed_meanwhile" else onward
            return redirect(look_again, flash=problem.detail, kind="warn")
        return decided_at_desk(resource, onward, f"“{resource.resource_name}” approved.")

    @pages.post("/moderation/{slug}/reopen", Kelifax.APPROVE)
    async def reopen(viewer: CurrentViewer, slug: str, revision: Revision = None) -> Response:
        try:
            resource = await service.moderation.reopen(viewer, slug, revision)
        except Conflict as problem:
            return redirect(f"{DESK}/{slug}", flash=problem.detail, kind="warn")
        flash = f"“{resource.resource_name}” is back in the queue."
        return redirect(f"{DESK}?{urlencode({'at': slug})}", flash=flash, kind="info")

    @pages.post("/moderation/{slug}/feature", Kelifax.APPROVE)
    async def feature(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        featured = service.moderation.feature(viewer, slug, featured=True)
        return await decide(request, slug, featured, "Featured.")

    @pages.post("/moderation/{slug}/unfeature", Kelifax.APPROVE)
    async def unfeature(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        unfeatured = service.moderation.feature(viewer, slug, featured=False)
        return await decide(request, slug, unfeatured, "No longer featured.", "info")

    @pages.post("/moderation/{slug}/move", Kelifax.APPROVE)
    async def move(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async with request.form(max_fields=MOST_FIELDS) as sent:
            before = str(sent.get("before", ""))
        try:
            resource = await service.moderation.move_featured(viewer, slug, before)
        except Conflict as problem:
            return redirect(f"{DESK}/featured", flash=problem.detail, kind="warn")
        return redirect(f"{DESK}/featured#{slug}", flash=f"“{resource.resource_name}” moved.")

    @pages.post("/moderation/{slug}/reject", Kelifax.APPROVE, keeps=Rejection)
    async def reject(request: Request, viewer: CurrentViewer, slug: str, revision: Revision = None) -> Response:
        onward = await next_in(request)

        async def save(rejection: Rejection) -> Response:
            resource = await service.moderation.reject(viewer, slug, rejection.text, revision)
            if onward:
                return decided_at_desk(resource, onward, f"“{resource.resource_name}” rejected.", "info")
            return redirect(f"/kelifax/moderation/{slug}", flash="Rejected.", kind="info")

        async def again(form: Parsed[Rejection]) -> Response:
            if onward and form.refusal is None:
                return await desk_page(request, slug, await cursor_in(request), form)
            return await resource_page(request, slug, form)

        return await submitted(request, Rejection, save, again)

    @pages.get("/moderation/{slug}/delete", Kelifax.DELETE)
    async def delete_form(request: Request, slug: str) -> Response:
        resource = await service.moderation.inspect(slug)
        return confirm(
            request,
            f"Delete “{resource.resource_name}”?",
            "The resource, its tags and its logo are deleted for good. The decisions on it stay in the log.",
            button="Delete",
            keep=f"/kelifax/moderation/{slug}",
        )

    @pages.post("/moderation/{slug}/delete", Kelifax.DELETE)
    async def delete(viewer: CurrentViewer, slug: str) -> Response:
        await service.moderation.delete(viewer, slug)
        return redirect("/kelifax/moderation", flash="Resource deleted.", kind="info")

    async def edit_page(request: Request, resource: Resource, form: Parsed[EditForm]) -> Response:
        return render(
            request,
            "kelifax/edit.html",
            resource=resource,
            options=OPTIONS,
            form=form,
            may_be_short=edit_form_of(resource) is ShortEditForm,
            logo_form=Parsed(None),
        )

    def stored_form(resource: Resource) -> Parsed[EditForm]:
        return filled(EditForm, EditForm.of(resource), separated=_SEPARATED)

    @pages.post("/moderation/{slug}/logo", Kelifax.EDIT, most_bytes=MOST_LOGO_FORM)
    async def logo(request: Request, viewer: CurrentViewer, slug: str, revision: Revision = None) -> Response:
        """Another logo, or none if that button was pressed."""
        try:
            async with request.form(max_fields=MOST_FIELDS, max_files=1) as sent:
                upload = sent.get("logo")
                if sent.get("go") == "remove":
                    name = ""
                elif upload is None or isinstance(upload, str) or not upload.size:
                    raise Invalid(FieldError("logo", "Choose a picture."))
                else:
                    name = await service.submissions.upload_logo(await upload.read(), viewer.id)
            await service.moderation.set_logo(viewer, slug, name, revision)
        except NotFound:
            raise
        except Problem as problem:
            message = problem.errors[0].message if problem.errors else problem.detail
            return redirect(f"{DESK}/{slug}/edit#logo", flash=message, kind="warn")
        return redirect(f"{DESK}/{slug}", flash="Logo replaced." if name else "Logo removed.")

    @pages.get("/moderation/{slug}/edit", Kelifax.EDIT)
    async def edit_form(request: Request, slug: str) -> Response:
        resource = await service.moderation.inspect(slug)
        return await edit_page(request, resource, stored_form(resource))

    @pages.post("/moderation/{slug}/edit", Kelifax.EDIT, keeps=EditForm)
    async def edit(request: Request, viewer: CurrentViewer, slug: str) -> Response:
        async def save(form: EditForm) -> Response:
            await service.moderation.edit(viewer, slug, form)
            return redirect(f"/kelifax/moderation/{slug}", flash="Changes saved.")

        async def again(form: Parsed[EditForm]) -> Response:
            return await edit_page(request, await service.moderation.inspect(slug), form)

        async def stored() -> Parsed[EditForm]:
            return stored_form(await service.moderation.inspect(slug))

        async def last() -> TimelineEntry | None:
            return next(map(timeline_entry, await service.moderation.history(slug, 1)), None)

        sent = await request.form(max_fields=MOST_CHOSEN_FROM)
        form = edit_form_of(await service.moderation.inspect(slug))
        if more := str(sent.get("more", "")):
            return await again(with_one_more(parse(form, sent, separated=_SEPARATED, lines=_LINES), more))
        return await edited(
            request,
            form,
            save,
            again,
            stored,
            fields=RESOURCE_FIELDS,
            back=f"/kelifax/moderation/{slug}",
            last=last,
            separated=_SEPARATED,
            lines=_LINES,
        )
