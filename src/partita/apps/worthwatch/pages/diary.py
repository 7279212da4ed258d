"""The diary: what one saw when; beside it everything seen, rated and reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import NewViewing, ViewingForm
from partita.apps.worthwatch.schema import ContentType, Mine, Viewing
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import KINDS
from partita.apps.worthwatch.service.labels import Ref, ref_of
from partita.apps.worthwatch.service.ratings import RatedTitle
from partita.apps.worthwatch.service.shelves import MarkedTitle
from partita.apps.worthwatch.service.tiles import Tile, tile_of_label, tile_of_title
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes

_TICKETS, _POSTERS, _ROWS = 30, 48, 20


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    diary = service.diary

    @pages.get("/diary", Access.SIGNED_IN)
    async def entries(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await diary.entries(viewer, limit=_TICKETS, cursor=cursor)
        mine = await service.shelves.among(viewer, (ref_of(each) for each in page))
        months = await diary.months(viewer) if cursor is None else []
        return render(
            request,
            "worthwatch/diary.html",
            months=_by_month(page.items, mine),
            bars=[(_short(name), count) for name, count in months],
            any_bar=any(count for _, count in months),
            next_cursor=page.next_cursor,
        )

    @pages.get("/diary/seen", Access.SIGNED_IN)
    async def seen(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await service.shelves.seen(viewer, limit=_POSTERS, cursor=cursor)
        return render(
            request, "worthwatch/diary_seen.html", tiles=list(map(_marked, page)), next_cursor=page.next_cursor
        )

    @pages.get("/diary/ratings", Access.SIGNED_IN)
    async def ratings(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await service.ratings.my_ratings(viewer, limit=_ROWS, cursor=cursor)
        return _rated(request, page.items, page.next_cursor, "ratings")

    @pages.get("/diary/reviews", Access.SIGNED_IN)
    async def reviews(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await service.ratings.my_reviews(viewer, limit=_ROWS, cursor=cursor)
        return _rated(request, page.items, page.next_cursor, "reviews")

    @pages.get("/diary/new", Access.SIGNED_IN)
    async def new_form(request: Request, chosen: str = "") -> Response:
        return await form_page(request, Parsed(None, {"day": diary.today().isoformat(), "chosen": chosen[:200]}))

    @pages.post("/diary/new", Access.SIGNED_IN, keeps=ViewingForm)
    async def log(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: ViewingForm) -> Response:
            kind, content_id = await _chosen(form)
            new = NewViewing(
                content_type=kind,
                content_id=content_id,
                day=form.day,
                rewatch=form.rewatch,
                note=form.note,
                rating=form.rating,
            )
            entry, _ = await diary.log(viewer, new)
            name = entry.label.title if entry.label else "It"
            return redirect("/worthwatch/diary", flash=f"“{name}” is in your diary.")

        async def again(form: Parsed[ViewingForm]) -> Response:
            return await form_page(request, form)

        return await submitted(request, ViewingForm, save, again)

    @pages.get("/diary/{day}/{viewing_id}/delete", Access.SIGNED_IN)
    async def delete_form(request: Request, viewer: CurrentViewer, day: str, viewing_id: str) -> Response:
        entry = await diary.entry(viewer, day, viewing_id)
        name = entry.label.title if entry.label else "this title"
        return confirm(
            request,
            f"Delete the entry for “{name}”?",
            "The day and your note will be lost. The title stays seen.",
            button="Delete",
            keep="/worthwatch/diary",
        )

    @pages.post("/diary/{day}/{viewing_id}/delete", Access.SIGNED_IN)
    async def delete(viewer: CurrentViewer, day: str, viewing_id: str) -> Response:
        await diary.delete(viewer, day, viewing_id)
        return redirect("/worthwatch/diary", flash="The entry is deleted.", kind="info")

    async def form_page(request: Request, form: Parsed[ViewingForm]) -> Response:
        """The form; with the title if one is chosen, else with those that fit what was typed."""
        ref = _parsed(str(form.values.get("chosen", "")))
        tile = await _tile_of(service, ref) if ref is not None else None
        typed = str(form.values.get("title", ""))
        fitting = await service.suggestions.titles(typed) if typed and tile is None else []
        return render(
            request, "worthwatch/log_viewing.html", form=form, tile=tile, fitting=fitting, today=diary.today()
        )

    async def _chosen(form: ViewingForm) -> Ref:
        ref = _parsed(form.chosen or "")
        if ref is not None:
            return ref
        exact = await service.suggestions.exactly(form.title) if form.title else []
        if len(exact) == 1:
            return exact[0]
        if form.title and await service.suggestions.titles(form.title):
            several = "Several titles have this name." if exact else "No title has exactly this name."
            raise Invalid(FieldError("chosen", f"{several} Choose the one you saw."))
        raise Invalid(FieldError("title", "No film or series is called like this. Try another of its words."))


def _rated(request: Request, rated: Sequence[RatedTitle], next_cursor: str | None, tab: str) -> Response:
    rows = [(_rated_tile(each), each.rating) for each in rated]
    return render(request, "worthwatch/diary_ratings.html", rows=rows, next_cursor=next_cursor, tab=tab)


async def _tile_of(service: WorthWatchService, ref: Ref) -> Tile | None:
    title = (await service.titles.by_ref([ref])).get(ref)
    return None if title is None else tile_of_title(title)


def _by_month(entries: Sequence[Viewing], mine: dict[Ref, Mine]) -> list[tuple[str, list[Any]]]:
    """Entries under the months they were seen in, each with its poster."""
    return [
        (date.fromisoformat(f"{month}-01").strftime("%B %Y"), [(each, _entry_tile(each, mine)) for each in group])
        for month, group in groupby(entries, key=lambda each: each.day[:7])
    ]


def _entry_tile(entry: Viewing, mine: dict[Ref, Mine]) -> Tile:
    return tile_of_label(entry.content_type, entry.content_id, entry.label).marked(mine.get(ref_of(entry)))


def _marked(each: MarkedTitle) -> Tile:
    if each.title is None:
        return _gone(*ref_of(each.mine)).marked(each.mine)
    return tile_of_title(each.title).marked(each.mine)


def _rated_tile(each: RatedTitle) -> Tile:
    rating = each.rating
    return _gone(rating.content_type, rating.content_id) if each.title is None else tile_of_title(each.title)


def _gone(content_type: ContentType, content_id: str) -> Tile:
    return Tile(content_type, content_id, "A title that is no more", gone=True)


def _parsed(chosen: str) -> Ref | None:
    """`film/tt1` as type and id."""
    kind, _, content_id = chosen.partition("/")
    for content_type, name in KINDS.items():
        if name == kind and content_id:
            return content_type, content_id
    return None


def _short(month: str) -> str:
    return date.fromisoformat(f"{month}-01").strftime("%b")
