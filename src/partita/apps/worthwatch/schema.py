"""WorthWatch in one table: users, watchlists and their items, movies, shows, and what people do with them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field, StringConstraints

from partita.apps.worthwatch.formats import (
    MOST_POSITION_DIGITS,
    comment_name,
    content_name,
    digest_weekday,
    log_day,
    picture_in,
    rating_in,
    taste,
)
from partita.table import (
    Aggregate,
    Attribute,
    BatchGet,
    Get,
    Guard,
    Item,
    Query,
    Table,
    access_pattern,
    attribute,
    camel_case,
    collection,
    derived,
    key_part,
    number,
)
from partita.table.types import Day, ExpiresAt, Timestamp

WORTHWATCH = Table(
    "worthwatch",
    pk="PK",
    sk="SK",
    ttl="expiresAt",
    purpose="Everything of the platform, entity type and id in the key.",
    names=camel_case,
)

EMAIL = WORTHWATCH.index("GSI1", pk="email", purpose="Look up users by email address")
BY_CURATOR = WORTHWATCH.index(
    "GSI2", pk="curatorId", sk="createdAt", purpose="All watchlists created by a curator, by creation date"
)
PUBLIC = WORTHWATCH.index(
    "GSI3", pk="isPublicStr", sk="createdAt", purpose="All public watchlists, by creation date (for discovery)"
)
BY_TYPE = WORTHWATCH.index(
    "GSI4", pk="entityType", sk="createdAt", projection="KEYS_ONLY", purpose="All entities of a specific type"
)
BY_CONTENT = WORTHWATCH.index(
    "byContent",
    pk="listedContent",
    sk="PK",
    projection="KEYS_ONLY",
    purpose="What refers to a title, for merging and labels: list items, private ones too; Mine; viewings",
)
CONTENT_RATINGS = WORTHWATCH.index(
    "contentRatings",
    pk="ratedContent",
    sk="ratedAt",
    purpose="Ratings of a title that everybody may see: with a review, or of a curator",
)
BY_POSITION = WORTHWATCH.index("byPosition", pk="positionIn", sk="positionKey", purpose="A list's items in their order")
CURATORS = WORTHWATCH.index("curators", pk="curatorStatus", sk="createdAt", purpose="Applications and curators")
SAVERS = WORTHWATCH.index("savers", pk="savedWatchlist", sk="savedAt", purpose="Who saved a list, to be told of news")
SHELVES = WORTHWATCH.index("shelves", pk="shelf", sk="shelvedAt", purpose="One person's things of a kind, newest first")
FEEDS = WORTHWATCH.index("feeds", pk="feed", sk="feedAt", purpose="Lists for many readers, and queues of work: sparse")
TASTES = WORTHWATCH.index(
    "tasteOf",
    pk="PK",
    sk=number("taste"),
    projection="KEYS_ONLY",
    purpose="One person's ratings, newest first, each in a few bytes: two tastes side by side",
    replaces=("tastes",),  # its entries were twice as large
)

_OF_A_TYPE = "GSI4: Query all entities of a specific type"

ContentType = Literal["MOVIE", "SHOW"]
POSTERS, AVATARS, COVERS = "worthwatch/posters", "worthwatch/avatars", "worthwatch/covers"
"""The folders of uploaded pictures in the file store."""
ListTag = Annotated[str, StringConstraints(min_length=1, max_length=50)]
OtherTitle = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Curating = Literal["pending", "approved", "suspended"]
Weekday = Literal[0, 1, 2, 3, 4, 5, 6]


class TitleRef(BaseModel):
    """A title named elsewhere: on the cover of a list, among somebody's favourites."""

    type: ContentType
    id: str
    title: str = Field(max_length=300)
    year: int | None = None
    poster: str | None = None
    """The digest in its poster's address."""
    tint: int | None = None
    """The number of its poster's hue."""
    picture: str | None = None
    """The file of its uploaded poster."""


class Label(BaseModel):
    """What a poster in a grid says of its title, copied so that no grid reads its titles."""

    title: str = Field(max_length=300)
    year: int | None = None
    runtime: int | None = None
    genres: tuple[str, ...] = Field(default=(), max_length=3)
    poster: str | None = None
    """The digest in its poster's address."""
    picture: str | None = None
    """The file of its uploaded poster."""


# 1. User
class User(Item, table=WORTHWATCH, pk="USER#{user_id}", sk="PROFILE", keys={"feedAt": "{user_id}"}):
    """A user account in the WorthWatch platform."""

    entity_type: Attribute[Literal["USER"]] = attribute(default="USER")
    user_id: Attribute[str]
    email: Attribute[str]
    username: Attribute[str] = attribute(min_length=3, max_length=30)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    bio: Attribute[str | None] = attribute(default=None, max_length=500)
    avatar_url: Attribute[str | None] = attribute(default=None)
    """Of another site: kept, and never loaded."""
    avatar_file: Attribute[str | None] = attribute(default=None)
    """The file that they uploaded."""
    is_curator: Attribute[bool] = attribute(default=False)
    curator_status: Attribute[Curating | None] = attribute(default=None)
    favourites: Attribute[tuple[TitleRef, ...] | None] = attribute(default=None, max_length=4)
    follower_count: Attribute[int | None] = attribute(default=None, ge=0)
    live_list_count: Attribute[int | None] = attribute(default=None, ge=0)
    mail: Attribute[Literal["never", "weekly"] | None] = attribute(default=None)
    digest_week: Attribute[str | None] = attribute(default=None)
    """The last week whose digest was mailed, such as `2026-W21`."""
    hide_averages: Attribute[bool | None] = attribute(default=None)
    updated_by: Attribute[str | None] = attribute(default=None)
    feed: Attribute[str | None] = derived(
        lambda mail, user_id: f"DIGEST#{digest_weekday(user_id)}" if mail == "weekly" else None
    )
    adopted: Attribute[bool] = derived(lambda: True)
    """Whether its email is guarded; not stored if another program wrote it, until it is adopted."""

    @property
    def approved(self) -> bool:
        """Whether they may publish."""
        return self.curator_status == "approved"

    @property
    def face(self) -> str | None:
        """The file of their face; without one it is drawn."""
        return picture_in(AVATARS, self.avatar_file)


@access_pattern(
    "Get user by ID",
    WORTHWATCH,
    documented="Get user by ID: Query PK = USER#<userId> AND SK = PROFILE",
    user_id="u1",
)
def user(user_id: str) -> Get[User]:
    return User.get(User.user_id(user_id))


@access_pattern(
    "Get user by email",
    WORTHWATCH,
    documented="Get user by email: GSI on email (GSI1)",
    email="john@example.com",
)
def user_with_email(email: str) -> Query[User]:
    return User.query(EMAIL, User.email(email))


@access_pattern("All users (GSI4 holds keys; the items are read by key)", WORTHWATCH, documented=_OF_A_TYPE)
def all_users() -> Query[User]:
    return User.query(BY_TYPE, User.entity_type("USER")).newest_first()


@access_pattern("Curators by status", WORTHWATCH, documented=False, status="pending")
def curators(status: Curating) -> Query[User]:
    return User.query(CURATORS, User.curator_status(status))


@access_pattern("People by their ids", WORTHWATCH, documented=False, user_ids=tuple(f"u{n}" for n in range(10, 35)))
def people_by_id(user_ids: tuple[str, ...]) -> BatchGet[User]:
    return BatchGet(tuple(User.key(User.user_id(user_id)) for user_id in user_ids))


@access_pattern("Who gets a digest on a weekday (0 is Monday)", WORTHWATCH, documented=False, weekday=3)
def digest_readers(weekday: Weekday) -> Query[User]:
    return User.query(FEEDS, User.feed(f"DIGEST#{weekday}"))


