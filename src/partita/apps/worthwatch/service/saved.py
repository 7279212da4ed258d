"""Saved lists: how often a list is saved is exact, and each visit moves the line after which titles are new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import SavedInput
from partita.apps.worthwatch.schema import ListTotals, Mine, SavedWatchlist, User, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.items import Items
from partita.apps.worthwatch.service.labels import Ref, ref_of
from partita.apps.worthwatch.service.lists import Lists, seen_by_everybody
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.reading import WHOLE, Progress, progress_of
from partita.apps.worthwatch.service.shelves import Shelves
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, Key, Page, Put, Transaction, Update, any_of
from partita.table.types import timestamp

BETWEEN_VISITS = timedelta(minutes=10)
PAGE = 12
MOST_SORTED = 60
"""So many saved lists are put in order, those with news first: those that were saved last."""


class OwnList(Conflict):
    """Somebody wants to save a list of their own."""

    code = "own_list"

    def __init__(self) -> None:
        super().__init__("This list is your own: you find it among My lists.")


@dataclass(frozen=True, slots=True)
class SavedList:
    """A saved list as its saver finds it."""

    saved: SavedWatchlist
    watchlist: Watchlist | None = None
    """None if it is private or gone: then only the title is left that it had when it was saved."""
    curator: User | None = None
    has_news: bool = False
    """Whether titles came since the last visit."""
    new: tuple[WatchlistItem, ...] = ()
    """Those titles, newest first; empty for lists that are too long to look at in passing."""
    progress: Progress | None = None
    """None for such lists, and for those that are not available."""

    @property
    def available(self) -> bool:
        return self.watchlist is not None

    @property
    def title(self) -> str:
        return self.watchlist.title if self.watchlist is not None else self.saved.saved_title or "A list"

    @property
    def since(self) -> str:
        """What came after this is new."""
        return line_of(self.saved)


@dataclass(frozen=True, slots=True)
class SavedPage:
    """Some saved lists, those with news first."""

    items: tuple[SavedList, ...]
    start: int
    of: int
    """How many are in order."""
    older: bool
    """Whether there are more that were saved before those."""

    @property
    def with_news(self) -> tuple[SavedList, ...]:
        return tuple(each for each in self.items if each.has_news)

    @property
    def others(self) -> tuple[SavedList, ...]:
        return tuple(each for each in self.items if each.available and not each.has_news)

    @property
    def unavailable(self) -> tuple[SavedList, ...]:
        return tuple(each for each in self.items if not each.available)

    @property
    def next_start(self) -> int | None:
        return self.start + PAGE if self.start + PAGE < self.of else None


class Saved:
    """One person's saved lists."""

    def __init__(self, kit: Kit, people: People, lists: Lists, items: Items, shelves: Shelves) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists
        self._items = items
        self._shelves = shelves

    # -- writing

    async def save(self, viewer: Viewer, watchlist_id: str, given: SavedInput | None = None) -> SavedWatchlist:
        """Save a list that the viewer may see; what is saved stays so, and only says anew whether to tell of news."""
        watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist
        if watchlist.curator_id == viewer.id:
            raise OwnList
        await self._people.me(viewer)
        tell_me = None if given is None else given.tell_me

        async def attempt() -> SavedWatchlist:
            before = await find(self._store, schema.saved, viewer.id, watchlist_id)
            if before is not None:
                return await self._tell(before, tell_me)
            now = stamp(self._kit.clock)
            saved = SavedWatchlist(
                user_id=viewer.id,
                watchlist_id=watchlist_id,
                saved_at=now,
                visited_at=now,
                saved_title=watchlist.title,
                tell_me=tell_me,
            )
            own = Put(saved).if_new().otherwise(lambda there: ChangedMeanwhileError("Your saved list", there))
            one_more = Update(_totals_key(watchlist_id), ListTotals.save_count.add(1)).or_new()
            await self._store.transact(Transaction(own, one_more))
            return saved

        return await self._store.attempt(attempt)

    async def remove(self, viewer: Viewer, watchlist_id: str) -> bool:
        """Save a list no longer; returns whether it was saved. It may be private or gone by now."""

        async def attempt() -> bool:
            before = await find(self._store, schema.saved, viewer.id, watchlist_id)
            if before is None:
                return False
            gone = Delete(before.own_key).unless_changed(before, SavedWatchlist.saved_at, SavedWatchlist.counted)
            counted = before.as_stored(SavedWatchlist.counted)
            others = (await self._one_less(watchlist_id),) if counted else ()
            await self._store.transact(Transaction(gone, *others))
            return True

        return await self._store.attempt(attempt)

    async def visit(self, saved: SavedWatchlist) -> None:
        """Somebody looks at a list that they saved: titles that come from now on are new. Visits count at most every
        ten minutes."""
        now = self._kit.clock.now()
        if saved.visited_at is None or saved.visited_at <= timestamp(now - BETWEEN_VISITS):
            seen = Update(saved.own_key, SavedWatchlist.visited_at.set(timestamp(now)))
            with suppress(ChangedMeanwhileError):  # another window was faster, or it has just been removed
                await self._store.write(seen.unless_changed(saved, SavedWatchlist.visited_at))

    # -- reading

    async def find(self, viewer: Viewer, watchlist_id: str) -> SavedWatchlist | None:
        """The viewer's saving of a list; None if there is none, or nobody is signed in."""
        return await find(self._store, schema.saved, viewer.id, watchlist_id) if viewer.signed_in else None

    async def one(self, viewer: Viewer, watchlist_id: str) -> SavedList:
        """One saved list, counted however long it is."""
        missing = NotFound("You have not saved this list.")
        saved = await find_or(missing, self._store, schema.saved, viewer.id, watchlist_id)
        (found,) = await self._looked_at(viewer, (saved,), most=None)
        return found

    async def lists(self, viewer: Viewer, *, limit: int = 12, cursor: str | None = None) -> Page[SavedList]:
        """Saved lists, saved last first, with news and progress."""

        async def follow(saved: Sequence[SavedWatchlist]) -> list[SavedList]:
            return await self._looked_at(viewer, saved, most=WHOLE)

        return await follow_page(self._store, schema.saved_shelf(viewer.id), follow, limit=limit, after=cursor)

    async def news_first(self, viewer: Viewer, start: int = 0) -> SavedPage:
        """The same with news first and unavailable ones last, as far as they are sorted."""
        shelf = await self._store.page(schema.saved_shelf(viewer.id), limit=MOST_SORTED)
        lists = await self._lists.by_id(each.watchlist_id for each in shelf.items)
        curators = await self._people.by_id(each.curator_id for each in lists.values())

        def rank(saved: SavedWatchlist) -> int:
            watchlist = lists.get(saved.watchlist_id)
            if watchlist is None or not seen_by_everybody(watchlist, curators.get(watchlist.curator_id)):
                return 2
            return 0 if (watchlist.last_item_at or "") > line_of(saved) else 1

        ranked = sorted(shelf.items, key=rank)
        found = await self._counted(viewer, ranked[start : start + PAGE], lists, curators, most=WHOLE)
        return SavedPage(tuple(found), start, len(ranked), shelf.next_cursor is not None)

    async def _looked_at(self, viewer: Viewer, saved: Sequence[SavedWatchlist], *, most: int | None) -> list[SavedList]:
        lists = await self._lists.by_id(each.watchlist_id for each in saved)
        curators = await self._people.by_id(each.curator_id for each in lists.values())
        return await self._counted(viewer, saved, lists, curators, most=most)

    async def _counted(
        self,
        viewer: Viewer,
        saved: Sequence[SavedWatchlist],
        lists: Mapping[str, Watchlist],
        curators: Mapping[str, User],
        *,
        most: int | None,
    ) -> list[SavedList]:
        """Saved lists with their news and how much of each the viewer has seen; lists of more titles are not read."""
        found = {
            each.watchlist_id: watchlist
            for each in saved
            if (watchlist := lists.get(each.watchlist_id)) is not None
            and seen_by_everybody(watchlist, curators.get(watchlist.curator_id))
        }
        short = [key for key, each in found.items() if most is None or each.item_count <= most]
        items = {key: await self._items.all_in_order(key) for key in short}
        refs = ((item.content_type, item.content_id) for each in items.values() for item in each)
        mine = await self._shelves.among(viewer, refs)
        return [_saved_list(each, found.get(each.watchlist_id), curators, items, mine) for each in saved]

    async def _tell(self, before: SavedWatchlist, tell_me: bool | None) -> SavedWatchlist:
        if tell_me is None or before.tell_me == tell_me:
            return before
        told = Update(before.own_key, SavedWatchlist.tell_me.set(tell_me))
        return await self._store.update(told.unless_changed(before, SavedWatchlist.tell_me))

    async def _one_less(self, watchlist_id: str) -> Write:
        """One save less; if the totals are gone with their list, that is checked and not assumed."""
        key = _totals_key(watchlist_id)
        totals = await find(self._store, schema.totals, watchlist_id)
        changed = lambda there: ChangedMeanwhileError("The totals", there)  # noqa: E731
        if totals is None:
            return Check(key, key.absent()).otherwise(changed)
        if not totals.save_count:
            none = any_of(ListTotals.save_count.missing(), ListTotals.save_count.equals(0))
            return Check(key, none).otherwise(changed)
        return Update(key, ListTotals.save_count.add(-1)).otherwise(changed)


def line_of(saved: SavedWatchlist) -> str:
    """What came to a list after this moment is new to whoever saved it."""
    return saved.visited_at or saved.saved_at


def _saved_list(
    saved: SavedWatchlist,
    watchlist: Watchlist | None,
    curators: Mapping[str, User],
    items: Mapping[str, Sequence[WatchlistItem]],
    mine: Mapping[Ref, Mine],
) -> SavedList:
    if watchlist is None:
        return SavedList(saved)
    curator, line = curators.get(watchlist.curator_id), line_of(saved)
    if watchlist.watchlist_id not in items:
        return SavedList(saved, watchlist, curator, has_news=(watchlist.last_item_at or "") > line)
    titles = items[watchlist.watchlist_id]
    new = tuple(sorted((item for item in titles if item.added_at > line), key=_added, reverse=True))
    return SavedList(saved, watchlist, curator, bool(new), new, progress_of(map(ref_of, titles), mine))


def _added(item: WatchlistItem) -> str:
    return item.added_at


def _totals_key(watchlist_id: str) -> Key[ListTotals]:
    return schema.totals(watchlist_id).key
