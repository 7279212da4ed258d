"""The portal over HTTP, in the document's words: content with its files and history, readers and use."""

from __future__ import annotations

from partita.apps.enablement.api import (
    analytics,
    attachments,
    bulk,
    collections,
    content,
    events,
    follows,
    history,
    imports,
    lifecycle,
    notifications,
    previews,
    proposals,
    queue,
    removals,
    responses,
    subscriptions,
    transfers,
)
from partita.apps.enablement.service import EnablementService
from partita.kit.routes import Routes

_NOUNS = (
    analytics,
    attachments,
    bulk,
    collections,
    content,
    events,
    follows,
    history,
    imports,
    lifecycle,
    notifications,
    previews,
    proposals,
    queue,
    removals,
    responses,
    subscriptions,
    transfers,
)


def routes(service: EnablementService) -> Routes:
    """The API."""
    api = Routes("/api/enablement", tag="enablement")
    for noun in _NOUNS:
        noun.add(api, service)
    return api
