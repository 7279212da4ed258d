"""Follows over HTTP: single items, people, the approval queue."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict
from starlette.responses import Response

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import FollowKind
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, View


class FollowView(View):
    """Something that you follow."""

    model_config = ConfigDict(alias_generator=None)

    kind: FollowKind
    id: Annotated[str, From("followed_id")]
    since: str


class FollowList(View):
    """Everything that you follow."""

    items: list[FollowView]


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    follows = service.follows

    @api.get("/follows", Enablement.READ, response_model=FollowList)
    async def browse_follows(viewer: CurrentViewer) -> Json:
        """Everything that you follow."""
        return Json({"items": FollowView.each(await follows.list(viewer))})

    @api.put("/follows/{kind}/{followed_id}", Enablement.READ, response_model=FollowView, refuses=[403, 404, 409, 422])
    async def follow(viewer: CurrentViewer, kind: FollowKind, followed_id: str) -> Json:
        """Follow a content item, a person's work, or the queue `approvals`."""
        return Json(FollowView.of(await follows.follow(viewer, kind, followed_id)))

    @api.delete("/follows/{kind}/{followed_id}", Enablement.READ, status_code=204, refuses=[422])
    async def stop_following(viewer: CurrentViewer, kind: FollowKind, followed_id: str) -> Response:
        """Stop following it."""
        await follows.stop(viewer, kind, followed_id)
        return Response(status_code=204)
