"""Kelifax's pages: the directory for everybody, the way into it, and the desk of the moderators."""

from __future__ import annotations

from partita.apps.kelifax.pages import directory, editing, moderation, submitting
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.visits import Visits
from partita.kit.routes import Routes


def routes(service: KelifaxService, visits: Visits) -> Routes:
    """The pages."""
    pages = Routes("/kelifax", tag="kelifax", pages=True)
    directory.add(pages, service, visits)
    for part in (submitting, moderation, editing):
        part.add(pages, service)
    return pages
