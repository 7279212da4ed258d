"""Posters: a drawing for each film and series, kept by browsers for a year."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, Kind, poster_path
from partita.apps.worthwatch.service.labels import poster_of
from partita.apps.worthwatch.service.posters import poster_digest, poster_svg
from partita.kit.permissions import Access
from partita.kit.routes import Routes

_FOR_A_YEAR = "public, max-age=31536000, immutable"
_ASK_AGAIN = "public, max-age=300"
_FOR_EVERY_SITE = {"Cross-Origin-Resource-Policy": "cross-origin"}
"""Embedded lists show posters on other sites."""


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @pages.get("/posters/{kind}/{content_id}/{digest}.svg", Access.PUBLIC, faceless=True)
    async def poster(kind: Kind, content_id: str, digest: str) -> Response:
        """The poster, if the address has its digest; otherwise where it is."""
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        drawn = poster_of(title)
        current = poster_digest(drawn)
        if digest != current:
            path = poster_path(title.content_type, title.content_id, current)
            return RedirectResponse(path, 302, {"Cache-Control": _ASK_AGAIN, **_FOR_EVERY_SITE})
        headers = {"Cache-Control": _FOR_A_YEAR, **_FOR_EVERY_SITE}
        return Response(poster_svg(drawn), media_type="image/svg+xml", headers=headers)
