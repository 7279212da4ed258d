"""Sharing over HTTP: who else may read or edit a newsletter or proposal."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict
from starlette.responses import Response

from partita.apps.newsletter.api.notes import check_kind
from partita.apps.newsletter.inputs import NewShare
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_SNAKE = ConfigDict(alias_generator=None)


class ShareView(View):
    """Somebody with whom it is shared."""

    model_config = _SNAKE

    user_id: str
    user_name: str
    role: Literal["reader", "editor"]
    review_asked: bool
    shared_by: str
    shared_at: str


class SharesView(View):
    """Everybody with whom it is shared."""

    model_config = _SNAKE

    items: list[ShareView]


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    _add(api, service, "/newsletters/{code}/shares", Letters.WRITE, "NL-")
    _add(api, service, "/proposals/{code}/shares", Letters.PROPOSE, "PROP-", "proposal_")


def _add(api: Routes, service: NewsletterService, path: str, permission: Letters, prefix: str, names: str = "") -> None:
    """The routes of one kind; codes of the other kind are not found there. `names` is what their names begin with."""

    @api.get(path, permission, response_model=SharesView, refuses=[404], name=f"{names}shares")
    async def shares(viewer: CurrentViewer, code: str) -> Json:
        """With whom it is shared."""
        check_kind(code, prefix)
        return Json({"items": ShareView.each(await service.shares.of(viewer, code))})

    @api.post(
        path, permission, status_code=201, response_model=ShareView, refuses=[403, 404, 409, 422], name=f"{names}share"
    )
    async def share(viewer: CurrentViewer, code: str, new: NewShare) -> Json:
        """Share it with somebody, change what they may do, or ask them for a review."""
        check_kind(code, prefix)
        return Json(ShareView.of(await service.shares.share(viewer, code, new)), status=201)

    @api.delete(f"{path}/{{user_id}}", permission, status_code=204, refuses=[403, 404], name=f"{names}remove")
    async def remove(viewer: CurrentViewer, code: str, user_id: str) -> Response:
        """Stop sharing with somebody."""
        check_kind(code, prefix)
        await service.shares.remove(viewer, code, user_id)
        return Response(status_code=204)
