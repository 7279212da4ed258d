"""Deleting content over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import ConfigDict

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

SeenVersion = Annotated[str | None, Query(max_length=40, description="The version you saw; 409 if it has changed.")]


class RemovalView(View):
    """A content item that was deleted; what belonged to it is deleted in the background."""

    model_config = ConfigDict(alias_generator=None)

    content_id: str
    title: str
    removed_at: str


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.delete(
        "/content/{content_id}",
        Enablement.WRITE,
        status_code=202,
        response_model=RemovalView,
        refuses=[404, 409],
    )
    async def delete_content(viewer: CurrentViewer, content_id: str, version: SeenVersion = None) -> Json:
        """Delete a content item for good, with its versions, files, votes, reports and readers.

        Administrators delete anything, owners a draft that was never approved. Nobody finds it from now on; an
        entry of the audit stays."""
        removal = await service.removals.delete(viewer, content_id, version=version)
        return Json(RemovalView.of(removal, content_id=content_id), 202)
