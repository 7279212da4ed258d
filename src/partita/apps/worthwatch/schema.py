"""WorthWatch in one table: users, watchlists and their items, movies, shows, and what people do with them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

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
    version,
)
from partita.table.types import Timestamp

WORTHWATCH = Table(
    "worthwatch",
    pk="PK",
    sk="SK",
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
    "byContent", pk="listedContent", sk="PK", purpose="Lists a title is on: sparse, only watchlist items have it"
)
CONTENT_RATINGS = WORTHWATCH.index("contentRatings", pk="ratedContent", sk="ratedAt", purpose="Ratings of a title")
BY_POSITION = WORTHWATCH.index("byPosition", pk="positionIn", sk="positionKey", purpose="A list's items in their order")
CURATORS = WORTHWATCH.index("curators", pk="curatorStatus", sk="createdAt", purpose="Applications and curators")
SAVERS = WORTHWATCH.index("savers", pk="savedWatchlist", sk="savedAt", purpose="Who saved a list, to be told of news")

_OF_A_TYPE = "GSI4: Query all entities of a specific type"

ContentType = Literal["MOVIE", "SHOW"]
ListTag = Annotated[str, StringConstraints(min_length=1, max_length=50)]


# 1. User
class User(Item, table=WORTHWATCH, pk="USER#{user_id}", sk="PROFILE"):
    """A user account in the WorthWatch platform."""

    entity_type: Attribute[Literal["USER"]] = attribute(default="USER")
    user_id: Attribute[str]
    email: Attribute[str]
    username: Attribute[str] = attribute(min_length=3, max_length=30)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    bio: Attribute[str | None] = attribute(default=None, max_length=500)
    avatar_url: Attribute[str | None] = attribute(default=None)
    is_curator: Attribute[bool] = attribute(default=False)
    curator_status: Attribute[Literal["pending", "approved", "suspended"] | None] = attribute(default=None)


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
def curators(status: Literal["pending", "approved", "suspended"]) -> Query[User]:
    return User.query(CURATORS, User.curator_status(status))


# 2. Watchlist
class Watchlist(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="METADATA"):
    """A curated collection of movies and shows created by a curator."""

    entity_type: Attribute[Literal["WATCHLIST"]] = attribute(default="WATCHLIST")
    watchlist_id: Attribute[str]
    curator_id: Attribute[str]
    title: Attribute[str] = attribute(min_length=1, max_length=200)
    description: Attribute[str] = attribute(default="", max_length=1000)
    cover_image_url: Attribute[str | None] = attribute(default=None)
    is_public: Attribute[bool] = attribute(default=True)
    is_public_str: Attribute[Literal["true", "false"]] = derived(lambda is_public: "true" if is_public else "false")
    tags: Attribute[tuple[ListTag, ...]] = attribute(default=(), max_length=10)
    item_count: Attribute[int] = attribute(default=0, ge=0, le=1000)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    secret_link: Attribute[str | None] = attribute(default=None)
    hidden: Attribute[bool | None] = attribute(default=None)
    revision: Attribute[int] = version()


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


# 3. Watchlist items (movie/show references)
class WatchlistItem(
    Item,
    table=WORTHWATCH,
    pk="WATCHLIST#{watchlist_id}",
    sk="ITEM#{content_type}#{content_id}",
    keys={
        "listedContent": "{content_type}#{content_id}",
        "positionIn": "WATCHLIST#{watchlist_id}",
        "positionKey": "{position:012}#{content_type}#{content_id}",
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


# 4. Movie
class Movie(Item, table=WORTHWATCH, pk="MOVIE#{movie_id}", sk="METADATA"):
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
    runtime: Attribute[int | None] = attribute(default=None, ge=0)
    rating: Attribute[Any] = attribute(default=None)
    rating_count: Attribute[int | None] = attribute(default=None, ge=0)
    rating_sum: Attribute[int | None] = attribute(default=None, ge=0)
    tmdb_id: Attribute[str | None] = attribute(default=None)
    imdb_id: Attribute[str | None] = attribute(default=None)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]


MOVIE_RATING = Aggregate(count=Movie.rating_count, total=Movie.rating_sum, average=Movie.rating)


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
class Show(Item, table=WORTHWATCH, pk="SHOW#{show_id}", sk="METADATA"):
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


SHOW_RATING = Aggregate(count=Show.rating_count, total=Show.rating_sum, average=Show.rating)


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


# Saved watchlists
class SavedWatchlist(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="SAVED#WATCHLIST#{watchlist_id}",
    keys={"savedWatchlist": "WATCHLIST#{watchlist_id}"},
):
    """A user follows a watchlist."""

    user_id: Attribute[str] = key_part()
    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["USER_SAVED_WATCHLIST"]] = attribute(default="USER_SAVED_WATCHLIST")
    saved_at: Attribute[Timestamp]


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


# Ratings
class Rating(
    Item,
    table=WORTHWATCH,
    pk="USER#{user_id}",
    sk="RATING#{content_type}#{content_id}",
    keys={"ratedContent": "{content_type}#{content_id}"},
):
    """A user rates a movie or show."""

    user_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["RATING"]] = attribute(default="RATING")
    content_type: Attribute[ContentType]
    content_id: Attribute[str]
    rating: Attribute[int] = attribute(ge=1, le=10)
    review: Attribute[str | None] = attribute(default=None, max_length=5000)
    rated_at: Attribute[Timestamp]


@access_pattern("My ratings", WORTHWATCH, documented="Ratings (Future): If users can rate movies/shows", user_id="u1")
def ratings_by(user_id: str) -> Query[Rating]:
    return Rating.query(Rating.user_id(user_id))


@access_pattern(
    "My rating of a title", WORTHWATCH, documented=False, user_id="u1", content_type="MOVIE", content_id="tt1"
)
def rating(user_id: str, content_type: ContentType, content_id: str) -> Get[Rating]:
    return Rating.get(Rating.user_id(user_id), Rating.content_type(content_type), Rating.content_id(content_id))


@access_pattern("Ratings of a title", WORTHWATCH, documented=False, content_type="MOVIE", content_id="tt1")
def ratings_of(content_type: ContentType, content_id: str) -> Query[Rating]:
    return Rating.query(
        CONTENT_RATINGS, Rating.content_type(content_type), Rating.content_id(content_id)
    ).newest_first()


# Comments
class Comment(Item, table=WORTHWATCH, pk="WATCHLIST#{watchlist_id}", sk="COMMENT#{created_at}#{user_id}"):
    """A user comments on a watchlist."""

    watchlist_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["COMMENT"]] = attribute(default="COMMENT")
    user_id: Attribute[str]
    comment_text: Attribute[str] = attribute(min_length=1, max_length=5000)
    created_at: Attribute[Timestamp]


@access_pattern(
    "Comments on a watchlist",
    WORTHWATCH,
    documented="Comments (Future): If users can comment on watchlists",
    watchlist_id="w1",
)
def comments_on(watchlist_id: str) -> Query[Comment]:
    return Comment.query(Comment.watchlist_id(watchlist_id))


@access_pattern("A watchlist with its items and comments", WORTHWATCH, documented=False, watchlist_id="w1")
def whole_watchlist(watchlist_id: str) -> Query[Any]:
    return collection(
        WatchlistItem.query(WatchlistItem.watchlist_id(watchlist_id)),
        Comment.query(Comment.watchlist_id(watchlist_id)),
        _metadata(watchlist_id),
    )


def _metadata(watchlist_id: str) -> Query[Watchlist]:
    return Watchlist.query(Watchlist.watchlist_id(watchlist_id))


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


# What `partita check` finds here, and why we live with it.
WORTHWATCH.accept(
    "hot-partition",
    PUBLIC,
    BY_TYPE,
    CURATORS,
    because="lists and titles are made a few a second at most; beyond that a setting spreads the key",
)
WORTHWATCH.accept(
    "second-read", BY_TYPE, because="the document says KEYS_ONLY, and only administrators list whole types"
)
WORTHWATCH.accept("large-item", Movie, Show, because="genres, directors and casts are dozens of names, not thousands")
