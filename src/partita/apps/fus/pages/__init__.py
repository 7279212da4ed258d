"""fus's pages: the catalog for everybody, people's own ratings and comments, and what its managers need."""

from __future__ import annotations

from partita.apps.fus.pages import (
    batches,
    catalog,
    collections,
    comments,
    copies,
    groups,
    links,
    my_data,
    profiles,
    ratings,
    sharing,
    sites,
    suggestions,
    transfer,
)
from partita.apps.fus.service import FusService
from partita.kit.routes import Routes


def routes(service: FusService) -> Routes:
    """The pages."""
    pages = Routes("/fus", tag="fus", pages=True)
    for part in (
        batches,
        catalog,
        sharing,
        sites,
        ratings,
        comments,
        copies,
        groups,
        links,
        collections,
        my_data,
        profiles,
        suggestions,
        transfer,
    ):
        part.add(pages, service)
    return pages
