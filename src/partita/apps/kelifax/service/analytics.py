"""Analytics: totals that are written in the same transactions as what they count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import CATEGORIES, STATUSES, Category, Resource, Status
from partita.kit.kit import Kit


@dataclass(frozen=True, slots=True)
class Overview:
    """The numbers that moderators see."""

    by_status: Mapping[Status, int]
    by_category: Mapping[Category, int]
    by_submitter_domain: Mapping[str, int]
    """The 20 domains with the most submissions, largest first."""
    submissions_per_day: Mapping[str, int]
    """The last 30 days with any, oldest first."""
    most_viewed: tuple[Resource, ...]


class Analytics:
    """Numbers for moderators."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def statuses(self) -> dict[Status, int]:
        """How many resources each status has."""
        totals = await self._store.page(schema.totals("status"), limit=len(STATUSES))
        counts = {total.counted_as: total.count for total in totals}
        return {status: counts.get(status, 0) for status in STATUSES}

    async def overview(self) -> Overview:
        categories, domains, days = (
            await self._totals("category"),
            await self._totals("domain"),
            await self._totals("day"),
        )
        most_viewed = await self._store.page(schema.popular_resources(), limit=10)
        return Overview(
            by_status=await self.statuses(),
            by_category={category: categories.get(category, 0) for category in CATEGORIES},
            by_submitter_domain=dict(sorted(domains.items(), key=lambda entry: (-entry[1], entry[0]))[:20]),
            submissions_per_day=dict(sorted(days.items())[-30:]),
            most_viewed=most_viewed.items,
        )

    async def _totals(self, kind: Literal["category", "domain", "day"]) -> dict[str, int]:
        return {total.counted_as: total.count async for total in self._store.stream(schema.totals(kind)) if total.count}
