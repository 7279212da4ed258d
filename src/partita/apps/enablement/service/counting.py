"""Numbers of events: rollups, series, readers and totals, added by the change stream in one transaction with the
guard that the event was counted. A replay, a crash or a second worker counts nothing twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from partita.apps.enablement import schema
from partita.apps.enablement.formats import folded
from partita.apps.enablement.schema import (
    NEVER,
    ActiveUser,
    Content,
    CountedEvent,
    Event,
    Reader,
    Rollup,
    RollupOf,
    Series,
    Stats,
)
from partita.apps.enablement.service.access import is_scheduled
from partita.apps.enablement.service.bookkeeping import Write
from partita.kit.kit import Kit
from partita.table import ChangedMeanwhileError, Check, KeyPartError, Put, Transaction, Update

ALL, IN_VAIN = "all", "in_vain"
_LONGEST_SUBJECT = 200
_MOST_ROWS = 100
"""In one transaction of DynamoDB."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The rows that numbers depend on, as they were read; those that are not there yet are left out."""

    active: dict[tuple[str, str], ActiveUser]
    """By day and person."""
    readers: dict[tuple[str, str], Reader]
    """By content and person."""
    stats: dict[str, Stats]
    """By content."""


NOTHING_KNOWN = _Known({}, {}, {})


class Counting:
    """Adds events to the numbers."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def count(self, event: Event) -> bool:
        """Add an event to all numbers, once; whether this call did it."""
        return await self.count_all([event]) == 1

    async def count_all(self, events: Iterable[Event]) -> int:
        """Add events to all numbers, each once; how many this call added. Those that share a transaction write a number
        once that several of them add to."""
        waiting = list({event.event_id: event for event in events}.values())
        new = await self._new(waiting) if len(waiting) > 1 else waiting
        return sum([await self._count_together(some) for some in groups(new)])

    async def _new(self, events: Sequence[Event]) -> list[Event]:
        """Those that are not counted yet: a replay of many costs no more than this."""
        keys = [CountedEvent.key(CountedEvent.event_id(event.event_id)) for event in events]
        counted = await self._store.batch_get(keys, consistent=True)
        return [event for event, guard in zip(events, counted, strict=True) if guard is None]

    async def _count_together(self, events: Sequence[Event]) -> int:
        async def attempt() -> int:
            new, known = await self._known(events)
            if new:
                guards = (
                    Put(CountedEvent(event_id=event.event_id, expires_at=event.expires_at))
                    .if_new()
                    .otherwise(ChangedMeanwhileError("What is counted"))
                    for event in new
                )
                await self._store.transact(Transaction(*guards, *additions(new, known)))
            return len(new)

        return await self._store.attempt(attempt, tries=50)

    async def _known(self, events: Sequence[Event]) -> tuple[list[Event], _Known]:
        """The events that are not counted yet, and what they add to, as it is now. Guards are read with the rest: a
        replay then costs no transaction."""
        keys: dict[tuple[str, ...], Any] = {}
        for event in events:
            keys["guard", event.event_id] = CountedEvent.key(CountedEvent.event_id(event.event_id))
            day, person, content_id = event.date_bucket, event.user_id, used_content(event)
            if person:
                keys["active", day, person] = ActiveUser.key(ActiveUser.day(day), ActiveUser.person(person))
            if content_id is not None:
                keys["stats", content_id] = Stats.key(Stats.of_content(content_id))
                if person:
                    keys["reader", content_id, person] = Reader.key(
                        Reader.of_content(content_id), Reader.person(person)
                    )
        rows = zip(keys, await self._store.batch_get(list(keys.values()), consistent=True), strict=True)
        known = _Known({}, {}, {})
        counted: set[str] = set()
        for (what, *of), row in rows:
            if isinstance(row, ActiveUser):
                known.active[of[0], of[1]] = row
            elif isinstance(row, Reader):
                known.readers[of[0], of[1]] = row
            elif isinstance(row, Stats):
                known.stats[of[0]] = row
            elif what == "guard" and row is not None:
                counted.add(of[0])
        return [event for event in events if event.event_id not in counted], known

    # The totals of an item are in the list of released content while it is released

    async def follow_release(self, content_id: str) -> None:
        """Put the totals of an item into the list of released content, or take them out, as the item is now."""

        async def attempt() -> None:
            content = await self._store.get(schema.content(content_id).consistently())
            stats = await self._store.get(schema.stats(content_id).consistently())
            listed = content is not None and in_use(content, self._kit)
            if (stats is not None and stats.stats_of == "released") == listed:
                return
            await self._store.transact(
                Transaction(*_listing(content_id, stats, listed), *_as_read(content_id, content))
            )

        await self._store.attempt(attempt, tries=50)


def in_use(content: Content, kit: Kit) -> bool:
    """Whether an item is in the hands of readers."""
    return content.status == "Approved" and not is_scheduled(content, kit.clock.now())


def _listing(content_id: str, stats: Stats | None, listed: bool) -> tuple[Write, ...]:
    state: Literal["released"] | None = "released" if listed else None
    if stats is None:
        return (
            Put(Stats(of_content=content_id, stats_of=state)).if_new().otherwise(ChangedMeanwhileError("The totals")),
        )
    moved = Update(stats.own_key, Stats.stats_of.set(state)).knowing(Stats.last_viewed_day(stats.last_viewed_day))
    return (moved.unless_changed(stats, Stats.stats_of, Stats.last_viewed_day),)


def _as_read(content_id: str, content: Content | None) -> tuple[Write, ...]:
    """The item is still what was read: a worker that was asleep must not write what is no longer so."""
    key = Content.key(Content.content_id(content_id))
    if content is None:
        return (Check(key, key.absent()).otherwise(ChangedMeanwhileError("The content item")),)
    same = key.unchanged_since(content, Content.version, Content.status)
    return (Check(key, same).otherwise(ChangedMeanwhileError("The content item")),)


def use_of(event: Event) -> str | None:
    """`views` or `downloads`, if the event is a use of content."""
    return {"content_viewed": "views", "content_downloaded": "downloads"}.get(event.event_name)


def used_content(event: Event) -> str | None:
    """The item that an event is a use of. An id of another program that no key can hold has no numbers of its own."""
    if use_of(event) is None or not event.content_id:
        return None
    try:
        Stats.key(Stats.of_content(event.content_id))
    except KeyPartError:
        return None
    return event.content_id


def words_of(event: Event) -> str:
    """The words of a search, as they are counted."""
    words = (event.metadata or {}).get("words")
    return folded(words)[:_LONGEST_SUBJECT].strip() if isinstance(words, str) else ""


def in_vain(event: Event) -> bool:
    """Whether a search found nothing."""
    results = (event.metadata or {}).get("results")
    return event.event_name == "search_done" and results == 0 and not isinstance(results, bool)


def groups(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events in their order, in groups that one transaction can count."""
    group: list[Event] = []
    rows: set[tuple[str, ...]] = set()
    for event in events:
        with_it = rows | _rows_of(event)
        if len(with_it) > _MOST_ROWS:
            yield group
            group, with_it = [], _rows_of(event)
        group.append(event)
        rows = with_it
    if group:
        yield group


