"""What the new table should hold of an old row: the migration writes it, its verification looks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from partita.apps.worthwatch.migration.old_table import new_item
from partita.apps.worthwatch.schema import (
    MOVIE_IDS,
    MOVIE_RATING,
    SHOW_IDS,
    SHOW_RATING,
    USER_EMAIL,
    EmailGuard,
    ExternalId,
    Movie,
    Rating,
    SavedWatchlist,
    Show,
    User,
    Watchlist,
    WatchlistItem,
    items_of,
    lists_with,
    marks_of,
)
from partita.table import Aggregate, Item, Key
from partita.table.migrations import Comparison, Expectation, Row, TargetItems, differing

_NOT_THERE = Comparison(("not there",))
_OF_A_LIST = ("itemCount", "feed", "feedAt", "publishedAt", "lastItemAt", "coverItems", "hidden")
"""What items, covers and liveness write."""
_BARS = tuple(f"rated{number}" for number in range(1, 11))


def expect(row: Row) -> Expectation:
    """What to compare an old row with."""
    item = new_item(row)
    match item:
        case User():
            return _user(item)
        case Movie() | Show():
            return _title(item)
        case Watchlist():
            return _watchlist(item)
    return _belonging(item)


def guards_of(item: User | Movie | Show) -> tuple[EmailGuard | ExternalId, ...]:
    """The guards of what only one may have."""
    made: Iterable[EmailGuard | ExternalId | None]
    match item:
        case User():
            made = (USER_EMAIL.make(item),)
        case Movie():
            made = (guard.make(item) for guard in MOVIE_IDS)
        case Show():
            made = (guard.make(item) for guard in SHOW_IDS)
    return tuple(guard for guard in made if guard is not None)


def title_key(rating: Rating | WatchlistItem) -> Key[Movie | Show]:
    """The key of what is rated or listed."""
    if rating.content_type == "MOVIE":
        return Movie.key(Movie.movie_id(rating.content_id))
    return Show.key(Show.show_id(rating.content_id))


def rating_of(title: Movie | Show) -> Aggregate[Any]:
    """Where a title keeps what its ratings add up to."""
    return MOVIE_RATING if isinstance(title, Movie) else SHOW_RATING


def as_its_curator_allows(watchlist: Watchlist, curator: User | None) -> Watchlist:
    """A suspended curator's lists are hidden."""
    suspended = curator is not None and curator.curator_status == "suspended"
    return watchlist.model_copy(update={"hidden": True}) if suspended else watchlist


def _user(item: User) -> Expectation:
    guards = guards_of(item)

    def compare(found: TargetItems) -> Comparison:
        there = found.item(item.own_key)
        if there is None:
            return _NOT_THERE
        if there.updated_at > item.updated_at:
            return Comparison(newer=True)
        counted = ("followerCount", "liveListCount")
        return Comparison((*differing(item, there, apart_from=counted), *_guards(guards, found)))

    return Expectation(reads=(item.own_key, *(guard.own_key for guard in guards)), compare=compare)


def _title(item: Movie | Show) -> Expectation:
    """A title, and what its ratings add up to."""
    key: Key[Movie | Show] = item.own_key
    guards = guards_of(item)
    ref = item.content_type, item.content_id

    def compare(found: TargetItems) -> Comparison:
        there = found.item(key)
        if there is None:
            return _NOT_THERE
        newer = there.updated_at > item.updated_at
        given = [mark.rating for mark in found.lists[0] if mark.rating is not None]
        differences = [
            *_count("ratingCount", there.rating_count or 0, len(given)),
            *_count("listedIn", there.listed_in or 0, len(found.lists[1])),
            *_count("ratingSum", there.rating_sum or 0, sum(given)),
            *(
                difference
                for number, counted in enumerate(there.histogram, 1)
                for difference in _count(f"rated{number}", counted, given.count(number))
            ),
        ]
        if given:
            differences += _count("rating", there.rating, rating_of(item).mean(_rated(item, given)))
        if not newer:
            counted = ("listedIn", "ratingCount", "ratingSum", *_BARS, *(["rating"] if given else []))
            differences += (*differing(item, there, apart_from=counted), *_guards(guards, found))
        return Comparison(tuple(differences), newer)

    reads = (key, *(guard.own_key for guard in guards))
    return Expectation(reads=reads, lists=(marks_of(*ref), lists_with(*ref)), compare=compare)


def _watchlist(item: Watchlist) -> Expectation:
    """A list, and how many items it has."""
    curator = User.key(User.user_id(item.curator_id))

    def compare(found: TargetItems) -> Comparison:
        there = found.item(item.own_key)
        if there is None:
            return _NOT_THERE
        newer = there.updated_at > item.updated_at
        differences = [*_count("itemCount", there.item_count, len(found.lists[0]))]
        if not newer:
            allowed = as_its_curator_allows(item, found.item(curator))
            differences += differing(allowed, there, apart_from=_OF_A_LIST)
            if allowed.hidden and not there.hidden:  # that adoption hides more is no loss
                differences.append("hidden is not there and should be True")
        return Comparison(tuple(differences), newer)

    return Expectation(reads=(item.own_key, curator), lists=(items_of(item.watchlist_id),), compare=compare)


def _belonging(item: Item) -> Expectation:
    """What belongs to others; of these only a rating says when it was changed."""

    def compare(found: TargetItems) -> Comparison:
        there = found.item(item.own_key)
        if there is None:
            return _NOT_THERE
        if isinstance(item, Rating) and isinstance(there, Rating) and there.rated_at > item.rated_at:
            return Comparison(newer=True)
        copied = {WatchlistItem: ("label", "liveSince", "feedAt"), SavedWatchlist: ("savedTitle",)}.get(type(item), ())
        return Comparison(tuple(differing(item, there, apart_from=copied)))

    return Expectation(reads=(item.own_key,), compare=compare)


def _rated(title: Movie | Show, given: list[int]) -> Movie | Show:
    return title.model_copy(update={"rating_count": len(given), "rating_sum": sum(given)})


def _guards(guards: Iterable[EmailGuard | ExternalId], found: TargetItems) -> Iterator[str]:
    for guard in guards:
        there = found.item(guard.own_key)
        key = next(iter(guard.own_key.wire.values()))["S"]
        if there is None:
            yield f"the guard {key} is not there"
        else:
            yield from (f"the guard {key}: {difference}" for difference in differing(guard, there))


def _count(name: str, there: object, counted: object) -> Iterator[str]:
    if there != counted:
        yield f"{name} is {there} and should be {counted}"
