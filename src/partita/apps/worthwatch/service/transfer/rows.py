"""A row of somebody's file: which title it means, and what it says of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from partita.apps.worthwatch.schema import ContentType

Kind = Literal[
    "letterboxd-list",
    "letterboxd-watched",
    "letterboxd-ratings",
    "letterboxd-diary",
    "letterboxd-reviews",
    "letterboxd-watchlist",
    "letterboxd-zip",
    "letterboxd-import",
    "imdb-list",
    "imdb-ratings",
]
NAMES: dict[str, str] = {
    "letterboxd-list": "A list from Letterboxd",
    "letterboxd-watched": "Watched films from Letterboxd",
    "letterboxd-ratings": "Ratings from Letterboxd",
    "letterboxd-diary": "A diary from Letterboxd",
    "letterboxd-reviews": "Reviews from Letterboxd",
    "letterboxd-watchlist": "A watchlist from Letterboxd",
    "letterboxd-zip": "All data from Letterboxd",
    "letterboxd-import": "History as Letterboxd imports it",
    "imdb-list": "A list from IMDb",
    "imdb-ratings": "Ratings from IMDb",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A title as a file has it."""

    number: int
    """Its line, counted from 1 without what stands above the titles."""
    name: str
    year: int | None = None
    type: ContentType | None = None
    """Not known from Letterboxd, where some series are films."""
    imdb: str | None = None
    tmdb: str | None = None
    note: str = ""
    seen: bool = False
    queued: bool = False
    rating: int | None = None
    """Of ten."""
    day: str | None = None
    """When it was logged or rated."""
    review: str = ""
    viewings: tuple[tuple[str, bool], ...] = field(default=())
    """Days, and whether it was seen before."""
    aside: str = ""
    """Why it is not imported: an episode, a game."""

    def joined(self, other: Row) -> Row:
        """What two files say of one title; what this one says counts."""
        return replace(
            self,
            seen=self.seen or other.seen,
            queued=self.queued and other.queued,
            rating=self.rating if self.rating is not None else other.rating,
            day=self.day or other.day,
            review=self.review or other.review,
            viewings=tuple(dict(sorted({**dict(other.viewings), **dict(self.viewings)}.items())).items()),
        )

    @property
    def plain(self) -> dict[str, Any]:
        """As it is stored: without what it does not say."""
        said = {name: value for name, value in asdict(self).items() if value not in (None, "", False, ())}
        return {**said, "viewings": [list(each) for each in self.viewings]} if self.viewings else said

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Row:
        given = dict(plain)
        viewings = tuple((str(day), bool(again)) for day, again in given.pop("viewings", ()))
        numbers = {name: int(given[name]) for name in ("number", "year", "rating") if given.get(name) is not None}
        return cls(**{**given, "name": given.get("name", ""), **numbers, "viewings": viewings})