def _rows_of(event: Event) -> set[tuple[str, ...]]:
    """Names of all rows that counting an event can write, eight at most."""
    day, person, use, content_id = event.date_bucket, event.user_id, use_of(event), used_content(event)
    rows: set[tuple[str, ...]] = {("guard", event.event_id)}
    if use is not None:
        rows.add((use, day))
    if content_id is not None:
        rows |= {("series", content_id, day), ("stats", content_id)}
        if person:
            rows.add(("reader", content_id, person))
    if event.event_name == "search_done":
        rows.add(("searches", day))
        if in_vain(event):
            rows |= {("in vain", day), ("no result", day, words_of(event))}
    if person:
        rows |= {("active", day, person), ("active people", day), ("events", day, person)}
    return rows


def additions(events: Iterable[Event], known: _Known) -> tuple[Write, ...]:
    """Everything that events add to, as writes of one transaction: a row is written once."""
    sums = _Sums(known)
    for event in events:
        sums.add(event)
    return sums.writes()


@dataclass(slots=True)
class _Uses:
    """What some events add to the use of an item."""

    views: int = 0
    downloads: int = 0
    last_viewed_day: str = NEVER
    people: set[str] = field(default_factory=set)
    """Those who had not used it before."""


class _Sums:
    """What some events add to each number."""

    def __init__(self, known: _Known) -> None:
        self._known = known
        self._rollups: Counter[tuple[RollupOf, str, str]] = Counter()
        self._active: Counter[tuple[str, str]] = Counter()
        self._series: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._readers: dict[tuple[str, str], Reader] = {}
        self._uses: defaultdict[str, _Uses] = defaultdict(_Uses)

    def add(self, event: Event) -> None:
        day, use = event.date_bucket, use_of(event)
        if use is not None:
            self._rollups["views" if use == "views" else "downloads", day, ALL] += 1
            content_id = used_content(event)
            if content_id is not None:
                self._add_use(event, content_id, use)
        if event.event_name == "search_done":
            self._rollups["searches", day, ALL] += 1
            if in_vain(event):
                self._rollups["searches", day, IN_VAIN] += 1
                words = words_of(event)
                if words:
                    self._rollups["no_result", day, words] += 1
        if event.user_id:
            self._rollups["user_events", day, event.user_id] += 1
            self._active[day, event.user_id] += 1

    def _add_use(self, event: Event, content_id: str, use: str) -> None:
        day, uses = event.date_bucket, self._uses[content_id]
        self._series[content_id, day][use] += 1
        if use == "views":
            uses.views += 1
            uses.last_viewed_day = max(uses.last_viewed_day, day)
        else:
            uses.downloads += 1
        if event.user_id:
            of = content_id, event.user_id
            before = self._known.readers.get(of)
            if before is None:
                uses.people.add(event.user_id)
            row = self._readers.get(of) or before or Reader(of_content=content_id, person=event.user_id)
            self._readers[of] = _with_use(row, event, viewed=use == "views")

    def writes(self) -> tuple[Write, ...]:
        writes: list[Write] = [
            _of_person(day, person, number, self._known.active.get((day, person)))
            for (day, person), number in self._active.items()
        ]
        new = Counter(day for day, person in self._active if (day, person) not in self._known.active)
        for day, number in new.items():
            self._rollups["active_users", day, ALL] += number
        writes += [_rolled(what, day, subject, number) for (what, day, subject), number in self._rollups.items()]
        for (content_id, day), numbers in self._series.items():
            key = Series.key(Series.of_content(content_id), Series.day(day))
            added = [getattr(Series, use).add(number) for use, number in numbers.items()]
            writes.append(Update(key, *added).or_new())
        writes += [_read_by(row, self._known.readers.get(of)) for of, row in self._readers.items()]
        writes += [_totals(of, uses, self._known.stats.get(of)) for of, uses in self._uses.items()]
        return tuple(writes)


