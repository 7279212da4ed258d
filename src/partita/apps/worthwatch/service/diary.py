"""The diary: a viewing is an entry with a day, counts among the times, and marks its title as seen."""

from __future__ import annotations

from collections import Counter
from datetime import date

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import NewViewing, RatingInput
from partita.apps.worthwatch.schema import Mine, Rating, Viewing
from partita.apps.worthwatch.service import mine as marks
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.ratings import TRIES, Ratings
from partita.apps.worthwatch.service.titles import Titles
from partita.apps.worthwatch.service.viewings import check_day, viewing_of
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, Page, Put, Transaction

_MONTHS = 12


class Diary:
    """One person's viewings; nobody else reads them."""

    def __init__(self, kit: Kit, people: People, titles: Titles, ratings: Ratings) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._titles = titles
        self._ratings = ratings

    async def entries(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Viewing]:
        """The diary, newest first."""
        return await self._store.page(schema.diary_of(viewer.id), limit=limit, after=cursor)

    async def entry(self, viewer: Viewer, day: str, viewing_id: str) -> Viewing:
        """One of the viewer's entries."""
        missing = NotFound("There is no such entry in your diary. It may have been deleted.")
        return await find_or(missing, self._store, schema.viewing, viewer.id, day, viewing_id)

    async def viewings(self, viewer: Viewer, ref: Ref) -> list[Viewing]:
        """The viewer's entries for one title, newest first."""
        found = [each async for each in self._store.stream(schema.viewings_of(*ref, viewer.id))]
        return sorted(found, key=lambda each: (each.day, each.viewing_id), reverse=True)

    def today(self) -> date:
        """The day that it is, in UTC."""
        return self._kit.clock.now().date()

    async def months(self, viewer: Viewer) -> list[tuple[str, int]]:
        """How many viewings each of the last twelve months has, oldest first: `("2026-05", 7)`."""
        names = _last_months(self.today())
        since = schema.diary_since(viewer.id, f"{names[0]}-01")
        counted = Counter([each.day[:7] async for each in self._store.stream(since, chunk=500)])
        return [(name, counted[name]) for name in names]

    async def log(self, viewer: Viewer, new: NewViewing) -> tuple[Viewing, Rating | None]:
        """Write an entry; with a rating, both in one transaction."""
        check_day(new.day, self._kit.clock)
        title = await self._titles.title(new.content_type, new.content_id)
        await self._people.me(viewer)
        entry = viewing_of(viewer.id, title, new.day, self._kit.ids.new(), new.rewatch, new.note)

        async def attempt() -> tuple[Viewing, Rating | None]:
            now = stamp(self._kit.clock)
            before = await find(self._store, schema.mine, viewer.id, new.content_type, new.content_id)
            after = marks.seen_on(before or marks.blank(viewer.id, (new.content_type, new.content_id)), entry.day, now)
            rating: Rating | None = None
            others: tuple[Write, ...] = ()
            if new.rating is not None:
                after, rating, others = await self._ratings.writes(after, RatingInput(rating=new.rating), now)
            await self._store.transact(Transaction(Put(entry).if_new(), *others, *marks.changes(before, after)))
            return entry, rating

        return await self._store.attempt(attempt, tries=TRIES)

    async def delete(self, viewer: Viewer, day: str, viewing_id: str) -> Viewing:
        """Delete an entry; its title stays seen."""

        async def attempt() -> Viewing:
            entry = await self.entry(viewer, day, viewing_id)
            before = await find(self._store, schema.mine, viewer.id, entry.content_type, entry.content_id)
            marked = () if before is None else await self._without(before, entry)
            gone = Delete(entry.own_key).unless_changed(entry, Viewing.content_type, Viewing.content_id)
            await self._store.transact(Transaction(gone, *marked))
            return entry

        return await self._store.attempt(attempt, tries=TRIES)

    async def _without(self, mine: Mine, entry: Viewing) -> tuple[Write, ...]:
        """The mark without one of its viewings. The day before it comes from what is left, which must still be there:
        meanwhile another window may have logged and deleted one, and the mark says the same again."""
        times = max((mine.times or 0) - 1, 0) or None
        if mine.last_seen_on != entry.day:
            return marks.changes(mine, mine.with_(Mine.times(times)))
        query = schema.viewings_of(entry.content_type, entry.content_id, entry.user_id)
        left = [each async for each in self._store.stream(query) if each.viewing_id != entry.viewing_id]
        last = max(left, key=lambda each: each.day, default=None)
        changes = marks.changes(mine, mine.with_(Mine.times(times), Mine.last_seen_on(last.day if last else None)))
        if last is None:
            return changes
        still = Check(last.own_key, last.own_key.present())
        return *changes, still.otherwise(lambda there: ChangedMeanwhileError("Your diary", there))


def _last_months(today: date) -> list[str]:
    """The last twelve months, this one last."""
    number = today.year * 12 + today.month - 1
    return [f"{each // 12:04}-{each % 12 + 1:02}" for each in range(number - _MONTHS + 1, number + 1)]