# 2. Watchlist
class Watchlist(
    Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="METADATA", keys={"feedAt": "{published_at}"}
):
    """A curated collection of movies and shows created by a curator."""

    entity_type: Attribute[Literal["WATCHLIST"]] = attribute(default="WATCHLIST")
    watchlist_id: Attribute[str]
    curator_id: Attribute[str]
    title: Attribute[str] = attribute(min_length=1, max_length=200)
    description: Attribute[str] = attribute(default="", max_length=1000)
    cover_image_url: Attribute[str | None] = attribute(default=None)
    """Of another site: kept, and never loaded."""
    cover_file: Attribute[str | None] = attribute(default=None)
    """The file that its curator uploaded."""
    is_public: Attribute[bool] = attribute(default=True)
    is_public_str: Attribute[Literal["true", "false"]] = derived(lambda is_public: "true" if is_public else "false")
    tags: Attribute[tuple[ListTag, ...]] = attribute(default=(), max_length=10)
    item_count: Attribute[int] = attribute(default=0, ge=0, le=1000)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    secret_link: Attribute[str | None] = attribute(default=None)
    hidden: Attribute[bool | None] = attribute(default=None)
    """Its curator is suspended: the public does not see it, whatever `is_public` says."""
    published_at: Attribute[Timestamp | None] = attribute(default=None)
    """The first time that it went live; stays when it is taken back."""
    is_ranked: Attribute[bool | None] = attribute(default=None)
    last_item_at: Attribute[Timestamp | None] = attribute(default=None)
    cover_items: Attribute[tuple[TitleRef, ...] | None] = attribute(default=None, max_length=5)
    """Its first titles; follows the items by the change stream."""
    cloned_from: Attribute[str | None] = attribute(default=None)
    updated_by: Attribute[str | None] = attribute(default=None)
    feed: Attribute[Literal["LIVE"] | None] = attribute(default=None)
    """Written together with the pointers, tag totals and counts of a list that goes live, or ends that."""
    adopted: Attribute[bool] = derived(lambda: True)
    """Whether pointers and totals know it; not stored if another program wrote it, until it is adopted."""

    @property
    def cover(self) -> str | None:
        """The file of its cover; without one its first posters are shown."""
        return picture_in(COVERS, self.cover_file)

    @property
    def live(self) -> bool:
        """Whether it is in feeds, pointers and totals."""
        return self.feed is not None

    @property
    def should_be_live(self) -> bool:
        """Public, not hidden and not empty."""
        return self.is_public and not self.hidden and self.item_count > 0


@access_pattern(
    "Get watchlist by ID",
    WORTHWATCH,
    documented="Get watchlist by ID: Query PK = WATCHLIST#<watchlistId> AND SK = METADATA",
    watchlist_id="w1",
)
def watchlist(watchlist_id: str) -> Get[Watchlist]:
    return Watchlist.get(Watchlist.watchlist_id(watchlist_id))


@access_pattern(
    "Get watchlists by curator",
    WORTHWATCH,
    documented="Get watchlists by curator: GSI on curatorId (GSI2)",
    curator_id="u1",
)
def watchlists_of(curator_id: str) -> Query[Watchlist]:
    return Watchlist.query(BY_CURATOR, Watchlist.curator_id(curator_id)).newest_first()


@access_pattern(
    "List all public watchlists",
    WORTHWATCH,
    documented="List all public watchlists: GSI on isPublicStr + createdAt (GSI3)",
)
def public_watchlists() -> Query[Watchlist]:
    return Watchlist.query(PUBLIC, Watchlist.is_public_str("true")).newest_first()


@access_pattern("All watchlists, public or not", WORTHWATCH, documented=_OF_A_TYPE)
def all_watchlists() -> Query[Watchlist]:
    return Watchlist.query(BY_TYPE, Watchlist.entity_type("WATCHLIST")).newest_first()


@access_pattern("Live lists, newest first", WORTHWATCH, documented=False)
def live_lists() -> Query[Watchlist]:
    return Watchlist.query(FEEDS, Watchlist.feed("LIVE")).newest_first()


@access_pattern("Live lists, oldest first", WORTHWATCH, documented=False)
def oldest_live_lists() -> Query[Watchlist]:
    return Watchlist.query(FEEDS, Watchlist.feed("LIVE"))


@access_pattern("Lists by their ids", WORTHWATCH, documented=False, watchlist_ids=tuple(f"w{n}" for n in range(10, 35)))
def watchlists_by_id(watchlist_ids: tuple[str, ...]) -> BatchGet[Watchlist]:
    return BatchGet(tuple(Watchlist.key(Watchlist.watchlist_id(watchlist_id)) for watchlist_id in watchlist_ids))


