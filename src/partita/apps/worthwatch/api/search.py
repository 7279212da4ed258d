"""Search over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from partita.apps.worthwatch.api.lists import WatchlistSummary
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.finding import PREVIEW, Kind, Sort, Wanted
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, View

Words = Annotated[str, Query(max_length=200, description="Words; the last may be unfinished.")]
Type = Annotated[
    Literal["watchlist", "movie", "show", "curator"] | None,
    Query(description="Only these; without it, four of each."),
]
Genres = Annotated[list[str], Query(max_length=20, description="Titles of any of these genres.")]
Decades = Annotated[list[str], Query(max_length=20, description="Titles of any of these decades, such as `1990s`.")]
Runtime = Annotated[
    Literal["90", "120", "150", "longer"] | None, Query(description="Films of at most so many minutes, or longer ones.")
]
Unseen = Annotated[bool, Query(description="Only titles that you have not seen.")]
Sorted = Annotated[
    Sort, Query(description="Titles by fit (without words, most listed), most listed, average, or year, newest first.")
]
_KINDS: dict[str, Kind] = {"watchlist": "lists", "movie": "films", "show": "series", "curator": "curators"}


class FoundTitle(View):
    """A film or series that was found."""

    content_type: Annotated[str, From("type")]
    content_id: Annotated[str, From("id")]
    title: str
    year: int | None
    runtime: int | None
    genres: list[str]
    rating: Annotated[float | None, From("average")]
    seen: bool = Field(description="Whether you have.")


class FoundCurator(View):
    """A curator who was found."""

    user_id: str
    username: str
    bio: str | None
    follower_count: int
    watchlist_count: int


class FacetView(View):
    """A value of a filter, and how many titles one would see with it."""

    value: str
    count: int


class SearchView(View):
    """What was found, by kind."""

    watchlists: list[WatchlistSummary]
    movies: list[FoundTitle]
    shows: list[FoundTitle]
    curators: list[FoundCurator]
    totals: dict[str, int] = Field(description="How many there are of each.")
    facets: dict[str, list[FacetView]] = Field(description="Genres, decades and lengths of the titles, if asked alone.")
    next_cursor: str | None = Field(description="If one type was asked for.")


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    finding = service.finding

    @api.get("/search", Access.PUBLIC, response_model=SearchView, refuses=[400, 422])
    async def search(
        viewer: CurrentViewer,
        q: Words = "",
        type: Type = None,
        genre: Genres = [],  # noqa: B006 - FastAPI reads the default and leaves it alone
        decade: Decades = [],  # noqa: B006
        runtime: Runtime = None,
        unseen: Unseen = False,
        sort: Sorted = "fit",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Lists, films, series and curators by words and filters; by filters alone too."""
        wanted = Wanted(
            q, frozenset(genre), frozenset(decade), runtime or "", unseen=unseen and viewer.signed_in, sort=sort
        )
        kinds = list(_KINDS.values()) if type is None else [_KINDS[type]]
        found = {
            kind: await finding.find(
                viewer,
                kind,
                wanted,
                limit=PREVIEW if type is None else limit,
                cursor=None if type is None else cursor,
            )
            for kind in kinds
        }
        totals = await finding.totals(wanted)
        only = found[kinds[0]] if type is not None else None
        lists, films, series, people = (found.get(kind) for kind in _KINDS.values())
        answer: dict[str, Any] = {
            "watchlists": WatchlistSummary.each(
                lists.cards if lists else (), is_ranked=lambda card: bool(card.watchlist.is_ranked)
            ),
            "movies": FoundTitle.each(films.tiles if films else ()),
            "shows": FoundTitle.each(series.tiles if series else ()),
            "curators": FoundCurator.each(
                people.people if people else (),
                follower_count=lambda user: user.follower_count or 0,
                watchlist_count=lambda user: user.live_list_count or 0,
            ),
            "totals": {name: totals[kind] for name, kind in zip(_NAMES, _KINDS.values(), strict=True)},
            "facets": {name: FacetView.each(values) for name, values in (only.facets.items() if only else ())},
            "nextCursor": only.next_cursor if only else None,
        }
        return Json(answer)


_NAMES = ("watchlists", "movies", "shows", "curators")
