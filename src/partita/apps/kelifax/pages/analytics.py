"""The page with the moderators' numbers."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.kit.pages import render
from partita.kit.routes import Routes


def add(pages: Routes, service: KelifaxService) -> None:
    """Declare the routes."""

    @pages.get("/analytics", Kelifax.READ_ANALYTICS)
    async def analytics(request: Request) -> Response:
        overview = await service.analytics.overview()
        return render(
            request,
            "kelifax/analytics.html",
            overview=overview,
            categories=[(category_name(category), count) for category, count in overview.by_category.items()],
            views=[(resource.resource_name, resource.view_count) for resource in overview.most_viewed],
        )
