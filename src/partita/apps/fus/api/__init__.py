"""fus over HTTP."""

from __future__ import annotations

from partita.apps.fus.api import (
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
    sites,
    suggestions,
    transfer,
)
from partita.apps.fus.service import FusService
from partita.kit.routes import Routes


def routes(service: FusService) -> Routes:
    """The API."""
    api = Routes("/api/fus", tag="fus")
    for part in (
        batches,
        catalog,
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
        part.add(api, service)
    return api
