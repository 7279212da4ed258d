"""The portal's pages: the library, content, the editor, decisions, being told, use and numbers, importing."""

from __future__ import annotations

from partita.apps.enablement.pages import (
    analytics,
    attachments,
    bulk,
    collections,
    content,
    editor,
    following,
    history,
    imports,
    library,
    log,
    mine,
    notifications,
    previews,
    products,
    queue,
    reading,
    removals,
    replacing,
    review,
    steps,
    transfers,
    use,
)
from partita.apps.enablement.service import EnablementService
from partita.kit.routes import Routes

_NOUNS = (
    analytics,
    attachments,
    bulk,
    collections,
    content,
    editor,
    following,
    history,
    imports,
    library,
    log,
    mine,
    notifications,
    previews,
    products,
    queue,
    reading,
    removals,
    replacing,
    review,
    steps,
    transfers,
    use,
)


def routes(service: EnablementService) -> Routes:
    """The pages."""
    pages = Routes("/enablement", tag="enablement", pages=True)
    for noun in _NOUNS:
        noun.add(pages, service)
    return pages
