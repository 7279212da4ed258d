"""fus's pages: the catalog for everybody, people's own ratings and comments, and what its managers need."""

from __future__ import annotations

from partita.apps.fus.pages import catalog, comments, groups, ratings, sharing, sites, transfer
from partita.apps.fus.service import FusService
from partita.kit.routes import Routes


def routes(service: FusService) -> Routes:
    """The pages."""
    pages = Routes("/fus", tag="fus", pages=True)
    for part in (catalog, sharing, sites, ratings, comments, groups, transfer):
        part.add(pages, service)
    return pages
