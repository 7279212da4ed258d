"""Events by day and by user, and the numbers that the change stream makes of them."""

from __future__ import annotations

from typing import Any, Literal

from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Item,
    Put,
    Query,
    Table,
    access_pattern,
    attribute,
    derived,
    key_part,
)
from partita.table.types import Day, ExpiresAt, Timestamp

EVENTS = Table(
    "events", pk="date_bucket", sk="ts#event_id", ttl="expires_at", purpose="Store activity events for analytics"
)
EVENTS_BY_USER = EVENTS.index("by_user", pk="user_id", sk="ts#event_id", purpose="Events of a user, by time")
SERIES_BY_DAY = EVENTS.index(
    "series_by_day", pk="series_day", sk="series_of", purpose="The use of all content on a day"
)
DOWNLOADS = EVENTS.index(
    "downloads", pk="downloaded", sk="last_downloaded", purpose="Who downloaded a content item, latest first: sparse"
)
BY_LAST_VIEW = EVENTS.index(
    "by_last_view", pk="stats_of", sk="viewed_key", purpose="Released content by its last view: sparse"
)

EventName = Literal[
    "content_viewed",
    "content_downloaded",
    "content_previewed",
    "search_done",
    "search_opened",
    "collection_opened",
    "notification_opened",
]
RollupOf = Literal["views", "downloads", "searches", "active_users", "user_events", "no_result"]
NEVER = "0000-00-00"
"""The last view of what nobody has opened: before every day."""


class Event(Item, table=EVENTS, sk="{timestamp}#{event_id}"):
    """Something that happened; appended, never changed."""

    date_bucket: Attribute[Day]
    event_id: Attribute[str]
    event_name: Attribute[str]
    user_id: Attribute[str | None] = attribute(default=None)
    content_id: Attribute[str | None] = attribute(default=None)
    metadata: Attribute[dict[str, Any] | None] = attribute(default=None)
    timestamp: Attribute[Timestamp]
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)


@access_pattern("Store event", EVENTS, documented="Store event: PutItem with date_bucket and ts#event_id")
def store_event(event: Event) -> Put[Event]:
    """Appended, never changed: an event that is there already stays as it is."""
    return Put(event).if_new()


@access_pattern(
    "List events for date",
    EVENTS,
    documented="List events for date: Query PK with date_bucket = YYYY-MM-DD, sorted by timestamp DESC",
    date="2026-01-26",
)
def events_on(date: str) -> Query[Event]:
    return Event.query(Event.date_bucket(date)).newest_first()


@access_pattern(
    "Query events by user",
    EVENTS,
    documented="Query events by user: Scan with filter (consider GSI if needed)",
    user_id="u1",
)
def events_of(user_id: str) -> Query[Event]:
    return Event.query(EVENTS_BY_USER, Event.user_id(user_id)).newest_first()


class RecentUse(Item, table=EVENTS, pk="RECENT#{of_content}", sk="{person}#{event_name}"):
    """Somebody viewed or downloaded a content item a moment ago: doing it again is no further use."""

    of_content: Attribute[str] = key_part()
    person: Attribute[str] = key_part()
    event_name: Attribute[str] = key_part()
    expires_at: Attribute[ExpiresAt]


@access_pattern(
    "Whether somebody used a content item a moment ago",
    EVENTS,
    documented=False,
    content_id="c1",
    user_id="u1",
    event_name="content_viewed",
)
def recent_use(content_id: str, user_id: str, event_name: str) -> Get[RecentUse]:
    return RecentUse.get(RecentUse.of_content(content_id), RecentUse.person(user_id), RecentUse.event_name(event_name))


# Numbers. None of these has a `user_id`: it would lie in by_user, among events.
class CountedEvent(Item, table=EVENTS, pk="COUNTED#{event_id}", sk="COUNTED"):
    """An event that is in all numbers; written with them, so that a replay counts nothing twice."""

    event_id: Attribute[str] = key_part()
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)
    """As its event."""


@access_pattern("Whether an event was counted", EVENTS, documented=False, event_id="e1")
def counted_event(event_id: str) -> Get[CountedEvent]:
    return CountedEvent.get(CountedEvent.event_id(event_id))


class Rollup(Item, table=EVENTS, pk="ROLLUP#{what}", sk="{day}#{subject}"):
    """A day's number for analytics, kept by the change stream."""

    what: Attribute[RollupOf] = key_part()
    day: Attribute[Day] = key_part()
    subject: Attribute[str] = key_part()
    """`all`, `in_vain` (searches that found nothing), a person, or the words of a search."""
    count: Attribute[int] = attribute(default=0)


@access_pattern("Analytics of some days", EVENTS, documented=False, what="views", since="2026-01-01")
def rollups_since(what: RollupOf, since: str) -> Query[Rollup]:
    return Rollup.query(Rollup.what(what)).at_least(Rollup.day(since))


class Series(
    Item,
    table=EVENTS,
    pk="SERIES#{of_content}",
    sk="{day}",
    keys={"series_day": "{day}", "series_of": "{of_content}"},
):
    """The use of a content item on a day."""

    of_content: Attribute[str] = key_part()
    day: Attribute[Day] = key_part()
    views: Attribute[int] = attribute(default=0)
    downloads: Attribute[int] = attribute(default=0)


@access_pattern("The use of a content item since a day", EVENTS, documented=False, content_id="c1", since="2026-01-01")
def series_of(content_id: str, since: str) -> Query[Series]:
    return Series.query(Series.of_content(content_id)).at_least(Series.day(since))


