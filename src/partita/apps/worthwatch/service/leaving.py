"""Leaving: the profile goes at once, and the change stream takes the rest, counted out, as often as it takes."""

from __future__ import annotations

from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import (
    MOVIE_RATING,
    SHOW_RATING,
    USER_EMAIL,
    Application,
    Import,
    ListRemoval,
    ListTotals,
    Mine,
    Queued,
    Rating,
    SavedWatchlist,
    User,
    UserRemoval,
    Viewing,
    Watchlist,
)
from partita.apps.worthwatch.service.comments import removing
from partita.apps.worthwatch.service.follows import unfollow
from partita.apps.worthwatch.service.labels import title_get, title_key
from partita.apps.worthwatch.service.lists import LIVENESS
from partita.apps.worthwatch.service.live import Write, beside, handed_over
from partita.apps.worthwatch.service.people import People, no_such_person
from partita.apps.worthwatch.service.removal import delete_all
from partita.kit.accounts.former_names import given_up
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, require_confirmation
from partita.kit.personal_data import Person
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, Put, Transaction, Update, any_of


class Leaving:
    """Ends what somebody has here; their account of the suite stays."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    async def leave(self, viewer: Viewer, *, keep_lists: bool) -> UserRemoval:
        """Remove the viewer's profile; published lists stay without a name if that is wanted, unless their curator is
        not approved: what is hidden does not become visible by leaving."""
        require_confirmation(viewer)

        async def attempt() -> UserRemoval:
            user = await self._people.mine(viewer)
            if user is None:
                raise no_such_person()
            keeps = keep_lists and user.approved
            removal = UserRemoval(
                user_id=user.user_id,
                keeps_lists=keeps,
                stand_in=f"left-{self._kit.ids.new()}" if keeps else None,
                removed_at=stamp(self._kit.clock),
            )
            gone = Delete(user.own_key).unless_changed(user, User.email, User.curator_status)
            guard = USER_EMAIL.release(user) if user.as_stored(User.adopted) else ()
            name = given_up(user.user_id, user.username, removal.removed_at)
            await self._store.transact(Transaction(gone, *guard, Put(removal), name))
            return removal

        return await self._store.attempt(attempt)

    async def erase(self, person: Person) -> None:
        """Remove everything of somebody whose account is erased; once more is harmless."""

        async def attempt() -> UserRemoval:
            under_way = await find(self._store, schema.user_removal, person.user_id)
            if under_way is not None:
                return under_way
            user = await self._people.find(person.user_id)
            keeps = user is not None and user.approved
            removal = UserRemoval(
                user_id=person.user_id,
                keeps_lists=keeps,
                stand_in=person.stand_in if keeps else None,
                removed_at=stamp(self._kit.clock),
            )
            gone: list[Write] = [Put(removal).if_new().otherwise(ChangedMeanwhileError("Somebody's removal"))]
            if user is not None:
                gone.append(Delete(user.own_key).unless_changed(user, User.email, User.curator_status))
                gone += USER_EMAIL.release(user) if user.as_stored(User.adopted) else ()
                gone.append(given_up(user.user_id, user.username, removal.removed_at))
            await self._store.transact(Transaction(*gone))
            return removal

        await finish_person(self._store, await self._store.attempt(attempt))
        await delete_all(self._store, Application.query(Application.user_id(person.user_id)).consistently())


async def finish_person(store: AsyncStore, removal: UserRemoval) -> None:
    """Take everything of somebody who left. If it is interrupted, it goes on with what is left."""
    user_id = removal.user_id
    now = await find(store, schema.user_removal, user_id)
    if now is None:
        return
    await _lists_out(store, now)
    async for rating in store.stream(schema.ratings_by(user_id).consistently()):
        await store.attempt(lambda rating=rating: _rating_out(store, rating))  # type: ignore[misc]
    async for saved in store.stream(schema.saved_by(user_id).consistently()):
        await store.attempt(lambda saved=saved: _saved_out(store, saved))  # type: ignore[misc]
    async for follow in store.stream(schema.followed_shelf(user_id)):
        await store.attempt(lambda curator=follow.curator: unfollow(store, user_id, curator))  # type: ignore[misc]
    async for comment in store.stream(schema.said_shelf(user_id)):
        if comment.removed_by is None:
            name = comment.watchlist_id, comment.created_at
            await store.attempt(lambda name=name: _comment_out(store, user_id, *name))  # type: ignore[misc]
    for query in (
        schema.followers_of(user_id),
        Mine.query(Mine.user_id(user_id)).consistently(),
        Queued.query(Queued.user_id(user_id)).consistently(),
        Viewing.query(Viewing.user_id(user_id)).consistently(),
        Import.query(Import.user_id(user_id)).consistently(),
    ):
        await delete_all(store, query)
    await _applications_out(store, user_id)
    await store.write(Delete(now.own_key))


async def _applications_out(store: AsyncStore, user_id: str) -> None:
    """Delete applications. That somebody is suspended, or was declined last, stays until their account is erased,
    without what they wrote: otherwise leaving and coming back would end it."""
    last = await store.first(schema.applications_of(user_id).consistently())
    async for each in store.stream(Application.query(Application.user_id(user_id)).consistently()):
        if last is not None and each.applied_at == last.applied_at and each.decision in ("suspended", "declined"):
            gone = Application.statement.set(""), Application.links.set(()), Application.sample_list.remove()
            await store.write(Update(each.own_key, *gone))
        else:
            await store.write(Delete(each.own_key))


async def _lists_out(store: AsyncStore, removal: UserRemoval) -> None:
    async for each in store.stream(schema.watchlists_of(removal.user_id)):
        watchlist_id = each.watchlist_id
        await store.attempt(lambda watchlist_id=watchlist_id: _list_out(store, removal, watchlist_id))  # type: ignore[misc]


async def _list_out(store: AsyncStore, removal: UserRemoval, watchlist_id: str) -> None:
    """Delete a list, or let it stay under an id that leads to nobody."""
    before = await find(store, schema.watchlist, watchlist_id)
    if before is None or before.curator_id != removal.user_id:
        return
    if removal.keeps_lists and removal.stand_in is not None and before.live:
        after = before.with_(Watchlist.curator_id(removal.stand_in))
        own = Update(before.own_key, Watchlist.curator_id.set(removal.stand_in), Watchlist.updated_by.remove())
        same = own.unless_changed(before, *LIVENESS, Watchlist.curator_id)
        await store.transact(Transaction(same, *handed_over(before, after)))
        return
    gone = ListRemoval(
        watchlist_id=watchlist_id,
        title=before.title,
        of_curator=removal.user_id,
        removed_by=removal.user_id,
        removed_at=removal.removed_at,
        was_public=before.is_public or None,
    )
    own_gone = Delete(before.own_key).unless_changed(before, *LIVENESS)
    await store.transact(Transaction(own_gone, Put(gone), *await beside(store, before, None)))


async def _rating_out(store: AsyncStore, known: Rating) -> None:
    """Remove a rating together with its place in the sums of its title."""
    rating = await find(store, schema.rating, known.user_id, known.content_type, known.content_id)
    if rating is None:
        return
    gone = Delete(rating.own_key).unless_changed(rating, Rating.rating, Rating.counted_rating)
    counted = rating.as_stored(Rating.counted_rating)
    title = await store.get(title_get(rating.content_type, rating.content_id).consistently())
    writes: list[Write] = [gone]
    if counted is not None:
        key = title_key(rating.content_type, rating.content_id)
        if title is None:
            writes.append(Check(key, key.absent()).otherwise(_changed))
        elif not title.rating_count:
            kind: Any = type(title)
            none = any_of(kind.rating_count.missing(), kind.rating_count.equals(0))
            writes.append(Check(key, none).otherwise(_changed))
        else:
            sums: Any = MOVIE_RATING if rating.content_type == "MOVIE" else SHOW_RATING
            writes += [each.otherwise(_changed) for each in sums.update(title, counted, None)]
    await store.transact(Transaction(*writes))


async def _saved_out(store: AsyncStore, known: SavedWatchlist) -> None:
    """Remove a saved list together with its place in the list's totals."""
    saved = await find(store, schema.saved, known.user_id, known.watchlist_id)
    if saved is None:
        return
    writes: list[Write] = [Delete(saved.own_key).unless_changed(saved, SavedWatchlist.counted)]
    if saved.as_stored(SavedWatchlist.counted):
        key = ListTotals.key(ListTotals.watchlist_id(saved.watchlist_id))
        totals = await store.get(schema.totals(saved.watchlist_id).consistently())
        if totals is None:
            writes.append(Check(key, key.absent()).otherwise(_changed))
        elif not totals.save_count:
            none = any_of(ListTotals.save_count.missing(), ListTotals.save_count.equals(0))
            writes.append(Check(key, none).otherwise(_changed))
        else:
            writes.append(Update(key, ListTotals.save_count.add(-1)).otherwise(_changed))
    await store.transact(Transaction(*writes))


async def _comment_out(store: AsyncStore, user_id: str, watchlist_id: str, created_at: str) -> None:
    """Take text and name from a comment; it keeps its place."""
    comment = await find(store, schema.comment, watchlist_id, created_at, user_id)
    if comment is not None and comment.removed_by is None:
        await store.transact(Transaction(*await removing(store, comment, "author", keep_place=True)))


def _changed(there: Any) -> Exception:
    return ChangedMeanwhileError("What somebody who leaves has", there)
