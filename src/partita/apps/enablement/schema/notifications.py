"""Notifications of each user, by time."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from partita.table import (
    Attribute,
    Item,
    Put,
    Query,
    Table,
    Update,
    access_pattern,
    attribute,
    derived,
)
from partita.table.types import ExpiresAt, Timestamp

NOTIFICATIONS = Table(
    "notifications",
    pk="user_id",
    sk="created_at#notification_id",
    ttl="expires_at",
    purpose="Store user notifications",
)
BY_NOTIFICATION = NOTIFICATIONS.index("by_notification", pk="notification_id", purpose="One notification by its id")
UNREAD = NOTIFICATIONS.index(
    "unread",
    pk="unread_by",
    sk="created_at",
    projection=("notification_id", "expires_at"),
    purpose="A user's unread notifications, few bytes each so that counting is cheap: sparse",
)

NOTIFICATION_DAYS = 400
"""How long a notification lasts."""
Rhythm = Literal["at_once", "daily", "weekly", "never"]
About = Literal["my_work", "must_read", "news"]
"""What people choose a rhythm of mail for."""


class Notification(Item, table=NOTIFICATIONS, sk="{created_at}#{notification_id}"):
    """Something a user should know."""

    user_id: Attribute[str]
    notification_id: Attribute[str]
    type: Attribute[Literal["info", "success", "warning", "error"]] = attribute(default="info")
    title: Attribute[str]
    message: Attribute[str]
    read: Attribute[bool] = attribute(default=False)
    created_at: Attribute[Timestamp]
    """When the cause happened, not when somebody was told: the same cause makes the same row."""
    content_id: Attribute[str | None] = attribute(default=None)
    reason: Attribute[str | None] = attribute(default=None, max_length=300)
    """Why this user is told: `because you follow Atlas · Pricing`."""
    cause: Attribute[str | None] = attribute(default=None, max_length=300)
    link: Attribute[str | None] = attribute(default=None, max_length=500)
    about: Attribute[About | None] = attribute(default=None)
    told_at: Attribute[Timestamp | None] = attribute(default=None)
    """When it was stored: "mark all read" leaves what came after the list was shown."""
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)
    unread_by: Attribute[str | None] = derived(lambda user_id, read: None if read else user_id)


@access_pattern(
    "List notifications for user",
    NOTIFICATIONS,
    documented="List notifications for user: Query PK with user_id = X, sorted by created_at DESC",
    user_id="u1",
)
def notifications_of(user_id: str) -> Query[Notification]:
    return Notification.query(Notification.user_id(user_id)).newest_first()


@access_pattern(
    "Get notification",
    NOTIFICATIONS,
    documented=(
        "Get notification: Query PK with user_id = X and filter by notification_id",
        "GSI for notifications: Add GSI with notification_id as PK for direct lookups",
    ),
    notification_id="n1",
)
def notification(notification_id: str) -> Query[Notification]:
    return Notification.query(BY_NOTIFICATION, Notification.notification_id(notification_id))


@access_pattern(
    "Mark as read",
    NOTIFICATIONS,
    documented="Mark as read: Update item with read = true",
    user_id="u1",
    created_at="2026-01-26T10:30:00Z",
    notification_id="n1",
)
def mark_read(user_id: str, created_at: str, notification_id: str) -> Update[Notification]:
    key = Notification.key(
        Notification.user_id(user_id),
        Notification.created_at(created_at),
        Notification.notification_id(notification_id),
    )
    return Update(key, Notification.read.set(True))


@access_pattern(
    "Create notification",
    NOTIFICATIONS,
    documented="Create notification: PutItem with user_id and created_at#notification_id",
)
def create_notification(notification: Notification) -> Put[Notification]:
    """Once, however often it is tried: its id is made of what it tells."""
    return Put(notification).if_new()


@access_pattern("Unread notifications", NOTIFICATIONS, documented=False, user_id="u1")
def unread_of(user_id: str) -> Query[Notification]:
    return Notification.query(UNREAD, Notification.unread_by(user_id)).newest_first()


class UnreadNotification(BaseModel):
    """What the sparse index has of one."""

    model_config = ConfigDict(frozen=True)

    notification_id: str
    created_at: str


@access_pattern("Which notifications are unread", NOTIFICATIONS, documented=False, user_id="u1")
def unread_ids(user_id: str) -> Query[UnreadNotification]:
    return unread_of(user_id).shown_as(UnreadNotification)


# What `partita check` finds here, and why we live with it.
NOTIFICATIONS.accept(
    "second-read",
    UNREAD,
    because="the bell and “mark all read” need ids alone; whole ones are read when somebody opens what is unread",
)
