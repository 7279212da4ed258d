"""Kelifax over HTTP: the public directory, and moderation for those who may."""

from __future__ import annotations

from partita.apps.kelifax.api import analytics, liked, moderation, reports, resources, submissions, transfer
from partita.apps.kelifax.service import KelifaxService
from partita.kit.routes import Routes


def routes(service: KelifaxService) -> Routes:
    """The API."""
    api = Routes("/api/kelifax", tag="kelifax")
    # `/moderation/reports` comes before `/moderation/{slug}`.
    for noun in (resources, liked, submissions, reports, moderation, analytics, transfer):
        noun.add(api, service)
    return api
