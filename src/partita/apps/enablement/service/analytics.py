"""Analytics: what is used, unused, stale and searched for in vain; from rollups and summaries, never from events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_after, today_of
from partita.apps.enablement.permissions import Enablement, Part
from partita.apps.enablement.schema import Content, Report, Series, Stats, Summary
from partita.apps.enablement.service.access import enough_for, no_such_content, parts_of, visible_to
from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.counting import IN_VAIN
from partita.apps.enablement.service.summaries import (
    NOTHING,
    NUMBERS,
    ROLLED,
    UNUSED_DAYS,
    Summaries,
    Window,
    days_until,
)
from partita.kit.accounts.schema import Account
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize, refuse_withheld
from partita.kit.problems import Forbidden
from partita.table.types import timestamp

MOST_STALE = 50


@dataclass(frozen=True, slots=True)
class DayNumbers:
    """A day of the portal, or the sum of several; `people` of several days is of no meaning."""

    day: str
    people: int = 0
    views: int = 0
    downloads: int = 0
    searches: int = 0
    in_vain: int = 0


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of a window."""

    views: int
    downloads: int
    searches: int
    in_vain: int
    people: int | None
    """Unique people; None until the first summary is made."""


@dataclass(frozen=True, slots=True)
class UsedContent:
    """A content item with its use in a window, as it was called when that was counted."""

    content_id: str
    title: str
    product_suite: str | None
    product_concept: str | None
    views: int
    downloads: int


@dataclass(frozen=True, slots=True)
class Adoption:
    """Of those who downloaded an earlier version, how many have the current one."""

    content_id: str
    title: str
    major: int
    had_earlier: int
    have_current: int


@dataclass(frozen=True, slots=True)
class UnusedContent:
    """Released content that nobody has opened for long; without a day, ever."""

    content_id: str
    title: str
    last_viewed: str | None


@dataclass(frozen=True, slots=True)
class SuiteUse:
    """The use of a suite; `""` is content without one."""

    suite: str
    views: int
    downloads: int


@dataclass(frozen=True, slots=True)
class PersonUse:
    """How much somebody did."""

    user_id: str
    name: str
    username: str
    events: int


@dataclass(frozen=True, slots=True)
class Searched:
    """Words that found nothing."""

    words: str
    times: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What works, in a window of days."""

    days: Window
    as_of: str | None
    """When rankings and people were counted; the numbers by day are current."""
    making: bool
    """Whether newer ones are being made."""
    totals: Totals
    before: Totals
    by_day: tuple[DayNumbers, ...]
    most_used: tuple[UsedContent, ...]
    by_suite: tuple[SuiteUse, ...]
    adoption: tuple[Adoption, ...]
    searched_in_vain: tuple[Searched, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing was ever counted."""
        return not (self.totals.views or self.totals.downloads or self.totals.searches or self.totals.people)