# 3. Watchlist items (movie/show references)
class WatchlistItem(
    Item,
    table=WORTHWATCH,
    pk="WATCHLIST#{watchlist_id}",
    sk="ITEM#{content_type}#{content_id}",
    keys={
        "listedContent": "{content_type}#{content_id}",
        "positionIn": "WATCHLIST#{watchlist_id}",
        "positionKey": f"{{position:0{MOST_POSITION_DIGITS}}}#{{content_type}}#{{content_id}}",
        "feed": "ON#{content_type}#{content_id}",
        "feedAt": "{live_since}",
    },
):
    """A movie or show on a watchlist, with its place and the curator's note."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["WATCHLIST_ITEM"]] = attribute(default="WATCHLIST_ITEM")
    content_type: Attribute[ContentType]
    content_id: Attribute[str]
    position: Attribute[int] = attribute(ge=0)
    curator_note: Attribute[str | None] = attribute(default=None, max_length=1000)
    added_at: Attribute[Timestamp]
    label: Attribute[Label | None] = attribute(default=None)
    """Copied from the title; follows it by the change stream."""
    note_spoils: Attribute[bool | None] = attribute(default=None)
    live_since: Attribute[Timestamp | None] = attribute(default=None)
    """`publishedAt` of its list while that is live; follows it by the change stream, so readers check the list."""
    counted: Attribute[bool] = derived(lambda: True)
    """Whether list and title have counted it; not stored if another program wrote it, until it is adopted."""


@access_pattern(
    "Get all items in a watchlist",
    WORTHWATCH,
    documented="Get all items in a watchlist: Query PK = WATCHLIST#<watchlistId> AND SK BEGINS_WITH ITEM#",
    watchlist_id="w1",
)
def items_of(watchlist_id: str) -> Query[WatchlistItem]:
    return WatchlistItem.query(WatchlistItem.watchlist_id(watchlist_id))


@access_pattern(
    "Get specific item",
    WORTHWATCH,
    documented="Get specific item: Query PK = WATCHLIST#<watchlistId> AND SK = ITEM#<type>#<id>",
    watchlist_id="w1",
    content_type="MOVIE",
    content_id="tt1",
)
def item_of(watchlist_id: str, content_type: ContentType, content_id: str) -> Get[WatchlistItem]:
    return WatchlistItem.get(
        WatchlistItem.watchlist_id(watchlist_id),
        WatchlistItem.content_type(content_type),
        WatchlistItem.content_id(content_id),
    )


@access_pattern("A watchlist's items in position order", WORTHWATCH, documented=False, watchlist_id="w1")
def items_in_order(watchlist_id: str) -> Query[WatchlistItem]:
    return WatchlistItem.query(BY_POSITION, WatchlistItem.watchlist_id(watchlist_id))


@access_pattern("Lists a title is on", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1")
def lists_with(content_type: ContentType, content_id: str) -> Query[WatchlistItem]:
    return WatchlistItem.query(
        BY_CONTENT, WatchlistItem.content_type(content_type), WatchlistItem.content_id(content_id)
    )


# What was taken off a list, for a day, so that it can come back with its note and its place.
class RemovedItem(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="REMOVED#{content_type}#{content_id}"):
    """A title that was taken off a list a short while ago."""

    watchlist_id: Attribute[str] = key_part()
    content_type: Attribute[ContentType] = key_part()
    content_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["REMOVED_ITEM"]] = attribute(default="REMOVED_ITEM")
    position: Attribute[int] = attribute(ge=0)
    curator_note: Attribute[str | None] = attribute(default=None, max_length=1000)
    note_spoils: Attribute[bool | None] = attribute(default=None)
    expires_at: Attribute[ExpiresAt]


@access_pattern(
    "What was removed from a list",
    WORTHWATCH,
    documented=False,
    watchlist_id="w1",
    content_type="MOVIE",
    content_id="tt1",
)
def removed_item(watchlist_id: str, content_type: ContentType, content_id: str) -> Get[RemovedItem]:
    return RemovedItem.get(
        RemovedItem.watchlist_id(watchlist_id),
        RemovedItem.content_type(content_type),
        RemovedItem.content_id(content_id),
    )


@access_pattern("Everything that was removed from a list", WORTHWATCH, documented=False, watchlist_id="w1")
def removed_items(watchlist_id: str) -> Query[RemovedItem]:
    return RemovedItem.query(RemovedItem.watchlist_id(watchlist_id))


@access_pattern("A watchlist's items from its end", WORTHWATCH, documented=False, watchlist_id="w1")
def items_from_the_end(watchlist_id: str) -> Query[WatchlistItem]:
    return WatchlistItem.query(BY_POSITION, WatchlistItem.watchlist_id(watchlist_id)).descending()


@access_pattern("Live lists with a title", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1")
def live_items_with(content_type: ContentType, content_id: str) -> Query[WatchlistItem]:
    title = WatchlistItem.content_type(content_type), WatchlistItem.content_id(content_id)
    return WatchlistItem.query(FEEDS, *title).newest_first()


# 4. Movie
class Movie(Item, table=WORTHWATCH, pk="MOVIE#{movie_id}", sk="METADATA", keys={"feedAt": "{created_at}"}):
    """A movie in the platform."""

    entity_type: Attribute[Literal["MOVIE"]] = attribute(default="MOVIE")
    movie_id: Attribute[str]
    title: Attribute[str] = attribute(min_length=1, max_length=300)
    release_year: Attribute[int | None] = attribute(default=None, ge=1870, le=2100)
    genres: Attribute[tuple[str, ...]] = attribute(default=())
    directors: Attribute[tuple[str, ...]] = attribute(default=())
    cast: Attribute[tuple[str, ...] | None] = attribute(default=None)
    synopsis: Attribute[str | None] = attribute(default=None, max_length=5000)
    poster_url: Attribute[str | None] = attribute(default=None)
    """Of another site: kept, and never loaded."""
    poster_file: Attribute[str | None] = attribute(default=None)
    """The file that a librarian uploaded."""
    runtime: Attribute[int | None] = attribute(default=None, ge=0)
    rating: Attribute[Any] = attribute(default=None)
    rating_count: Attribute[int | None] = attribute(default=None, ge=0)
    rating_sum: Attribute[int | None] = attribute(default=None, ge=0)
    tmdb_id: Attribute[str | None] = attribute(default=None)
    imdb_id: Attribute[str | None] = attribute(default=None)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    rated_1: Attribute[int | None] = attribute(default=None, ge=0)
    rated_2: Attribute[int | None] = attribute(default=None, ge=0)
    rated_3: Attribute[int | None] = attribute(default=None, ge=0)
    rated_4: Attribute[int | None] = attribute(default=None, ge=0)
    rated_5: Attribute[int | None] = attribute(default=None, ge=0)
    rated_6: Attribute[int | None] = attribute(default=None, ge=0)
    rated_7: Attribute[int | None] = attribute(default=None, ge=0)
    rated_8: Attribute[int | None] = attribute(default=None, ge=0)
    rated_9: Attribute[int | None] = attribute(default=None, ge=0)
    rated_10: Attribute[int | None] = attribute(default=None, ge=0)
    listed_in: Attribute[int | None] = attribute(default=None, ge=0)
    """How many list items use it, on private lists too."""
    other_titles: Attribute[tuple[OtherTitle, ...] | None] = attribute(default=None, max_length=10)
    checked_at: Attribute[Timestamp | None] = attribute(default=None)
    maybe_same: Attribute[str | None] = attribute(default=None)
    """`MOVIE#…` or `SHOW#…` of a title with its name and nearly its year."""
    updated_by: Attribute[str | None] = attribute(default=None)
    feed: Attribute[Literal["UNCHECKED"] | None] = attribute(default=None)
    """Until a librarian has looked at what a curator added."""
    adopted: Attribute[bool] = derived(lambda: True)
    """Whether names and guards know it; not stored if another program wrote it, until it is adopted."""

    content_type: ClassVar[ContentType] = "MOVIE"

    @property
    def content_id(self) -> str:
        return self.movie_id

    @property
    def year(self) -> int | None:
        return self.release_year

    @property
    def picture(self) -> str | None:
        """The file of its uploaded poster; without one it is drawn."""
        return picture_in(POSTERS, self.poster_file)

    @property
    def histogram(self) -> tuple[int, ...]:
        """How many people gave 1, 2, … 10."""
        return tuple(getattr(self, f"rated_{number}") or 0 for number in range(1, 11))


MOVIE_RATING = Aggregate(
    count=Movie.rating_count,
    total=Movie.rating_sum,
    histogram={
        1: Movie.rated_1,
        2: Movie.rated_2,
        3: Movie.rated_3,
        4: Movie.rated_4,
        5: Movie.rated_5,
        6: Movie.rated_6,
        7: Movie.rated_7,
        8: Movie.rated_8,
        9: Movie.rated_9,
        10: Movie.rated_10,
    },
    average=Movie.rating,
)


@access_pattern(
    "Get movie by ID",
    WORTHWATCH,
    documented="Get movie by ID: Query PK = MOVIE#<movieId> AND SK = METADATA",
    movie_id="tt1",
)
def movie(movie_id: str) -> Get[Movie]:
    return Movie.get(Movie.movie_id(movie_id))


@access_pattern("All movies", WORTHWATCH, documented=_OF_A_TYPE)
def all_movies() -> Query[Movie]:
    return Movie.query(BY_TYPE, Movie.entity_type("MOVIE")).newest_first()


@access_pattern(
    "Movies that a search found",
    WORTHWATCH,
    documented="Search movies: Consider using OpenSearch/ElasticSearch for full-text search",
    movie_ids=tuple(f"tt{number}" for number in range(10, 35)),
)
def movies_found(movie_ids: tuple[str, ...]) -> BatchGet[Movie]:
    return BatchGet(tuple(Movie.key(Movie.movie_id(movie_id)) for movie_id in movie_ids))


# 5. Show (TV series)
class Show(Item, table=WORTHWATCH, pk="SHOW#{show_id}", sk="METADATA", keys={"feedAt": "{created_at}"}):
    """A TV show in the platform."""

    entity_type: Attribute[Literal["SHOW"]] = attribute(default="SHOW")
    show_id: Attribute[str]
    title: Attribute[str] = attribute(min_length=1, max_length=300)
    start_year: Attribute[int | None] = attribute(default=None, ge=1870, le=2100)
    end_year: Attribute[int | None] = attribute(default=None, ge=1870, le=2100)
    genres: Attribute[tuple[str, ...]] = attribute(default=())
    creators: Attribute[tuple[str, ...]] = attribute(default=())
    cast: Attribute[tuple[str, ...] | None] = attribute(default=None)
    synopsis: Attribute[str | None] = attribute(default=None, max_length=5000)
    poster_url: Attribute[str | None] = attribute(default=None)
    """Of another site: kept, and never loaded."""
    poster_file: Attribute[str | None] = attribute(default=None)
    """The file that a librarian uploaded."""
    number_of_seasons: Attribute[int | None] = attribute(default=None, ge=0)
    number_of_episodes: Attribute[int | None] = attribute(default=None, ge=0)
    status: Attribute[Literal["ongoing", "ended", "cancelled"] | None] = attribute(default=None)
    rating: Attribute[Any] = attribute(default=None)
    rating_count: Attribute[int | None] = attribute(default=None, ge=0)
    rating_sum: Attribute[int | None] = attribute(default=None, ge=0)
    tmdb_id: Attribute[str | None] = attribute(default=None)
    imdb_id: Attribute[str | None] = attribute(default=None)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    rated_1: Attribute[int | None] = attribute(default=None, ge=0)
    rated_2: Attribute[int | None] = attribute(default=None, ge=0)
    rated_3: Attribute[int | None] = attribute(default=None, ge=0)
    rated_4: Attribute[int | None] = attribute(default=None, ge=0)
    rated_5: Attribute[int | None] = attribute(default=None, ge=0)
    rated_6: Attribute[int | None] = attribute(default=None, ge=0)
    rated_7: Attribute[int | None] = attribute(default=None, ge=0)
    rated_8: Attribute[int | None] = attribute(default=None, ge=0)
    rated_9: Attribute[int | None] = attribute(default=None, ge=0)
    rated_10: Attribute[int | None] = attribute(default=None, ge=0)
    listed_in: Attribute[int | None] = attribute(default=None, ge=0)
    """How many list items use it, on private lists too."""
    other_titles: Attribute[tuple[OtherTitle, ...] | None] = attribute(default=None, max_length=10)
    checked_at: Attribute[Timestamp | None] = attribute(default=None)
    maybe_same: Attribute[str | None] = attribute(default=None)
    """`MOVIE#…` or `SHOW#…` of a title with its name and nearly its year."""
    updated_by: Attribute[str | None] = attribute(default=None)
    feed: Attribute[Literal["UNCHECKED"] | None] = attribute(default=None)
    """Until a librarian has looked at what a curator added."""
    adopted: Attribute[bool] = derived(lambda: True)
    """Whether names and guards know it; not stored if another program wrote it, until it is adopted."""

    content_type: ClassVar[ContentType] = "SHOW"

    @property
    def content_id(self) -> str:
        return self.show_id

    @property
    def year(self) -> int | None:
        return self.start_year

    @property
    def picture(self) -> str | None:
        """The file of its uploaded poster; without one it is drawn."""
        return picture_in(POSTERS, self.poster_file)

    @property
    def histogram(self) -> tuple[int, ...]:
        """How many people gave 1, 2, … 10."""
        return tuple(getattr(self, f"rated_{number}") or 0 for number in range(1, 11))


SHOW_RATING = Aggregate(
    count=Show.rating_count,
    total=Show.rating_sum,
    histogram={
        1: Show.rated_1,
        2: Show.rated_2,
        3: Show.rated_3,
        4: Show.rated_4,
        5: Show.rated_5,
        6: Show.rated_6,
        7: Show.rated_7,
        8: Show.rated_8,
        9: Show.rated_9,
        10: Show.rated_10,
    },
    average=Show.rating,
)


@access_pattern(
    "Get show by ID",
    WORTHWATCH,
    documented="Get show by ID: Query PK = SHOW#<showId> AND SK = METADATA",
    show_id="s1",
)
def show(show_id: str) -> Get[Show]:
    return Show.get(Show.show_id(show_id))


@access_pattern("All shows", WORTHWATCH, documented=_OF_A_TYPE)
def all_shows() -> Query[Show]:
    return Show.query(BY_TYPE, Show.entity_type("SHOW")).newest_first()


@access_pattern(
    "Shows that a search found",
    WORTHWATCH,
    documented="Search shows: Consider using OpenSearch/ElasticSearch for full-text search",
    show_ids=tuple(f"s{number}" for number in range(10, 35)),
)
def shows_found(show_ids: tuple[str, ...]) -> BatchGet[Show]:
    return BatchGet(tuple(Show.key(Show.show_id(show_id)) for show_id in show_ids))


@access_pattern("Titles that nobody has checked, newest first", WORTHWATCH, documented=False)
def unchecked_titles() -> Query[Movie | Show]:
    return collection(
        Movie.query(FEEDS, Movie.feed("UNCHECKED")), Show.query(FEEDS, Show.feed("UNCHECKED"))
    ).newest_first()


# Saved watchlists
class SavedWatchlist(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="SAVED#WATCHLIST#{watchlist_id}",
    keys={
        "savedWatchlist": "WATCHLIST#{watchlist_id}",
        "shelf": "SAVED#{user_id}",
        "shelvedAt": "{saved_at}",
    },
):
    """A user follows a watchlist."""

    user_id: Attribute[str] = key_part()
    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["USER_SAVED_WATCHLIST"]] = attribute(default="USER_SAVED_WATCHLIST")
    saved_at: Attribute[Timestamp]
    visited_at: Attribute[Timestamp | None] = attribute(default=None)
    saved_title: Attribute[str | None] = attribute(default=None, max_length=200)
    """Shown when the list is private or gone."""
    tell_me: Attribute[bool | None] = attribute(default=None)
    counted: Attribute[bool] = derived(lambda: True)
    """Whether the list's totals contain it; not stored if another program wrote it, until it is adopted."""


