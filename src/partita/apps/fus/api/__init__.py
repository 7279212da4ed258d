"""fus over HTTP."""

from __future__ import annotations

from partita.apps.fus.api import catalog, comments, groups, ratings, sites, transfer
from partita.apps.fus.service import FusService
from partita.kit.routes import Routes


def routes(service: FusService) -> Routes:
    """The API."""
    api = Routes("/api/fus", tag="fus")
    for part in (catalog, sites, ratings, comments, groups, transfer):
        part.add(api, service)
    return api
