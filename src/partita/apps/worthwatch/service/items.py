"""The titles of a list: added, removed, moved, noted; `itemCount` and `listedIn` count them in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import version_of
from partita.apps.worthwatch.inputs import MOST_ITEMS, ItemEdit, MoveInput, NewItem, NewItems, TitleInput
from partita.apps.worthwatch.schema import ContentType, RemovedItem, Watchlist, WatchlistItem
from partita.apps.worthwatch.service import order
from partita.apps.worthwatch.service.labels import Ref, Title, label_of, title_get
from partita.apps.worthwatch.service.lists import LIVENESS, Lists, actions, no_such_list
from partita.apps.worthwatch.service.live import Write, beside, settled
from partita.apps.worthwatch.service.order import Gap
from partita.apps.worthwatch.service.titles import Titles, one_use_less, one_use_more
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import ChangedMeanwhileError, Delete, Page, Put, Transaction, Update

_UNDO_SECONDS = 86_400


class AlreadyListed(Conflict):
    """The title is on the list."""

    code = "already_listed"

    def __init__(self) -> None:
        super().__init__("This title is on the list already.")


class ListFull(Conflict):
    """The list has as many titles as a list can have."""

    code = "list_full"

    def __init__(self) -> None:
        super().__init__(f"A list has at most {MOST_ITEMS:,} titles. Remove one, or begin another list.")


class NeighbourGone(Conflict):
    """The title that a move named is not on the list any more; `order` is the list as it is."""

    code = "neighbour_gone"

    def __init__(self, in_order: Sequence[WatchlistItem]) -> None:
        super().__init__("The title next to that place is not on the list any more. Look at the order and move again.")
        self.order = tuple(in_order)

    @property
    def members(self) -> dict[str, Any]:
        return {
            "items": [{"contentType": each.content_type, "contentId": each.content_id} for each in self.order],
        }


@dataclass(frozen=True, slots=True)
class Added:
    """What became of several titles."""

    added: tuple[WatchlistItem, ...]
    there_already: tuple[NewItem, ...]


class Items:
    """What is on lists. Only a list's own curator changes it."""

    def __init__(self, kit: Kit, lists: Lists, titles: Titles) -> None:
        self._kit = kit
        self._store = kit.store
        self._lists = lists
        self._titles = titles

    # -- reading; whoever asks has checked that the viewer may see the list

    async def in_order(self, watchlist_id: str, *, limit: int = 48, cursor: str | None = None) -> Page[WatchlistItem]:
        """A page of a list, in its order."""
        return await self._store.page(schema.items_in_order(watchlist_id), limit=limit, after=cursor)

    async def all_in_order(self, watchlist_id: str) -> list[WatchlistItem]:
        """A whole list, in its order."""
        return [item async for item in self._store.stream(schema.items_in_order(watchlist_id), chunk=MOST_ITEMS)]

    async def item(self, watchlist_id: str, content_type: ContentType, content_id: str) -> WatchlistItem:
        """One title of a list."""
        found = await find(self._store, schema.item_of, watchlist_id, content_type, content_id)
        if found is None:
            raise NotFound("This title is not on the list.")
        return found

    # -- adding and removing

    async def add(
        self, viewer: Viewer, watchlist_id: str, new: NewItem, *, position: int | None = None
    ) -> WatchlistItem:
        """Add a title at the end; `position` is the stored one of a title that comes back after it was removed."""
        title = await self._titles.title(new.content_type, new.content_id)

        async def attempt() -> WatchlistItem:
            before = await self._lists.own(viewer, watchlist_id)
            now = stamp(self._kit.clock)
            after, own, others = await self._one_more(before, now, viewer.id)
            item = WatchlistItem(
                watchlist_id=watchlist_id,
                content_type=new.content_type,
                content_id=new.content_id,
                position=await self._end(watchlist_id) if position is None else position,
                curator_note=new.curator_note or None,
                added_at=now,
                label=label_of(title),
                note_spoils=new.note_spoils or None,
                live_since=after.published_at if after.live else None,
            )
            await self._store.transact(
                Transaction(Put(item).if_new().otherwise(AlreadyListed()), own, one_use_more(title), *others)
            )
            return item

        return await self._store.attempt(attempt)

    async def add_many(self, viewer: Viewer, watchlist_id: str, new: NewItems) -> Added:
        """Add several titles at the end, in their order; those that are there already stay as they are."""
        added: list[WatchlistItem] = []
        there: list[NewItem] = []
        await self._lists.own(viewer, watchlist_id)
        for each in new.items:
            try:
                added.append(await self.add(viewer, watchlist_id, each))
            except AlreadyListed:
                there.append(each)
        return Added(tuple(added), tuple(there))

    async def remove(
        self, viewer: Viewer, watchlist_id: str, content_type: ContentType, content_id: str
    ) -> WatchlistItem:
        """Take a title off a list; returns what was removed, so that it can come back."""

        async def attempt() -> WatchlistItem:
            before = await self._lists.own(viewer, watchlist_id)
            item = await self.item(watchlist_id, content_type, content_id)
            gone = Delete(item.own_key).unless_changed(item, WatchlistItem.counted)
            if not item.as_stored(WatchlistItem.counted):  # another program wrote it, and nobody has counted it
                await self._store.write(gone)
                return item
            own, others = await self._one_less(before, stamp(self._kit.clock), viewer.id)
            title: Title | None = await find(self._store, title_get, content_type, content_id)
            use = one_use_less((content_type, content_id), title)
            await self._store.transact(Transaction(gone, Put(self._removed(item)), own, use, *others))
            return item

        return await self._store.attempt(attempt)

    async def remove_many(self, viewer: Viewer, watchlist_id: str, refs: Sequence[Ref]) -> int:
        """Take several titles off a list; returns how many. What is not there is passed over."""
        await self._lists.own(viewer, watchlist_id)
        done = 0
        for ref in dict.fromkeys(refs):
            with suppress(NotFound):
                await self.remove(viewer, watchlist_id, *ref)
                done += 1
        return done

    async def to_the_top(self, viewer: Viewer, watchlist_id: str, refs: Sequence[Ref]) -> int:
        """Move several titles to the top, in the order that they have; returns how many."""
        await self._lists.own(viewer, watchlist_id)
        wanted = frozenset(refs)
        order = [(each.content_type, each.content_id) for each in await self.all_in_order(watchlist_id)]
        found = [ref for ref in order if ref in wanted]
        for before, ref in zip((None, *found), found, strict=False):
            where = MoveInput(before=_named(order[0])) if before is None else MoveInput(after=_named(before))
            await self.move(viewer, watchlist_id, *ref, where)
        return len(found)

    async def restore(
        self, viewer: Viewer, watchlist_id: str, content_type: ContentType, content_id: str
    ) -> WatchlistItem:
        """Put a title back that was taken off within the last day: with its note, and where it was."""
        await self._lists.own(viewer, watchlist_id)
        removed = await find(self._store, schema.removed_item, watchlist_id, content_type, content_id)
        if removed is None:
            raise NotFound("This cannot be undone any more. Add the title again.")
        new = NewItem(
            content_type=content_type,
            content_id=content_id,
            curator_note=removed.curator_note or "",
            note_spoils=bool(removed.note_spoils),
        )
        item = await self.add(viewer, watchlist_id, new, position=removed.position)
        await self._store.write(Delete(removed.own_key))
        return item

    def _removed(self, item: WatchlistItem) -> RemovedItem:
        return RemovedItem(
            watchlist_id=item.watchlist_id,
            content_type=item.content_type,
            content_id=item.content_id,
            position=item.position,
            curator_note=item.curator_note,
            note_spoils=item.note_spoils,
            expires_at=int(self._kit.clock.now().timestamp()) + _UNDO_SECONDS,
        )

    # -- notes and order

    async def edit(
        self, viewer: Viewer, watchlist_id: str, content_type: ContentType, content_id: str, edit: ItemEdit
    ) -> WatchlistItem:
        """Change the note on a title."""
        wanted = edit.changes

        async def attempt() -> WatchlistItem:
            await self._lists.own(viewer, watchlist_id)
            before = await self.item(watchlist_id, content_type, content_id)
            edit.check_version(item_version(before))
            after = before.model_copy(update={field: value or None for field, value in wanted.items()})
            if after != before:
                await self._store.write(Update.between(before, after))
            return after

        return await self._store.attempt(attempt)

    async def move(
        self, viewer: Viewer, watchlist_id: str, content_type: ContentType, content_id: str, where: MoveInput
    ) -> WatchlistItem:
        """Move a title before or after another one, or to a place counted from 1: one small write if there is room."""
        await self._lists.own(viewer, watchlist_id)

        async def attempt() -> WatchlistItem:
            item = await self.item(watchlist_id, content_type, content_id)
            gap = await self._gap(item, where, wide=False)
            if gap is None or _is_in(item, gap):
                return item
            position = order.between(_position(gap.low), _position(gap.high))
            if position is not None:
                await self._store.write(order.move_to(item, position))
                return item.with_(WatchlistItem.position(position))
            await self._make_room(item, where)
            return await self.item(watchlist_id, content_type, content_id)

        return await self._store.attempt(attempt)

    async def _make_room(self, item: WatchlistItem, where: MoveInput) -> None:
        """Move a title together with its neighbours; if they have no room either, spread the list and begin again."""
        gap = await self._gap(item, where, wide=True)
        moves = None if gap is None else order.with_room(item, gap)
        if moves is None:
            await order.spread_all(self._store, item.watchlist_id)
            raise ChangedMeanwhileError("The order of the list", item)
        await self._store.transact(Transaction(*(order.move_to(each, position) for each, position in moves)))

    async def _gap(self, item: WatchlistItem, where: MoveInput, *, wide: bool) -> Gap | None:
        """Where a title should go; None if it is the place it has."""
        if where.position is not None:
            return await self._gap_at(item, where.position)
        named = where.before or where.after
        assert named is not None  # an input names one place
        to = await find(self._store, schema.item_of, item.watchlist_id, named.content_type, named.content_id)
        if to is None:
            raise NeighbourGone(await self.all_in_order(item.watchlist_id))
        if order.same(to, item):
            return None
        return await order.nearest(self._store, item, to, after=where.after is not None, wide=wide)

    async def _gap_at(self, item: WatchlistItem, place: int) -> Gap | None:
        others = [each for each in await self.all_in_order(item.watchlist_id) if not order.same(each, item)]
        below, above = others[: place - 1], others[place - 1 :]
        return Gap(below[::-1], above) if others else None

    async def _end(self, watchlist_id: str) -> int:
        last = await self._store.first(schema.items_from_the_end(watchlist_id))
        position = order.between(_position(last), None)
        if position is None:
            await order.spread_all(self._store, watchlist_id)
            raise ChangedMeanwhileError("The order of the list", last)
        return position

    # -- counting

    async def _one_more(
        self, before: Watchlist, now: str, by: str
    ) -> tuple[Watchlist, Update[Watchlist], tuple[Write, ...]]:
        """A list with one title more; the first one of a public list makes it live."""
        first = before.is_public and not before.hidden and not before.live and before.item_count == 0
        after = settled(before.with_(Watchlist.item_count(1)), now) if first else before
        own = _counted(before, after, 1, now, by).when(Watchlist.item_count < MOST_ITEMS)
        if first:
            own = own.unless_changed(before, Watchlist.item_count)
        return after, own.otherwise(_why_not), await beside(self._store, before, after)

    async def _one_less(self, before: Watchlist, now: str, by: str) -> tuple[Update[Watchlist], tuple[Write, ...]]:
        """A list with one title less; the last one of a live list ends that."""
        if not before.live:
            return _counted(before, before, -1, now, by), ()
        if before.item_count > 1:
            return _counted(before, before, -1, now, by).when(Watchlist.item_count >= 2), ()
        after = settled(before.with_(Watchlist.item_count(0)), now)
        own = _counted(before, after, -1, now, by).unless_changed(before, Watchlist.item_count)
        return own, await beside(self._store, before, after)


