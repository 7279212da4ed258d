"""Broken links over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from partita.apps.fus.api.sites import SiteSummary
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import Routes
from partita.kit.views import From, ListOf, View, listed


class BrokenLinkView(View):
    """A site whose address does not answer."""

    site: SiteSummary
    reason: Annotated[str, From("check.reason")]
    since: Annotated[str, From("check.since")]
    checked_at: Annotated[str, From("check.checked_at")] = Field(description="When it was last asked.")


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/broken-links", Fus.EDIT, response_model=ListOf[BrokenLinkView], refuses=[400, 422])
    async def broken_links(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Sites whose addresses failed on three days in a row."""
        return Json(listed(BrokenLinkView, await service.links.broken(limit=limit, cursor=cursor)))
