"""The enablement portal in four tables: content, notifications, subscriptions, events."""

from __future__ import annotations

from typing import Any, Literal

from partita.table import Attribute, Get, Item, Query, Table, access_pattern, attribute, key_part
from partita.table.types import Day, ExpiresAt, Timestamp

Status = Literal["Draft", "Approved", "Deprecated", "Expired"]

# 1. content_registry: enablement content items
CONTENT = Table("content_registry", pk="content_id", purpose="Store enablement content items")
BY_STATUS = CONTENT.index("by_status_updated", pk="GSI1PK", sk="GSI1SK", purpose="Content by status, by last update")
BY_PRODUCT = CONTENT.index("by_product", pk="GSI2PK", sk="GSI2SK", purpose="Content by product suite and concept")
BY_EXPIRY = CONTENT.index("by_expiry_day", pk="expiry_day", sk="expiry_key", purpose="What expires on a day: sparse")
BY_REVIEW = CONTENT.index("by_review", pk="review_state", sk="review_key", purpose="What is due for review: sparse")
HISTORY = CONTENT.index("history", pk="history_of", sk="changed_at", purpose="What happened to a content item")


class Content(
    Item,
    table=CONTENT,
    keys={
        "GSI1PK": "{status}",
        "GSI1SK": "{status}#{last_updated}#{content_id}",
        "GSI2PK": "{product_suite}#{product_concept}",
        "GSI2SK": "{last_updated}#{content_id}",
    },
):
    """A piece of enablement content with a life cycle; absent from by_product without a suite and a concept."""

    content_id: Attribute[str]
    status: Attribute[Status] = attribute(default="Draft")
    title: Attribute[str] = attribute(min_length=1, max_length=300)
    summary: Attribute[str] = attribute(default="", max_length=10_000)
    product_suite: Attribute[str | None] = attribute(default=None)
    product_concept: Attribute[str | None] = attribute(default=None)
    audience_role: Attribute[str | None] = attribute(default=None)
    lifecycle_stage: Attribute[str | None] = attribute(default=None)
    owner_user_id: Attribute[str]
    tags: Attribute[tuple[str, ...]] = attribute(default=())
    version: Attribute[str] = attribute(default="0.1")
    last_updated: Attribute[Timestamp]
    review_due_date: Attribute[str | None] = attribute(default=None)
    effective_date: Attribute[str | None] = attribute(default=None)
    expiry_date: Attribute[str | None] = attribute(default=None)
    expiry_policy: Attribute[Literal["soft_expire", "hard_expire"] | None] = attribute(default=None)
    s3_uri: Attribute[str | None] = attribute(default=None)
    file_name: Attribute[str | None] = attribute(default=None)
    content_type: Attribute[str | None] = attribute(default=None)
    size_bytes: Attribute[int | None] = attribute(default=None, ge=0)
    s3_bucket: Attribute[str | None] = attribute(default=None)
    s3_key: Attribute[str | None] = attribute(default=None)
    uploaded_at: Attribute[Timestamp | None] = attribute(default=None)
    # Keys of the sparse indexes that find what is due
    expiry_day: Attribute[str | None] = attribute(default=None)
    expiry_key: Attribute[str | None] = attribute(default=None)
    review_state: Attribute[Literal["open"] | None] = attribute(default=None)
    review_key: Attribute[str | None] = attribute(default=None)


@access_pattern("Get content by ID", CONTENT, content_id="c1")
def content(content_id: str) -> Get[Content]:
    return Content.get(content_id=content_id)


@access_pattern("List content by status", CONTENT, status="Approved")
def content_with_status(status: Status) -> Query[Content]:
    return Content.query(BY_STATUS, status=status).newest_first()


@access_pattern("List content by product", CONTENT, product_suite="Suite", product_concept="Concept")
def content_of_product(product_suite: str, product_concept: str) -> Query[Content]:
    return Content.query(BY_PRODUCT, product_suite=product_suite, product_concept=product_concept).newest_first()


@access_pattern("What expires on a day", CONTENT, documented=False, day="2026-01-31")
def expiring_on(day: str) -> Query[Content]:
    return Content.query(BY_EXPIRY, expiry_day=day)


@access_pattern("What is due for review until a day", CONTENT, documented=False, until="2026-01-31")
def review_due(until: str) -> Query[Content]:
    return Content.query(BY_REVIEW, review_state="open").at_most(review_key=until)


class ContentChange(Item, table=CONTENT, pk="HISTORY#{history_of}#{change_id}"):
    """A change of a content item: who, when, from which status and version to which."""

    history_of: Attribute[str]
    change_id: Attribute[str] = key_part()
    changed_at: Attribute[Timestamp]
    changed_by: Attribute[str]
    action: Attribute[str]
    from_status: Attribute[str | None] = attribute(default=None)
    to_status: Attribute[str | None] = attribute(default=None)
    to_version: Attribute[str | None] = attribute(default=None)


@access_pattern("History of a content item", CONTENT, documented=False, content_id="c1")
def history_of(content_id: str) -> Query[ContentChange]:
    return ContentChange.query(HISTORY, history_of=content_id).newest_first()


