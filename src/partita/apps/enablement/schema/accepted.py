"""What `partita check` finds in these tables, and why we live with it."""

from __future__ import annotations

from partita.apps.enablement.schema.content_items import Content
from partita.apps.enablement.schema.events import BY_LAST_VIEW, EVENTS, SERIES_BY_DAY, ActiveUser, Event, Rollup
from partita.apps.enablement.schema.registry import BY_APPROVAL, BY_REPORT, BY_REVIEW, BY_STATUS, CONTENT, SHELVES
from partita.apps.enablement.schema.subscriptions import (
    SUBSCRIPTIONS,
    Subscription,
    followers_of,
    matching,
    readers_asked,
)

CONTENT.accept(
    "hot-partition",
    BY_STATUS,
    BY_REVIEW,
    BY_APPROVAL,
    BY_REPORT,
    SHELVES,
    because="content changes a few times a minute; beyond that a setting spreads the key",
)
CONTENT.accept("large-item", Content, because="people tag by hand: dozens of short words at most")
SUBSCRIPTIONS.accept("large-item", Subscription, because="people name tags by hand: dozens of short words at most")
SUBSCRIPTIONS.accept(
    "foreign-rows",
    matching,
    followers_of,
    readers_asked,
    because="no user's id begins with MATCH#, FOLLOW# or READ#",
)
EVENTS.accept(
    "hot-partition",
    Event,
    ActiveUser,
    because="the document's buckets take 1,000 events a second; a setting spreads them",
)
EVENTS.accept(
    "hot-partition",
    Rollup,
    SERIES_BY_DAY,
    BY_LAST_VIEW,
    because="the change stream adds to a day's numbers in turn, not at once",
)
EVENTS.accept("large-item", Event, because="an event's metadata is refused beyond 8 KB before it is stored")
