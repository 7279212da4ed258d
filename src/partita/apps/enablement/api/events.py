"""Events over HTTP: sending them, and the log for administrators."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from partita.apps.enablement.api.history import HistoryEntry, changed_fields
from partita.apps.enablement.formats import today_of
from partita.apps.enablement.inputs import Day, EventBatch
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.problems import FieldError, Invalid
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed


class EventView(View):
    """Something that happened."""

    model_config = ConfigDict(alias_generator=None)

    event_id: str
    event_name: str
    user_id: str | None
    content_id: str | None
    metadata: dict[str, Any] | None
    timestamp: str


class Recorded(View):
    """How many events were recorded."""

    model_config = ConfigDict(alias_generator=None)

    recorded: int = Field(
        description="Views and downloads of one's own content, or within 30 minutes of the last, do not count."
    )


class AuditEntry(HistoryEntry):
    """A change of any content item."""

    content_id: str


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.post("/events", Enablement.READ, status_code=202, response_model=Recorded, refuses=[422, 429])
    async def record_events(viewer: CurrentViewer, batch: EventBatch) -> Json:
        """Append up to 100 events; who and when, the server says."""
        return Json({"recorded": await service.events.record(viewer, batch)}, 202)

    @api.get("/events", Enablement.MANAGE, response_model=ListOf[EventView], refuses=[400, 422])
    async def events(
        viewer: CurrentViewer,
        date: Annotated[Day | None, Query(description="The events of a day; of today, if nothing is named.")] = None,
        user: Annotated[str | None, Query(max_length=200, description="Or those of a person, by id.")] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Json:
        """The log of events, newest first: of a day, which is today unless another is named, or of a person."""
        if date is not None and user:
            raise Invalid(FieldError("date", "Name either a day or a person."))
        if user:
            page = await service.events.of(viewer, user, limit=limit, cursor=cursor)
        else:
            day = date or today_of(service.changing.now())
            page = await service.events.on(viewer, day, limit=limit, cursor=cursor)
        return Json(listed(EventView, page))

    @api.get("/audit", Enablement.MANAGE, response_model=ListOf[AuditEntry], refuses=[400, 422])
    async def audit(
        viewer: CurrentViewer,
        month: Annotated[str, Query(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", examples=["2027-01"])],
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Json:
        """Everything that was done with content in a month, newest first."""
        page = await service.history.audit(viewer, month, limit=limit, cursor=cursor)
        return Json(listed(AuditEntry, page, changed_fields=changed_fields, content_id=lambda entry: entry.history_of))
