"""Notifications of each user, by time, and how each user wants to be told."""

from __future__ import annotations

from typing import Literal

from partita.table import (
    Attribute,
    Get,
    Item,
    Put,
    Query,
    Table,
    Update,
    access_pattern,
    attribute,
    derived,
    key_part,
    version,
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
UNREAD = NOTIFICATIONS.index("unread", pk="unread_by", sk="created_at", purpose="A user's unread notifications: sparse")
BY_MAIL_DUE = NOTIFICATIONS.index(
    "by_mail_due", pk="mail_hour", sk="mail_person", purpose="Who gets mail in an hour: sparse"
)

NOTIFICATION_DAYS = 400
"""How long a notification lasts."""
Rhythm = Literal["at_once", "daily", "weekly", "never"]


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


class Preferences(Item, table=NOTIFICATIONS, pk="PREFERENCES#{person}", sk="PREFERENCES"):
    """How somebody wants to be told by mail, and when the next mail is due; not in the partition of notifications."""

    person: Attribute[str] = key_part()
    revision: Attribute[int] = version()
    my_work: Attribute[Rhythm] = attribute(default="daily")
    must_read: Attribute[Rhythm] = attribute(default="daily")
    news: Attribute[Rhythm] = attribute(default="daily")
    mail_hour: Attribute[str | None] = attribute(default=None, examples=["2026-01-26T07"])
    """The hour of the next mail; absent while nothing waits."""
    mail_claim: Attribute[str | None] = attribute(default=None)
    """The mail that is being sent: made of person and period, so that it is the same mail if it is sent again."""
    mail_person: Attribute[str | None] = derived(lambda mail_hour, person: person if mail_hour else None)


@access_pattern("How somebody wants to be told", NOTIFICATIONS, documented=False, user_id="u1")
def preferences(user_id: str) -> Get[Preferences]:
    return Preferences.get(Preferences.person(user_id))


@access_pattern("Who gets mail in an hour", NOTIFICATIONS, documented=False, hour="2026-01-26T07")
def mail_due(hour: str) -> Query[Preferences]:
    return Preferences.query(BY_MAIL_DUE, Preferences.mail_hour(hour))