def _rolled(what: RollupOf, day: str, subject: str, number: int) -> Write:
    key = Rollup.key(Rollup.what(what), Rollup.day(day), Rollup.subject(subject))
    return Update(key, Rollup.count.add(number)).or_new()


def _of_person(day: str, person: str, number: int, active: ActiveUser | None) -> Write:
    if active is not None:
        more = Update(active.own_key, ActiveUser.event_count.add(number))
        return more.otherwise(ChangedMeanwhileError("Somebody's day"))
    first = Put(ActiveUser(day=day, person=person, event_count=number)).if_new()
    return first.otherwise(ChangedMeanwhileError("Somebody's day"))


def _with_use(row: Reader, event: Event, *, viewed: bool) -> Reader:
    """Events come in any order: first is the earliest, last the latest."""
    at, major = event.timestamp, _major(event)
    if viewed:
        return row.with_(
            Reader.first_viewed(min(filter(None, (row.first_viewed, at)))),
            Reader.last_viewed(max(filter(None, (row.last_viewed, at)))),
            Reader.major_seen(_extreme(max, row.major_seen, major)),
        )
    return row.with_(
        Reader.last_downloaded(max(filter(None, (row.last_downloaded, at)))),
        Reader.major_downloaded(_extreme(max, row.major_downloaded, major)),
        Reader.first_major_downloaded(_extreme(min, row.first_major_downloaded, major)),
    )


def _read_by(after: Reader, before: Reader | None) -> Write:
    if before is None:
        return Put(after).if_new().otherwise(ChangedMeanwhileError("A reader"))
    return Put(after).unless_changed(
        before,
        Reader.first_viewed,
        Reader.last_viewed,
        Reader.last_downloaded,
        Reader.major_seen,
        Reader.major_downloaded,
        Reader.first_major_downloaded,
    )


def _totals(content_id: str, uses: _Uses, stats: Stats | None) -> Write:
    people = len(uses.people)
    if stats is None:
        first = Stats(
            of_content=content_id,
            views=uses.views,
            downloads=uses.downloads,
            people=people,
            last_viewed_day=uses.last_viewed_day,
        )
        return Put(first).if_new().otherwise(ChangedMeanwhileError("The totals"))
    numbers = ((Stats.views, uses.views), (Stats.downloads, uses.downloads), (Stats.people, people))
    added = [attribute.add(number) for attribute, number in numbers if number]
    if uses.last_viewed_day > stats.last_viewed_day:
        moved = Update(stats.own_key, *added, Stats.last_viewed_day.set(uses.last_viewed_day))
        known = moved.knowing(Stats.stats_of(stats.stats_of))
        return known.unless_changed(stats, Stats.last_viewed_day, Stats.stats_of)
    return Update(stats.own_key, *added).otherwise(ChangedMeanwhileError("The totals"))


def _major(event: Event) -> int | None:
    major = (event.metadata or {}).get("major")
    return int(major) if isinstance(major, int) and not isinstance(major, bool) else None


def _extreme(choose: Any, one: int | None, other: int | None) -> int | None:
    there = [each for each in (one, other) if each is not None]
    return choose(there) if there else None
