"""The demo's files, read into values: titles, people, lists and what people say about them.

Everything refers to titles, lists and comments by the ids of these files, to people by their usernames, and to moments
by how many days ago they were. A fact that is unknown is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

_FOLDER = Path(__file__).parent

ContentType = Literal["MOVIE", "SHOW"]
Days = Annotated[int, Field(ge=0, le=420)]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=50)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=5000)]
Year = Annotated[int, Field(ge=1870, le=2100)]


class _Entry(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)


class TitleTaste(_Entry):
    """How people take to a title, on average."""

    mean: float = Field(ge=1, le=10)
    spread: float = Field(gt=0, le=3)
    """How far they are apart."""
    known: int = Field(ge=1, le=10)
    """How many of them have seen it, compared with other titles."""


class Title(_Entry):
    """A film or a series."""

    id: str
    type: ContentType
    title: str = Field(min_length=1, max_length=300)
    days_ago: Days
    year: Year | None = None
    end_year: Year | None = None
    country: str | None = Field(default=None, pattern="^[A-Z]{2}$")
    """Where it was made for the most part, as ISO 3166 has it, or had it then."""
    genres: tuple[str, ...] = ()
    directors: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    runtime: int | None = Field(default=None, gt=0)
    seasons: int | None = Field(default=None, gt=0)
    episodes: int | None = Field(default=None, gt=0)
    status: Literal["ongoing", "ended", "cancelled"] | None = None
    other_titles: tuple[str, ...] = Field(default=(), max_length=10)
    imdb_id: str | None = Field(default=None, pattern=r"^tt\d{7,8}$")
    synopsis: Text | None = None
    taste: TitleTaste | None = None
    """Nobody rates a title without."""
    added_by: str | None = None
    unchecked: bool = False
    maybe_same: str | None = None
    """The id of a title that this one may be a duplicate of."""


class Person(_Entry):
    """Somebody with an account."""

    username: str = Field(pattern="^[a-z0-9-]{3,30}$")
    name: str = Field(min_length=3, max_length=30)
    email: str
    role: Literal["curator", "suspended", "applicant", "admin", "moderator", "librarian", "member", "nothing"]
    """`nothing` is a member who has just come."""
    days_ago: Days
    leaning: float = Field(ge=-2, le=2)
    """How much higher than others they rate."""
    appetite: int = Field(ge=0, le=150)
    """How many titles they have rated."""
    taste: dict[str, Annotated[int, Field(ge=-2, le=2)]]
    """Genre → how much they like it."""
    bio: str | None = Field(default=None, max_length=500)
    favourites: tuple[str, ...] = Field(default=(), max_length=4)


class ListItem(_Entry):
    """A title on a list."""

    title: str
    days_ago: Days
    note: str | None = Field(default=None, min_length=1, max_length=1000)
    note_spoils: bool = False


class TitleList(_Entry):
    """A watchlist, its titles in order."""

    id: str
    by: str
    title: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=1000)
    tags: tuple[Tag, ...] = Field(max_length=10)
    ranked: bool
    public: bool
    days_ago: Days
    items: tuple[ListItem, ...] = Field(max_length=1000)


class Review(_Entry):
    """A rating with words."""

    title: str
    by: str
    rating: int = Field(ge=1, le=10)
    body: Text
    days_ago: Days
    has_spoilers: bool = False


class Comment(_Entry):
    """What somebody says below a list, or in reply."""

    id: str
    list: str
    by: str
    body: Text
    days_ago: Days
    reply_to: str | None = None
    has_spoilers: bool = False


class Application(_Entry):
    """Somebody would like to be a curator."""

    by: str
    statement: str = Field(min_length=50, max_length=1000)
    links: tuple[str, ...] = Field(max_length=3)
    sample: str
    """The id of a private list of theirs."""
    days_ago: Days


class Report(_Entry):
    """Somebody asks moderators to look at something."""

    what: Literal["comment", "review", "list"]
    ref: str
    """The id of a comment or a list; of a review, `<title>/<by>`."""
    by: str
    reason: str = Field(min_length=1, max_length=1000)
    days_ago: Days


class ImportChoice(_Entry):
    """What somebody decided about a row; without a title, to leave it out."""

    row: int
    title: str | None


class ImportFile(_Entry):
    """A file that was uploaded and reviewed in part."""

    by: str
    file_name: str
    into: Literal["new list"]
    file: tuple[str, ...]
    """Its lines."""
    choices: tuple[ImportChoice, ...]
    days_ago: Days


class SavedList(_Entry):
    list: str
    days_ago: Days
    visited_days_ago: Days


class FollowedCurator(_Entry):
    curator: str
    days_ago: Days


class QueuedTitle(_Entry):
    title: str
    from_list: str
    days_ago: Days


class Viewing(_Entry):
    title: str
    days_ago: Days
    note: str | None = Field(default=None, min_length=1, max_length=500)
    rewatch: bool = False


class Shelves(_Entry):
    """What one person keeps."""

    by: str
    saved: tuple[SavedList, ...]
    follows: tuple[FollowedCurator, ...]
    to_watch: tuple[QueuedTitle, ...]
    viewings: tuple[Viewing, ...]


@dataclass(frozen=True)
class Texts:
    """All of the demo."""

    titles: tuple[Title, ...]
    people: tuple[Person, ...]
    lists: tuple[TitleList, ...]
    reviews: tuple[Review, ...]
    comments: tuple[Comment, ...]
    applications: tuple[Application, ...]
    reports: tuple[Report, ...]
    imports: tuple[ImportFile, ...]
    shelves: tuple[Shelves, ...]


E = TypeVar("E", bound=_Entry)


@cache
def demo_texts() -> Texts:
    """Read the files, once."""
    return Texts(
        titles=_entries("titles", Title),
        people=_entries("people", Person),
        lists=_entries("lists", TitleList),
        reviews=_entries("reviews", Review),
        comments=_entries("comments", Comment),
        applications=_entries("applications", Application),
        reports=_entries("reports", Report),
        imports=_entries("imports", ImportFile),
        shelves=_entries("shelves", Shelves),
    )


def _entries(name: str, kind: type[E]) -> tuple[E, ...]:
    entries = orjson.loads((_FOLDER / f"{name}.json").read_bytes())
    return tuple(kind.model_validate(entry) for entry in entries)