@dataclass(frozen=True, slots=True)
class Stale:
    """What needs somebody: overdue, expired, reported, unused."""

    overdue: tuple[Content, ...]
    expired: tuple[Content, ...]
    reported: tuple[tuple[Content, tuple[Report, ...]], ...]
    unused: tuple[tuple[Content, Stats], ...]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Everything that the page of analytics shows."""

    overview: Overview
    overdue: tuple[Content, ...]
    expired: tuple[Content, ...]
    reported: tuple[tuple[Content, tuple[Report, ...]], ...]
    unused: tuple[UnusedContent, ...]
    people: tuple[PersonUse, ...]
    """Empty unless an administrator looks."""
    owners: dict[str, str]
    """The names of those who own what is overdue or expired."""


@dataclass(frozen=True, slots=True)
class ContentUse:
    """What became of one item."""

    content: Content
    stats: Stats
    by_day: tuple[Series, ...]
    had_earlier: int
    have_current: int


class Analytics:
    """Numbers for approvers and administrators, and for owners of their own content."""

    def __init__(self, kit: Kit, changing: Changing, summaries: Summaries) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._summaries = summaries

    async def overview(self, viewer: Viewer, days: Window) -> Overview:
        """The numbers of a window, and of the window before it."""
        authorize(viewer, Enablement.APPROVE)
        summary, making = await self._summaries.latest(days)
        return await self._overview(days, summary, making)

    async def dashboard(self, viewer: Viewer, days: Window, most: int) -> Dashboard:
        """Everything for the page, so many of each list, which keeps a look cheap. What needs somebody is current;
        rankings, and who did what, are as of the last summary, for which nobody waits."""
        authorize(viewer, Enablement.APPROVE)
        summary, making = await self._summaries.latest(days, patience=0)
        overview, overdue, expired, reports = await asyncio.gather(
            self._overview(days, summary, making),
            self._store.page(schema.review_due(day_after(today_of(self._changing.now()), -1)), limit=most),
            self._store.page(schema.content_with_status("Expired"), limit=most),
            self._store.page(schema.open_reports(), limit=most),
        )
        contents, owners = await asyncio.gather(
            self._contents(each.of_content for each in reports),
            self._kit.accounts.people.get_many(each.owner_user_id for each in (*overdue, *expired)),
        )
        rankings = {} if summary is None else summary.rankings
        return Dashboard(
            overview=overview,
            overdue=overdue.items,
            expired=expired.items,
            reported=_reported(reports.items, contents),
            unused=tuple(
                UnusedContent(content_id, title, day or None) for content_id, title, day in rankings.get("unused", ())
            )[:most],
            people=_people(summary)[: 2 * most] if viewer.may(Enablement.MANAGE) else (),
            owners={user_id: person.name for user_id, person in owners.items()},
        )

    async def _overview(self, days: Window, summary: Summary | None, making: bool) -> Overview:
        numbers = await self._by_day(days_until(today_of(self._changing.now()), days), summary)
        rankings = {} if summary is None else summary.rankings
        return Overview(
            days=days,
            as_of=None if summary is None else summary.made_at,
            making=making,
            totals=_sum(numbers, rankings.get("people")),
            before=_before(rankings),
            by_day=numbers,
            most_used=_used(summary)[:10],
            by_suite=tuple(
                SuiteUse(suite, int(views), int(loads)) for suite, views, loads in rankings.get("suites", ())
            ),
            adoption=tuple(
                Adoption(content_id, title, int(major), int(had), int(have))
                for content_id, major, had, have, title in rankings.get("adoption", ())
            ),
            searched_in_vain=_searched(summary, 10),
        )

    async def content(self, viewer: Viewer, days: Window) -> tuple[UsedContent, ...]:
        """The most used content of a window."""
        authorize(viewer, Enablement.APPROVE)
        summary, _ = await self._summaries.latest(days)
        return _used(summary)

    async def users(self, viewer: Viewer, days: Window) -> tuple[PersonUse, ...]:
        """Who did most in a window; names of people are for administrators alone."""
        authorize(viewer, Enablement.MANAGE)
        summary, _ = await self._summaries.latest(days)
        return _people(summary)

    async def searches(self, viewer: Viewer, days: Window) -> tuple[Searched, ...]:
        """What people searched for in vain, most often first."""
        authorize(viewer, Enablement.APPROVE)
        summary, _ = await self._summaries.latest(days)
        return _searched(summary)

    async def stale(self, viewer: Viewer, most: int = MOST_STALE) -> Stale:
        """Content that needs somebody, the worst first; so many of each."""
        authorize(viewer, Enablement.APPROVE)
        now = self._changing.now()
        today = today_of(now)
        unused_since = day_after(today, -UNUSED_DAYS)
        overdue, expired, reports, unopened = await asyncio.gather(
            self._store.page(schema.review_due(day_after(today, -1)), limit=most),
            self._store.page(schema.content_with_status("Expired"), limit=most),
            self._store.page(schema.open_reports(), limit=most),
            self._store.page(schema.unopened_since(unused_since), limit=most),
        )
        contents = await self._contents(
            [*(each.of_content for each in reports), *(each.of_content for each in unopened)]
        )
        long_ago = timestamp(now - timedelta(days=UNUSED_DAYS))
        return Stale(
            overdue=overdue.items,
            expired=expired.items,
            reported=_reported(reports.items, contents),
            unused=tuple(
                (content, stats)
                for stats in unopened
                if (content := contents.get(stats.of_content)) is not None
                and (content.released_at or content.last_updated) < long_ago
            ),
        )

    async def of_content(
        self, viewer: Viewer, content_id: str, days: int = 30, *, adoption: bool = False
    ) -> ContentUse:
        """The numbers of one item; for its owner, approvers and administrators. Adoption reads everybody who ever
        downloaded it."""
        content = await self._changing.content(content_id)
        now = self._changing.now()
        if visible_to(viewer, content, now).page == "none":
            raise no_such_content(content_id)
        if not parts_of(viewer, content) & {Part.OWNER, Part.APPROVER, Part.ADMIN}:
            refuse_withheld(viewer, *enough_for(viewer, content, (Part.OWNER, Part.APPROVER, Part.ADMIN)))
            raise Forbidden("The numbers of content are for its owner and approvers.")
        window = days_until(today_of(now), days)
        stats, series = await asyncio.gather(
            self._store.get(schema.stats(content_id)),
            self._store.page(schema.series_of(content_id, window[0]), limit=days),
        )
        there = {each.day: each for each in series}
        had, have = await self._summaries.adoption(content) if adoption and content.major > 1 else (0, 0)
        return ContentUse(
            content=content,
            stats=stats or Stats(of_content=content_id),
            by_day=tuple(there.get(day) or Series(of_content=content_id, day=day) for day in window),
            had_earlier=had,
            have_current=have,
        )

    # What the log shows beside ids

    async def titles(self, viewer: Viewer, content_ids: Iterable[str]) -> dict[str, Content]:
        """Content by id, for the log of administrators."""
        authorize(viewer, Enablement.MANAGE)
        return await self._contents(each for each in content_ids if 0 < len(each.encode()) <= 1000)

    async def person(self, viewer: Viewer, username: str) -> Account | None:
        """Somebody by username, for the log of administrators."""
        authorize(viewer, Enablement.MANAGE)
        return await self._kit.accounts.people.by_username(username)

    async def _by_day(self, window: Sequence[str], summary: Summary | None) -> tuple[DayNumbers, ...]:
        """Numbers of days that are over come from the summary; those since then, and of the day before (an event may
        be counted a moment after midnight), from the rollups."""
        known = (
            {} if summary is None else {row[0]: tuple(map(int, row[1:])) for row in summary.rankings.get("by_day", ())}
        )
        since = window[0] if summary is None or not known else max(window[0], day_after(summary.made_at[:10], -1))
        pages = await asyncio.gather(
            *(self._store.page(schema.rollups_since(what, since), limit=3 * len(window)) for what in ROLLED)
        )
        counts = {
            (row.day, IN_VAIN if row.subject == IN_VAIN else row.what): row.count for page in pages for row in page
        }
        return tuple(
            DayNumbers(day, *known.get(day, NOTHING))
            if day < since
            else DayNumbers(day, *(counts.get((day, name), 0) for name in NUMBERS))
            for day in window
        )

    async def _contents(self, content_ids: Iterable[str]) -> dict[str, Content]:
        wanted = tuple(dict.fromkeys(content_ids))
        found = await self._store.batch_get(schema.content_found(wanted).keys) if wanted else []
        return {each.content_id: each for each in found if each is not None}


def _sum(days: Sequence[DayNumbers], people: Any) -> Totals:
    return Totals(
        views=sum(each.views for each in days),
        downloads=sum(each.downloads for each in days),
        searches=sum(each.searches for each in days),
        in_vain=sum(each.in_vain for each in days),
        people=None if people is None else int(people),
    )


def _before(rankings: dict[str, Any]) -> Totals:
    """The window before, as it was counted with the rankings."""
    counted = rankings.get("before", {})
    views, downloads, searches, in_vain = (
        int(counted.get(name, 0)) for name in ("views", "downloads", "searches", "in_vain")
    )
    people = rankings.get("people_before")
    return Totals(views, downloads, searches, in_vain, None if people is None else int(people))


def _reported(
    reports: Iterable[Report], contents: dict[str, Content]
) -> tuple[tuple[Content, tuple[Report, ...]], ...]:
    """Content with its reports, those of each together."""
    by_content: dict[str, list[Report]] = {}
    for report in reports:
        by_content.setdefault(report.of_content, []).append(report)
    return tuple(
        (contents[content_id], tuple(given)) for content_id, given in by_content.items() if content_id in contents
    )


def _used(summary: Summary | None) -> tuple[UsedContent, ...]:
    rows = [] if summary is None else summary.rankings.get("content", [])
    return tuple(
        UsedContent(content_id, title, suite or None, concept or None, int(views), int(downloads))
        for content_id, views, downloads, title, suite, concept in rows
    )


def _people(summary: Summary | None) -> tuple[PersonUse, ...]:
    rows = [] if summary is None else summary.rankings.get("users", [])
    return tuple(
        PersonUse(user_id, name or "Deleted account", username, int(events)) for user_id, events, name, username in rows
    )


def _searched(summary: Summary | None, most: int | None = None) -> tuple[Searched, ...]:
    rows = [] if summary is None else summary.rankings.get("in_vain", [])
    return tuple(Searched(words, int(times)) for words, times in rows[:most])
