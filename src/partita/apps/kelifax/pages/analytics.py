"""The page with the moderators' numbers."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.pages import render
from partita.kit.routes import Routes

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
                (category_name(category), count, f"/kelifax/resources?category={category}" if count else "")
                for category, count in overview.by_category.items()
            ],
            views=[
                (resource.resource_name, resource.view_count, f"/kelifax/resources/{resource.resource_slug}")
                for resource in overview.most_viewed
            ],
        )
