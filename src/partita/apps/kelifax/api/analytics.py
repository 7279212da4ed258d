"""Analytics over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from partita.apps.kelifax.api.resources import ResourceSummary
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.answers import Json
from partita.kit.routes import Routes
from partita.kit.views import View


class Totals(View):
    """Numbers for moderators."""

    by_status: dict[str, int]
    by_category: dict[str, int]
    by_submitter_domain: dict[str, int] = Field(description="The 20 domains with the most submissions, largest first.")
    submissions_per_day: dict[str, int] = Field(
        description="Every day of the period, oldest first; 0 for a day without submissions."
    )
    most_viewed: list[ResourceSummary] = Field(description="The ten approved resources with the most views.")


def add(api: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @api.get("/analytics", Kelifax.READ_ANALYTICS, response_model=Totals, refuses=[422])
    async def analytics(days: Annotated[int, Query(ge=1, le=366)] = 30) -> Json:
        """Totals by status, category and domain, submissions per day, and the most viewed resources.

        Of the domains the 20 largest are listed, of the days the last `days`.
        """
        overview = await service.analytics.overview(days)
        most_viewed = ResourceSummary.each(overview.most_viewed, logo_url=service.resources.logo_url)
        return Json(Totals.of(overview, most_viewed=most_viewed))
