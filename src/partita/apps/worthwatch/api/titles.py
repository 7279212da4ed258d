"""Films and series over HTTP: the document's movies and shows."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field
from starlette.responses import RedirectResponse, Response

from partita.apps.worthwatch.inputs import MovieEdit, NewMovie, NewShow, ShowEdit
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import ContentType
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.labels import Title
from partita.apps.worthwatch.service.titles import title_version
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View

_FOLDERS: dict[ContentType, str] = {"MOVIE": "movies", "SHOW": "shows"}
_CHANGES = [400, 404, 409, 422]


class TitleSummary(View):
    """A film or series named elsewhere."""

    content_type: ContentType
    content_id: str
    title: str
    year: int | None


class TitleView(TitleSummary):
    """What films and series have in common."""

    other_titles: list[str] = Field(description="What others call it.")
    genres: list[str]
    cast: list[str]
    synopsis: str | None
    poster_url: str | None
    tmdb_id: str | None
    imdb_id: str | None
    rating: float | None = Field(description="The average of all ratings, from 1 to 10.")
    rating_count: int
    ratings: Annotated[list[int], From("histogram")] = Field(description="How many people gave 1, 2, … 10.")
    listed_in: int = Field(description="How many list items use it, on private lists too.")
    checked: bool = Field(description="Whether a librarian has looked at it.")
    created_at: str
    updated_at: str
    version: str = Field(description="Send it with an edit to have the edit refused if somebody else was faster.")


class MovieView(TitleView):
    """A film."""

    movie_id: str
    release_year: int | None
    directors: list[str]
    runtime: int | None = Field(description="In minutes.")


class ShowView(TitleView):
    """A series."""

    show_id: str
    start_year: int | None
    end_year: int | None
    creators: list[str]
    number_of_seasons: int | None
    number_of_episodes: int | None
    status: str | None


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    titles = service.titles

    async def one(content_type: ContentType, content_id: str) -> Response:
        try:
            return Json(title_json(await titles.title(content_type, content_id)))
        except NotFound:
            went = await service.reasons.merged_into(content_type, content_id)
            if went is None:
                raise
            return RedirectResponse(_where(*went), 308)

    @api.get("/movies", Access.PUBLIC, response_model=ListOf[MovieView], refuses=[400, 422])
    async def movies(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Films, newest in the catalog first."""
        page = await titles.newest("MOVIE", limit=limit, cursor=cursor)
        return Json({"items": list(map(title_json, page)), "next_cursor": page.next_cursor})

    @api.get("/shows", Access.PUBLIC, response_model=ListOf[ShowView], refuses=[400, 422])
    async def shows(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Series, newest in the catalog first."""
        page = await titles.newest("SHOW", limit=limit, cursor=cursor)
        return Json({"items": list(map(title_json, page)), "next_cursor": page.next_cursor})

    @api.post("/movies", Access.SIGNED_IN, status_code=201, response_model=MovieView, refuses=[403, 409, 422])
    async def add_movie(viewer: CurrentViewer, new: NewMovie) -> Json:
        """Add a film: librarians and approved curators. What a curator adds waits for a librarian's look."""
        return _created(await titles.add(viewer, new))

    @api.post("/shows", Access.SIGNED_IN, status_code=201, response_model=ShowView, refuses=[403, 409, 422])
    async def add_show(viewer: CurrentViewer, new: NewShow) -> Json:
        """Add a series: librarians and approved curators. What a curator adds waits for a librarian's look."""
        return _created(await titles.add(viewer, new))

    @api.get("/movies/{movie_id}", Access.PUBLIC, response_model=MovieView, refuses=[404])
    async def movie(movie_id: str) -> Response:
        """A film. The address of one that was merged into another leads there (308)."""
        return await one("MOVIE", movie_id)

    @api.get("/shows/{show_id}", Access.PUBLIC, response_model=ShowView, refuses=[404])
    async def show(show_id: str) -> Response:
        """A series. The address of one that was merged into another leads there (308)."""
        return await one("SHOW", show_id)

    @api.patch("/movies/{movie_id}", WorthWatch.CATALOG, response_model=MovieView, refuses=_CHANGES)
    async def edit_movie(viewer: CurrentViewer, movie_id: str, edit: MovieEdit) -> Json:
        """Mend the facts of a film; fields that are left out stay as they are."""
        return Json(title_json(await titles.edit(viewer, movie_id, edit)))

    @api.patch("/shows/{show_id}", WorthWatch.CATALOG, response_model=ShowView, refuses=_CHANGES)
    async def edit_show(viewer: CurrentViewer, show_id: str, edit: ShowEdit) -> Json:
        """Mend the facts of a series; fields that are left out stay as they are."""
        return Json(title_json(await titles.edit(viewer, show_id, edit)))

    @api.delete("/movies/{movie_id}", WorthWatch.CATALOG, status_code=204, refuses=[404, 409])
    async def delete_movie(viewer: CurrentViewer, movie_id: str) -> None:
        """Delete a film that no list uses."""
        await titles.delete(viewer, "MOVIE", movie_id)

    @api.delete("/shows/{show_id}", WorthWatch.CATALOG, status_code=204, refuses=[404, 409])
    async def delete_show(viewer: CurrentViewer, show_id: str) -> None:
        """Delete a series that no list uses."""
        await titles.delete(viewer, "SHOW", show_id)


def title_json(title: Title) -> dict[str, Any]:
    """A film or series as it leaves."""
    view = MovieView if title.content_type == "MOVIE" else ShowView
    return view.of(
        title,
        other_titles=list(title.other_titles or ()),
        cast=list(title.cast or ()),
        rating=average_of(title),
        rating_count=title.rating_count or 0,
        listed_in=title.listed_in or 0,
        checked=title.feed is None,
        version=title_version(title),
    )


def average_of(title: Title) -> float | None:
    """The average as a number."""
    return None if title.rating is None else float(title.rating)


def _created(title: Title) -> Json:
    return Json(title_json(title), 201, {"Location": _where(title.content_type, title.content_id)})


def _where(content_type: ContentType, content_id: str) -> str:
    return f"/api/worthwatch/{_FOLDERS[content_type]}/{quote(content_id, safe='')}"
