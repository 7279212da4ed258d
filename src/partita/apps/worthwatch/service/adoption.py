"""How items that another program wrote are adopted: as the document has them, without our keys, guards and counts.

Each is adopted by one transaction that says so on the item itself, so it happens once, whoever does it. What another
program counted is not believed: a list's `itemCount` becomes the number of items that we have counted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import (
    USER_EMAIL,
    Comment,
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
from partita.apps.worthwatch.service import mine as marks
from partita.apps.worthwatch.service.copies import Copies
from partita.apps.worthwatch.service.labels import Title, label_of, title_get, title_key
from partita.apps.worthwatch.service.lists import LIVENESS, actions
from partita.apps.worthwatch.service.live import NotACurator, Write, beside, settled
from partita.apps.worthwatch.service.people import EmailTaken
from partita.apps.worthwatch.service.ratings import TRIES, Ratings
from partita.apps.worthwatch.service.titles import ExternalIdTaken, edited, one_use_more
from partita.apps.worthwatch.service.titles import beside as names_and_guards
from partita.kit.adoption import Adoption, AdoptionRefused, plainly
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.problems import NotFound
from partita.table import ChangedMeanwhileError, Check, ForeignItemError, Put, Transaction, Update

_OF_A_TITLE = ("rating_count", "rating_sum", "rating", "listed_in", *(f"rated_{number}" for number in range(1, 11)))
_OF_A_LIST = ("published_at", "feed", "hidden", "is_ranked", "last_item_at", "cover_items", "cloned_from")
_OF_A_USER = ("follower_count", "live_list_count", "favourites", "mail", "digest_week", "hide_averages")


def adoptions(kit: Kit, copies: Copies, ratings: Ratings) -> tuple[Adoption[Any], ...]:
    """How each type is adopted. Lists count their items, so they come first."""
    adopt = _Adopting(kit, copies, ratings)
    later = partial(Adoption, after_others=True)
    return (
        Adoption(User, "person", _if_readable(adopt.user), is_due=plainly(_is_foreign)),
        Adoption(Movie, "film", _if_readable(adopt.title), is_due=plainly(_is_foreign)),
        Adoption(Show, "series", _if_readable(adopt.title), is_due=plainly(_is_foreign)),
        Adoption(Watchlist, "list", _if_readable(adopt.watchlist), is_due=plainly(_is_foreign)),
        later(WatchlistItem, "title on a list", _if_readable(adopt.item), is_due=adopt.is_due_on_its_list),
        later(SavedWatchlist, "saved list", _if_readable(adopt.saved), is_due=plainly(_is_uncounted)),
        later(Comment, "comment", _if_readable(adopt.comment), is_due=adopt.is_due_on_its_list),
        later(Rating, "rating", _if_readable(adopt.rating), is_due=adopt.is_due_on_its_title),
    )


def _is_foreign(item: User | Movie | Show | Watchlist) -> bool:
    if isinstance(item, Watchlist) and item.live != item.should_be_live:
        return True
    return not item.as_stored(type(item).adopted)


def _is_uncounted(item: WatchlistItem | SavedWatchlist | Comment) -> bool:
    return not item.as_stored(type(item).counted)


def _if_readable(adopt: Callable[[Any, Any], Awaitable[bool]]) -> Callable[[Any, Any], Awaitable[bool]]:
    """What belongs to an item that does not fit its type is refused, and does not stop the others."""

    async def run(seen: Any, before: Any) -> bool:
        try:
            return await adopt(seen, before)
        except ForeignItemError as error:
            raise AdoptionRefused(str(error)) from error

    return run


class _Adopting:
    """What adopts an item of each type; see `kit.adoption`."""

    def __init__(self, kit: Kit, copies: Copies, ratings: Ratings) -> None:
        self._kit = kit
        self._store = kit.store
        self._copies = copies
        self._ratings = ratings

    async def user(self, seen: User, before: User | None) -> bool:
        """Guard the email; give somebody whom another program has overwritten their numbers back."""
        if seen.as_stored(User.adopted):
            return False

        async def attempt() -> bool:
            user = await find(self._store, schema.user, seen.user_id)
            if user is None or user.as_stored(User.adopted):
                return False
            known = before if before is not None and before.as_stored(User.adopted) else None
            after = user.model_copy(update=_kept(known, user, _OF_A_USER))
            own = Put(after).unless_changed(user, User.email, User.updated_at, User.adopted, User.live_list_count)
            guard = USER_EMAIL.otherwise(EmailTaken())
            claims = guard.claim(after) if known is None else guard.move(known, after)
            there = await self._store.get(schema.email_guard(after.email.lower()).consistently())
            if there is not None and there.of_user == after.user_id:
                claims = ()
            await self._store.transact(Transaction(own, *claims))
            return True

        try:
            return await self._store.attempt(attempt)
        except EmailTaken:
            raise AdoptionRefused(f"another person has the email {seen.email}") from None

    async def title(self, seen: Title, before: Title | None) -> bool:
        """Names, and guards of external ids; a title that was overwritten gets its numbers back."""
        kind: Any = type(seen)
        if seen.as_stored(kind.adopted):
            return False

        async def attempt() -> bool:
            title: Title | None = await find(self._store, title_get, seen.content_type, seen.content_id)
            if title is None or title.as_stored(kind.adopted):
                return False
            known = before if before is not None and before.as_stored(kind.adopted) else None
            after = title.model_copy(update=_kept(known, title, (*_OF_A_TITLE, "other_titles", "checked_at")))
            if known is None:  # its numbers come with the items and ratings that are adopted after it
                after = after.model_copy(update={"rating": None} if not after.rating_count else {})
            counters = [kind.__attributes__[name] for name in _OF_A_TITLE]
            own = Put(after).unless_changed(title, *edited(title), *counters, kind.adopted)
            await self._store.transact(Transaction(own, *names_and_guards(known, after)))
            return True

        try:
            return await self._store.attempt(attempt, tries=TRIES)
        except ExternalIdTaken as taken:
            raise AdoptionRefused(f"{taken.of_content} has one of its external ids") from None

    async def watchlist(self, seen: Watchlist, before: Watchlist | None) -> bool:
        """Count what it has, and make it live if it should be: a list whose curator is not approved is hidden."""
        if seen.as_stored(Watchlist.adopted) and seen.live == seen.should_be_live:
            return False
        known = before if before is not None and before.as_stored(Watchlist.adopted) else None
        with suppress(NotACurator):  # they were suspended at this moment, which hides it
            return await self._store.attempt(lambda: self._watchlist(seen.watchlist_id, known))
        return False

    async def _watchlist(self, watchlist_id: str, known: Watchlist | None) -> bool:
        now = await find(self._store, schema.watchlist, watchlist_id)
        if now is None:
            return False
        adopted: bool | None = now.as_stored(Watchlist.adopted)
        if adopted and now.live == now.should_be_live:
            return False
        after = now if adopted else now.model_copy(update=_kept(known, now, _OF_A_LIST))
        if not adopted:
            items = self._store.stream(schema.items_of(watchlist_id).consistently())
            counted = [item async for item in items if item.as_stored(WatchlistItem.counted)]
            published = after.published_at or (after.created_at if after.is_public else None)
            after = after.with_(Watchlist.item_count(len(counted)), Watchlist.published_at(published))
        if after.is_public and not after.hidden:
            curator = await find(self._store, schema.user, after.curator_id)
            if curator is None or not curator.approved:
                after = after.with_(Watchlist.hidden(True))
        after = settled(after, after.published_at or after.created_at)
        was = now if adopted else known
        same = *LIVENESS, Watchlist.item_count, Watchlist.title, Watchlist.adopted
        if adopted:
            own: Write = Update(now.own_key, *actions(now, after)).unless_changed(now, *same)
        else:
            own = Put(after).unless_changed(now, *same)
        await self._store.transact(Transaction(own, *await beside(self._store, was, after)))
        return True

    async def item(self, seen: WatchlistItem, before: WatchlistItem | None) -> bool:
        """Count it on its list and its title; the first one of a public list makes that live."""
        if seen.as_stored(WatchlistItem.counted):
            return False
        counted_before = before is not None and before.as_stored(WatchlistItem.counted)

        async def attempt() -> bool:
            ref = seen.content_type, seen.content_id
            item = await find(self._store, schema.item_of, seen.watchlist_id, *ref)
            if item is None or item.as_stored(WatchlistItem.counted):
                return False
            watchlist = await find(self._store, schema.watchlist, seen.watchlist_id)
            if watchlist is None:
                return False  # an item of no list counts nowhere
            if not watchlist.as_stored(Watchlist.adopted):
                await self.watchlist(watchlist, None)
                raise ChangedMeanwhileError("The list", watchlist)
            title: Title | None = await find(self._store, title_get, *ref)
            after = item.model_copy(
                update={
                    "label": item.label if title is None else label_of(title),
                    "live_since": watchlist.published_at if watchlist.live else None,
                }
            )
            own = Put(after).unless_changed(
                item, WatchlistItem.position, WatchlistItem.curator_note, WatchlistItem.counted
            )
            if counted_before:
                await self._store.write(own)
                return True
            more, others = await self._copies.counted(watchlist, 1, watchlist.curator_id)
            use = _absent(ref) if title is None else one_use_more(title)
            await self._store.transact(Transaction(own, *more, *others, use))
            return True

        return await self._store.attempt(attempt, tries=TRIES)

    async def is_due_on_its_list(self, seen: WatchlistItem | Comment) -> bool:
        """Whether there is anything to do: what belongs to no list counts nowhere."""
        return _is_uncounted(seen) and await find(self._store, schema.watchlist, seen.watchlist_id) is not None

    async def saved(self, seen: SavedWatchlist, before: SavedWatchlist | None) -> bool:
        if seen.as_stored(SavedWatchlist.counted):
            return False
        counted_before = before is not None and before.as_stored(SavedWatchlist.counted)

        async def attempt() -> bool:
            saved = await find(self._store, schema.saved, seen.user_id, seen.watchlist_id)
            if saved is None or saved.as_stored(SavedWatchlist.counted):
                return False
            watchlist = await find(self._store, schema.watchlist, seen.watchlist_id)
            title = watchlist.title if watchlist is not None and watchlist.is_public else None
            after = saved.with_(SavedWatchlist.saved_title(saved.saved_title or title))
            own = Put(after).unless_changed(saved, SavedWatchlist.saved_at, SavedWatchlist.counted)
            more = () if counted_before else (one_more(seen.watchlist_id, ListTotals.save_count),)
            await self._store.transact(Transaction(own, *more))
            return True

        return await self._store.attempt(attempt)

    async def comment(self, seen: Comment, before: Comment | None) -> bool:
        if seen.as_stored(Comment.counted):
            return False
        counted_before = before is not None and before.as_stored(Comment.counted)

        async def attempt() -> bool:
            comment = await find(self._store, schema.comment, seen.watchlist_id, seen.created_at, seen.user_id)
            if comment is None or comment.as_stored(Comment.counted):
                return False
            if await find(self._store, schema.watchlist, seen.watchlist_id) is None:
                return False
            own = Put(comment).unless_changed(comment, Comment.comment_text, Comment.reply_count, Comment.counted)
            more = () if counted_before else (one_more(seen.watchlist_id, ListTotals.comment_count),)
            await self._store.transact(Transaction(own, *more))
            return True

        return await self._store.attempt(attempt)

    async def rating(self, seen: Rating, before: Rating | None) -> bool:
        """Count it in its title's sums, and mark the title as seen."""
        if not seen.stale():
            return False
        counted_before = None if before is None else before.as_stored(Rating.counted_rating)

        async def attempt() -> bool:
            ref = seen.content_type, seen.content_id
            rating = await find(self._store, schema.rating, seen.user_id, *ref)
            if rating is None or not rating.stale():
                return False
            stored = rating.as_stored(Rating.counted_rating)
            own = Put(rating).unless_changed(rating, Rating.rating, Rating.rated_at, Rating.counted_rating)
            mark = await find(self._store, schema.mine, seen.user_id, *ref)
            after = marks.seen(mark or marks.blank(seen.user_id, ref), min(rating.rated_at, stamp(self._kit.clock)))
            changes = marks.changes(mark, after.with_(Mine.rating(rating.rating)))
            try:
                sums = await self._ratings.sums(ref, counted_before if stored is None else stored, rating.rating)
            except NotFound:  # a rating of no title counts nowhere
                return False
            await self._store.transact(Transaction(own, *sums, *changes))
            return True

        return await self._store.attempt(attempt, tries=TRIES)

    async def is_due_on_its_title(self, seen: Rating) -> bool:
        """Whether there is anything to do: a rating of no title counts nowhere."""
        return bool(seen.stale()) and await find(self._store, title_get, seen.content_type, seen.content_id) is not None


def _kept(known: Any, now: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """What another program has not written and was known before."""
    return {} if known is None else {name: getattr(known, name) for name in names if getattr(now, name) is None}


def one_more(watchlist_id: str, counter: Any) -> Update[ListTotals]:
    """One save or comment more in the totals of a list."""
    return Update(ListTotals.key(ListTotals.watchlist_id(watchlist_id)), counter.add(1)).or_new()


def _absent(ref: Any) -> Check[Any]:
    key = title_key(*ref)
    return Check(key, key.absent()).otherwise(lambda there: ChangedMeanwhileError("The title", there))
