"""Live lists: public, not hidden, not empty. What makes or ends that writes all of it in one transaction.

A live list has the feed LIVE, one pointer for its curator and one for each tag, a place in the tags' totals and among
the popular lists, and its curator one more live list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import heat, tag_key
from partita.apps.worthwatch.schema import CuratorPointer, ListTotals, Popularity, TagPointer, TagTotal, User, Watchlist
from partita.kit.problems import Forbidden
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, Put, Update, any_of

Write: TypeAlias = Put[Any] | Update[Any] | Delete[Any] | Check[Any]


class NotACurator(Forbidden):
    """Only approved curators publish."""

    code = "not_a_curator"

    def __init__(self) -> None:
        super().__init__("Only approved curators publish lists. Apply on your profile, or share the list by a link.")


def settled(watchlist: Watchlist, now: str) -> Watchlist:
    """The list with the feed that it should have; `publishedAt` is set the first time."""
    if not watchlist.should_be_live:
        return watchlist.with_(Watchlist.feed(None))
    return watchlist.with_(Watchlist.feed("LIVE"), Watchlist.published_at(watchlist.published_at or now))


async def beside(store: AsyncStore, before: Watchlist | None, after: Watchlist | None) -> tuple[Write, ...]:
    """Everything beside the list itself that a change of it writes. `NotACurator` if it goes live and its curator is
    not approved at that moment."""
    return (*_tags(before, after), *await _liveness(store, before, after))


def handed_over(before: Watchlist, after: Watchlist) -> tuple[Write, ...]:
    """What a list of somebody who left writes beside itself when it gets the id that stands in for theirs."""
    if not before.live:
        return ()
    return Delete(_pointer(before).own_key), Put(_pointer(after))


def approved(curator_id: str) -> Check[User]:
    """Its curator is approved at this moment."""
    key = User.key(User.user_id(curator_id))
    return Check(key, User.curator_status.equals("approved")).otherwise(NotACurator())


async def _liveness(store: AsyncStore, before: Watchlist | None, after: Watchlist | None) -> tuple[Write, ...]:
    if after is not None and after.live and (before is None or not before.live):
        return _begin(after, await store.get(schema.totals(after.watchlist_id).consistently()))
    if before is not None and before.live and (after is None or not after.live):
        curator = await store.get(schema.user(before.curator_id).consistently())
        return _end(before, curator)
    return ()


def _begin(watchlist: Watchlist, totals: ListTotals | None) -> tuple[Write, ...]:
    assert watchlist.published_at is not None  # it is live
    warmth = heat((totals.save_count if totals else 0) or 0, watchlist.published_at)
    curator = Update(User.key(User.user_id(watchlist.curator_id)), User.live_list_count.add(1))
    return (
        curator.when(User.curator_status.equals("approved")).otherwise(NotACurator()),
        Put(_pointer(watchlist)),
        Put(Popularity(watchlist_id=watchlist.watchlist_id, heat=warmth)),
    )


def _end(watchlist: Watchlist, curator: User | None) -> tuple[Write, ...]:
    return (
        Delete(_pointer(watchlist).own_key),
        Delete(schema.popularity(watchlist.watchlist_id).key),
        _one_list_less(watchlist.curator_id, curator),
    )


def _one_list_less(curator_id: str, curator: User | None) -> Write:
    """Somebody who left has no profile, and one that another program has overwritten no count."""
    key = User.key(User.user_id(curator_id))
    if curator is None:
        return Check(key, key.absent()).otherwise(_changed("The curator"))
    if not curator.live_list_count:
        none = any_of(User.live_list_count.missing(), User.live_list_count.equals(0))
        return Check(key, none).otherwise(_changed("The curator"))
    return Update(key, User.live_list_count.add(-1)).otherwise(_changed("The curator"))


def _changed(what: str) -> Callable[[Any], Exception]:
    return lambda there: ChangedMeanwhileError(what, there)


def _pointer(watchlist: Watchlist) -> CuratorPointer:
    assert watchlist.published_at is not None  # it is live
    return CuratorPointer(
        curator=watchlist.curator_id, published_at=watchlist.published_at, watchlist_id=watchlist.watchlist_id
    )


def _tags(before: Watchlist | None, after: Watchlist | None) -> Iterator[Write]:
    """Exactly the tags that come and go, each with its total."""
    old, new = _pointers(before), _pointers(after)
    for tag in sorted(new.keys() - old.keys()):
        yield Put(new[tag])
        yield Update(TagTotal.key(TagTotal.tag(tag)), TagTotal.count.add(1)).or_new()
    for tag in sorted(old.keys() - new.keys()):
        yield Delete(old[tag].own_key)
        yield Update(TagTotal.key(TagTotal.tag(tag)), TagTotal.count.add(-1)).or_new()


def _pointers(watchlist: Watchlist | None) -> dict[str, TagPointer]:
    if watchlist is None or not watchlist.live or watchlist.published_at is None:
        return {}
    return {
        tag: TagPointer(tag=tag, published_at=watchlist.published_at, watchlist_id=watchlist.watchlist_id)
        for tag in dict.fromkeys(map(tag_key, watchlist.tags))
    }
