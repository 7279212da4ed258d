"""The search indexes of WorthWatch: films, series, live lists and approved curators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import tag_key
from partita.apps.worthwatch.schema import Movie, Show, User, Watchlist
from partita.kit.search import Catalog, Document

LENGTHS = (90, 120, 150)
"""Films of at most so many minutes are found together; `longer` are the others."""
LONGER = "longer"
ENOUGH_RATINGS = 5
"""With fewer there is no average to sort by, as there is none on pages."""

_TITLE_WEIGHTS = {"title": 10.0, "other_titles": 8.0, "makers": 4.0, "actors": 3.0, "genres": 2.0, "synopsis": 1.0}
_TITLE_FILTERS = ("genre", "decade", "length", "lacks")
_TITLE_SORTS = ("listed", "average", "year")


def decade_of(year: int) -> str:
    """1994 belongs to `1990s`."""
    return f"{year // 10 * 10}s"


def lengths_of(minutes: int | None) -> tuple[str, ...]:
    """The lengths that a film is found by: one of 80 minutes has at most 90, 120 and 150."""
    if not minutes:
        return ()
    return tuple(str(most) for most in LENGTHS if minutes <= most) or (LONGER,)


def lacks(title: Movie | Show) -> tuple[str, ...]:
    """The facts that nobody knows yet, for librarians."""
    known: dict[str, object] = {"year": title.year, "genres": title.genres, "synopsis": title.synopsis}
    if isinstance(title, Movie):
        known |= {"length": title.runtime, "makers": title.directors}
    else:
        known |= {"seasons": title.number_of_seasons, "makers": title.creators}
    return tuple(name for name, value in known.items() if not value)


def _title(title: Movie | Show, makers: Iterable[str], length: tuple[str, ...]) -> Document:
    rated = (title.rating_count or 0) >= ENOUGH_RATINGS and title.rating is not None
    filters: dict[str, str | tuple[str, ...]] = {"genre": title.genres, "length": length}
    if title.year is not None:
        filters["decade"] = decade_of(title.year)
    filters["lacks"] = lacks(title)
    return Document(
        id=title.content_id,
        fields={
            "title": title.title,
            "other_titles": " · ".join(title.other_titles or ()),
            "makers": " · ".join(makers),
            "actors": " · ".join(title.cast or ()),
            "genres": " · ".join(title.genres),
            "synopsis": title.synopsis or "",
        },
        filters=filters,
        sorts={
            "listed": title.listed_in or 0,
            "average": float(title.rating) if rated else None,
            "year": title.year,
        },
    )


def _film(film: Movie) -> Document:
    return _title(film, film.directors, lengths_of(film.runtime))


def _series(series: Show) -> Document:
    return _title(series, series.creators, ())


def _list(watchlist: Watchlist) -> Document | None:
    """Lists that are not live cannot be found."""
    if not watchlist.live:
        return None
    return Document(
        id=watchlist.watchlist_id,
        fields={
            "title": watchlist.title,
            "tags": " · ".join(watchlist.tags),
            "description": watchlist.description,
            "titles": " · ".join(each.title for each in watchlist.cover_items or ()),
        },
        filters={"tag": tuple(dict.fromkeys(map(tag_key, watchlist.tags)))},
        sorts={"published_at": watchlist.published_at},
    )


def _curator(user: User) -> Document | None:
    """Members and suspended curators cannot be found."""
    if not user.approved:
        return None
    return Document(
        id=user.user_id,
        fields={"name": user.username, "bio": user.bio or ""},
        sorts={"followers": user.follower_count or 0},
    )


FILMS: Catalog[Movie] = Catalog(
    name="worthwatch.films",
    title="films of WorthWatch",
    item_type=Movie,
    document=_film,
    weights=_TITLE_WEIGHTS,
    sources=(schema.all_movies(),),
    filters=_TITLE_FILTERS,
    sorts=_TITLE_SORTS,
    order="-listed",
)
SERIES: Catalog[Show] = Catalog(
    name="worthwatch.series",
    title="series of WorthWatch",
    item_type=Show,
    document=_series,
    weights=_TITLE_WEIGHTS,
    sources=(schema.all_shows(),),
    filters=_TITLE_FILTERS,
    sorts=_TITLE_SORTS,
    order="-listed",
)
LISTS: Catalog[Watchlist] = Catalog(
    name="worthwatch.lists",
    title="watchlists of WorthWatch",
    item_type=Watchlist,
    document=_list,
    weights={"title": 10.0, "tags": 5.0, "titles": 3.0, "description": 2.0},
    sources=(schema.live_lists(),),
    filters=("tag",),
    sorts=("published_at",),
    order="-published_at",
)
CURATORS: Catalog[User] = Catalog(
    name="worthwatch.curators",
    title="curators of WorthWatch",
    item_type=User,
    document=_curator,
    weights={"name": 10.0, "bio": 2.0},
    sources=(schema.curators("approved"),),
    sorts=("followers",),
    order="-followers",
)
CATALOGS: tuple[Catalog[Any], ...] = (FILMS, SERIES, LISTS, CURATORS)