# 2. notifications: user notifications
NOTIFICATIONS = Table(
    "notifications", pk="user_id", sk="created_at#notification_id", purpose="Store user notifications"
)
BY_NOTIFICATION = NOTIFICATIONS.index("by_notification", pk="notification_id", purpose="One notification by its id")
UNREAD = NOTIFICATIONS.index("unread", pk="unread_by", sk="created_at", purpose="A user's unread notifications: sparse")


class Notification(Item, table=NOTIFICATIONS, sk="{created_at}#{notification_id}"):
    """Something a user should know."""

    user_id: Attribute[str]
    notification_id: Attribute[str]
    type: Attribute[Literal["info", "success", "warning", "error"]] = attribute(default="info")
    title: Attribute[str]
    message: Attribute[str]
    read: Attribute[bool] = attribute(default=False)
    created_at: Attribute[Timestamp]
    content_id: Attribute[str | None] = attribute(default=None)
    unread_by: Attribute[str | None] = attribute(default=None)


@access_pattern("List notifications for user", NOTIFICATIONS, user_id="u1")
def notifications_of(user_id: str) -> Query[Notification]:
    return Notification.query(user_id=user_id).newest_first()


@access_pattern("Get notification", NOTIFICATIONS, notification_id="n1")
def notification(notification_id: str) -> Query[Notification]:
    return Notification.query(BY_NOTIFICATION, notification_id=notification_id)


@access_pattern("Unread notifications", NOTIFICATIONS, documented=False, user_id="u1")
def unread_of(user_id: str) -> Query[Notification]:
    return Notification.query(UNREAD, unread_by=user_id).newest_first()


# 3. subscriptions: user content subscriptions
SUBSCRIPTIONS = Table("subscriptions", pk="user_id", sk="subscription_id", purpose="Store user content subscriptions")
BY_MATCH = SUBSCRIPTIONS.index("by_match", pk="match_key", sk="user_id", purpose="Subscriptions by what they match on")


class Subscription(Item, table=SUBSCRIPTIONS, keys={"match_key": "{match_suite}#{match_concept}"}):
    """A user wants to hear of content; what is absent matches anything."""

    user_id: Attribute[str]
    subscription_id: Attribute[str]
    product_suite: Attribute[str | None] = attribute(default=None)
    product_concept: Attribute[str | None] = attribute(default=None)
    tags: Attribute[tuple[str, ...] | None] = attribute(default=None)
    created_at: Attribute[Timestamp]
    match_suite: Attribute[str | None] = attribute(default=None)
    match_concept: Attribute[str | None] = attribute(default=None)


@access_pattern("List subscriptions for user", SUBSCRIPTIONS, user_id="u1")
def subscriptions_of(user_id: str) -> Query[Subscription]:
    return Subscription.query(user_id=user_id)


@access_pattern("Get subscription", SUBSCRIPTIONS, user_id="u1", subscription_id="s1")
def subscription(user_id: str, subscription_id: str) -> Get[Subscription]:
    return Subscription.get(user_id=user_id, subscription_id=subscription_id)


@access_pattern("Subscriptions that match", SUBSCRIPTIONS, documented=False, suite="Suite", concept="*")
def matching(suite: str, concept: str) -> Query[Subscription]:
    return Subscription.query(BY_MATCH, match_suite=suite, match_concept=concept)


# 4. events: activity events for analytics
EVENTS = Table(
    "events", pk="date_bucket", sk="ts#event_id", ttl="expires_at", purpose="Store activity events for analytics"
)
EVENTS_BY_USER = EVENTS.index("by_user", pk="user_id", sk="ts#event_id", purpose="Events of a user, by time")


class Event(Item, table=EVENTS, sk="{timestamp}#{event_id}"):
    """Something that happened; appended, never changed."""

    date_bucket: Attribute[Day]
    event_id: Attribute[str]
    event_name: Attribute[str]
    user_id: Attribute[str | None] = attribute(default=None)
    content_id: Attribute[str | None] = attribute(default=None)
    metadata: Attribute[dict[str, Any] | None] = attribute(default=None)
    timestamp: Attribute[Timestamp]
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)


@access_pattern("List events for date", EVENTS, date="2026-01-26")
def events_on(date: str) -> Query[Event]:
    return Event.query(date_bucket=date).newest_first()


@access_pattern("Query events by user", EVENTS, user_id="u1")
def events_of(user_id: str) -> Query[Event]:
    return Event.query(EVENTS_BY_USER, user_id=user_id).newest_first()


class Rollup(Item, table=EVENTS, pk="ROLLUP#{what}", sk="{day}#{subject}"):
    """A day's number for analytics, kept by the change stream."""

    what: Attribute[Literal["views", "downloads", "active_users", "content", "user"]] = key_part()
    day: Attribute[Day] = key_part()
    subject: Attribute[str] = key_part()
    count: Attribute[int] = attribute(default=0)


@access_pattern("Analytics of some days", EVENTS, documented=False, what="views", since="2026-01-01")
def rollups_since(what: Literal["views", "downloads", "active_users", "content", "user"], since: str) -> Query[Rollup]:
    return Rollup.query(what=what).at_least(day=since)
