"""Seen, To watch, Not for me: one press marks, one takes back, and each may come twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import QueueInput, SeenInput
from partita.apps.worthwatch.schema import ContentType, Mine
from partita.apps.worthwatch.service import mine as marks
from partita.apps.worthwatch.service.labels import Title, label_of, ref_of
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.titles import Titles
from partita.apps.worthwatch.service.viewings import check_day, pressed_id, viewing_of
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Put, Transaction

Change: TypeAlias = Callable[[Mine, Title], Awaitable[tuple[Mine, tuple[Write, ...]]]]
"""From a mark, perhaps a blank one, to another, and what else is written with it."""


class StillRated(Conflict):
    """A rating says that a title was seen."""

    code = "still_rated"

    def __init__(self, rating: int) -> None:
        super().__init__(f"You have rated it {rating} of 10, so it was seen. Remove your rating first.")


class InTheDiary(Conflict):
    """The diary says that a title was seen."""

    code = "in_the_diary"

    def __init__(self, times: int) -> None:
        entries = "an entry" if times == 1 else f"{times} entries"
        super().__init__(f"Your diary has {entries} for it. Delete those first, then it is not seen.")


class Marks:
    """What people do with titles."""

    def __init__(self, kit: Kit, people: People, titles: Titles, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._titles = titles
        self._lists = lists

    async def mark_seen(
        self, viewer: Viewer, content_type: ContentType, content_id: str, given: SeenInput | None = None
    ) -> Mine:
        """Mark a title as seen; on a day, the diary has an entry too, once for each day."""
        day = None if given is None else given.day
        if day is not None:
            check_day(day, self._kit.clock)

        async def change(was: Mine, title: Title) -> tuple[Mine, tuple[Write, ...]]:
            now = stamp(self._kit.clock)
            if day is None:
                return marks.seen(was, now), ()
            entry = viewing_of(viewer.id, title, day, pressed_id(title))
            if await find(self._store, schema.viewing, viewer.id, entry.day, entry.viewing_id) is not None:
                return marks.seen(was, now), ()
            new = Put(entry).if_new().otherwise(lambda there: ChangedMeanwhileError("Your diary", there))
            return marks.seen_on(was, entry.day, now), (new,)

        return await self._mark(viewer, content_type, content_id, change)

    async def take_seen_back(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Mine | None:
        """A title is not seen after all; `StillRated` or `InTheDiary` if a rating or the diary says that it was."""

        def change(before: Mine) -> Mine:
            if before.rating is not None:
                raise StillRated(before.rating)
            if before.times:
                raise InTheDiary(before.times)
            return before.with_(Mine.marked_at(None), Mine.last_seen_on(None))

        return await self._take_back(viewer, content_type, content_id, change)

    async def want(
        self, viewer: Viewer, content_type: ContentType, content_id: str, given: QueueInput | None = None
    ) -> Mine:
        """Put a title on To watch, with the list that gave the idea; one that the viewer cannot see is not kept."""
        idea = await self._idea(viewer, None if given is None else given.from_list)

        async def change(was: Mine, title: Title) -> tuple[Mine, tuple[Write, ...]]:
            if was.queued:
                return was, ()
            after = was.with_(Mine.queued(True), Mine.not_for_me(None))
            return after, (Put(marks.place_of(after, stamp(self._kit.clock), idea, label_of(title))),)

        return await self._mark(viewer, content_type, content_id, change)

    async def drop(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Mine | None:
        """Take a title off To watch."""
        return await self._take_back(viewer, content_type, content_id, lambda before: before.with_(Mine.queued(None)))

    async def put_aside(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Mine:
        """A title is not for the viewer: nothing proposes it, and it leaves To watch."""

        async def change(was: Mine, _title: Title) -> tuple[Mine, tuple[Write, ...]]:
            return was.with_(Mine.not_for_me(True), Mine.queued(None)), ()

        return await self._mark(viewer, content_type, content_id, change)

    async def take_up_again(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Mine | None:
        """A title may be proposed again."""
        again = Mine.not_for_me(None)
        return await self._take_back(viewer, content_type, content_id, lambda before: before.with_(again))

    async def _mark(self, viewer: Viewer, content_type: ContentType, content_id: str, change: Change) -> Mine:
        title = await self._titles.title(content_type, content_id)
        await self._people.me(viewer)

        async def attempt() -> Mine:
            before = await find(self._store, schema.mine, viewer.id, content_type, content_id)
            after, others = await change(before or marks.blank(viewer.id, ref_of(title)), title)
            await write_all(self._store, (*others, *marks.changes(before, after)))
            return after

        return await self._store.attempt(attempt)

    async def _take_back(
        self, viewer: Viewer, content_type: ContentType, content_id: str, change: Callable[[Mine], Mine]
    ) -> Mine | None:
        async def attempt() -> Mine | None:
            before = await find(self._store, schema.mine, viewer.id, content_type, content_id)
            if before is None:
                return None
            after = change(before)
            await write_all(self._store, marks.changes(before, after))
            return after

        return await self._store.attempt(attempt)

    async def _idea(self, viewer: Viewer, from_list: str | None) -> str | None:
        if from_list is None:
            return None
        try:
            return (await self._lists.visible(viewer, from_list)).watchlist.watchlist_id
        except NotFound:
            return None


async def write_all(store: AsyncStore, writes: tuple[Write, ...]) -> None:
    """All of these writes or none; a single one needs no transaction, which costs twice."""
    if len(writes) == 1 and not isinstance(writes[0], Check):
        await store.write(writes[0])
    elif writes:
        await store.transact(Transaction(*writes))
