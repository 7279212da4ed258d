"""The catalog for librarians, over HTTP: files of titles, merging, and what waits."""

from __future__ import annotations

from typing import Annotated

from fastapi import UploadFile
from pydantic import Field

from partita.apps.worthwatch.inputs import MergeInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.catalog import MOST_BYTES
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.jobs.answers import StartedJob, accepted
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class UncheckedTitle(View):
    """A title that waits for a librarian's look."""

    content_type: Annotated[str, From("title.content_type")]
    content_id: Annotated[str, From("title.content_id")]
    title: Annotated[str, From("title.title")]
    year: Annotated[int | None, From("title.year")]
    added_by: Annotated[str | None, From("title.updated_by")]
    maybe_same: Annotated[str | None, From("title.maybe_same")] = Field(
        description="`MOVIE#…` or `SHOW#…` of a title with its name and nearly its year."
    )


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @api.post(
        "/catalog/import",
        WorthWatch.CATALOG,
        status_code=202,
        response_model=StartedJob,
        refuses=[413, 422],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def import_catalog(viewer: CurrentViewer, file: UploadFile) -> Json:
        """Start to add the titles of a file in the shape of TMDB's export.

        JSON, a line of JSON each, or CSV; at most 2 MB and 2,000 titles. It runs as a job, whose result says which rows
        were refused, and why.
        """
        return accepted(await service.catalog.begin_import(viewer, await file.read(), file.filename or ""))

    @api.get("/catalog/unchecked", WorthWatch.CATALOG, response_model=ListOf[UncheckedTitle], refuses=[400, 422])
    async def unchecked(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Titles that curators added and nobody has checked, newest first."""
        return Json(listed(UncheckedTitle, await service.catalog.unchecked(limit=limit, cursor=cursor)))

    @api.post(
        "/movies/{movie_id}/merge",
        WorthWatch.CATALOG,
        status_code=202,
        response_model=StartedJob,
        refuses=[404, 409, 422],
    )
    async def merge_movie(viewer: CurrentViewer, movie_id: str, wanted: MergeInput) -> Json:
        """Merge a film into another one. Its address leads there at once; a job moves lists, ratings and diaries."""
        return accepted(await service.merging.begin(viewer, "MOVIE", movie_id, wanted.into))

    @api.post(
        "/shows/{show_id}/merge",
        WorthWatch.CATALOG,
        status_code=202,
        response_model=StartedJob,
        refuses=[404, 409, 422],
    )
    async def merge_show(viewer: CurrentViewer, show_id: str, wanted: MergeInput) -> Json:
        """Merge a series into another one. Its address leads there at once; a job moves lists, ratings and diaries."""
        return accepted(await service.merging.begin(viewer, "SHOW", show_id, wanted.into))
