"""My data over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import StreamingResponse

from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import Format
from partita.apps.fus.service.transfer.files import content_types, saved_as
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

DataFormat = Annotated[Format, Query(description="All of it as JSON, a spreadsheet, or sites as bookmarks.")]


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""
    content: dict[str, Any] = content_types() | {"application/json": {"schema": {"type": "object"}}}

    @api.get(
        "/me/data",
        Access.SIGNED_IN,
        response_class=StreamingResponse,
        responses={200: {"description": "The file.", "content": content}},
        refuses=[422],
    )
    async def my_data(viewer: CurrentViewer, format: DataFormat = "json") -> StreamingResponse:
        """What you rated, wrote, collected and suggested, with your notes."""
        return saved_as(service.my_data.export(viewer, format), format, "fus-my-data")