def _named(ref: Ref) -> TitleInput:
    return TitleInput(content_type=ref[0], content_id=ref[1])


def item_version(item: WatchlistItem) -> str:
    """The version of a note."""
    return version_of(item.curator_note, item.note_spoils)


def _counted(before: Watchlist, after: Watchlist, amount: int, now: str, by: str) -> Update[Watchlist]:
    """The list with a title more or less, as live as it then is; refused if anything that decides that has changed."""
    fresh = (Watchlist.last_item_at.set(now),) if amount > 0 else ()
    live = (action for action in actions(before, after) if action.field != Watchlist.item_count.field_name)
    own = Update(
        before.own_key,
        Watchlist.item_count.add(amount),
        Watchlist.updated_at.set(now),
        Watchlist.updated_by.set(by),
        *fresh,
        *live,
    )
    return own.unless_changed(before, *LIVENESS)


def _why_not(there: Watchlist | None) -> Exception:
    if there is None:
        return no_such_list()
    return ListFull() if there.item_count >= MOST_ITEMS else ChangedMeanwhileError("The list", there)


def _position(item: WatchlistItem | None) -> int | None:
    return None if item is None else item.position


def _is_in(item: WatchlistItem, gap: Gap) -> bool:
    """Whether a title is in a gap already."""
    low, high = gap.low, gap.high
    return (low is None or order.rank(low) < order.rank(item)) and (high is None or order.rank(item) < order.rank(high))
