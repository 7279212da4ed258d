"""Content items: the document's attributes, and what approval, release, review and expiry add."""

from __future__ import annotations

from typing import Literal

from partita.apps.enablement import formats
from partita.apps.enablement.schema.fields import ApprovalState, ExpiryPolicy, PreviewState, Status
from partita.apps.enablement.schema.registry import (
    BY_AUDIENCE,
    BY_EXPIRY,
    BY_FILTERS,
    BY_OWNER,
    BY_PRODUCT,
    BY_REVIEW,
    BY_STATUS,
    BY_SUITE,
    CONTENT,
)
from partita.table import (
    Attribute,
    BatchGet,
    Delete,
    Get,
    Item,
    Put,
    Query,
    access_pattern,
    attribute,
    derived,
)
from partita.table.types import Timestamp

_DIRECT = "Create/Update/Delete: Direct operations on PK"
OPEN: Literal["open"] = "open"
"""The partition of everything that is due for review."""


def approval_key(approval_state: str | None, submitted_at: str | None, content_id: str) -> str | None:
    """Only while something waits for approval, for its author or for its day."""
    return f"{submitted_at}#{content_id}" if approval_state and submitted_at else None


class Content(
    Item,
    table=CONTENT,
    keys={
        "GSI1PK": "{status}",
        "GSI1SK": "{status}#{last_updated}#{content_id}",
        "GSI2PK": "{product_suite}#{product_concept}",
        "GSI2SK": "{last_updated}#{content_id}",
        "status_product": "{status}#{product_suite}#{product_concept}",
        "status_suite": "{status}#{product_suite}",
        "status_audience": "{status}#{audience_role}",
    },
):
    """A piece of enablement content with a life cycle; absent from by_product without a suite and a concept."""

    # The document's attributes
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
    """`major.minor`, and the lock for edits: every change counts it up on condition of what was read."""
    last_updated: Attribute[Timestamp]
    review_due_date: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    effective_date: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    expiry_date: Attribute[str | None] = attribute(default=None, examples=["2026-01-31"])
    expiry_policy: Attribute[ExpiryPolicy | None] = attribute(default=None)
    s3_uri: Attribute[str | None] = attribute(default=None)
    file_name: Attribute[str | None] = attribute(default=None)
    content_type: Attribute[str | None] = attribute(default=None)
    size_bytes: Attribute[int | None] = attribute(default=None, ge=0)
    s3_bucket: Attribute[str | None] = attribute(default=None)
    s3_key: Attribute[str | None] = attribute(default=None)
    uploaded_at: Attribute[Timestamp | None] = attribute(default=None)

    # Approval: absent while it is written, and again when it is released
    approval_state: Attribute[ApprovalState | None] = attribute(default=None)
    submitted_at: Attribute[Timestamp | None] = attribute(default=None)
    submitted_by: Attribute[str | None] = attribute(default=None)
    changed_by: Attribute[str | None] = attribute(default=None)
    """Who edited it last: nobody approves that either."""
    change_note: Attribute[str | None] = attribute(default=None, max_length=500)
    approval_key: Attribute[str | None] = derived(approval_key)

    # Release, review and retirement
    released_at: Attribute[Timestamp | None] = attribute(default=None)
    confirmed_at: Attribute[Timestamp | None] = attribute(default=None)
    confirmed_by: Attribute[str | None] = attribute(default=None)
    review_every_days: Attribute[int | None] = attribute(default=None, ge=1)
    superseded_by: Attribute[str | None] = attribute(default=None)
    retired_because: Attribute[str | None] = attribute(default=None, max_length=1000)
    must_read_by: Attribute[str | None] = attribute(default=None, examples=["2026-01-31"])
    review_state: Attribute[Literal["open"] | None] = derived(
        lambda status, review_due_date: OPEN if status == "Approved" and formats.day_of(review_due_date) else None
    )
    review_key: Attribute[str | None] = derived(
        lambda status, review_due_date, content_id: (
            formats.review_key(review_due_date, content_id) if status == "Approved" else None
        )
    )

    # When the clock must look at it: never before the day on which that is written, so no field tells it
    expiry_day: Attribute[str | None] = attribute(default=None, examples=["2026-02-01"])
    expiry_key: Attribute[str | None] = attribute(default=None)
    due_day: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    due_key: Attribute[str | None] = attribute(default=None, examples=["review#2026-01-15T00:00:00.000000Z#1"])

    # Written by the background alone
    cover_key: Attribute[str | None] = attribute(default=None)
    page_count: Attribute[int | None] = attribute(default=None, ge=0)
    text_key: Attribute[str | None] = attribute(default=None)
    preview_state: Attribute[PreviewState | None] = attribute(default=None)
    preview_problem: Attribute[str | None] = attribute(default=None, max_length=300)
    """Why there is none, if it failed."""

    @property
    def major(self) -> int:
        """What readers see of its version."""
        return formats.major_of(self.version)

    @property
    def ever_approved(self) -> bool:
        """Whether anybody ever approved it."""
        return self.major > 0

    @property
    def closes(self) -> bool:
        """Whether it is closed to viewers when it expires."""
        return self.expiry_policy == "hard_expire"

    @property
    def expires_at(self) -> str | None:
        """The moment from which it is no longer valid."""
        return formats.expires_at(self.expiry_date)

    @property
    def folded_tags(self) -> frozenset[str]:
        """Its tags as they are compared."""
        return frozenset(map(formats.folded, self.tags))

    def is_of(self, product_suite: str | None, product_concept: str | None) -> bool:
        """Whether it is of this product: foreign rows whose names hold `#` share the keys of others."""
        return (self.product_suite, self.product_concept) == (product_suite, product_concept)


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


