"""The enablement portal in four tables: content, notifications, subscriptions, events."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from partita.table import (
    Attribute,
    BatchGet,
    Delete,
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
from partita.table.types import Day, ExpiresAt, Timestamp

Status = Literal["Draft", "Approved", "Deprecated", "Expired"]
_DIRECT = "Create/Update/Delete: Direct operations on PK"

# 1. content_registry: enablement content items
CONTENT = Table("content_registry", pk="content_id", purpose="Store enablement content items")
BY_STATUS = CONTENT.index("by_status_updated", pk="GSI1PK", sk="GSI1SK", purpose="Content by status, by last update")
BY_PRODUCT = CONTENT.index("by_product", pk="GSI2PK", sk="GSI2SK", purpose="Content by product suite and concept")
BY_FILTERS = CONTENT.index(
    "by_status_product", pk="status_product", sk="GSI2SK", purpose="Content of a product with a status"
)
BY_AUDIENCE = CONTENT.index(
    "by_status_audience", pk="status_audience", sk="GSI2SK", purpose="Content for an audience with a status"
)
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
        "status_product": "{status}#{product_suite}#{product_concept}",
        "status_audience": "{status}#{audience_role}",
        "review_key": "{review_due_date}#{content_id}",
    },
):
    """A piece of enablement content with a life cycle; absent from by_product without a suite and a concept."""

    content_id: Attribute[str]
    revision: Attribute[int] = version()
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
    review_due_date: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
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
    # When the clock must look at it: never before the day on which that is written, so no field tells it
    expiry_day: Attribute[str | None] = attribute(default=None)
    expiry_key: Attribute[str | None] = attribute(default=None)
    # What is due for review, while it is approved
    review_state: Attribute[Literal["open"] | None] = derived(
        lambda status, review_due_date: "open" if review_due_date and status == "Approved" else None
    )


@access_pattern("Get content by ID", CONTENT, documented="Get content by ID: GetItem on PK", content_id="c1")
def content(content_id: str) -> Get[Content]:
    return Content.get(Content.content_id(content_id))


@access_pattern(
    "List content by status",
    CONTENT,
    documented=(
        "List content by status: Query GSI1 with status = X, sorted by last_updated DESC",
        "List all Approved content, sorted by most recent",
    ),
    status="Approved",
)
def content_with_status(status: Status) -> Query[Content]:
    return Content.query(BY_STATUS, Content.status(status)).newest_first()


@access_pattern(
    "List content by product",
    CONTENT,
    documented=(
        "List content by product: Query GSI2 with product_suite#product_concept = X, sorted by last_updated DESC",
        "List content for a specific product suite and concept",
    ),
    product_suite="Suite",
    product_concept="Concept",
)
def content_of_product(product_suite: str, product_concept: str) -> Query[Content]:
    return Content.query(
        BY_PRODUCT, Content.product_suite(product_suite), Content.product_concept(product_concept)
    ).newest_first()


@access_pattern(
    "Content of a product with a status",
    CONTENT,
    documented="Composite filters: Consider GSI for complex filter combinations",
    status="Approved",
    product_suite="Suite",
    product_concept="Concept",
)
def content_filtered(status: Status, product_suite: str, product_concept: str) -> Query[Content]:
    found = Content.query(
        BY_FILTERS,
        Content.status(status),
        Content.product_suite(product_suite),
        Content.product_concept(product_concept),
    )
    return found.newest_first()


@access_pattern(
    "Content for an audience with a status",
    CONTENT,
    documented="Composite filters: Consider GSI for complex filter combinations",
    status="Approved",
    audience_role="Seller",
)
def content_for(status: Status, audience_role: str) -> Query[Content]:
    return Content.query(BY_AUDIENCE, Content.status(status), Content.audience_role(audience_role)).newest_first()


@access_pattern(
    "Content that a search found",
    CONTENT,
    documented="Search/filter by query string is done client-side after fetching (consider OpenSearch in Phase 4)",
    content_ids=tuple(f"c{number}" for number in range(10, 35)),
)
def content_found(content_ids: tuple[str, ...]) -> BatchGet[Content]:
    return BatchGet(tuple(Content.key(Content.content_id(content_id)) for content_id in content_ids))


@access_pattern("Create content", CONTENT, documented=_DIRECT)
def create_content(content: Content) -> Put[Content]:
    return Put(content).if_new()


@access_pattern("Update content", CONTENT, documented=_DIRECT)
def replace_content(content: Content) -> Put[Content]:
    """Only over the revision that was read: of two people who edit the same content, the second is told."""
    return Put(content).next_version()


@access_pattern("Delete content", CONTENT, documented=_DIRECT, content_id="c1")
def delete_content(content_id: str) -> Delete[Content]:
    return Delete(Content.key(Content.content_id(content_id))).if_there()


@access_pattern("What expires on a day", CONTENT, documented=False, day="2026-01-31")
def expiring_on(day: str) -> Query[Content]:
    return Content.query(BY_EXPIRY, Content.expiry_day(day))


@access_pattern("What is due for review until a day", CONTENT, documented=False, until="2099-12-31")
def review_due(until: str) -> Query[Content]:
    return Content.query(BY_REVIEW, Content.review_state("open")).at_most(Content.review_due_date(until))


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
    return ContentChange.query(HISTORY, ContentChange.history_of(content_id)).newest_first()


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


# 3. subscriptions: user content subscriptions
SUBSCRIPTIONS = Table("subscriptions", pk="user_id", sk="subscription_id", purpose="Store user content subscriptions")
BY_MATCH = SUBSCRIPTIONS.index("by_match", pk="match_key", sk="user_id", purpose="Subscriptions by what they match on")


def match_key(product_suite: str | None, product_concept: str | None) -> str:
    """What a subscription matches on; `*` stands for anything, and no name is spelled so."""
    return "#".join("*" if name is None else quote(name, safe=" ") for name in (product_suite, product_concept))


class Subscription(Item, table=SUBSCRIPTIONS):
    """A user wants to hear of content; what is absent matches anything."""

    user_id: Attribute[str]
    subscription_id: Attribute[str]
    product_suite: Attribute[str | None] = attribute(default=None)
    product_concept: Attribute[str | None] = attribute(default=None)
    tags: Attribute[tuple[str, ...] | None] = attribute(default=None)
    created_at: Attribute[Timestamp]
    match_key: Attribute[str] = derived(match_key)


@access_pattern(
    "List subscriptions for user",
    SUBSCRIPTIONS,
    documented="List subscriptions for user: Query PK with user_id = X",
    user_id="u1",
)
def subscriptions_of(user_id: str) -> Query[Subscription]:
    return Subscription.query(Subscription.user_id(user_id))


@access_pattern(
    "Get subscription",
    SUBSCRIPTIONS,
    documented="Get subscription: GetItem with user_id and subscription_id",
    user_id="u1",
    subscription_id="s1",
)
def subscription(user_id: str, subscription_id: str) -> Get[Subscription]:
    return Subscription.get(Subscription.user_id(user_id), Subscription.subscription_id(subscription_id))


@access_pattern(
    "Create subscription",
    SUBSCRIPTIONS,
    documented="Create subscription: PutItem with user_id and subscription_id",
)
def create_subscription(subscription: Subscription) -> Put[Subscription]:
    return Put(subscription).if_new()


@access_pattern(
    "Delete subscription",
    SUBSCRIPTIONS,
    documented="Delete subscription: DeleteItem with user_id and subscription_id",
    user_id="u1",
    subscription_id="s1",
)
def delete_subscription(user_id: str, subscription_id: str) -> Delete[Subscription]:
    return Delete(
        Subscription.key(Subscription.user_id(user_id), Subscription.subscription_id(subscription_id))
    ).if_there()


@access_pattern("Subscriptions that match", SUBSCRIPTIONS, documented=False, suite="Suite", concept=None)
def matching(suite: str | None, concept: str | None) -> Query[Subscription]:
    return Subscription.query(BY_MATCH, Subscription.match_key(match_key(suite, concept)))


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


@access_pattern("Store event", EVENTS, documented="Store event: PutItem with date_bucket and ts#event_id")
def store_event(event: Event) -> Put[Event]:
    """Appended, never changed: an event that is there already stays as it is."""
    return Put(event).if_new()


@access_pattern(
    "List events for date",
    EVENTS,
    documented="List events for date: Query PK with date_bucket = YYYY-MM-DD, sorted by timestamp DESC",
    date="2026-01-26",
)
def events_on(date: str) -> Query[Event]:
    return Event.query(Event.date_bucket(date)).newest_first()


@access_pattern(
    "Query events by user",
    EVENTS,
    documented="Query events by user: Scan with filter (consider GSI if needed)",
    user_id="u1",
)
def events_of(user_id: str) -> Query[Event]:
    return Event.query(EVENTS_BY_USER, Event.user_id(user_id)).newest_first()


class Rollup(Item, table=EVENTS, pk="ROLLUP#{what}", sk="{day}#{subject}"):
    """A day's number for analytics, kept by the change stream."""

    what: Attribute[Literal["views", "downloads", "active_users", "content", "user"]] = key_part()
    day: Attribute[Day] = key_part()
    subject: Attribute[str] = key_part()
    count: Attribute[int] = attribute(default=0)


@access_pattern("Analytics of some days", EVENTS, documented=False, what="views", since="2026-01-01")
def rollups_since(what: Literal["views", "downloads", "active_users", "content", "user"], since: str) -> Query[Rollup]:
    return Rollup.query(Rollup.what(what)).at_least(Rollup.day(since))


# What `partita check` finds here, and why we live with it.
CONTENT.accept(
    "hot-partition",
    BY_STATUS,
    BY_REVIEW,
    because="content changes a few times a minute; beyond that a setting spreads the key",
)
CONTENT.accept("large-item", Content, because="people tag by hand: dozens of short words at most")
SUBSCRIPTIONS.accept("large-item", Subscription, because="people name tags by hand: dozens of short words at most")
EVENTS.accept(
    "hot-partition", Event, because="the document's buckets take 1,000 events a second; a setting spreads them"
)
EVENTS.accept("hot-partition", Rollup, because="the change stream adds to a day's numbers in turn, not at once")
EVENTS.accept("large-item", Event, because="an event's metadata is refused beyond 8 KB before it is stored")
