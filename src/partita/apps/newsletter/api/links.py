"""The read-online link over HTTP."""

from __future__ import annotations

from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class LinkView(View):
    """The secret address of the web edition."""

    model_config = ConfigDict(alias_generator=None)

    url: str = Field(description="Whoever has it can read the edition.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.post("/newsletters/{code}/link", Letters.WRITE, response_model=LinkView, refuses=[403, 404])
    async def make_link(viewer: CurrentViewer, code: str) -> Json:
        """Make a read-online link; the one that there is, if there is one."""
        return Json({"url": await service.links.make(viewer, code)})

    @api.delete("/newsletters/{code}/link", Letters.WRITE, status_code=204, response_class=Response, refuses=[403, 404])
    async def revoke_link(viewer: CurrentViewer, code: str) -> Response:
        """Revoke the link: from now on it leads nowhere."""
        await service.links.revoke(viewer, code)
        return Response(status_code=204)
