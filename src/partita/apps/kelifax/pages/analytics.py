"""The page with the moderators' numbers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.pages.submissions import OPTIONS
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.analytics import MOST_OF_A_STATUS, Wanted
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.routes import Routes
from partita.kit.sharing import address

_PAGE = 20
PERIODS = {30: "30 days", 90: "90 days", 364: "A year"}
"""Days → how people call it; a year is 52 weeks, so that its bars are whole weeks."""
_WEEKS_FROM = 100
_BEHIND = "/kelifax/analytics/resources"


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/analytics", Kelifax.READ_ANALYTICS)
    async def analytics(request: Request, days: Annotated[str, Query(max_length=10)] = "") -> Response:
        """The numbers of a period; one that is not offered is the first."""
        period = next((each for each in PERIODS if str(each) == days), min(PERIODS))
        overview = await service.analytics.overview(period)
        days_per_bar = 7 if period > _WEEKS_FROM else 1
        return render(
            request,
            "kelifax/analytics.html",
            overview=overview,
            period=period,
            periods=PERIODS,
            days_per_bar=days_per_bar,
            days=_days(overview.submissions_per_day, days_per_bar),
            categories=[
                (category_name(category), count, f"{_BEHIND}?category={category}" if count else "")
                for category, count in overview.by_category.items()
            ],
            domains=[
                (domain, count, address(_BEHIND, {"domain": domain}))
                for domain, count in overview.by_submitter_domain.items()
            ],
            views=[
                (resource.resource_name, resource.view_count, f"/kelifax/resources/{resource.resource_slug}")
                for resource in overview.most_viewed
            ],
        )

    @pages.get("/analytics/resources", Kelifax.READ_MODERATION)
    async def resources(
        request: Request,
        domain: Annotated[str, Query(max_length=253)] = "",
        category: Annotated[str, Query(max_length=30)] = "",
        since: Annotated[str, Query(max_length=30)] = "",
        until: Annotated[str, Query(max_length=30)] = "",
        cursor: Cursor = None,
    ) -> Response:
        """What is behind a number: resources of every status, from a domain, in a category or of some days."""
        chosen = next((each for each in CATEGORIES if each == category), None)
        first, last = _day(since), _day(until)
        if first and last:
            first, last = sorted((first, last))
        wanted = Wanted(domain.strip().lower(), chosen, first, last)
        page = await service.analytics.resources(wanted, limit=_PAGE, cursor=cursor)
        return render(
            request,
            "kelifax/behind.html",
            page=page,
            wanted=wanted,
            title=_title(wanted),
            category_names=OPTIONS["category"],
            most=MOST_OF_A_STATUS,
        )


def _days(days: Iterable[str], per_bar: int) -> dict[str, str]:
    """The first day of each bar → where it leads: to what was submitted on its days."""
    every = list(days)
    bars = (every[max(0, end - per_bar) : end] for end in range(len(every), 0, -per_bar))
    return {bar[0]: address(_BEHIND, {"since": bar[0], "until": bar[-1]}) for bar in bars}


def _day(text: str) -> str:
    """A day as it is compared; nothing if it is none, or the last one that there is."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return ""
    return day.isoformat() if day < date.max else ""


def _title(wanted: Wanted) -> str:
    of_category = category_name(wanted.category) if wanted.category else ""
    if wanted.domain:
        return f"{wanted.domain}, {of_category}" if of_category else wanted.domain
    if of_category:
        return of_category
    return "Submissions" if wanted.of_every_status else "Waiting for a decision"
