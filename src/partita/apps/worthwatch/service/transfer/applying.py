"""Applying an import: a job that writes each row with its checkpoint, so that after a kill it goes on with the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import version_of
from partita.apps.worthwatch.inputs import MOST_ITEMS, RatingInput
from partita.apps.worthwatch.schema import Import, Mine, Watchlist, WatchlistItem
from partita.apps.worthwatch.service import mine as marks
from partita.apps.worthwatch.service.copies import Copies
from partita.apps.worthwatch.service.labels import Ref, Title, label_of, titles_by_ref
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.order import between
from partita.apps.worthwatch.service.ratings import TRIES, Ratings
from partita.apps.worthwatch.service.titles import one_use_more
from partita.apps.worthwatch.service.transfer.matching import Candidate, Match
from partita.apps.worthwatch.service.transfer.rows import Row
from partita.apps.worthwatch.service.viewings import viewing_of
from partita.kit.clock import stamp
from partita.kit.jobs import Arguments, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import ChangedMeanwhileError, Put, Update

KIND = "worthwatch.import"
HISTORY, TO_WATCH = "history", "to-watch"
_TITLES_AT_ONCE = 30
"""An item and its use are two of a transaction's writes; the list, its pointers and the job need the rest."""
_MOST_VIEWINGS = 40

