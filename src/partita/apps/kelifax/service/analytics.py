"""Analytics: totals that are written in the same transactions as what they count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import CATEGORIES, STATUSES, Category, Resource, Status
from partita.kit.kit import Kit
from partita.table import Page

_EVER = "0000"
"""Before everything."""


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
        """Resources of every status from a domain or in a category, newest first; of neither, what waits."""
        domain, category, since = wanted.domain, wanted.category, wanted.since
        if domain:
            query = schema.recent_from(domain, since) if since else schema.resources_from(domain)
        elif category is not None:
            query = schema.recent_in(category, since).newest_first() if since else schema.resources_in(category)
        else:
            query = schema.submitted_since(since or _EVER).newest_first()
        return await self._store.page(query, limit=limit, after=cursor)

    async def _submissions(self, days: int) -> dict[str, int]:
        today = self._clock.now().date()
        period = [(today - timedelta(days=back)).isoformat() for back in reversed(range(days))]
        totals = await self._store.page(schema.submissions_since(period[0]), limit=days)
        counts = {total.counted_as: total.count for total in totals}
        return {day: counts.get(day, 0) for day in period}

    async def _totals(self, kind: Literal["category", "domain"]) -> dict[str, int]:
        return {total.counted_as: total.count async for total in self._store.stream(schema.totals(kind)) if total.count}