@access_pattern(
    "Get user's saved watchlists",
    WORTHWATCH,
    documented="Get user's saved watchlists: Query PK = USER#<userId> AND SK BEGINS_WITH SAVED#WATCHLIST#",
    user_id="u1",
)
def saved_by(user_id: str) -> Query[SavedWatchlist]:
    return SavedWatchlist.query(SavedWatchlist.user_id(user_id))


@access_pattern("Who saved a list", WORTHWATCH, documented=False, watchlist_id="w1")
def savers_of(watchlist_id: str) -> Query[SavedWatchlist]:
    return SavedWatchlist.query(SAVERS, SavedWatchlist.watchlist_id(watchlist_id))


@access_pattern("A saved list", WORTHWATCH, documented=False, user_id="u1", watchlist_id="w1")
def saved(user_id: str, watchlist_id: str) -> Get[SavedWatchlist]:
    return SavedWatchlist.get(SavedWatchlist.user_id(user_id), SavedWatchlist.watchlist_id(watchlist_id))


@access_pattern("Saved lists, newest first", WORTHWATCH, documented=False, user_id="u1")
def saved_shelf(user_id: str) -> Query[SavedWatchlist]:
    return SavedWatchlist.query(SHELVES, SavedWatchlist.user_id(user_id)).newest_first()


# Ratings
class Taste(BaseModel):
    """A rating beside those of somebody else: all of it is in the keys."""

    content_type: ContentType
    content_id: str
    taste: int

    @property
    def rating(self) -> int:
        return rating_in(self.taste)


class Rating(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="RATING#{content_type}#{content_id}",
    keys={
        "shelf": "REVIEWED#{user_id}",
        "feed": "REVIEWS#{content_type}#{content_id}",
    },
):
    """A user rates a movie or show."""

    user_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["RATING"]] = attribute(default="RATING")
    content_type: Attribute[ContentType]
    content_id: Attribute[str]
    rating: Attribute[int] = attribute(ge=1, le=10)
    review: Attribute[str | None] = attribute(default=None, max_length=5000)
    rated_at: Attribute[Timestamp]
    has_spoilers: Attribute[bool | None] = attribute(default=None)
    by_curator: Attribute[bool | None] = attribute(default=None)
    """Whether everybody may see it, even without a review: whoever rated is a curator, or has become one."""
    taste: Attribute[int] = derived(taste)
    rated_content: Attribute[str | None] = derived(
        lambda content_type, content_id, review, by_curator: (
            content_name(content_type, content_id) if review or by_curator else None
        )
    )
    shelved_at: Attribute[str | None] = derived(lambda review, rated_at: rated_at if review else None)
    feed_at: Attribute[str | None] = derived(lambda review, rated_at: rated_at if review else None)
    counted_rating: Attribute[int] = derived(lambda rating: rating)
    """The rating that its title's sums contain; stored otherwise, or not at all, if another program wrote it."""


@access_pattern("My ratings", WORTHWATCH, documented="Ratings (Future): If users can rate movies/shows", user_id="u1")
def ratings_by(user_id: str) -> Query[Rating]:
    return Rating.query(Rating.user_id(user_id))


