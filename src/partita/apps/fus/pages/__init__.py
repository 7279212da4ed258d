"""fus's pages: the catalog for everybody, what people make of it, and the desk of those who keep it."""

from __future__ import annotations

from partita.apps.fus.pages import catalog, comments, editing, groups, ratings, site, transfer
from partita.apps.fus.service import FusService
from partita.kit.routes import Routes


def routes(service: FusService) -> Routes:
    """The pages."""
    pages = Routes("/fus", tag="fus", pages=True)
    for part in (catalog, editing, site, ratings, comments, groups, transfer):
        part.add(pages, service)
    return pages