@access_pattern("The use of all content on a day", EVENTS, documented=False, day="2026-01-26")
def series_on(day: str) -> Query[Series]:
    return Series.query(SERIES_BY_DAY, Series.day(day))


class Reader(Item, table=EVENTS, pk="READER#{of_content}", sk="{person}"):
    """What somebody has seen and downloaded of a content item."""

    of_content: Attribute[str] = key_part()
    person: Attribute[str] = key_part()
    first_viewed: Attribute[Timestamp | None] = attribute(default=None)
    last_viewed: Attribute[Timestamp | None] = attribute(default=None)
    last_downloaded: Attribute[Timestamp | None] = attribute(default=None)
    major_seen: Attribute[int | None] = attribute(default=None)
    major_downloaded: Attribute[int | None] = attribute(default=None)
    """The newest version that they downloaded."""
    first_major_downloaded: Attribute[int | None] = attribute(default=None)
    """The oldest: whoever has an earlier version than the current one is asked for by adoption."""
    downloaded: Attribute[str | None] = derived(
        lambda of_content, last_downloaded: of_content if last_downloaded else None
    )


@access_pattern("What somebody has seen of a content item", EVENTS, documented=False, content_id="c1", user_id="u1")
def reader(content_id: str, user_id: str) -> Get[Reader]:
    return Reader.get(Reader.of_content(content_id), Reader.person(user_id))


@access_pattern("Who has read a content item", EVENTS, documented=False, content_id="c1")
def readers_of(content_id: str) -> Query[Reader]:
    return Reader.query(Reader.of_content(content_id))


@access_pattern(
    "Who downloaded a content item since a moment",
    EVENTS,
    documented=False,
    content_id="c1",
    since="2026-01-01T00:00:00.000000Z",
)
def downloaders_of(content_id: str, since: str) -> Query[Reader]:
    return Reader.query(DOWNLOADS, Reader.downloaded(content_id)).at_least(Reader.last_downloaded(since)).newest_first()


class ActiveUser(Item, table=EVENTS, pk="ACTIVE#{day}", sk="{person}"):
    """Somebody who did something on a day."""

    day: Attribute[Day] = key_part()
    person: Attribute[str] = key_part()
    event_count: Attribute[int] = attribute(default=0)


@access_pattern("Who was active on a day", EVENTS, documented=False, day="2026-01-26")
def active_on(day: str) -> Query[ActiveUser]:
    return ActiveUser.query(ActiveUser.day(day))


class Stats(Item, table=EVENTS, pk="STATS#{of_content}", sk="STATS"):
    """The totals of a content item: use and votes. Made when it is released."""

    of_content: Attribute[str] = key_part()
    views: Attribute[int] = attribute(default=0)
    downloads: Attribute[int] = attribute(default=0)
    people: Attribute[int] = attribute(default=0)
    """Who has viewed or downloaded it."""
    helped: Attribute[int] = attribute(default=0)
    not_helped: Attribute[int] = attribute(default=0)
    last_viewed_day: Attribute[str] = attribute(default=NEVER)
    stats_of: Attribute[Literal["released"] | None] = attribute(default=None)
    viewed_key: Attribute[str | None] = derived(
        lambda stats_of, last_viewed_day, of_content: f"{last_viewed_day}#{of_content}" if stats_of else None
    )

    @property
    def last_viewed(self) -> str | None:
        """The day of the last view, if anybody has opened it."""
        return None if self.last_viewed_day == NEVER else self.last_viewed_day


@access_pattern("The totals of a content item", EVENTS, documented=False, content_id="c1")
def stats(content_id: str) -> Get[Stats]:
    return Stats.get(Stats.of_content(content_id))


@access_pattern("The totals of several content items", EVENTS, documented=False, content_ids=("c1", "c2", "c3"))
def stats_of(content_ids: tuple[str, ...]) -> BatchGet[Stats]:
    return BatchGet(tuple(Stats.key(Stats.of_content(content_id)) for content_id in content_ids))


@access_pattern("Released content that nobody has opened since a day", EVENTS, documented=False, day="2026-01-26")
def unopened_since(day: str) -> Query[Stats]:
    """The longest unopened first."""
    return Stats.query(BY_LAST_VIEW, Stats.stats_of("released")).before(Stats.viewed_key(day))


class Summary(Item, table=EVENTS, pk="SUMMARY#{days}", sk="SUMMARY"):
    """Rankings and unique people of a window of days, made when somebody looks and it is old."""

    days: Attribute[int] = key_part()
    made_at: Attribute[Timestamp]
    claimed_until: Attribute[Timestamp | None] = attribute(default=None)
    """Somebody makes the next one."""
    rankings: Attribute[dict[str, Any]] = attribute(default={}, max_length=40)
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)


@access_pattern("Rankings of a window of days", EVENTS, documented=False, days=30)
def summary(days: int) -> Get[Summary]:
    return Summary.get(Summary.days(days))


class MostUsed(Item, table=EVENTS, pk="MOST_USED", sk="MOST_USED"):
    """The ids of what was used most this month, most used first: for the front of the library. Whoever reads it checks
    what the viewer may see of it."""

    content_ids: Attribute[tuple[str, ...]] = attribute(default=(), max_length=10)
    made_at: Attribute[Timestamp]
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)


@access_pattern("What was used most this month", EVENTS, documented=False)
def most_used() -> Get[MostUsed]:
    return MostUsed.get()
