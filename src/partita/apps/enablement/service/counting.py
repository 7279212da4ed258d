"""Numbers of events: rollups, series, readers and totals, added by the change stream in one transaction with the
guard that the event was counted. A replay, a crash or a second worker counts nothing twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from partita.apps.enablement import schema
from partita.apps.enablement.formats import folded
from partita.apps.enablement.schema import (
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


class AlreadyCounted(Exception):
    """The event is in the numbers."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The rows that a number depends on, as they were read."""

    active: ActiveUser | None = None
    reader: Reader | None = None
    stats: Stats | None = None


class Counting:
    """Adds events to the numbers."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def count(self, event: Event) -> bool:
        """Add an event to all numbers, once; whether this call did it."""

        async def attempt() -> bool:
            known = await self._known(event)
            guard = Put(CountedEvent(event_id=event.event_id, expires_at=event.expires_at)).if_new()
            await self._store.transact(Transaction(guard.otherwise(AlreadyCounted()), *additions(event, known)))
            return True

        try:
            return await self._store.attempt(attempt, tries=50)
        except AlreadyCounted:
            return False

    async def _known(self, event: Event) -> _Known:
        """What an event adds to, as it is now. The guard is read with it: a replay then costs no transaction."""
        wanted: dict[str, Any] = {"guard": CountedEvent.key(CountedEvent.event_id(event.event_id))}
        if event.user_id:
            wanted["active"] = ActiveUser.key(ActiveUser.day(event.date_bucket), ActiveUser.person(event.user_id))
        content_id = used_content(event)
        if content_id is not None:
            wanted["stats"] = Stats.key(Stats.of_content(content_id))
            if event.user_id:
                wanted["reader"] = Reader.key(Reader.of_content(content_id), Reader.person(event.user_id))
        found = dict(zip(wanted, await self._store.batch_get(list(wanted.values()), consistent=True), strict=True))
        if found.pop("guard") is not None:
            raise AlreadyCounted
        return _Known(**found)

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


def additions(event: Event, known: _Known) -> tuple[Write, ...]:
    """Everything that an event adds to, as writes of one transaction."""
    day = event.date_bucket
    writes: list[Write] = []
    use = use_of(event)
    if use is not None:
        writes.append(_rolled("views" if use == "views" else "downloads", day))
        content_id = used_content(event)
        if content_id is not None:
            writes += _of_content(event, content_id, use, known)
    if event.event_name == "search_done":
        writes.append(_rolled("searches", day))
        if in_vain(event):
            writes.append(_rolled("searches", day, IN_VAIN))
            words = words_of(event)
            if words:
                writes.append(_rolled("no_result", day, words))
    if event.user_id:
        writes += _of_person(event.user_id, day, known.active)
    return tuple(writes)


def _rolled(what: RollupOf, day: str, subject: str = ALL) -> Write:
    key = Rollup.key(Rollup.what(what), Rollup.day(day), Rollup.subject(subject))
    return Update(key, Rollup.count.add(1)).or_new()


def _of_person(user_id: str, day: str, active: ActiveUser | None) -> list[Write]:
    counted = _rolled("user_events", day, user_id)
    if active is not None:
        more = Update(active.own_key, ActiveUser.event_count.add(1))
        return [more.otherwise(ChangedMeanwhileError("Somebody's day")), counted]
    first = Put(ActiveUser(day=day, person=user_id, event_count=1)).if_new()
    return [first.otherwise(ChangedMeanwhileError("Somebody's day")), counted, _rolled("active_users", day)]


def _of_content(event: Event, content_id: str, use: str, known: _Known) -> list[Write]:
    viewed = use == "views"
    key = Series.key(Series.of_content(content_id), Series.day(event.date_bucket))
    writes: list[Write] = [Update(key, (Series.views if viewed else Series.downloads).add(1)).or_new()]
    new_reader = False
    if event.user_id:
        new_reader = known.reader is None
        writes.append(_read_by(event, content_id, event.user_id, known.reader, viewed=viewed))
    writes.append(_totals(event.date_bucket, content_id, known.stats, viewed=viewed, new_reader=new_reader))
    return writes


def _read_by(event: Event, content_id: str, user_id: str, before: Reader | None, *, viewed: bool) -> Write:
    """Events come in any order: first is the earliest, last the latest."""
    row = before or Reader(of_content=content_id, person=user_id)
    at, major = event.timestamp, _major(event)
    if viewed:
        after = row.with_(
            Reader.first_viewed(min(filter(None, (row.first_viewed, at)))),
            Reader.last_viewed(max(filter(None, (row.last_viewed, at)))),
            Reader.major_seen(_extreme(max, row.major_seen, major)),
        )
    else:
        after = row.with_(
            Reader.last_downloaded(max(filter(None, (row.last_downloaded, at)))),
            Reader.major_downloaded(_extreme(max, row.major_downloaded, major)),
            Reader.first_major_downloaded(_extreme(min, row.first_major_downloaded, major)),
        )
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


def _totals(day: str, content_id: str, stats: Stats | None, *, viewed: bool, new_reader: bool) -> Write:
    people = int(new_reader)
    if stats is None:
        first = Stats(of_content=content_id, people=people)
        first = first.with_(Stats.views(1), Stats.last_viewed_day(day)) if viewed else first.with_(Stats.downloads(1))
        return Put(first).if_new().otherwise(ChangedMeanwhileError("The totals"))
    added = [(Stats.views if viewed else Stats.downloads).add(1)]
    if people:
        added.append(Stats.people.add(1))
    if viewed and day > stats.last_viewed_day:
        moved = Update(stats.own_key, *added, Stats.last_viewed_day.set(day)).knowing(Stats.stats_of(stats.stats_of))
        return moved.unless_changed(stats, Stats.last_viewed_day, Stats.stats_of)
    return Update(stats.own_key, *added).otherwise(ChangedMeanwhileError("The totals"))


def _major(event: Event) -> int | None:
    major = (event.metadata or {}).get("major")
    return int(major) if isinstance(major, int) and not isinstance(major, bool) else None


def _extreme(choose: Any, one: int | None, other: int | None) -> int | None:
    there = [each for each in (one, other) if each is not None]
    return choose(there) if there else None
