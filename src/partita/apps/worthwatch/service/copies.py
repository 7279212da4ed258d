"""Copies: a private list with the titles and the order of another one. Notes stay with their curator."""

from __future__ import annotations

from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import MOST_ITEMS, CopyInput, NewList
from partita.apps.worthwatch.schema import ContentType, ListCopy, ListTotals, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.labels import label_of, titles_by_ref
from partita.apps.worthwatch.service.lists import LIVENESS, Lists, VisibleList
from partita.apps.worthwatch.service.live import Write, beside, settled
from partita.apps.worthwatch.service.order import START, STEP
from partita.apps.worthwatch.service.titles import one_use_more, parsed
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import ChangedMeanwhileError, Delete, Put, Query, Transaction, Update

_TITLES = 49
"""A title and its use are two of a transaction's hundred writes; the list and how far it came are the last two."""
_WITH_POINTERS = 35
"""So many if the list goes live with them, which writes pointers and totals of its tags."""


class Copies:
    """Copying, by batches: whoever begins it goes on as far as it can, and the change stream does what is left."""

    def __init__(self, kit: Kit, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._lists = lists

    async def copy(self, viewer: Viewer, source: VisibleList, wanted: CopyInput) -> Watchlist:
        """A private list of the viewer with the titles of one that they may see."""
        of = source.watchlist
        new = NewList(title=wanted.title or of.title, is_public=False, is_ranked=bool(of.is_ranked))
        copy = await self._lists.prepare(viewer, new, cloned_from=of.watchlist_id)
        work = ListCopy(watchlist_id=copy.watchlist_id, of_list=of.watchlist_id, by=viewer.id)
        counted = Update(ListTotals.key(ListTotals.watchlist_id(of.watchlist_id)), ListTotals.clone_count.add(1))
        await self._store.transact(Transaction(Put(copy).if_new(), Put(work).if_new(), counted.or_new()))
        await self.finish(copy.watchlist_id)
        return await self._lists.own(viewer, copy.watchlist_id)

    async def finish(self, watchlist_id: str) -> None:
        """Copy what is not copied yet; several may do so at once."""
        while await self._store.attempt(lambda: self._some(watchlist_id)):
            pass

    async def _some(self, watchlist_id: str) -> bool:
        """Copy the next titles; returns whether there may be more."""
        work = await self._store.get(schema.list_copy(watchlist_id).consistently())
        if work is None:
            return False
        list_now = await self._store.get(schema.watchlist(watchlist_id).consistently())
        room = 0 if list_now is None else MOST_ITEMS - list_now.item_count
        first = list_now is not None and _goes_live(list_now)
        found = (await self._store.page(_after(work), limit=_WITH_POINTERS if first else _TITLES)).items if room else ()
        if list_now is None or not found:
            await self._store.write(Delete(work.own_key))
            return False
        writes, count = await self._writes(work, tuple(found[:room]), list_now)
        last = found[-1]
        done = Update(
            work.own_key,
            ListCopy.copied.set(work.copied + len(found)),
            ListCopy.last_position.set(last.position),
            ListCopy.last_content.set(f"{last.content_type}#{last.content_id}"),
        ).unless_changed(work, ListCopy.copied)
        own, others = await self.counted(list_now, count, work.by)
        await self._store.transact(Transaction(*writes, *own, *others, done))
        return True

    async def _writes(
        self, work: ListCopy, found: tuple[WatchlistItem, ...], into: Watchlist
    ) -> tuple[list[Write], int]:
        """The items, each with its use; titles that are gone or there already are passed over."""
        refs = [(each.content_type, each.content_id) for each in found]
        titles = await titles_by_ref(self._store, refs)
        there = await self._there(work.watchlist_id, refs)
        now = stamp(self._kit.clock)
        writes: list[Write] = []
        for place, ref in enumerate(refs, work.copied):
            title = titles.get(ref)
            if title is None or ref in there:
                continue
            item = WatchlistItem(
                watchlist_id=work.watchlist_id,
                content_type=ref[0],
                content_id=ref[1],
                position=START + place * STEP,
                added_at=now,
                label=label_of(title),
                live_since=into.published_at if into.live else None,
            )
            writes += [Put(item).if_new().otherwise(_changed), one_use_more(title)]
        return writes, len(writes) // 2

    async def counted(self, before: Watchlist, count: int, by: str) -> tuple[tuple[Write, ...], tuple[Write, ...]]:
        """The list with so many titles more; if it was published meanwhile, the first ones make it live."""
        if not count:
            return (), ()
        now = stamp(self._kit.clock)
        counted = (
            Watchlist.item_count.add(count),
            Watchlist.updated_at.set(now),
            Watchlist.updated_by.set(by),
            Watchlist.last_item_at.set(now),
        )
        if not _goes_live(before):
            own = Update(before.own_key, *counted).unless_changed(before, *LIVENESS)
            return (own.when(Watchlist.item_count <= MOST_ITEMS - count).otherwise(_changed),), ()
        after = settled(before.with_(Watchlist.item_count(count)), now)
        live = Watchlist.feed.set("LIVE"), Watchlist.published_at.set(after.published_at)
        own = Update(before.own_key, *counted, *live).unless_changed(before, *LIVENESS, Watchlist.item_count)
        return (own,), await beside(self._store, before, after)

    async def _there(self, watchlist_id: str, refs: list[tuple[ContentType, str]]) -> set[tuple[ContentType, str]]:
        keys = [schema.item_of(watchlist_id, *ref).key for ref in refs]
        found = await self._store.batch_get(keys, consistent=True)
        return {(each.content_type, each.content_id) for each in found if each is not None}


def _goes_live(watchlist: Watchlist) -> bool:
    """Whether the next title makes it live."""
    return watchlist.is_public and not watchlist.hidden and not watchlist.live


def _changed(there: Any) -> Exception:
    return ChangedMeanwhileError("The list", there)


def _after(work: ListCopy) -> Query[WatchlistItem]:
    """What comes after the last title that was copied."""
    query = schema.items_in_order(work.of_list)
    if work.last_position is None or work.last_content is None:
        return query
    content_type, content_id = parsed(work.last_content)
    return query.after(
        WatchlistItem.position(work.last_position),
        WatchlistItem.content_type(content_type),
        WatchlistItem.content_id(content_id),
    )