ADDED, THERE, KEPT, LEFT, ASIDE, MISSING, FULL, GONE = "atklsmfg"
OUTCOMES: Mapping[str, str] = {
    ADDED: "Added",
    THERE: "Already there",
    KEPT: "Already there, with your own rating",
    LEFT: "Left out",
    ASIDE: "Set aside",
    MISSING: "Not found",
    FULL: "No room on the list",
    GONE: "Deleted meanwhile",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done with the rows of an import."""

    chosen: Mapping[int, Candidate]
    """The title of each row that has one."""
    left_out: frozenset[int]
    first_with: Mapping[Ref, int]
    """Of rows with the same title, the first: a list has it once. A history may say several things of it."""

    @classmethod
    def of(cls, item: Import) -> Plan:
        decided = {int(number): Candidate.of(each) for number, each in item.choices.get("chosen", {}).items()}
        left = frozenset(map(int, item.choices.get("left_out", ())))
        chosen: dict[int, Candidate] = {}
        for plain, matched in zip(item.rows, item.matches, strict=True):
            number, match = int(plain["number"]), Match.of(matched)
            if match.state == "aside":
                continue
            if number in decided:
                chosen[number] = decided[number]
            elif match.state == "found":
                chosen[number] = match.candidates[0]
        first: dict[Ref, int] = {}
        to_list = item.target not in (HISTORY, TO_WATCH, None)
        for number, candidate in chosen.items():
            if number not in left and to_list:
                first.setdefault(candidate.ref, number)
        return cls(chosen, left, first)

    def settled(self, row: Row) -> str:
        """What becomes of a row that is not written; nothing if it is."""
        if row.aside:
            return ASIDE
        if row.number in self.left_out:
            return LEFT
        candidate = self.chosen.get(row.number)
        if candidate is None:
            return MISSING
        return "" if self.is_first(row, candidate.ref) else THERE

    def is_first(self, row: Row, ref: Ref) -> bool:
        """Whether no row before it means the same title."""
        return self.first_with.get(ref, row.number) == row.number


class Applying:
    """What the job does."""

    def __init__(self, kit: Kit, copies: Copies, ratings: Ratings) -> None:
        self._kit = kit
        self._store = kit.store
        self._copies = copies
        self._ratings = ratings

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Import titles", self.run)

    async def run(self, running: Running, arguments: Arguments) -> Result:
        """Write the rows that have a title; what is there already stays as it is."""
        assert running.user_id is not None  # somebody applies it
        item = await find(self._store, schema.one_import, running.user_id, arguments["import"])
        if item is None:
            raise JobFailed("The import is no longer kept. Bring the file again.")
        rows = [Row.of(row) for row in item.rows]
        plan = Plan.of(item)
        done: str = running.saved or ""
        if item.state != "done":
            if item.target in (HISTORY, TO_WATCH, None):
                done = await self._to_history(running, item, rows, plan, done)
            else:
                done = await self._to_list(running, item.target, rows, plan, done)
            ended = Import.state.set("done"), Import.applied.set(len(rows)), Import.outcomes.set(done)
            await running.checkpoint(done, Update(item.own_key, *ended))
        added, there = done.count(ADDED), done.count(THERE) + done.count(KEPT)
        titles = "1 title added" if added == 1 else f"{added:,} titles added"
        message = f"{titles}, {there:,} already there, {len(done) - added - there:,} left."
        return Result(message, f"/worthwatch/import/{item.import_id}", {"added": added, "there": there})

    # -- to a list

    async def _to_list(self, running: Running, watchlist_id: str, rows: Sequence[Row], plan: Plan, done: str) -> str:
        while len(done) < len(rows):
            await running.progress("Adding titles", done=len(done), total=len(rows))
            some = rows[len(done) : len(done) + _TITLES_AT_ONCE]
            before = done

            async def attempt(some: Sequence[Row] = some, before: str = before) -> str:
                return before + await self._some(running, watchlist_id, some, plan, before)

            done = await self._store.attempt(attempt)
        return done

    async def _some(self, running: Running, watchlist_id: str, rows: Sequence[Row], plan: Plan, before: str) -> str:
        """Add some titles at the end of the list, together with the checkpoint that says so."""
        watchlist = await find(self._store, schema.watchlist, watchlist_id)
        if watchlist is None or watchlist.curator_id != running.user_id:
            raise JobFailed("The list is not there any more. Bring the file again and choose another one.")
        refs = {row.number: plan.chosen[row.number].ref for row in rows if not plan.settled(row)}
        titles = await titles_by_ref(self._store, refs.values())
        there = await self._there(watchlist_id, list(refs.values()))
        last = await self._store.first(schema.items_from_the_end(watchlist_id))
        position = None if last is None else last.position
        now = stamp(self._kit.clock)
        outcomes, writes = "", list[Write]()
        for row in rows:
            outcome = plan.settled(row) or _outcome(refs[row.number], titles, there)
            if outcome == ADDED and watchlist.item_count + len(writes) // 2 >= MOST_ITEMS:
                outcome = FULL
            if outcome == ADDED:
                title = titles[refs[row.number]]
                position = between(position, None)
                if position is None:
                    raise JobFailed("The list has no room at its end. Move its last title, and try again.")
                writes += _listed(watchlist, title, position, row, now)
            outcomes += outcome
        own, others = await self._copies.counted(watchlist, len(writes) // 2, watchlist.curator_id)
        await running.checkpoint(before + outcomes, *writes, *own, *others)
        return outcomes

    async def _there(self, watchlist_id: str, refs: Sequence[Ref]) -> set[Ref]:
        keys = [schema.item_of(watchlist_id, *ref).key for ref in refs]
        found = await self._store.batch_get(keys, consistent=True) if keys else []
        return {(each.content_type, each.content_id) for each in found if each is not None}

    # -- to somebody's history

    async def _to_history(self, running: Running, item: Import, rows: Sequence[Row], plan: Plan, done: str) -> str:
        queue = item.target == TO_WATCH
        for row in islice(rows, len(done), None):
            await running.progress("Adding titles", done=len(done), total=len(rows))
            outcome = plan.settled(row)
            if not outcome:
                outcome = await self._history(running, row, plan.chosen[row.number].ref, done, queue=queue)
            done += outcome
        return done

    async def _history(self, running: Running, row: Row, ref: Ref, done: str, *, queue: bool) -> str:
        """Write what a row says of a title: seen, on which days, rated. A rating that is there stays."""
        assert running.user_id is not None
        user_id = running.user_id

        async def attempt() -> str:
            titles = await titles_by_ref(self._store, (ref,), consistent=True)
            if ref not in titles:
                return GONE
            title, now = titles[ref], stamp(self._kit.clock)
            before = await find(self._store, schema.mine, user_id, *ref)
            was = before or marks.blank(user_id, ref)
            if queue or row.queued:
                after, writes = self._wanted(was, title, now)
            else:
                after, writes = await self._seen(was, title, row, now)
            kept = not queue and row.rating is not None and was.rating is not None and was.rating != row.rating
            changed = (*writes, *marks.changes(before, after))
            if not changed:
                return KEPT if kept else THERE
            await running.checkpoint(done + ADDED, *changed)
            return ADDED

        return await self._store.attempt(attempt, tries=TRIES)

    def _wanted(self, was: Mine, title: Title, now: str) -> tuple[Mine, tuple[Write, ...]]:
        if was.seen or was.queued:
            return was, ()
        after = was.with_(Mine.queued(True))
        return after, (Put(marks.place_of(after, now, None, label_of(title))),)

    async def _seen(self, was: Mine, title: Title, row: Row, now: str) -> tuple[Mine, tuple[Write, ...]]:
        """Seen on the days that the file says, or on none; the same day of the same file is one entry for good."""
        at = min(f"{row.day}T12:00:00.000000Z", now) if row.day else now
        after, writes = marks.seen(was, at), tuple[Write, ...]()
        for day, again in row.viewings[:_MOST_VIEWINGS]:
            if day > now[:10]:
                continue
            entry = viewing_of(
                was.user_id, title, date.fromisoformat(day), version_of("import", title.content_id), rewatch=again
            )
            if await find(self._store, schema.viewing, was.user_id, day, entry.viewing_id) is None:
                new = Put(entry).if_new().otherwise(lambda there: ChangedMeanwhileError("Your diary", there))
                after, writes = marks.seen_on(after, day, at), (*writes, new)
        if row.rating is not None and was.rating is None:
            wanted = RatingInput(rating=row.rating, review=row.review or None)
            after, _, sums = await self._ratings.writes(after, wanted, at)
            writes = (*writes, *sums)
        return after, writes


def _listed(watchlist: Watchlist, title: Title, position: int, row: Row, now: str) -> tuple[Write, Write]:
    item = WatchlistItem(
        watchlist_id=watchlist.watchlist_id,
        content_type=title.content_type,
        content_id=title.content_id,
        position=position,
        curator_note=row.note or None,
        added_at=now,
        label=label_of(title),
        live_since=watchlist.published_at if watchlist.live else None,
    )
    new = Put(item).if_new().otherwise(lambda there: ChangedMeanwhileError("The list", there))
    return new, one_use_more(title)


def _outcome(ref: Ref, titles: Mapping[Ref, Any], there: set[Ref]) -> str:
    if ref not in titles:
        return GONE
    return THERE if ref in there else ADDED
