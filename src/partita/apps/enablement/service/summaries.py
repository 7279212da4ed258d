"""Summaries: rankings and unique people of a window of days, made by a job if somebody looks and they are old."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_after, moment_of, today_of
from partita.apps.enablement.schema import Content, MostUsed, RollupOf, Stats, Summary
from partita.apps.enablement.service.counting import IN_VAIN
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.table import Put
from partita.table.types import timestamp

Window = Literal[7, 30, 90]
ROLLED: tuple[RollupOf, ...] = ("views", "downloads", "searches", "active_users")
"""What is counted by day; unique people of a window are counted apart."""
NUMBERS = ("active_users", "views", "downloads", "searches", IN_VAIN)
"""The numbers of a day, in the order in which a summary has them."""
NOTHING = (0,) * len(NUMBERS)
MONTH: Window = 30
MOST_USED = 10
WINDOWS: tuple[Window, ...] = (7, 30, 90)
FRESH = timedelta(minutes=15)
SUMMARY_JOB = "enablement.summary"
MOST_RANKED = 50
MOST_ADOPTIONS = 20
_AT_ONCE = 10
PATIENCE = 1.5
"""Seconds that the first look of a program at a window waits for its numbers; pages come at once and ask again."""
UNUSED_DAYS = 90
MOST_UNUSED = 20
_KEPT = timedelta(days=1)
"""A summary names people and content: nobody looks at an old one, so it goes."""


def days_until(today: str, number: int) -> list[str]:
    """So many days up to today, oldest first."""
    return [day_after(today, -back) for back in reversed(range(number))]


class Summaries:
    """Keeps the summaries of the windows."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def latest(self, days: Window, *, patience: float = PATIENCE) -> tuple[Summary | None, bool]:
        """The summary as it was made last, and whether a newer one is being made; for the first one it waits so many
        seconds."""
        found = await self._found(days)
        if found is not None and is_fresh(found, self._kit.clock.now()):
            return found, False
        job = await self.begin(days)
        if found is None and patience:
            await self._kit.jobs.ended_within(job, patience)
            found = await self._found(days)
            return found, found is None
        return found, True

    async def begin(self, days: Window) -> Job:
        """Have a summary made, unless it is being made."""
        return await self._kit.jobs.start(SUMMARY_JOB, {"days": days}, None, key=str(days))

    async def _found(self, days: Window) -> Summary | None:
        """The stored summary, unless it is of an earlier edition, which knew less."""
        found = await self._store.get(schema.summary(days))
        return found if found is not None and "by_day" in found.rankings else None

    async def make(self, days: Window) -> Summary:
        """Count the window anew."""
        now = self._kit.clock.now()
        today = today_of(now)
        window = days_until(today, days)
        before = day_after(window[0], -days)
        use, people, unused = await asyncio.gather(
            self._use(window), self._people(window[0], before), self._unused(day_after(today, -UNUSED_DAYS))
        )
        ranked = sorted(use, key=lambda content_id: (-sum(use[content_id]), content_id))
        contents = await self._contents({*ranked, *(each.of_content for each in unused)})
        now_active, before_active = people
        busiest = _top(now_active)
        names = await self._kit.accounts.people.get_many(user for user, _ in busiest)
        adoption = await self._adoption(ranked, contents)
        long_ago = timestamp(now - timedelta(days=UNUSED_DAYS))
        by_day, totals_before = await self._totals(before, window[0])
        rankings: dict[str, Any] = {
            "people": len(now_active),
            "people_before": before_active,
            "before": totals_before,
            "by_day": [[day, *by_day.get(day, NOTHING)] for day in window],
            "content": [
                [content_id, *use[content_id], *_described(contents[content_id])]
                for content_id in ranked[:MOST_RANKED]
                if content_id in contents
            ],
            "suites": _by_suite(use, contents),
            "users": [
                [user, number, names[user].name, names[user].username] if user in names else [user, number, "", ""]
                for user, number in busiest
            ],
            "in_vain": [[words, number] for words, number in _top(await self._in_vain(window[0]))],
            "adoption": adoption,
            "unused": [
                [each.of_content, contents[each.of_content].title, each.last_viewed or ""]
                for each in unused
                if each.of_content in contents and _since(contents[each.of_content]) < long_ago
            ][:MOST_UNUSED],
        }
        ends = int((now + _KEPT).timestamp())
        summary = Summary(days=days, made_at=timestamp(now), rankings=rankings, expires_at=ends)
        await self._store.write(Put(summary))
        if days == MONTH:
            most = tuple(each for each in ranked if each in contents)[:MOST_USED]
            await self._store.write(Put(MostUsed(content_ids=most, made_at=timestamp(now), expires_at=ends)))
        return summary

    async def _unused(self, since: str) -> list[Stats]:
        """Released content that nobody has opened since a day, longest first; more than are kept, because new content
        was not opened either."""
        return list((await self._store.page(schema.unopened_since(since), limit=5 * MOST_UNUSED)).items)

    async def _use(self, window: list[str]) -> dict[str, tuple[int, int]]:
        """Content → views and downloads."""
        totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])

        async def add(day: str) -> None:
            async for row in self._store.stream(schema.series_on(day), chunk=500):
                totals[row.of_content][0] += row.views
                totals[row.of_content][1] += row.downloads

        for start in range(0, len(window), _AT_ONCE):
            await asyncio.gather(*(add(day) for day in window[start : start + _AT_ONCE]))
        return {content_id: (views, downloads) for content_id, (views, downloads) in totals.items()}

    async def _people(self, since: str, since_before: str) -> tuple[Counter[str], int]:
        """Who was active, with the number of their events, and how many people in the window before."""
        active: Counter[str] = Counter()
        before: set[str] = set()
        async for row in self._store.stream(schema.rollups_since("user_events", since_before), chunk=500):
            if row.day >= since:
                active[row.subject] += row.count
            else:
                before.add(row.subject)
        return active, len(before)

    async def _totals(self, since: str, until: str) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
        """The numbers of each day of the window, and views, downloads and searches of the window before."""
        days: dict[str, dict[str, int]] = defaultdict(dict)
        before: Counter[str] = Counter(views=0, downloads=0, searches=0, in_vain=0)
        for what in ROLLED:
            async for row in self._store.stream(schema.rollups_since(what, since), chunk=500):
                name = IN_VAIN if row.subject == IN_VAIN else what
                if row.day >= until:
                    days[row.day][name] = row.count
                elif name in before:
                    before[name] += row.count
        return {day: tuple(each.get(name, 0) for name in NUMBERS) for day, each in days.items()}, dict(before)

    async def _in_vain(self, since: str) -> Counter[str]:
        words: Counter[str] = Counter()
        async for row in self._store.stream(schema.rollups_since("no_result", since), chunk=500):
            words[row.subject] += row.count
        return words

    async def _contents(self, content_ids: Iterable[str]) -> dict[str, Content]:
        wanted = tuple(content_ids)
        found = await self._store.batch_get(schema.content_found(wanted).keys) if wanted else []
        return {each.content_id: each for each in found if each is not None}

    async def _adoption(self, ranked: Iterable[str], contents: dict[str, Content]) -> list[list[Any]]:
        """Of those who downloaded an earlier version, how many have the current one; of the most used content."""
        renewed = [contents[each] for each in ranked if each in contents and contents[each].major > 1]
        rows = []
        for content in renewed[:MOST_ADOPTIONS]:
            had, have = await self.adoption(content)
            if had:
                rows.append([content.content_id, content.major, had, have, content.title])
        return rows

    async def adoption(self, content: Content) -> tuple[int, int]:
        """How many downloaded an earlier version of an item, and how many of them have the current one."""
        had = have = 0
        async for reader in self._store.stream(schema.downloaders_of(content.content_id, "0"), chunk=500):
            if reader.first_major_downloaded is not None and reader.first_major_downloaded < content.major:
                had += 1
                have += (reader.major_downloaded or 0) >= content.major
        return had, have

    def job(self) -> JobKind:
        """Making a summary, as a job."""

        async def run(running: Running, arguments: Arguments) -> Result:  # noqa: ARG001
            days = next((each for each in WINDOWS if each == arguments.get("days")), None)
            if days is not None:
                await self.make(days)
            return Result("The numbers are made.")

        return JobKind(SUMMARY_JOB, "Make the numbers of the portal", run, kept_days=1)


def is_fresh(summary: Summary, now: datetime) -> bool:
    """Whether it need not be made anew."""
    made = moment_of(summary.made_at)
    return made is not None and now - made < FRESH and today_of(made) == today_of(now)


def _described(content: Content) -> tuple[str, str, str]:
    return content.title, content.product_suite or "", content.product_concept or ""


def _since(content: Content) -> str:
    return content.released_at or content.last_updated


def _top(numbers: Counter[str]) -> list[tuple[str, int]]:
    return sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_RANKED]


def _by_suite(use: dict[str, tuple[int, int]], contents: dict[str, Content]) -> list[list[Any]]:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for content_id, (views, downloads) in use.items():
        content = contents.get(content_id)
        suite = (content.product_suite if content is not None else None) or ""
        totals[suite][0] += views
        totals[suite][1] += downloads
    ranked = sorted(totals.items(), key=lambda entry: (-sum(entry[1]), entry[0]))
    return [[suite, *numbers] for suite, numbers in ranked[:MOST_RANKED]]
