"""Subscriptions of each user; whom they match, what people follow, and what they must read."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from partita.apps.enablement import formats
from partita.table import (
    Attribute,
    BatchGet,
    Delete,
    Get,
    Item,
    Put,
    Query,
    Table,
    access_pattern,
    attribute,
    key_part,
    version,
)
from partita.table.types import Timestamp

SUBSCRIPTIONS = Table("subscriptions", pk="user_id", sk="subscription_id", purpose="Store user content subscriptions")
BY_FOLLOWER = SUBSCRIPTIONS.index("by_follower", pk="follower", sk="followed", purpose="What somebody follows")
OPEN_READING = SUBSCRIPTIONS.index(
    "open_reading", pk="open_reader", sk="read_by_key", purpose="What somebody must still read, due first"
)

FollowKind = Literal["content", "person", "queue"]
QUEUE = "approvals"
"""The one queue that approvers follow."""
_CONFIRMED = "CONFIRMED#"
MOST_VIEWS = 20


class Subscription(Item, table=SUBSCRIPTIONS):
    """A user wants to hear of content; what is absent matches anything."""

    user_id: Attribute[str]
    subscription_id: Attribute[str]
    product_suite: Attribute[str | None] = attribute(default=None)
    product_concept: Attribute[str | None] = attribute(default=None)
    tags: Attribute[tuple[str, ...] | None] = attribute(default=None)
    created_at: Attribute[Timestamp]

    def matches(self, product_suite: str | None, product_concept: str | None, tags: frozenset[str]) -> bool:
        """Whether it wants to hear of such content; the tags are folded."""
        return (
            self.product_suite in (None, product_suite)
            and self.product_concept in (None, product_concept)
            and (not self.tags or not tags.isdisjoint(map(formats.folded, self.tags)))
        )


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


# Matches: what a change reads to find subscribers, and nothing else
class SubscriptionMatch(
    Item,
    table=SUBSCRIPTIONS,
    pk="MATCH#{suite}#{concept}#{tag}",
    sk="{subscriber}#{matched_id}",
):
    """A subscription under what it matches: one row per tag, `*` for any. Parts are spelled by `formats.match_part`."""

    suite: Attribute[str] = key_part()
    concept: Attribute[str] = key_part()
    tag: Attribute[str] = key_part()
    subscriber: Attribute[str] = key_part()
    matched_id: Attribute[str] = key_part()
    since: Attribute[Timestamp]
    """When the subscription was made: it gets nothing of what happened before."""


def matches_of(subscription: Subscription) -> tuple[SubscriptionMatch, ...]:
    """The rows that a subscription needs to be found."""
    tags = {formats.match_tag(tag) for tag in subscription.tags or (None,)}
    return tuple(
        SubscriptionMatch(
            suite=formats.match_part(subscription.product_suite),
            concept=formats.match_part(subscription.product_concept),
            tag=tag,
            subscriber=subscription.user_id,
            matched_id=subscription.subscription_id,
            since=subscription.created_at,
        )
        for tag in sorted(tags)
    )


@access_pattern("Subscriptions that match", SUBSCRIPTIONS, documented=False, suite="Suite", concept=None, tag="pricing")
def matching(suite: str | None, concept: str | None, tag: str | None) -> Query[SubscriptionMatch]:
    return SubscriptionMatch.query(
        SubscriptionMatch.suite(formats.match_part(suite)),
        SubscriptionMatch.concept(formats.match_part(concept)),
        SubscriptionMatch.tag(formats.match_tag(tag)),
    )


def all_matching(suite: str | None, concept: str | None, tags: tuple[str, ...]) -> tuple[Query[SubscriptionMatch], ...]:
    """Every query that finds subscribers of content: 4 × (tags + 1) at most."""
    suites, concepts = dict.fromkeys((suite, None)), dict.fromkeys((concept, None))
    folded_tags = dict.fromkeys((*(formats.folded(tag) for tag in tags), None))
    return tuple(matching(one, two, tag) for one in suites for two in concepts for tag in folded_tags)


# Follows: one item, a person's work, the approval queue
class Follow(
    Item,
    table=SUBSCRIPTIONS,
    pk="FOLLOW#{kind}#{followed_id}",
    sk="{person}",
    keys={"follower": "{person}", "followed": "{kind}#{followed_id}"},
):
    """Somebody follows something. Not a Subscription: absent fields would read as everything there."""

    kind: Attribute[FollowKind] = key_part()
    followed_id: Attribute[str] = key_part()
    person: Attribute[str] = key_part()
    since: Attribute[Timestamp]
    muted: Attribute[bool] = attribute(default=False)
    """Stopped, and remembered: an approver's first visit does not start the queue again."""