@access_pattern(
    "My rating of a title", WORTHWATCH, documented=False, user_id="u1", content_type="MOVIE", content_id="tt1"
)
def rating(user_id: str, content_type: ContentType, content_id: str) -> Get[Rating]:
    return Rating.get(Rating.user_id(user_id), Rating.content_type(content_type), Rating.content_id(content_id))


@access_pattern(
    "Ratings of a title that everybody may see",
    WORTHWATCH,
    documented=False,
    content_type="MOVIE",
    content_id="tt1",
)
def ratings_of(content_type: ContentType, content_id: str) -> Query[Rating]:
    return Rating.query(CONTENT_RATINGS, Rating.rated_content(content_name(content_type, content_id))).newest_first()


@access_pattern("Somebody's ratings, newest first", WORTHWATCH, documented=False, user_id="u1")
def rated_shelf(user_id: str) -> Query[Rating]:
    return Rating.query(TASTES, Rating.user_id(user_id)).newest_first()


@access_pattern("Somebody's reviews, newest first", WORTHWATCH, documented=False, user_id="u1")
def review_shelf(user_id: str) -> Query[Rating]:
    return Rating.query(SHELVES, Rating.user_id(user_id)).newest_first()


@access_pattern(
    "Reviews of a title, newest first", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1"
)
def reviews_of(content_type: ContentType, content_id: str) -> Query[Rating]:
    return Rating.query(FEEDS, Rating.content_type(content_type), Rating.content_id(content_id)).newest_first()


@access_pattern("Somebody's taste: ratings alone, newest first", WORTHWATCH, documented=False, user_id="u1")
def taste_of(user_id: str) -> Query[Taste]:
    return rated_shelf(user_id).with_expired().shown_as(Taste)


# Comments
class Comment(
    Item,
    table=WORTHWATCH,
    pk="WATCHLIST#{watchlist_id}",
    sk="COMMENT#{created_at}#{user_id}",
    keys={"shelf": "SAID#{user_id}", "shelvedAt": "{created_at}", "feedAt": "{created_at}#{user_id}"},
):
    """A user comments on a watchlist."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["COMMENT"]] = attribute(default="COMMENT")
    user_id: Attribute[str]
    comment_text: Attribute[str] = attribute(default="", max_length=5000)
    """Empty if it was removed and only keeps the place of its replies."""
    created_at: Attribute[Timestamp]
    edited_at: Attribute[Timestamp | None] = attribute(default=None)
    reply_to: Attribute[str | None] = attribute(default=None)
    """The name of the comment that it answers."""
    reply_count: Attribute[int | None] = attribute(default=None, ge=0)
    has_spoilers: Attribute[bool | None] = attribute(default=None)
    removed_by: Attribute[Literal["author", "curator", "moderator"] | None] = attribute(default=None)
    feed: Attribute[str] = derived(
        lambda watchlist_id, reply_to: (
            f"THREADS#{watchlist_id}" if reply_to is None else f"REPLIES#{watchlist_id}#{reply_to}"
        )
    )
    counted: Attribute[bool] = derived(lambda: True)
    """Whether the list's totals contain it; not stored if another program wrote it, until it is adopted."""

    @property
    def name(self) -> str:
        """Its public id within its list."""
        return comment_name(self.created_at, self.user_id)


@access_pattern(
    "Comments on a watchlist",
    WORTHWATCH,
    documented="Comments (Future): If users can comment on watchlists",
    watchlist_id="w1",
)
def comments_on(watchlist_id: str) -> Query[Comment]:
    return Comment.query(Comment.watchlist_id(watchlist_id))


@access_pattern(
    "A comment", WORTHWATCH, documented=False, watchlist_id="w1", created_at="2026-05-01T09:30:00Z", user_id="u1"
)
def comment(watchlist_id: str, created_at: str, user_id: str) -> Get[Comment]:
    return Comment.get(Comment.watchlist_id(watchlist_id), Comment.created_at(created_at), Comment.user_id(user_id))


@access_pattern("Threads of a list, newest first", WORTHWATCH, documented=False, watchlist_id="w1")
def threads_on(watchlist_id: str) -> Query[Comment]:
    return Comment.query(FEEDS, Comment.feed(f"THREADS#{watchlist_id}")).newest_first()


@access_pattern(
    "Replies to a comment, oldest first",
    WORTHWATCH,
    documented=False,
    watchlist_id="w1",
    name="2026-05-01T09:30:00Z~u1",
)
def replies_to(watchlist_id: str, name: str) -> Query[Comment]:
    return Comment.query(FEEDS, Comment.feed(f"REPLIES#{watchlist_id}#{name}"))


@access_pattern("Somebody's comments, newest first", WORTHWATCH, documented=False, user_id="u1")
def said_shelf(user_id: str) -> Query[Comment]:
    return Comment.query(SHELVES, Comment.user_id(user_id)).newest_first()


# Guards: an email once, an external id once. They carry no `email`, so they never appear in GSI1.
class EmailGuard(Item, table=WORTHWATCH, pk="EMAIL#{address}", sk="UNIQUE"):
    """The guard of an email address, in lower case."""

    address: Attribute[str] = key_part()
    of_user: Attribute[str]


USER_EMAIL = Guard(User, lambda user: EmailGuard(address=user.email.lower(), of_user=user.user_id))


class ExternalId(Item, table=WORTHWATCH, pk="EXTERNAL#{source}#{external_id}", sk="UNIQUE"):
    """The guard of a TMDB id (`movie/27205`, `tv/1396`) or an IMDB id."""

    source: Attribute[Literal["tmdb", "imdb"]] = key_part()
    external_id: Attribute[str] = key_part()
    of_content: Attribute[str]


def _tmdb_of(title: Movie | Show) -> ExternalId | None:
    """TMDB counts movies and shows apart, so that one number may be both."""
    kind = "movie" if isinstance(title, Movie) else "tv"
    return None if title.tmdb_id is None else _external("tmdb", f"{kind}/{title.tmdb_id}", title)


def _imdb_of(title: Movie | Show) -> ExternalId | None:
    return None if title.imdb_id is None else _external("imdb", title.imdb_id, title)


def _external(source: Literal["tmdb", "imdb"], external_id: str, title: Movie | Show) -> ExternalId:
    of_content = f"MOVIE#{title.movie_id}" if isinstance(title, Movie) else f"SHOW#{title.show_id}"
    return ExternalId(source=source, external_id=external_id, of_content=of_content)


MOVIE_IDS = (Guard(Movie, _tmdb_of), Guard(Movie, _imdb_of))
SHOW_IDS = (Guard(Show, _tmdb_of), Guard(Show, _imdb_of))


@access_pattern("Who has an email", WORTHWATCH, documented=False, address="john@example.com")
def email_guard(address: str) -> Get[EmailGuard]:
    return EmailGuard.get(EmailGuard.address(address))


@access_pattern("Title with an external id", WORTHWATCH, documented=False, source="tmdb", external_id="movie/27205")
def title_with(source: Literal["tmdb", "imdb"], external_id: str) -> Get[ExternalId]:
    return ExternalId.get(ExternalId.source(source), ExternalId.external_id(external_id))


# Beyond the document. These types have an `entityType` of their own and no `createdAt`, `email`, `curatorId` and
# `isPublicStr`, so that GSI1 to GSI4 hold what the document says.


