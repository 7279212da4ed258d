"""WorthWatch's pages."""

from __future__ import annotations

from partita.apps.worthwatch.pages import (
    catalog,
    comments,
    curators,
    diary,
    discovery,
    items,
    lists,
    log,
    marks,
    people,
    pictures,
    posters,
    ratings,
    reports,
    saved,
    search,
    sharing,
    shelves,
    titles,
    tonight,
    transfer,
)
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.routes import Routes


def routes(service: WorthWatchService) -> Routes:
    """The pages."""
    pages = Routes("/worthwatch", tag="worthwatch", pages=True)
    # Those whose addresses end with anything come last.
    for part in (
        catalog,
        comments,
        diary,
        discovery,
        items,
        log,
        marks,
        people,
        pictures,
        posters,
        ratings,
        reports,
        saved,
        search,
        sharing,
        shelves,
        tonight,
        transfer,
        curators,
        lists,
        titles,
    ):
        part.add(pages, service)
    return pages