@access_pattern(
    "Whether somebody follows something",
    SUBSCRIPTIONS,
    documented=False,
    kind="content",
    followed_id="c1",
    user_id="u1",
)
def follow(kind: FollowKind, followed_id: str, user_id: str) -> Get[Follow]:
    return Follow.get(Follow.kind(kind), Follow.followed_id(followed_id), Follow.person(user_id))


@access_pattern("Who follows something", SUBSCRIPTIONS, documented=False, kind="content", followed_id="c1")
def followers_of(kind: FollowKind, followed_id: str) -> Query[Follow]:
    return Follow.query(Follow.kind(kind), Follow.followed_id(followed_id))


@access_pattern("What somebody follows", SUBSCRIPTIONS, documented=False, user_id="u1")
def followed_by(user_id: str) -> Query[Follow]:
    return Follow.query(BY_FOLLOWER, Follow.person(user_id))


# Must read
class MustRead(
    Item,
    table=SUBSCRIPTIONS,
    pk="READ#{of_content}",
    sk="{reader}",
    keys={"read_by_key": "{read_by}#{of_content}"},
):
    """Somebody must read a content item by a day, until they confirm it."""

    of_content: Attribute[str] = key_part()
    reader: Attribute[str] = key_part()
    read_by: Attribute[str] = attribute(examples=["2026-01-31"])
    asked_at: Attribute[Timestamp]
    asked_by: Attribute[str]
    reminded_on: Attribute[str | None] = attribute(default=None)
    """The day of the last reminder that an approver sent."""
    confirmed_at: Attribute[Timestamp | None] = attribute(default=None)
    confirmed_major: Attribute[int | None] = attribute(default=None)
    open_reader: Attribute[str | None] = attribute(default=None)
    """The reader, until they confirm; then `confirmed_reader(reader)`, so that a second list has what was read."""


def confirmed_reader(user_id: str) -> str:
    """Under whom the index has what somebody has confirmed; no user's id begins so."""
    return f"{_CONFIRMED}{user_id}"


@access_pattern(
    "Whether somebody must read a content item", SUBSCRIPTIONS, documented=False, content_id="c1", user_id="u1"
)
def must_read(content_id: str, user_id: str) -> Get[MustRead]:
    return MustRead.get(MustRead.of_content(content_id), MustRead.reader(user_id))


@access_pattern("Who must read a content item", SUBSCRIPTIONS, documented=False, content_id="c1")
def readers_asked(content_id: str) -> Query[MustRead]:
    return MustRead.query(MustRead.of_content(content_id))


@access_pattern("What somebody must still read", SUBSCRIPTIONS, documented=False, user_id="u1")
def reading_of(user_id: str) -> Query[MustRead]:
    return MustRead.query(OPEN_READING, MustRead.open_reader(user_id))


@access_pattern("What somebody has confirmed to have read", SUBSCRIPTIONS, documented=False, user_id="u1")
def confirmed_by(user_id: str) -> Query[MustRead]:
    return MustRead.query(OPEN_READING, MustRead.open_reader(confirmed_reader(user_id))).newest_first()


@access_pattern(
    "Which of several content items somebody must read",
    SUBSCRIPTIONS,
    documented=False,
    content_ids=("c1", "c2"),
    user_id="u1",
)
def must_reads(content_ids: tuple[str, ...], user_id: str) -> BatchGet[MustRead]:
    return BatchGet(
        tuple(MustRead.key(MustRead.of_content(content_id), MustRead.reader(user_id)) for content_id in content_ids)
    )


# Views of the library
class SavedView(BaseModel):
    """Filters of the library under a name."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1, max_length=60)
    query: str = Field(max_length=3000)


class SavedViews(Item, table=SUBSCRIPTIONS, pk="VIEWS#{person}", sk="VIEWS"):
    """Somebody's views of the library, all in one item; outside their partition, which the original program lists."""

    person: Attribute[str] = key_part()
    revision: Attribute[int] = version()
    views: Attribute[tuple[SavedView, ...]] = attribute(default=(), max_length=MOST_VIEWS)


@access_pattern("The views that somebody saved", SUBSCRIPTIONS, documented=False, user_id="u1")
def saved_views(user_id: str) -> Get[SavedViews]:
    return SavedViews.get(SavedViews.person(user_id))