# Totals of a list: apart from it, so that a save does not rewrite the list in every index.
class ListTotals(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="STATS"):
    """What a list's saves, comments and copies add up to. In no index, so that counting costs one write."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["WATCHLIST_TOTALS"]] = attribute(default="WATCHLIST_TOTALS")
    save_count: Attribute[int | None] = attribute(default=None, ge=0)
    comment_count: Attribute[int | None] = attribute(default=None, ge=0)
    clone_count: Attribute[int | None] = attribute(default=None, ge=0)


@access_pattern("Totals of a list", WORTHWATCH, documented=False, watchlist_id="w1")
def totals(watchlist_id: str) -> Get[ListTotals]:
    return ListTotals.get(ListTotals.watchlist_id(watchlist_id))


@access_pattern("Totals of lists", WORTHWATCH, documented=False, watchlist_ids=tuple(f"w{n}" for n in range(10, 35)))
def totals_by_id(watchlist_ids: tuple[str, ...]) -> BatchGet[ListTotals]:
    return BatchGet(tuple(ListTotals.key(ListTotals.watchlist_id(watchlist_id)) for watchlist_id in watchlist_ids))


class Popularity(
    Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="POPULARITY", keys={"feed": "POPULAR", "feedAt": "{heat}"}
):
    """How popular a list is, while it is live; comes and goes together with its pointers."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["POPULARITY"]] = attribute(default="POPULARITY")
    heat: Attribute[str]
    """Of fixed width; follows the saves by the change stream."""


@access_pattern("How popular a list is", WORTHWATCH, documented=False, watchlist_id="w1")
def popularity(watchlist_id: str) -> Get[Popularity]:
    return Popularity.get(Popularity.watchlist_id(watchlist_id))


@access_pattern("Live lists, most popular first", WORTHWATCH, documented=False)
def popular_lists() -> Query[Popularity]:
    return Popularity.query(FEEDS).descending()


# Mine, To watch and the diary: what one person has done with a title.
class Mine(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="MINE#{content_type}#{content_id}",
    keys={"listedContent": "MINE#{content_type}#{content_id}"},
):
    """All that a poster shows of one person and one title."""

    user_id: Attribute[str] = key_part()
    content_type: Attribute[ContentType] = key_part()
    content_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["MINE"]] = attribute(default="MINE")
    times: Attribute[int | None] = attribute(default=None, ge=0)
    """How many dated viewings the diary has."""
    last_seen_on: Attribute[Day | None] = attribute(default=None)
    marked_at: Attribute[Timestamp | None] = attribute(default=None)
    """When it was marked as seen; nothing if it is not."""
    queued: Attribute[bool | None] = attribute(default=None)
    rating: Attribute[int | None] = attribute(default=None, ge=1, le=10)
    not_for_me: Attribute[bool | None] = attribute(default=None)
    shelf: Attribute[str | None] = derived(
        lambda user_id, marked_at, not_for_me: (
            f"SEEN#{user_id}" if marked_at else f"ASIDE#{user_id}" if not_for_me else None
        )
    )
    shelved_at: Attribute[str] = derived(lambda marked_at: marked_at or "-")
    """When it was seen; what was only put aside has no order."""

    @property
    def seen(self) -> bool:
        return self.marked_at is not None


@access_pattern("A title and me", WORTHWATCH, documented=False, user_id="u1", content_type="MOVIE", content_id="tt1")
def mine(user_id: str, content_type: ContentType, content_id: str) -> Get[Mine]:
    return Mine.get(Mine.user_id(user_id), Mine.content_type(content_type), Mine.content_id(content_id))


@access_pattern(
    "The titles of a page and me",
    WORTHWATCH,
    documented=False,
    user_id="u1",
    titles=tuple(("MOVIE", f"tt{number}") for number in range(10, 35)),
)
def mine_among(user_id: str, titles: tuple[tuple[ContentType, str], ...]) -> BatchGet[Mine]:
    return BatchGet(tuple(mine(user_id, content_type, content_id).key for content_type, content_id in titles))


@access_pattern("Everything I marked, in the order of ids", WORTHWATCH, documented=False, user_id="u1")
def all_mine(user_id: str) -> Query[Mine]:
    return Mine.query(Mine.user_id(user_id))


@access_pattern("What I have seen, newest first", WORTHWATCH, documented=False, user_id="u1")
def seen_shelf(user_id: str) -> Query[Mine]:
    return Mine.query(SHELVES, Mine.shelf(f"SEEN#{user_id}")).newest_first()


@access_pattern("What I have put aside without having seen it", WORTHWATCH, documented=False, user_id="u1")
def put_aside(user_id: str) -> Query[Mine]:
    return Mine.query(SHELVES, Mine.shelf(f"ASIDE#{user_id}"))


@access_pattern("Everybody's marks of a title", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1")
def marks_of(content_type: ContentType, content_id: str) -> Query[Mine]:
    return Mine.query(BY_CONTENT, Mine.content_type(content_type), Mine.content_id(content_id))


class Queued(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="QUEUE#{content_type}#{content_id}",
    keys={"shelf": "QUEUE#{user_id}", "shelvedAt": "{queued_at}"},
):
    """A title that somebody wants to watch."""

    user_id: Attribute[str] = key_part()
    content_type: Attribute[ContentType] = key_part()
    content_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["QUEUED"]] = attribute(default="QUEUED")
    queued_at: Attribute[Timestamp]
    from_list: Attribute[str | None] = attribute(default=None)
    """The list that gave the idea."""
    label: Attribute[Label | None] = attribute(default=None)


@access_pattern(
    "A title I want to watch", WORTHWATCH, documented=False, user_id="u1", content_type="MOVIE", content_id="tt1"
)
def queued(user_id: str, content_type: ContentType, content_id: str) -> Get[Queued]:
    return Queued.get(Queued.user_id(user_id), Queued.content_type(content_type), Queued.content_id(content_id))


@access_pattern("To watch, newest first", WORTHWATCH, documented=False, user_id="u1")
def queue_shelf(user_id: str) -> Query[Queued]:
    return Queued.query(SHELVES, Queued.user_id(user_id)).newest_first()


class Viewing(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="VIEWING#{day}#{viewing_id}",
    keys={"listedContent": "VIEWING#{content_type}#{content_id}"},
):
    """An entry of somebody's diary."""

    user_id: Attribute[str] = key_part()
    day: Attribute[Day] = key_part()
    viewing_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["VIEWING"]] = attribute(default="VIEWING")
    content_type: Attribute[ContentType]
    content_id: Attribute[str]
    rewatch: Attribute[bool | None] = attribute(default=None)
    label: Attribute[Label | None] = attribute(default=None)
    note: Attribute[str | None] = attribute(default=None, max_length=500)
    """For its author alone."""


@access_pattern("My diary, newest first", WORTHWATCH, documented=False, user_id="u1")
def diary_of(user_id: str) -> Query[Viewing]:
    return Viewing.query(Viewing.user_id(user_id)).newest_first()


@access_pattern("My diary since a day, newest first", WORTHWATCH, documented=False, user_id="u1", day="2026-05-01")
def diary_since(user_id: str, day: str) -> Query[Viewing]:
    return diary_of(user_id).at_least(Viewing.day(day))


@access_pattern("An entry of my diary", WORTHWATCH, documented=False, user_id="u1", day="2026-05-01", viewing_id="v1")
def viewing(user_id: str, day: str, viewing_id: str) -> Get[Viewing]:
    return Viewing.get(Viewing.user_id(user_id), Viewing.day(day), Viewing.viewing_id(viewing_id))


@access_pattern(
    "Viewings of a title: mine, or everybody's", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1"
)
def viewings_of(content_type: ContentType, content_id: str, user_id: str | None = None) -> Query[Viewing]:
    title = Viewing.content_type(content_type), Viewing.content_id(content_id)
    person = () if user_id is None else (Viewing.user_id(user_id),)
    return Viewing.query(BY_CONTENT, *title, *person)


# Following curators, and becoming one.
class Follow(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="FOLLOWS#{curator}",
    keys={
        "shelf": "FOLLOWS#{user_id}",
        "shelvedAt": "{followed_at}",
        "feed": "FOLLOWERS#{curator}",
        "feedAt": "{followed_at}",
    },
):
    """Somebody follows a curator."""

    user_id: Attribute[str] = key_part()
    curator: Attribute[str] = key_part()
    entity_type: Attribute[Literal["FOLLOW"]] = attribute(default="FOLLOW")
    followed_at: Attribute[Timestamp]


