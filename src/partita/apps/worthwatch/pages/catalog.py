"""The catalog for librarians: what waits, editing, merging, files of titles."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import MovieEdit, ShowEdit, TitleName
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, Kind, title_parts, title_path
from partita.apps.worthwatch.service.catalog import FOLDER, MISSING, MOST_BYTES
from partita.apps.worthwatch.service.finding import Wanted
from partita.apps.worthwatch.service.labels import Title
from partita.apps.worthwatch.service.tiles import tile_of_title
from partita.apps.worthwatch.service.titles import title_version
from partita.kit.answers import Cursor
from partita.kit.files import UPLOAD_BODY
from partita.kit.forms import Parsed, filled
from partita.kit.history import Field, Fields
from partita.kit.pages import confirm, redirect, render
from partita.kit.problems import FieldError, Invalid, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_HOME = "/worthwatch/catalog"
_ONE = "/catalog/{kind}/{content_id}"
_SEPARATED = ("genres", "directors", "creators", "cast", "otherTitles")
_SHORT_SECONDS = 1.5
_BOTH = (
    Field("title", "Title", "title"),
    Field("otherTitles", "Other titles", "other_titles"),
    Field("genres", "Genres", "genres"),
    Field("cast", "Cast", "cast"),
    Field("synopsis", "The story", "synopsis"),
    Field("imdbId", "IMDb id", "imdb_id"),
    Field("tmdbId", "TMDB id", "tmdb_id"),
)
_FACTS: dict[Kind, Fields] = {
    "film": Fields(
        *_BOTH,
        Field("releaseYear", "Year", "release_year"),
        Field("runtime", "Length", "runtime"),
        Field("directors", "Directors", "directors"),
    ),
    "series": Fields(
        *_BOTH,
        Field("startYear", "First year", "start_year"),
        Field("endYear", "Last year", "end_year"),
        Field("creators", "Created by", "creators"),
        Field("numberOfSeasons", "Seasons", "number_of_seasons"),
        Field("numberOfEpisodes", "Episodes", "number_of_episodes"),
        Field("status", "Status", "status"),
    ),
}


class FilmFacts(MovieEdit):
    """The facts of a film as a form has them: whole."""

    title: TitleName


class SeriesFacts(ShowEdit):
    """The facts of a series as a form has them: whole."""

    title: TitleName


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    desk, titles, merging = service.catalog, service.titles, service.merging

    @pages.get("/catalog", WorthWatch.CATALOG)
    async def home(
        request: Request,
        show: Annotated[str, Query(max_length=20)] = "unchecked",
        lacks: Annotated[list[str], Query(max_length=10)] = [],  # noqa: B006 - FastAPI leaves it alone
        cursor: Cursor = None,
    ) -> Response:
        """What waits for a librarian."""
        if show in ("films", "series"):
            kind: Any = show
            page: Any = await desk.lacking(kind, lacks, cursor=cursor)
        else:
            show, page = "unchecked", await desk.unchecked(cursor=cursor)
        return render(
            request,
            "worthwatch/catalog.html",
            show=show,
            page=page,
            tile_of=tile_of_title,
            missing=MISSING,
            lacks=lacks,
            title_parts=title_parts,
        )

    @pages.get("/catalog/import", WorthWatch.CATALOG)
    async def import_form(request: Request) -> Response:
        return _import_form(request)

    @pages.post("/catalog/import", WorthWatch.CATALOG, most_bytes=UPLOAD_BODY)
    async def import_file(request: Request, viewer: CurrentViewer) -> Response:
        kit = service.kit
        sent = await kit.uploads.receive(request, FOLDER, most_bytes=MOST_BYTES)
        try:
            file = sent.file
            if file is None:
                raise Invalid(FieldError("file", "Choose a file."))
            try:
                job = await desk.begin_import(viewer, (await kit.files.load(file.name)).data, file.called)
            finally:
                await kit.uploads.discard(file.name)
        except Problem as problem:
            return _import_form(request, problem)
        return redirect(f"/jobs/{job.job_id}")

    @pages.get(_ONE, WorthWatch.CATALOG)
    async def edit_form(request: Request, kind: Kind, content_id: str) -> Response:
        title = await titles.title(CONTENT_TYPES[kind], content_id)
        return form_page(request, kind, title, _filled(kind, title))

    @pages.post(_ONE, WorthWatch.CATALOG, keeps=FilmFacts)
    async def edit(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        title = await titles.title(CONTENT_TYPES[kind], content_id)
        model: Any = FilmFacts if kind == "film" else SeriesFacts

        async def save(wanted: Any) -> Response:
            after = await titles.edit(viewer, content_id, wanted)
            return redirect(_HOME if wanted.checked else title_path_of(after), flash=f"“{after.title}” is saved.")

        async def again(form: Parsed[Any]) -> Response:
            return form_page(request, kind, title, form)

        async def stored() -> Parsed[Any]:
            return _filled(kind, await titles.title(CONTENT_TYPES[kind], content_id))

        back = title_path_of(title)
        return await edited(request, model, save, again, stored, fields=_FACTS[kind], back=back, separated=_SEPARATED)

    def form_page(request: Request, kind: Kind, title: Title, form: Parsed[Any]) -> Response:
        return render(
            request,
            "worthwatch/edit_title.html",
            kind=kind,
            title=title,
            tile=tile_of_title(title),
            form=form,
            path=title_path_of(title),
        )

    @pages.get(f"{_ONE}/delete", WorthWatch.CATALOG)
    async def ask(request: Request, kind: Kind, content_id: str) -> Response:
        title = await titles.title(CONTENT_TYPES[kind], content_id)
        return confirm(
            request,
            f"Delete “{title.title}”?",
            "Nobody finds it any more. A title that lists use cannot be deleted: merge it instead.",
            button="Delete",
            keep=title_path_of(title),
        )

    @pages.post(f"{_ONE}/delete", WorthWatch.CATALOG)
    async def delete(viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        gone = await titles.delete(viewer, CONTENT_TYPES[kind], content_id)
        return redirect(_HOME, flash=f"“{gone.title}” is deleted.")

    @pages.get(f"{_ONE}/merge", WorthWatch.CATALOG)
    async def merge_form(
        request: Request,
        viewer: CurrentViewer,
        kind: Kind,
        content_id: str,
        into: Annotated[str, Query(max_length=100)] = "",
        q: Annotated[str, Query(max_length=200)] = "",
    ) -> Response:
        """Choose the other title, then look at both side by side."""
        content_type = CONTENT_TYPES[kind]
        title = await titles.title(content_type, content_id)
        same = title.maybe_same.partition("#")[2] if title.maybe_same else ""
        both = await merging.compare(content_type, content_id, into) if into else None
        found: Any = ()
        if both is None:
            wanted = Wanted(q or title.title)
            page = await service.finding.find(viewer, "films" if kind == "film" else "series", wanted, limit=12)
            found = [tile for tile in page.tiles if tile.id != content_id]
        return render(
            request,
            "worthwatch/merge.html",
            kind=kind,
            title=title,
            same=same,
            both=both,
            found=found,
            q=q or title.title,
            tile_of=tile_of_title,
        )

    @pages.post(f"{_ONE}/merge", WorthWatch.CATALOG)
    async def merge(
        viewer: CurrentViewer, kind: Kind, content_id: str, into: Annotated[str, Query(max_length=100)] = ""
    ) -> Response:
        job = await merging.begin(viewer, CONTENT_TYPES[kind], content_id, into)
        job = await service.kit.jobs.ended_within(job, _SHORT_SECONDS)
        if job.is_open or not job.result_path:
            return redirect(f"/jobs/{job.job_id}")
        return redirect(job.result_path, flash="Merged.")


def title_path_of(title: Title) -> str:
    return title_path(title.content_type, title.content_id, title.title)


def _filled(kind: Kind, title: Title) -> Parsed[Any]:
    model: Any = FilmFacts if kind == "film" else SeriesFacts
    form = filled(model, title, separated=_SEPARATED)
    form.values["version"] = title_version(title)
    return form


def _import_form(request: Request, problem: Problem | None = None) -> Response:
    form: Parsed[Any] = Parsed(None)
    if problem is not None:
        form = form.refused(problem if problem.errors else Invalid(FieldError("file", problem.detail)))
    return render(request, "worthwatch/catalog_import.html", refused=problem, form=form, most=MOST_BYTES)
