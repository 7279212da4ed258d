"""What waits, over HTTP: the approval queue and reviews that are due."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import ConfigDict, Field

from partita.apps.enablement.api.content import ContentSummary, summary_of
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.desks import ReviewDue
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class PendingView(View):
    """Something that waits for approval."""

    model_config = ConfigDict(alias_generator=None)

    content_id: str
    title: str
    version: str = Field(description="What a decision names.")
    is_change: bool = Field(description="Whether readers have an earlier version.")
    submitted_at: str | None
    submitted_by: str | None
    changed_by: str | None
    change_note: str | None
    owner_user_id: Annotated[str, From("content.owner_user_id")]
    product_suite: Annotated[str | None, From("content.product_suite")]
    product_concept: Annotated[str | None, From("content.product_concept")]


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.get("/queue", Enablement.APPROVE, response_model=ListOf[PendingView], refuses=[400, 422])
    async def queue(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What waits for approval, the longest waiting first."""
        return Json(listed(PendingView, await service.desks.queue(viewer, limit=limit, cursor=cursor)))

    @api.get("/review", Enablement.WRITE, response_model=ListOf[ContentSummary], refuses=[400, 422])
    async def review(
        viewer: CurrentViewer,
        due: Annotated[ReviewDue, Query(description="`overdue`, or `soon`: today and the next 14 days.")] = "all",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Content that is due for review, the longest overdue first: everything for approvers, your own otherwise."""
        page = await service.desks.review(viewer, due, limit=limit, cursor=cursor)
        items = [summary_of(service, viewer, each) for each in page]
        return Json({"items": items, "next_cursor": page.next_cursor})
