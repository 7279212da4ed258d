"""Imports and exports over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field

from partita.apps.worthwatch.api.lists import Secret
from partita.apps.worthwatch.inputs import ImportChoices
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.transfer import MOST_BYTES, Format, Review, ReviewedRow
from partita.apps.worthwatch.service.transfer.exporting import Export
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

ExportFormat = Annotated[
    Format,
    Query(description="CSV with the columns that Letterboxd or IMDb read, or JSON; a title without is left out."),
]
_FILE = {
    200: {
        "description": "The file.",
        "content": {"text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": {"type": "array"}}},
    }
}


class CandidateView(View):
    """A title that a row may mean."""

    content_type: str
    content_id: str
    title: str
    year: int | None


class RowView(View):
    """A row of the file, and what it is taken for."""

    row: Annotated[int, From("row.number")]
    name: Annotated[str, From("row.name")]
    year: Annotated[int | None, From("row.year")]
    state: Annotated[str, From("stand")] = Field(
        description="`found`, `check`, `there`, `aside`, `missing` or `left-out`."
    )
    reason: Annotated[str, From("row.aside")]
    chosen: CandidateView | None = Field(description="The title that will be added.")
    candidates: list[CandidateView]
    outcome: str = Field(description="What became of it, once the import is done.")


class ImportSummary(View):
    """An import among others."""

    import_id: str
    filename: str
    kind: str
    state: str = Field(description="`review`, `applying` or `done`.")
    imported_at: str


class ImportView(View):
    """An import with all its rows."""

    import_id: Annotated[str, From("item.import_id")]
    filename: Annotated[str, From("item.filename")]
    kind: Annotated[str, From("item.kind")]
    state: Annotated[str, From("item.state")]
    imported_at: Annotated[str, From("item.imported_at")]
    target: str = Field(description="`new`, `history`, `to-watch`, or the id of a list.")
    new_title: str = Field(description="What a new list will be called.")
    counts: dict[str, int]
    rows: list[RowView]


def download(export: Export) -> StreamingResponse:
    """A file that browsers save instead of showing it."""
    headers = {"Content-Disposition": f'attachment; filename="{export.filename}"'}
    return StreamingResponse(export.pieces, media_type=export.media_type, headers=headers)


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    imports, exporting = service.imports, service.exporting

    @api.post(
        "/imports",
        WorthWatch.LIST,
        status_code=201,
        response_model=ImportView,
        refuses=[409, 413, 422, 429],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def begin(viewer: CurrentViewer, file: UploadFile) -> Json:
        """Read a file from Letterboxd or IMDb; nothing is added before it is applied.

        A CSV file, or Letterboxd's zip as it comes; at most 2 MB and 2,000 titles.
        """
        review = await imports.begin(viewer, await file.read(), file.filename or "file.csv")
        return Json(_view(review), 201, {"Location": f"/api/worthwatch/imports/{review.item.import_id}"})

    @api.get("/imports", WorthWatch.LIST, response_model=ListOf[ImportSummary], refuses=[400, 422])
    async def my_imports(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Your imports of the last week, newest first."""
        return Json(listed(ImportSummary, await imports.mine(viewer, limit=limit, cursor=cursor)))

    @api.get("/imports/{import_id}", WorthWatch.LIST, response_model=ImportView, refuses=[404])
    async def one_import(viewer: CurrentViewer, import_id: str) -> Json:
        """An import of yours: every row with what it is taken for, and later what became of it."""
        return Json(_view(await imports.review(viewer, import_id)))

    @api.patch("/imports/{import_id}", WorthWatch.LIST, response_model=ImportView, refuses=[404, 409, 422])
    async def choose(viewer: CurrentViewer, import_id: str, choices: ImportChoices) -> Json:
        """Decide rows, leave some out, say where to put them; what is left out stays as it was decided."""
        return Json(_view(await imports.choose(viewer, import_id, choices)))

    @api.post(
        "/imports/{import_id}/apply",
        WorthWatch.LIST,
        status_code=202,
        response_model=StartedJob,
        refuses=[404, 409, 429],
    )
    async def apply_import(viewer: CurrentViewer, import_id: str) -> Json:
        """Start to add what was found. It runs as a job; asked again, it is the same one."""
        return accepted(await imports.apply(viewer, import_id))

    @api.get(
        "/watchlists/{watchlist_id}/export",
        Access.PUBLIC,
        response_class=StreamingResponse,
        responses=_FILE,
        refuses=[404, 422],
    )
    async def export_list(
        viewer: CurrentViewer, watchlist_id: str, format: ExportFormat = "letterboxd", secret: Secret = None
    ) -> StreamingResponse:
        """A list as a file, in its order."""
        visible = await service.lists.readable(viewer, watchlist_id, secret)
        return download(exporting.of_list(visible.watchlist, format))

    @api.get(
        "/me/history/export",
        Access.SIGNED_IN,
        response_class=StreamingResponse,
        responses=_FILE,
        refuses=[422],
    )
    async def export_history(viewer: CurrentViewer, format: ExportFormat = "letterboxd") -> StreamingResponse:
        """What you have seen, when, and how you rated it."""
        return download(exporting.history(viewer, format))


def _view(review: Review) -> dict[str, Any]:
    return ImportView.of(
        review,
        counts={stand: count for stand, count in review.counts.items() if count},
        rows=RowView.each(review.rows, chosen=_chosen, candidates=_candidates),
    )


def _chosen(row: ReviewedRow) -> dict[str, Any] | None:
    return None if row.title is None else _candidate(row.title)


def _candidates(row: ReviewedRow) -> list[dict[str, Any]]:
    return [_candidate(each) for each in row.candidates]


def _candidate(each: Any) -> dict[str, Any]:
    return CandidateView.of(each, content_type=each.ref[0], content_id=each.ref[1])