@access_pattern("Content of a suite with a status", CONTENT, documented=False, status="Approved", product_suite="Suite")
def content_of_suite(status: Status, product_suite: str) -> Query[Content]:
    return Content.query(BY_SUITE, Content.status(status), Content.product_suite(product_suite)).newest_first()


@access_pattern(
    "Content for an audience with a status",
    CONTENT,
    documented="Composite filters: Consider GSI for complex filter combinations",
    status="Approved",
    audience_role="Seller",
)
def content_for(status: Status, audience_role: str) -> Query[Content]:
    return Content.query(BY_AUDIENCE, Content.status(status), Content.audience_role(audience_role)).newest_first()


@access_pattern("Content of an owner", CONTENT, documented=False, user_id="u1")
def content_of_owner(user_id: str) -> Query[Content]:
    return Content.query(BY_OWNER, Content.owner_user_id(user_id)).newest_first()


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
    """The whole row, only over the version it was made of. The service changes attributes by name instead, so that what
    the background adds meanwhile stays."""
    return Put(content).unless_changed(content, Content.version)


@access_pattern("Delete content", CONTENT, documented=_DIRECT, content_id="c1")
def delete_content(content_id: str) -> Delete[Content]:
    return Delete(Content.key(Content.content_id(content_id))).if_there()


@access_pattern("What expires on a day", CONTENT, documented=False, day="2026-01-31")
def expiring_on(day: str) -> Query[Content]:
    return Content.query(BY_EXPIRY, Content.expiry_day(day))


@access_pattern(
    "What expires on a day up to a moment",
    CONTENT,
    documented=False,
    day="2026-02-01",
    now="2026-02-01T10:30:00.000000Z",
)
def expiring_until(day: str, now: str) -> Query[Content]:
    """`now` itself included: a key goes on with `#` and the id, which sorts before `$`."""
    return expiring_on(day).before(Content.expiry_key(f"{now}$"))


@access_pattern("What is due for review until a day", CONTENT, documented=False, until="2099-12-31")
def review_due(until: str) -> Query[Content]:
    """That day included, and oldest first."""
    return Content.query(BY_REVIEW, Content.review_state(OPEN)).before(Content.review_key(formats.day_after(until)))


@access_pattern(
    "What is due for review between two days", CONTENT, documented=False, since="2026-01-01", until="2026-01-31"
)
def review_between(since: str, until: str) -> Query[Content]:
    return review_due(until).at_least(Content.review_key(since))
