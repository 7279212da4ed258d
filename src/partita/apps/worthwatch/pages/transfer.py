"""Import: file, review, progress, report; and exports."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.api.transfer import download
from partita.apps.worthwatch.inputs import ImportChoices, TitleInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, list_path, poster_path, title_parts, title_path
from partita.apps.worthwatch.service.transfer import MOST_BYTES, Format
from partita.apps.worthwatch.service.transfer.imports import STANDS, Review, Stand
from partita.kit.files import UPLOAD_BODY
from partita.kit.forms import Parsed
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import FieldError, Invalid, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

_FOLDER = "worthwatch/imports"
_MOST_ROWS = 100
_SHORT_SECONDS = 1.5
"""An import that takes no longer is answered with its report."""
STAND_NAMES: dict[Stand, str] = {
    "check": "Please check",
    "found": "Found",
    "there": "Already there",
    "aside": "Set aside",
    "missing": "Not found",
    "left-out": "Left out",
}
_MISSING_FILE = "Choose a file."


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    imports = service.imports

    @pages.get("/import", WorthWatch.LIST)
    async def import_form(request: Request, viewer: CurrentViewer) -> Response:
        return await form(request, viewer)

    @pages.post("/import", WorthWatch.LIST, most_bytes=UPLOAD_BODY)
    async def import_file(request: Request, viewer: CurrentViewer) -> Response:
        kit = service.kit
        sent = await kit.uploads.receive(request, _FOLDER, most_bytes=MOST_BYTES)
        try:
            file = sent.file
            if file is None:
                raise Invalid(FieldError("file", _MISSING_FILE))
            try:
                data = (await kit.files.load(file.name)).data
                review = await imports.begin(viewer, data, file.called)
            finally:
                await kit.uploads.discard(file.name)
        except Problem as problem:
            return await form(request, viewer, problem)
        return redirect(f"/worthwatch/import/{review.item.import_id}")

    async def form(request: Request, viewer: Viewer, problem: Problem | None = None) -> Response:
        shown: Parsed[Any] = Parsed(None)
        if problem is not None:
            shown = shown.refused(problem if problem.errors else Invalid(FieldError("file", problem.detail)))
        earlier = (await imports.mine(viewer)).items
        return render(request, "worthwatch/import.html", refused=problem, form=shown, most=MOST_BYTES, earlier=earlier)

    @pages.get("/import/{import_id}", WorthWatch.LIST)
    async def review_page(
        request: Request,
        viewer: CurrentViewer,
        import_id: str,
        show: Annotated[str, Query(max_length=20)] = "",
        at: Annotated[str, Query(max_length=5)] = "",
    ) -> Response:
        review = await imports.review(viewer, import_id)
        if review.item.state == "applying" and review.item.job_id is not None:
            job = await service.kit.jobs.find(viewer, review.item.job_id)
            if job.is_open:
                return redirect(f"/jobs/{job.job_id}")
        return await shown(request, viewer, review, show, int(at) if at.isascii() and at.isdecimal() else 0)

    async def shown(request: Request, viewer: Viewer, review: Review, show: str = "", at: int = 0) -> Response:
        counts = review.counts
        first: Stand = next((each for each in STAND_NAMES if counts[each]), "found")
        stand: Stand = next((each for each in STANDS if each == show and counts[each]), first)
        rows = review.of(stand)
        target = None
        if review.target not in ("new", "history", "to-watch"):
            try:
                target = await service.lists.own(viewer, review.target)
            except NotFound:
                target = None
        return render(
            request,
            "worthwatch/import_done.html" if review.item.state == "done" else "worthwatch/import_review.html",
            review=review,
            counts=counts,
            stand=stand,
            stand_names=STAND_NAMES,
            rows=rows[at : at + _MOST_ROWS],
            before=max(at - _MOST_ROWS, 0) if at else None,
            after=at + _MOST_ROWS if at + _MOST_ROWS < len(rows) else None,
            lists=await imports.target_lists(viewer) if review.item.state == "review" else (),
            target=target,
            list_path=list_path,
            title_path=title_path,
            title_parts=title_parts,
            poster_path=poster_path,
        )

    @pages.post("/import/{import_id}", WorthWatch.LIST)
    async def choose(request: Request, viewer: CurrentViewer, import_id: str) -> Response:
        """Save what was decided on this page, and, with the main button, begin."""
        given = await request.form()
        fields = [(name, value) for name, value in given.multi_items() if isinstance(value, str)]
        choices = _choices(fields)
        review = await imports.choose(viewer, import_id, choices)
        if given.get("do") != "apply":
            show = given.get("show", "")
            return redirect(
                f"/worthwatch/import/{import_id}?show={show}" if show in STANDS else f"/worthwatch/import/{import_id}"
            )
        try:
            job = await imports.apply(viewer, review.item.import_id)
        except Problem as problem:
            return redirect(f"/worthwatch/import/{import_id}", flash=problem.detail)
        job = await service.kit.jobs.ended_within(job, _SHORT_SECONDS)
        return redirect(f"/jobs/{job.job_id}" if job.is_open else f"/worthwatch/import/{import_id}")

    @pages.get("/import/{import_id}/csv", WorthWatch.LIST)
    async def report(viewer: CurrentViewer, import_id: str) -> Response:
        review = await imports.review(viewer, import_id)
        headers = {"Content-Disposition": 'attachment; filename="worthwatch-import.csv"'}
        return Response(review.csv, media_type="text/csv; charset=utf-8", headers=headers)

    @pages.get("/lists/{watchlist_id}/export/{format}", Access.PUBLIC)
    async def export_list(
        viewer: CurrentViewer,
        watchlist_id: str,
        format: str,
        secret: Annotated[str | None, Query(max_length=200)] = None,
    ) -> Response:
        visible = await service.lists.readable(viewer, watchlist_id, secret)
        return download(service.exporting.of_list(visible.watchlist, _format(format)))

    @pages.get("/history/export/{format}", Access.SIGNED_IN)
    async def export_history(viewer: CurrentViewer, format: str) -> Response:
        return download(service.exporting.history(viewer, _format(format)))


def _format(given: str) -> Format:
    for each in get_args(Format):
        if each == given:
            known: Format = each
            return known
    raise NotFound("There is no such format. Choose letterboxd, imdb or json.")


def _choices(fields: list[tuple[str, str]]) -> ImportChoices:
    """A form of radio buttons: `row.7` is `film/tt1`, `leave`, or nothing for a row that is not decided yet."""
    chosen: dict[int, TitleInput] = {}
    left: list[int] = []
    more: dict[str, str] = {}
    for name, value in fields:
        place = name.removeprefix("row.")
        if name.startswith("row.") and place.isascii() and place.isdecimal() and len(place) <= 5:
            kind, _, content_id = value.partition("/")
            content_type = {str(each): type for each, type in CONTENT_TYPES.items()}.get(kind)
            if value == "leave":
                left.append(int(place))
            elif content_type is not None and content_id:
                chosen[int(place)] = TitleInput(content_type=content_type, content_id=content_id)
        elif name in ("target", "title") and value.strip():
            more[name] = value.strip()
    try:
        return ImportChoices.model_validate({"choices": chosen, "leave_out": tuple(left), **more})
    except ValueError:
        raise Invalid(FieldError("title", "The title of a list has at most 200 letters.")) from None
