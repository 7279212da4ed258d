"""Notifications over HTTP: the list, the number of unread ones, reading them, and how often mail comes."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from partita.apps.enablement.inputs import PreferencesInput, ReadAll
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Notification, Rhythm
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed


class NotificationView(View):
    """Something that you should know."""

    model_config = ConfigDict(alias_generator=None)

    notification_id: str
    type: Literal["info", "success", "warning", "error"]
    title: str
    message: str
    read: bool
    created_at: str
    content_id: str | None
    reason: str | None = Field(description="Why you are told: `because you follow Atlas`.")
    link: str | None


class UnreadCount(BaseModel):
    """How many are unread."""

    unread: int = Field(description="100 means 99+.")


class MarkedRead(BaseModel):
    """How many were marked."""

    marked: int


class PreferencesView(BaseModel):
    """How often you get mail."""

    my_work: Rhythm
    must_read: Rhythm
    news: Rhythm


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    notifications = service.notifications

    @api.get("/notifications", Enablement.READ, response_model=ListOf[NotificationView], refuses=[400, 422])
    async def browse_notifications(
        viewer: CurrentViewer,
        show: Annotated[Literal["all", "unread", "must_read"], Query()] = "all",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Your notifications, newest first."""
        page = await notifications.list(viewer, show=show, limit=limit, cursor=cursor)
        return Json(listed(NotificationView, page))

    @api.get("/notifications/unread", Enablement.READ, response_model=UnreadCount)
    async def unread_notifications(viewer: CurrentViewer) -> Json:
        """How many you have not read."""
        return Json({"unread": await notifications.unread_count(viewer)})

    @api.get("/notifications/preferences", Enablement.READ, response_model=PreferencesView)
    async def notification_preferences(viewer: CurrentViewer) -> Json:
        """How often you get mail about your work, what you must read, and news."""
        return Json(await notifications.preferences(viewer))

    @api.put("/notifications/preferences", Enablement.READ, response_model=PreferencesView, refuses=[422])
    async def choose_preferences(viewer: CurrentViewer, choice: PreferencesInput) -> Json:
        """Choose how often you get mail; fields that are left out stay."""
        return Json(await notifications.choose(viewer, choice))

    @api.post("/notifications/read-all", Enablement.READ, response_model=MarkedRead, refuses=[422])
    async def read_all_notifications(viewer: CurrentViewer, what: ReadAll | None = None) -> Json:
        """Mark all as read that were there when your list was made."""
        return Json({"marked": await notifications.read_all(viewer, what.until if what else None)})

    @api.get("/notifications/{notification_id}", Enablement.READ, response_model=NotificationView, refuses=[404])
    async def one_notification(viewer: CurrentViewer, notification_id: str) -> Json:
        """One of your notifications."""
        return _answer(await notifications.get(viewer, notification_id))

    @api.post("/notifications/{notification_id}/read", Enablement.READ, response_model=NotificationView, refuses=[404])
    async def read_notification(viewer: CurrentViewer, notification_id: str) -> Json:
        """Mark one of your notifications as read."""
        return _answer(await notifications.read(viewer, notification_id))


def _answer(found: Notification) -> Json:
    return Json(NotificationView.of(found))
