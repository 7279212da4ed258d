"""The page with the moderators' numbers."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.pages.submissions import OPTIONS
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import CATEGORIES
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.analytics import Wanted
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.routes import Routes
from partita.kit.sharing import address

_PAGE = 20
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
PERIODS = {30: "30 days", 90: "90 days", 364: "A year"}
"""Days → how people call it; a year is 52 weeks, so that its bars are whole weeks."""


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/analytics", Kelifax.READ_ANALYTICS)
    async def analytics(request: Request, days: Annotated[str, Query(max_length=10)] = "") -> Response:
        """The numbers of a period; one that is not offered is the first."""
        period = next((each for each in PERIODS if str(each) == days), min(PERIODS))
        overview = await service.analytics.overview(period)
        return render(
            request,
            "kelifax/analytics.html",
            overview=overview,
            period=period,
            periods=PERIODS,
            categories=[
                (category_name(category), count, f"/kelifax/analytics/resources?category={category}" if count else "")
                for category, count in overview.by_category.items()
            ],
            domains=[
                (domain, count, address("/kelifax/analytics/resources", {"domain": domain}))
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
        cursor: Cursor = None,
    ) -> Response:
        """What is behind a number: resources of every status, from a domain or in a category, since a day."""
        chosen = next((each for each in CATEGORIES if each == category), None)
        wanted = Wanted(domain.strip().lower(), chosen, since if _DAY.fullmatch(since) else "")
        page = await service.analytics.resources(wanted, limit=_PAGE, cursor=cursor)
        title = wanted.domain or (category_name(chosen) if chosen else "Waiting for a decision")
        return render(
            request, "kelifax/behind.html", page=page, wanted=wanted, title=title, category_names=OPTIONS["category"]
        )
