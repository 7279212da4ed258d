"""Reporting something, and the moderators' desk of reports."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import ReportInput, ResolutionInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import curator_path, list_path
from partita.apps.worthwatch.service.reports import ReportWithThing, What, key_of
from partita.apps.worthwatch.service.tiles import tile_of_item, tile_of_title
from partita.kit.answers import Cursor
from partita.kit.desks import Desk, next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
_TITLES = 12
_PATH = "/worthwatch/reports"
_DONE = {"keep": "Kept. The reports are closed.", "remove": "Removed.", "suspend": "Suspended. Their lists are hidden."}


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    reports = service.reports

    @pages.get("/report", WorthWatch.REPORT)
    async def report_form(
        request: Request,
        what: Annotated[str, Query(max_length=20)] = "list",
        id: Annotated[str, Query(max_length=300)] = "",
    ) -> Response:
        return render(request, "worthwatch/report.html", form=Parsed(None, {"what": what, "id": id}))

    @pages.post("/report", WorthWatch.REPORT, keeps=ReportInput)
    async def report(request: Request, viewer: CurrentViewer) -> Response:
        async def save(report: ReportInput) -> Response:
            await reports.report(viewer, report)
            back = "/worthwatch"
            if report.what in ("list", "comment"):
                back = f"/worthwatch/lists/{report.id.partition('/')[0]}/-"
            elif report.what == "person":
                back = f"/worthwatch/curators/{report.id}"
            return redirect(back, flash="Thank you. A moderator will look into it.")

        async def again(form: Parsed[ReportInput]) -> Response:
            return render(request, "worthwatch/report.html", form=form)

        return await submitted(request, ReportInput, save, again)

    async def desk_page(
        request: Request, at: str, cursor: str | None, form: Parsed[Any], refused: Any = None
    ) -> Response:
        page = await reports.waiting(limit=_PAGE, cursor=cursor)
        if cursor and not page.items:
            return redirect(_PATH)
        desk = Desk.of(_PATH, page, _key, at=at, cursor=cursor)
        return render(
            request, "worthwatch/reports.html", refused=refused, desk=desk, form=form, **await _beside(desk.current)
        )

    async def _beside(current: ReportWithThing | None) -> dict[str, Any]:
        """The open thing in its place: the list's titles, the title of a review, everybody's words."""
        if current is None:
            return {"words": (), "tiles": (), "address": ""}
        thing = current.thing
        _, words = await reports.of_thing(thing.what, thing.id)
        tiles: list[Any] = []
        address = ""
        if thing.what == "list" and thing.watchlist is not None:
            items = await service.items.in_order(thing.watchlist.watchlist_id, limit=_TITLES)
            tiles, address = [tile_of_item(item) for item in items], list_path(thing.watchlist)
        elif thing.watchlist is not None:
            address = f"/worthwatch/lists/{thing.watchlist.watchlist_id}/comments"
        elif thing.title is not None:
            tiles = [tile_of_title(thing.title)]
            address = tiles[0].path
        elif thing.person is not None:
            address = curator_path(thing.person.user_id, thing.person.username)
        return {"words": words, "tiles": tiles, "address": address}

    @pages.get("/reports", WorthWatch.MODERATE)
    async def waiting(
        request: Request, at: Annotated[str, Query(max_length=500)] = "", cursor: Cursor = None
    ) -> Response:
        return await desk_page(request, at, cursor, Parsed(None))

    @pages.post("/reports/{what}/{thing_id:path}", WorthWatch.MODERATE)
    async def resolve(request: Request, viewer: CurrentViewer, what: What, thing_id: str) -> Response:
        onward = await next_in(request) or _PATH

        async def save(resolution: ResolutionInput) -> Response:
            await reports.resolve(viewer, what, thing_id, resolution)
            return redirect(onward, flash=_DONE[resolution.decision])

        async def again(form: Parsed[ResolutionInput]) -> Response:
            return await desk_page(request, key_of(what, thing_id), None, form, form.problem)

        return await submitted(request, ResolutionInput, save, again)


def _key(each: ReportWithThing) -> str:
    return key_of(each.thing.what, each.thing.id)
