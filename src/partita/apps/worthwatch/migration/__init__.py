"""From the old table into the documented one: entities with their guards, exact counts, and nothing lost in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from partita.apps.worthwatch.migration.expectations import (
    as_its_curator_allows,
    expect,
    guards_of,
    rating_of,
    title_key,
)
from partita.apps.worthwatch.migration.old_table import OLD, new_item
from partita.apps.worthwatch.schema import (
    WORTHWATCH,
    Comment,
    EmailGuard,
    ExternalId,
    ListTotals,
    Mine,
    Movie,
    Rating,
    SavedWatchlist,
    Show,
    User,
    Watchlist,
    WatchlistItem,
)
from partita.apps.worthwatch.service.adoption import one_more
from partita.apps.worthwatch.service.labels import label_of
from partita.apps.worthwatch.service.titles import names_of, one_use_more
from partita.table import Check, Item, Key, Put, Update, Write
from partita.table.migrations import (
    Already,
    Claim,
    Decision,
    Migration,
    Move,
    Plan,
    Problem,
    Row,
    TargetItems,
    Writes,
)

MOST_ITEMS = 1000
_ENTITIES, _LISTS, _BELONGINGS = 1, 2, 3
Parents = dict[str, Key[Any]]
"""What must be in the new table before an item: what it is called, and its key."""


def plan(row: Row) -> Plan:
    """What becomes of an old row."""
    item = new_item(row)
    match item:
        case User() | Movie() | Show():
            return _guarded(item)
        case Watchlist():
            return _watchlist(item)
        case WatchlistItem():
            return _watchlist_item(item)
        case SavedWatchlist():
            return _saved(item)
        case Rating():
            return _rating(item)
        case Comment():
            return _comment(item)
    raise AssertionError(f"{type(item).__name__} has no plan")


def _guarded(item: User | Movie | Show) -> Move:
    """A user with the email's guard, a title with its names and the guards of its external ids. Of two with one email
    the older has it."""
    key, guards = item.own_key, guards_of(item)

    def decide(found: TargetItems) -> Decision:
        if found.item(key) is not None:
            return Already()
        for guard in guards:
            guarded: Key[EmailGuard | ExternalId] = guard.own_key
            there = found.item(guarded)
            if there is not None:
                return Problem(f"{_value(guard)} is taken by {_owner(there)} in the new table")
        names = () if isinstance(item, User) else names_of(item).values()
        return Writes(Put(item).if_new(), *(Put(guard).if_new() for guard in guards), *(Put(named) for named in names))

    return Move(
        turn=_ENTITIES,
        reads=(key, *(guard.own_key for guard in guards)),
        decide=decide,
        claims=tuple(Claim(_value(guard)) for guard in guards),
        rank=item.created_at,
    )


def _watchlist(item: Watchlist) -> Move:
    """A list, empty at first: each of its items counts itself."""
    key, curator = item.own_key, User.key(User.user_id(item.curator_id))

    def decide(found: TargetItems) -> Decision:
        if found.item(key) is not None:
            return Already()
        return Writes(Put(as_its_curator_allows(item, found.item(curator))).if_new())

    return Move(turn=_LISTS, reads=(key, curator), decide=decide)


def _watchlist_item(item: WatchlistItem) -> Move:
    """An item, counted on its list and, if that is there, on its title. Adoption makes the list live."""
    parent = Watchlist.key(Watchlist.watchlist_id(item.watchlist_id))
    title: Key[Any] = title_key(item)

    def counted(found: TargetItems) -> tuple[Write, ...] | Problem:
        watchlist = found.item(parent)
        if watchlist is not None and watchlist.item_count >= MOST_ITEMS:
            return Problem(f"its watchlist {item.watchlist_id} has {MOST_ITEMS:,} items already")
        more = Update(parent, Watchlist.item_count.add(1)).when(Watchlist.item_count < MOST_ITEMS)
        content = found.item(title)
        return more, Check(title, title.absent()) if content is None else one_use_more(content)

    def labelled(found: TargetItems) -> Item:
        content = found.item(title)
        return item if content is None else item.with_(WatchlistItem.label(label_of(content)))

    place = Claim(f"{item.content_type} {item.content_id} on the watchlist {item.watchlist_id}")
    parents: Parents = {f"watchlist {item.watchlist_id}": parent}
    return _belonging(item, parents, counted, claim=place, since=item.added_at, beside=(title,), made=labelled)


def _saved(item: SavedWatchlist) -> Move:
    """Saving twice is saving once: the earlier row is moved. The list itself may be gone; it shows as unavailable."""
    parent = User.key(User.user_id(item.user_id))
    watchlist = Watchlist.key(Watchlist.watchlist_id(item.watchlist_id))

    def counted(found: TargetItems) -> tuple[Write, ...]:
        there = Check(parent, parent.present())
        if found.item(watchlist) is None:
            return (there,)
        return there, one_more(item.watchlist_id, ListTotals.save_count)

    def titled(found: TargetItems) -> Item:
        of = found.item(watchlist)
        return item if of is None or not of.is_public else item.with_(SavedWatchlist.saved_title(of.title))

    saved = Claim(f"the watchlist {item.watchlist_id} saved by {item.user_id}", losing="skip")
    parents: Parents = {f"user {item.user_id}": parent}
    return _belonging(item, parents, counted, claim=saved, since=item.saved_at, beside=(watchlist,), made=titled)


def _rating(item: Rating) -> Move:
    """A rating, counted on its title in the same transaction; it marks the title as seen."""
    user, title = User.key(User.user_id(item.user_id)), title_key(item)
    mark = Mine(
        user_id=item.user_id,
        content_type=item.content_type,
        content_id=item.content_id,
        marked_at=item.rated_at,
        rating=item.rating,
    )

    def counted(found: TargetItems) -> tuple[Write, ...]:
        content = found.item(title)
        assert content is not None  # parents are there
        seen = found.item(mark.own_key)
        own = Put(mark).if_new() if seen is None else Update(mark.own_key, Mine.rating.set(item.rating))
        return *rating_of(content).update(content, None, item.rating), Check(user, user.present()), own

    given = Claim(f"the rating of {item.content_type} {item.content_id} by {item.user_id}")
    parents: Parents = {f"user {item.user_id}": user, f"title {item.content_type} {item.content_id}": title}
    return _belonging(item, parents, counted, claim=given, since=item.rated_at, beside=(mark.own_key,))


def _comment(item: Comment) -> Move:
    parent = Watchlist.key(Watchlist.watchlist_id(item.watchlist_id))

    def counted(_found: TargetItems) -> tuple[Write, ...]:
        return Check(parent, parent.present()), one_more(item.watchlist_id, ListTotals.comment_count)

    moment = Claim(f"the comment of {item.user_id} on {item.watchlist_id} at {item.created_at}")
    parents: Parents = {f"watchlist {item.watchlist_id}": parent}
    return _belonging(item, parents, counted, claim=moment, since=item.created_at)


def _belonging(
    item: Item,
    parents: Parents,
    also: Callable[[TargetItems], tuple[Write, ...] | Problem],
    *,
    claim: Claim,
    since: str,
    beside: tuple[Key[Any], ...] = (),
    made: Callable[[TargetItems], Item] | None = None,
) -> Move:
    """An item that belongs to others: moved after them, together with what it changes in them. What is read `beside`
    need not be there; `made` is the item with what it repeats of others."""
    own = item.own_key

    def decide(found: TargetItems) -> Decision:
        there = found.item(own)
        if there is not None:
            return _there_already(item, there)
        for name, key in parents.items():
            if found.item(key) is None:
                return Problem(f"its {name} is not there")
        more = also(found)
        new = item if made is None else made(found)
        return more if isinstance(more, Problem) else Writes(Put(new).if_new(), *more)

    return Move(turn=_BELONGINGS, reads=(own, *parents.values(), *beside), decide=decide, claims=(claim,), rank=since)


def _there_already(item: Item, there: Item) -> Already | Problem:
    """Moved before, if the old `id` says so; anything else would be lost without a word."""
    mine, other = item.to_row().get("id"), there.to_row().get("id")
    if mine == other:
        return Already()
    whose = "made there" if other is None else f"from the old row {other['S']!r}"
    return Problem(f"the new table has another one under its key, {whose}")


def _value(guard: EmailGuard | ExternalId) -> str:
    if isinstance(guard, EmailGuard):
        return f"the email {guard.address}"
    return f"the {guard.source} id {guard.external_id}"


def _owner(guard: EmailGuard | ExternalId) -> str:
    return guard.of_user if isinstance(guard, EmailGuard) else guard.of_content


WORTHWATCH_BY_ID = Migration(
    name="worthwatch-by-id",
    purpose="WorthWatch's first table, keyed by `id`, into the documented one",
    source=OLD,
    targets=(WORTHWATCH,),
    plan=plan,
    expect=expect,
    turns=("users, movies and shows", "watchlists", "items, saved lists, ratings and comments"),
)
