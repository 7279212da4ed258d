"""Analytics: totals that are written in the same transactions as what they count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import CATEGORIES, STATUSES, Category, Resource, Status
from partita.kit.kit import Kit
from partita.table import Page

_EVER = "0000"
"""Before everything."""
MOST_OF_A_STATUS = 100
"""How many of each status are listed of a stretch of days."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The numbers that moderators see."""

    by_status: Mapping[Status, int]
    by_category: Mapping[Category, int]
    by_submitter_domain: Mapping[str, int]
    """The 20 domains with the most submissions, largest first."""
    submissions_per_day: Mapping[str, int]
    """Every day of the period, oldest first, also those without any."""
    most_viewed: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody looks into."""

    domain: str = ""
    category: Category | None = None
    since: str = ""
    """A day, such as `2026-01-26`."""
    until: str = ""
    """The last day."""

    @property
    def of_every_status(self) -> bool:
        """Whether it asks for all resources, not only for those that wait."""
        return bool(self.domain or self.category or (self.since and self.until))

    @property
    def end(self) -> str:
        """The day after the last one."""
        return (date.fromisoformat(self.until) + timedelta(days=1)).isoformat()


class Analytics:
    """Numbers for moderators."""

    def __init__(self, kit: Kit) -> None:
        self._clock = kit.clock
        self._store = kit.store

    async def statuses(self) -> dict[Status, int]:
        """How many resources each status has."""
        totals = await self._store.page(schema.totals("status"), limit=len(STATUSES))
        counts = {total.counted_as: total.count for total in totals}
        return {status: counts.get(status, 0) for status in STATUSES}

    async def overview(self, days: int = 30) -> Overview:
        """The numbers; submissions per day of the last so many days (UTC)."""
        categories, domains = await self._totals("category"), await self._totals("domain")
        most_viewed = await self._store.page(schema.popular_resources(), limit=10)
        return Overview(
            by_status=await self.statuses(),
            by_category={category: categories.get(category, 0) for category in CATEGORIES},
            by_submitter_domain=dict(sorted(domains.items(), key=lambda entry: (-entry[1], entry[0]))[:20]),
            submissions_per_day=await self._submissions(days),
            most_viewed=most_viewed.items,
        )

    async def resources(self, wanted: Wanted, *, limit: int = 20, cursor: str | None = None) -> Page[Resource]:
        """Resources of every status from a domain, in a category or of some days, newest first; of none of these, what
        waits."""
        domain, category, since = wanted.domain, wanted.category, wanted.since
        if domain:
            query = schema.recent_from(domain, since) if since else schema.resources_from(domain)
            query = query if category is None else query.where(Resource.category.equals(category))
        elif category is not None:
            query = schema.recent_in(category, since).newest_first() if since else schema.resources_in(category)
        elif since and wanted.until:
            return Page(await self._of_days(wanted), None)
        else:
            query = schema.submitted_since(since or _EVER).newest_first()
        if wanted.until:
            query = query.before(Resource.created_at(wanted.end))
        return await self._store.page(query, limit=limit, after=cursor)

    async def _of_days(self, wanted: Wanted) -> tuple[Resource, ...]:
        """What was submitted in a stretch of days, whatever became of it, newest first."""
        found: list[Resource] = []
        for status in STATUSES:
            of_status = schema.resources_with_status(status).at_least(Resource.created_at(wanted.since))
            found += await self._store.page(of_status.before(Resource.created_at(wanted.end)), limit=MOST_OF_A_STATUS)
        return tuple(sorted(found, key=lambda each: each.created_at, reverse=True))

    async def _submissions(self, days: int) -> dict[str, int]:
        today = self._clock.now().date()
        period = [(today - timedelta(days=back)).isoformat() for back in reversed(range(days))]
        totals = await self._store.page(schema.submissions_since(period[0]), limit=days)
        counts = {total.counted_as: total.count for total in totals}
        return {day: counts.get(day, 0) for day in period}

    async def _totals(self, kind: Literal["category", "domain"]) -> dict[str, int]:
        return {total.counted_as: total.count async for total in self._store.stream(schema.totals(kind)) if total.count}