@access_pattern("Whether I follow a curator", WORTHWATCH, documented=False, user_id="u1", curator="u2")
def follow(user_id: str, curator: str) -> Get[Follow]:
    return Follow.get(Follow.user_id(user_id), Follow.curator(curator))


@access_pattern("Curators I follow, newest first", WORTHWATCH, documented=False, user_id="u1")
def followed_shelf(user_id: str) -> Query[Follow]:
    return Follow.query(SHELVES, Follow.user_id(user_id)).newest_first()


@access_pattern("Followers of a curator", WORTHWATCH, documented=False, curator="u1")
def followers_of(curator: str) -> Query[Follow]:
    return Follow.query(FEEDS, Follow.curator(curator))


class Application(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="APPLICATION#{applied_at}",
    keys={"feedAt": "{applied_at}"},
):
    """Somebody wants to be a curator."""

    user_id: Attribute[str] = key_part()
    applied_at: Attribute[Timestamp] = key_part()
    entity_type: Attribute[Literal["APPLICATION"]] = attribute(default="APPLICATION")
    statement: Attribute[str] = attribute(max_length=1000)
    links: Attribute[tuple[str, ...]] = attribute(default=(), max_length=3)
    sample_list: Attribute[str | None] = attribute(default=None)
    decision: Attribute[Literal["approved", "declined", "suspended"] | None] = attribute(default=None)
    reason: Attribute[str | None] = attribute(default=None, max_length=1000)
    decided_by: Attribute[str | None] = attribute(default=None)
    decided_at: Attribute[Timestamp | None] = attribute(default=None)
    feed: Attribute[Literal["APPLICATIONS"] | None] = derived(
        lambda decision: "APPLICATIONS" if decision is None else None
    )


@access_pattern("Applications that wait, oldest first", WORTHWATCH, documented=False)
def open_applications() -> Query[Application]:
    return Application.query(FEEDS, Application.feed("APPLICATIONS"))


@access_pattern("Somebody's applications, newest first", WORTHWATCH, documented=False, user_id="u1")
def applications_of(user_id: str) -> Query[Application]:
    return Application.query(Application.user_id(user_id)).newest_first()


# Pointers to live lists: one for the curator, one for each tag; written together with the list's `feed`.
class CuratorPointer(Item, table=WORTHWATCH, pk="LIVE#{curator}", sk="{published_at}#{watchlist_id}"):
    """A live list of a curator."""

    curator: Attribute[str] = key_part()
    published_at: Attribute[Timestamp] = key_part()
    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["CURATOR_POINTER"]] = attribute(default="CURATOR_POINTER")


@access_pattern("Live lists of a curator, newest first", WORTHWATCH, documented=False, curator="u1")
def live_lists_of(curator: str) -> Query[CuratorPointer]:
    return CuratorPointer.query(CuratorPointer.curator(curator)).newest_first()


class TagPointer(Item, table=WORTHWATCH, pk="TAGGED#{tag}", sk="{published_at}#{watchlist_id}"):
    """A live list with a tag, in lower case."""

    tag: Attribute[str] = key_part()
    published_at: Attribute[Timestamp] = key_part()
    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["TAG_POINTER"]] = attribute(default="TAG_POINTER")


@access_pattern("Live lists with a tag, newest first", WORTHWATCH, documented=False, tag="sci-fi")
def live_lists_with_tag(tag: str) -> Query[TagPointer]:
    return TagPointer.query(TagPointer.tag(tag)).newest_first()


class TagTotal(Item, table=WORTHWATCH, pk="TAG#{tag}", sk="TOTAL", keys={"feed": "TAGS"}):
    """How many live lists have a tag."""

    tag: Attribute[str] = key_part()
    entity_type: Attribute[Literal["TAG_TOTAL"]] = attribute(default="TAG_TOTAL")
    count: Attribute[int] = attribute(default=0)
    rank: Attribute[str | None] = attribute("feedAt", default=None)
    """Count and tag as one text to sort by; follows the count by the change stream."""


@access_pattern("Total of a tag", WORTHWATCH, documented=False, tag="sci-fi")
def tag_total(tag: str) -> Get[TagTotal]:
    return TagTotal.get(TagTotal.tag(tag))


@access_pattern("Tags, most used first", WORTHWATCH, documented=False)
def tags_by_use() -> Query[TagTotal]:
    return TagTotal.query(FEEDS).descending()


# Names of titles: match imports, find duplicates.
class Named(Item, table=WORTHWATCH, pk="TITLED#{folded}", sk="{content_type}#{year:04}#{content_id}"):
    """A title has a name, in the spelling that names are compared in; once for each of its names."""

    folded: Attribute[str] = key_part()
    content_type: Attribute[ContentType] = key_part()
    year: Attribute[int] = key_part(ge=0, le=9999)
    """0 if it is not known."""
    content_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["NAMED"]] = attribute(default="NAMED")
    title: Attribute[str] = attribute(max_length=300)
    """The name as people write it."""


@access_pattern("Titles with a name", WORTHWATCH, documented=False, folded="inception")
def titles_named(folded: str) -> Query[Named]:
    return Named.query(Named.folded(folded))


@access_pattern("Films or series with a name", WORTHWATCH, documented=False, folded="inception", content_type="MOVIE")
def titles_of_type_named(folded: str, content_type: ContentType) -> Query[Named]:
    return Named.query(Named.folded(folded), Named.content_type(content_type))


# News of a list, and what people report.
class Told(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="TOLD#{day}"):
    """How many titles a list gained on a day: one notice a day says so, and its savers are told once."""

    watchlist_id: Attribute[str] = key_part()
    day: Attribute[Day] = key_part()
    entity_type: Attribute[Literal["TOLD"]] = attribute(default="TOLD")
    titles: Attribute[int] = attribute(default=0)
    began_at: Attribute[Timestamp | None] = attribute(default=None)
    """When its first title of that day came: the moment of the notices."""
    counted_to: Attribute[str | None] = attribute(default=None)
    """The sequence number of the last change that `titles` contains, of fixed width: each is counted once."""
    told_at: Attribute[Timestamp | None] = attribute(default=None)
    """When all who saved the list had been told."""
    followers_told_at: Attribute[Timestamp | None] = attribute(default=None)
    """When all who follow its curator had been told of a new list."""
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)


@access_pattern("What a list gained on a day", WORTHWATCH, documented=False, watchlist_id="w1", day="2026-05-01")
def told(watchlist_id: str, day: str) -> Get[Told]:
    return Told.get(Told.watchlist_id(watchlist_id), Told.day(day))


@access_pattern(
    "What lists gained on days",
    WORTHWATCH,
    documented=False,
    days=tuple((f"w{n}", "2026-05-01") for n in range(10, 35)),
)
def told_by_day(days: tuple[tuple[str, str], ...]) -> BatchGet[Told]:
    return BatchGet(tuple(told(watchlist_id, day).key for watchlist_id, day in days))


@access_pattern("The news days of a list", WORTHWATCH, documented=False, watchlist_id="w1")
def told_days(watchlist_id: str) -> Query[Told]:
    return Told.query(Told.watchlist_id(watchlist_id)).newest_first()


class Report(Item, table=WORTHWATCH, pk="REPORTED#{what}", sk="USER#{user_id}", keys={"feedAt": "{reported_at}"}):
    """Somebody objects to a list, a comment, a review or a person."""

    what: Attribute[str] = key_part()
    user_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["REPORT"]] = attribute(default="REPORT")
    reported_at: Attribute[Timestamp]
    reason: Attribute[str] = attribute(max_length=1000)
    state: Attribute[Literal["open", "kept", "removed", "suspended"]] = attribute(default="open")
    resolved_by: Attribute[str | None] = attribute(default=None)
    resolved_at: Attribute[Timestamp | None] = attribute(default=None)
    feed: Attribute[Literal["REPORTS"] | None] = derived(lambda state: "REPORTS" if state == "open" else None)


