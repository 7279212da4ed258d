"""WorthWatch over HTTP."""

from __future__ import annotations

from partita.apps.worthwatch.api import (
    catalog,
    comments,
    curators,
    diary,
    items,
    lists,
    marks,
    people,
    pictures,
    ratings,
    reports,
    saved,
    search,
    titles,
    tonight,
    transfer,
)
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.routes import Routes


def routes(service: WorthWatchService) -> Routes:
    """The API."""
    api = Routes("/api/worthwatch", tag="worthwatch")
    for part in (
        catalog,
        comments,
        curators,
        diary,
        items,
        lists,
        marks,
        people,
        pictures,
        ratings,
        reports,
        saved,
        search,
        titles,
        tonight,
        transfer,
    ):
        part.add(api, service)
    return api
