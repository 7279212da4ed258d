"""The library: one search box, filters with numbers, cards or rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast, get_args
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.api.attachments import counts
from partita.apps.enablement.formats import KINDS
from partita.apps.enablement.inputs import NewView
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Collection
from partita.apps.enablement.search import FRESHNESS
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.library import Sort, Wanted
from partita.apps.enablement.service.reading import ReadingEntry
from partita.apps.enablement.service.shelves import OnShelves
from partita.apps.enablement.service.shown import colour_in
from partita.apps.enablement.service.views import query_of
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 24
_VIEWS = ("cards", "rows")
_VIEW_COOKIE = "enablement-view"
_LABELS = {"kind": KINDS, "fresh": FRESHNESS}
FILTER_NAMES = {
    "suite": "Product",
    "concept": "Concept",
    "kind": "Kind",
    "audience": "Audience",
    "stage": "Stage",
    "tag": "Tag",
    "fresh": "Freshness",
}
_MOST_TO_READ, _MOST_COLLECTIONS = 3, 4
Value = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True, slots=True)
class Front:
    """What comes before the list, as long as nobody looks for anything."""

    to_read: tuple[ReadingEntry, ...]
    """What the viewer was asked to read, the most urgent first."""
    more_to_read: bool
    collections: tuple[Collection, ...]
    shelves: OnShelves
    today: str


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def front_for(viewer: Viewer) -> Front:
        to_read = await service.reading.mine(viewer, limit=_MOST_TO_READ)
        return Front(
            to_read=tuple(to_read),
            more_to_read=to_read.next_cursor is not None,
            collections=await service.collections.first(viewer, _MOST_COLLECTIONS),
            shelves=await service.shelves.of(viewer),
            today=service.changing.now().date().isoformat(),
        )

    @pages.get("", Enablement.READ)
    async def library(
        request: Request,
        viewer: CurrentViewer,
        q: Value = "",
        suite: Value = "",
        concept: Value = "",
        kind: Value = "",
        audience: Value = "",
        stage: Value = "",
        tag: Annotated[tuple[str, ...], Query(max_length=10)] = (),
        fresh: Value = "",
        sort: Value = "",
        view: Value = "",
        cursor: Cursor = None,
    ) -> Response:
        """Everything that somebody may find; filters that make no sense find nothing."""
        wanted = Wanted(
            text=q.strip(),
            suite=suite or None,
            concept=(concept or None) if suite else None,
            kind=kind if kind in KINDS else None,
            audience=audience or None,
            stage=stage or None,
            tags=tuple(dict.fromkeys(each[:40] for each in tag if each.strip())),
            fresh=fresh if fresh in FRESHNESS else None,
            sort=cast(Sort, sort) if sort in get_args(Sort) else None,
        )
        views, this_view = await service.views.list(viewer), query_of(wanted)
        front = await front_for(viewer) if not wanted.narrowed and cursor is None else None
        on_shelves = front.shelves.all if front is not None else ()
        listing = await service.library.explore(viewer, wanted, limit=_PAGE, cursor=cursor, shelves=on_shelves)
        if wanted.text and cursor is None and counts(request):
            await service.events.searched(viewer, wanted.text, listing.page.total or 0)
        chosen_view = view if view in _VIEWS else request.cookies.get(_VIEW_COOKIE, "")
        answer = render(
            request,
            "enablement/library.html",
            title=_title(wanted),
            front=front,
            listing=listing,
            wanted=wanted,
            view=chosen_view if chosen_view in _VIEWS else "cards",
            labels=_LABELS,
            filter_names=FILTER_NAMES,
            colour_in=lambda name: colour_in(listing.products, name),
            views=views,
            view_open=next((each for each in views if each.query == this_view), None),
            this_view=this_view,
            search_keeps=(*FILTER_NAMES, "sort"),
        )
        if view in _VIEWS:
            answer.set_cookie(_VIEW_COOKIE, view, max_age=31_536_000, path="/enablement", samesite="lax", httponly=True)
        return answer

    @pages.post("/views", Enablement.READ, keeps=NewView)
    async def save_view(request: Request, viewer: CurrentViewer) -> Response:
        """Keep the filters under a name."""

        async def save(new: NewView) -> Response:
            made = await service.views.save(viewer, new)
            return redirect(f"/enablement?{made.query}", flash=f"View “{made.name}” saved.")

        async def again(form: Parsed[NewView]) -> Response:
            assert form.problem is not None
            raise form.problem

        return await submitted(request, NewView, save, again)

    @pages.post("/views/remove", Enablement.READ)
    async def remove_view(request: Request, viewer: CurrentViewer) -> Response:
        """Forget a view; the message has a way back."""
        async with request.form(max_fields=5) as sent:
            name = str(sent.get("name", ""))
        gone = await service.views.remove(viewer, name)
        undo = f"/enablement/views/again?{urlencode({'name': gone.name, 'query': gone.query})}"
        return redirect(f"/enablement?{gone.query}", flash=f"View “{gone.name}” removed.", kind="info", undo=undo)

    @pages.post("/views/again", Enablement.READ)
    async def view_again(request: Request, viewer: CurrentViewer) -> Response:
        """Undo: the same view once more."""
        form = parse(NewView, request.query_params)
        if form.value is None:
            raise NotFound("There is no view to bring back.")
        made = await service.views.save(viewer, form.value)
        return redirect(f"/enablement?{made.query}", flash=f"View “{made.name}” saved.")


def _title(wanted: Wanted) -> str:
    """What the list is narrowed to, in words."""
    place = " · ".join(each for each in (wanted.suite, wanted.concept) if each)
    if wanted.text:
        return f"“{wanted.text}”" + (f" in {place}" if place else "")
    parts = [place or "All content"]
    parts += [KINDS[wanted.kind]] if wanted.kind else []
    parts += [FRESHNESS[wanted.fresh]] if wanted.fresh else []
    parts += [each for each in (wanted.audience, wanted.stage, *wanted.tags) if each]
    return ", ".join(parts) if wanted.chosen else "Library"
