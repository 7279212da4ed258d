"""Kelifax's pages: the directory, submitting to it, and moderation."""

from __future__ import annotations

from partita.apps.kelifax.pages import (
    analytics,
    badges,
    liked,
    moderation,
    reports,
    resources,
    sharing,
    submissions,
    transfer,
)
from partita.apps.kelifax.service import KelifaxService
from partita.kit.routes import Routes


def routes(service: KelifaxService) -> Routes:
    """The pages."""
    pages = Routes("/kelifax", tag="kelifax", pages=True)
    # `/moderation/reports` and `/moderation/import` come before `/moderation/{slug}`.
    for noun in (resources, liked, sharing, badges, submissions, reports, transfer, moderation, analytics):
        noun.add(pages, service)
    return pages
