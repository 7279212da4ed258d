"""Titles as others name them: how they are read, and what grids, covers and favourites copy of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import (
    ContentType,
    Label,
    Mine,
    Movie,
    Queued,
    Show,
    TitleRef,
    Viewing,
    WatchlistItem,
)
from partita.apps.worthwatch.service.posters import Poster, poster_digest, poster_tint
from partita.store.store import AsyncStore
from partita.table import Get, Key, KeyPartError

Title: TypeAlias = Movie | Show
Ref: TypeAlias = tuple[ContentType, str]
"""Which film or series: its type and its id."""


def title_get(content_type: ContentType, content_id: str) -> Get[Any]:
    """How a title is read."""
    return schema.movie(content_id) if content_type == "MOVIE" else schema.show(content_id)


def title_key(content_type: ContentType, content_id: str) -> Key[Any]:
    """The key of a title, for counting on it; films and series have the same attributes for that."""
    if content_type == "MOVIE":
        return Movie.key(Movie.movie_id(content_id))
    return Show.key(Show.show_id(content_id))


async def titles_by_ref(store: AsyncStore, refs: Iterable[Ref], *, consistent: bool = False) -> dict[Ref, Title]:
    """Titles, many at once and in that order; those that do not exist are left out."""
    keys: dict[Ref, Key[Any]] = {}
    for ref in dict.fromkeys(refs):
        try:
            keys[ref] = title_key(*ref)
        except KeyPartError:
            continue
    titles = await store.batch_get(list(keys.values()), consistent=consistent) if keys else []
    return {ref: title for ref, title in zip(keys, titles, strict=True) if title is not None}


def ref_of(thing: Title | WatchlistItem | Mine | Queued | Viewing) -> Ref:
    """Which title it is, or is about."""
    return thing.content_type, thing.content_id


def poster_of(title: Title) -> Poster:
    """What its poster is made of."""
    return Poster(
        title.content_type,
        title.content_id,
        title.title,
        title.year,
        title.genres,
        title.directors if isinstance(title, Movie) else (),
        None if isinstance(title, Movie) else title.number_of_seasons,
    )


def tint_of(content_type: ContentType, content_id: str, genres: tuple[str, ...]) -> int:
    """The number of its poster's hue, for which three genres are enough."""
    return poster_tint(Poster(content_type, content_id, "", None, genres))


def label_of(title: Title) -> Label:
    """What a poster in a grid says of it."""
    runtime = title.runtime if isinstance(title, Movie) else None
    return Label(
        title=title.title,
        year=title.year,
        runtime=runtime,
        genres=title.genres[:3],
        poster=poster_digest(poster_of(title)),
        picture=title.picture,
    )


def named_as(title: Title) -> TitleRef:
    """The title on a cover or among favourites."""
    return named_by(title.content_type, title.content_id, label_of(title))


def named_by(content_type: ContentType, content_id: str, label: Label) -> TitleRef:
    """The same, from what a list knows of it."""
    return TitleRef(
        type=content_type,
        id=content_id,
        title=label.title,
        year=label.year,
        poster=label.poster,
        tint=tint_of(content_type, content_id, label.genres),
        picture=label.picture,
    )