@access_pattern("Reports that wait, oldest first", WORTHWATCH, documented=False)
def open_reports() -> Query[Report]:
    return Report.query(FEEDS, Report.feed("REPORTS"))


@access_pattern("Everybody's reports of one thing", WORTHWATCH, documented=False, what="LIST#w1")
def reports_of(what: str) -> Query[Report]:
    return Report.query(Report.what(what))


@access_pattern("My report of one thing", WORTHWATCH, documented=False, what="LIST#w1", user_id="u1")
def report(what: str, user_id: str) -> Get[Report]:
    return Report.get(Report.what(what), Report.user_id(user_id))


# Imports, and the log of what changed.
class Import(Item, table=WORTHWATCH, pk="USER#{user_id}", sk="IMPORT#{import_id}"):
    """A file that somebody brings, with what its rows match and what they choose; it expires after a week."""

    user_id: Attribute[str] = key_part()
    import_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["IMPORT"]] = attribute(default="IMPORT")
    filename: Attribute[str] = attribute(default="", max_length=300)
    kind: Attribute[str] = attribute(default="", max_length=40)
    """What the file is, such as `letterboxd-diary`."""
    state: Attribute[Literal["review", "applying", "done"]] = attribute(default="review")
    target: Attribute[str | None] = attribute(default=None, max_length=200)
    """Where to put it: `new`, `history`, or a list's id."""
    imported_at: Attribute[Timestamp]
    rows: Attribute[tuple[dict[str, Any], ...]] = attribute(default=(), large=True)
    matches: Attribute[tuple[dict[str, Any], ...]] = attribute(default=(), large=True)
    choices: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=True)
    applied: Attribute[int] = attribute(default=0, ge=0)
    """How many rows are done, once it is."""
    decided: Attribute[int] = attribute(default=0, ge=0)
    """How often choices were saved: whoever saves them, or applies them, names the number they saw."""
    job_id: Attribute[str | None] = attribute(default=None)
    """The job that applies it."""
    outcomes: Attribute[str | None] = attribute(default=None)
    """What became of each row, a letter each."""
    expires_at: Attribute[ExpiresAt]


@access_pattern("One of my imports", WORTHWATCH, documented=False, user_id="u1", import_id="i1")
def one_import(user_id: str, import_id: str) -> Get[Import]:
    return Import.get(Import.user_id(user_id), Import.import_id(import_id))


@access_pattern("My imports, newest first", WORTHWATCH, documented=False, user_id="u1")
def imports_of(user_id: str) -> Query[Import]:
    return Import.query(Import.user_id(user_id)).newest_first()


class Log(
    Item,
    table=WORTHWATCH,
    pk="LOG#{what}",
    sk="{at}#{sequence}",
    keys={"feedAt": "{at}#{sequence}", "shelf": "DID#{who}", "shelvedAt": "{at}#{sequence}"},
):
    """Who changed something that others can see, once for each sequence number of the change stream."""

    what: Attribute[str] = key_part()
    at: Attribute[Timestamp] = key_part()
    sequence: Attribute[str] = key_part()
    entity_type: Attribute[Literal["LOG"]] = attribute(default="LOG")
    who: Attribute[str | None] = attribute(default=None)
    verb: Attribute[str] = attribute(max_length=60)
    before: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=True)
    after: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=True)
    feed: Attribute[str] = derived(log_day)


@access_pattern("What happened to one thing, newest first", WORTHWATCH, documented=False, what="WATCHLIST#w1")
def log_of(what: str) -> Query[Log]:
    return Log.query(Log.what(what)).newest_first()


@access_pattern("What happened on a day, newest first", WORTHWATCH, documented=False, day="2026-05-01")
def log_on(day: str) -> Query[Log]:
    return Log.query(FEEDS, Log.feed(log_day(day))).newest_first()


@access_pattern("What somebody changed, newest first", WORTHWATCH, documented=False, who="u1")
def log_by(who: str) -> Query[Log]:
    return Log.query(SHELVES, Log.who(who)).newest_first()


# Work in steps: these stand until it is done. A merged title keeps its mark, which redirects for good.
class ListCopy(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="COPY"):
    """A list whose titles are being copied from another one, until all are there."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["WATCHLIST_COPY"]] = attribute(default="WATCHLIST_COPY")
    of_list: Attribute[str]
    by: Attribute[str]
    copied: Attribute[int] = attribute(default=0, ge=0)
    """How many titles of the other list are done; their places are counted by it."""
    last_position: Attribute[int | None] = attribute(default=None)
    last_content: Attribute[str | None] = attribute(default=None)
    """The title of the other list that was done last, and its position there."""


@access_pattern("The copying of a list", WORTHWATCH, documented=False, watchlist_id="w1")
def list_copy(watchlist_id: str) -> Get[ListCopy]:
    return ListCopy.get(ListCopy.watchlist_id(watchlist_id))


class Merged(Item, table=WORTHWATCH, pk="{content_type}#{content_id}", sk="MERGED"):
    """A title that was merged into another one."""

    content_type: Attribute[ContentType] = key_part()
    content_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["MERGED"]] = attribute(default="MERGED")
    into: Attribute[str]
    """The id of the other title, of the same type."""
    title: Attribute[str] = attribute(default="", max_length=300)
    merged_by: Attribute[str | None] = attribute(default=None)
    merged_at: Attribute[Timestamp]
    done_at: Attribute[Timestamp | None] = attribute(default=None)
    """When everything had moved."""


@access_pattern("Where a merged title went", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1")
def merged(content_type: ContentType, content_id: str) -> Get[Merged]:
    return Merged.get(Merged.content_type(content_type), Merged.content_id(content_id))


class ListRemoval(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="REMOVAL"):
    """A deleted list, until its items are counted out and its comments and totals are gone."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["WATCHLIST_REMOVAL"]] = attribute(default="WATCHLIST_REMOVAL")
    title: Attribute[str]
    of_curator: Attribute[str]
    removed_by: Attribute[str]
    removed_at: Attribute[Timestamp]
    was_public: Attribute[bool | None] = attribute(default=None)


@access_pattern("The removal of a list", WORTHWATCH, documented=False, watchlist_id="w1")
def list_removal(watchlist_id: str) -> Get[ListRemoval]:
    return ListRemoval.get(ListRemoval.watchlist_id(watchlist_id))


class UserRemoval(Item, table=WORTHWATCH, pk="USER#{user_id}", sk="REMOVAL"):
    """Somebody who leaves, until everything of theirs is removed."""

    user_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["USER_REMOVAL"]] = attribute(default="USER_REMOVAL")
    keeps_lists: Attribute[bool] = attribute(default=False)
    """Whether published lists stay, without a name."""
    stand_in: Attribute[str | None] = attribute(default=None)
    """The id that the lists that stay get instead of theirs, so that nothing leads back to them."""
    removed_at: Attribute[Timestamp]


@access_pattern("The removal of a person", WORTHWATCH, documented=False, user_id="u1")
def user_removal(user_id: str) -> Get[UserRemoval]:
    return UserRemoval.get(UserRemoval.user_id(user_id))


# What `partita check` finds here, and why we live with it.
WORTHWATCH.accept(
    "hot-partition",
    PUBLIC,
    BY_TYPE,
    CURATORS,
    FEEDS,
    because="lists and titles are made a few a second at most; beyond that a setting spreads the key",
)
WORTHWATCH.accept(
    "second-read", BY_TYPE, because="the document says KEYS_ONLY, and only administrators list whole types"
)
WORTHWATCH.accept(
    "second-read",
    BY_CONTENT,
    because="only merging and labels follow it, in the background; every mark and every move would rewrite an entry",
)
WORTHWATCH.accept(
    "second-read",
    TASTES,
    because="comparing tastes needs the keys alone; only my own ratings, a page at a time, are read by key",
)
WORTHWATCH.accept("large-item", Movie, Show, because="genres, directors and casts are dozens of names, not thousands")
