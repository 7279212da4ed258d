"""Kelifax in one table without a sort key: resources by slug, and what moderation and analytics add."""

from __future__ import annotations

import re
from typing import Annotated, Literal, get_args

from pydantic import StringConstraints

from partita.apps.kelifax.formats import (
    LICENCES,
    LOGO_NAME,
    PRICINGS,
    LearningResource,
    category_name,
    guarded_url,
    place_at,
    split_features,
    split_learning,
    split_tags,
)
from partita.kit.history import Entry
from partita.kit.urls import UrlTaken, with_or_without_www
from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Guard,
    Item,
    Query,
    Table,
    Update,
    access_pattern,
    attribute,
    camel_case,
    derived,
    key_part,
    number,
    projected,
    version,
)
from partita.table.types import OptionalTimestamp, Timestamp

RESOURCES = Table(
    "kelifax-resources",
    pk="resourceSlug",
    purpose="Resources that visitors submit and moderators approve; no sort key, the slug is the lookup.",
    names=camel_case,
)

# The document's two indexes
STATUS_INDEX = RESOURCES.index(
    "ResourceStatusIndex", pk="resourceStatus", sk="createdAt", purpose="Admin functions and public listing"
)
CATEGORY_INDEX = RESOURCES.index(
    "CategoryIndex", pk="category", sk="createdAt", purpose="Category listing, whatever the status"
)

_LISTED = (
    *("submissionId", "resourceStatus", "submittedAt", "submitterFirstName", "submitterLastName", "submitterEmail"),
    *("resourceName", "resourceUrl", "usagePurpose", "category", "logoImage", "tags", "licence", "pricing"),
    *("featured", "upvotes", "brokenUrl"),
)
"""What lists show of a resource, and what it cannot be read without; of twenty that an index can name. Features, use
cases and search text are not: they are half of a resource, and would be written again with every decision and view."""

# Our twelve: lists that the document does by filters or scans, and items that it does not have
APPROVED_INDEX = RESOURCES.index(
    "CategoryListIndex",
    pk="approvedCategory",
    sk="createdAt",
    projection=(*_LISTED, "approvedAt", "viewCount"),
    purpose="Approved resources of a category: sparse, so that rejected ones cost nothing",
    replaces=("ApprovedCategoryIndex",),  # it held all of them
)
POPULAR_INDEX = RESOURCES.index(
    "ViewsIndex",
    pk="popularIn",
    sk=number("viewCount"),
    projection=(*_LISTED, "createdAt"),
    purpose="Approved resources by views",
    replaces=("PopularIndex",),
)
POPULAR_CATEGORY_INDEX = RESOURCES.index(
    "CategoryViewsIndex",
    pk="approvedCategory",
    sk=number("viewCount"),
    projection=(*_LISTED, "createdAt"),
    purpose="Approved resources of a category by views",
    replaces=("PopularCategoryIndex",),
)
FEATURED_INDEX = RESOURCES.index(
    "FeaturedListIndex",
    pk="featuredAs",
    sk="createdAt",
    projection=(*_LISTED, "viewCount", "featuredOrder"),
    purpose="Featured resources: sparse",
    replaces=("FeaturedIndex",),
)
DOMAIN_INDEX = RESOURCES.index(
    "SubmitterDomainIndex",
    pk="submitterDomain",
    sk="createdAt",
    projection=("category",),
    purpose="Resources that people of a company submitted",
    replaces=("DomainIndex",),
)
SUBMISSION_INDEX = RESOURCES.index(
    "SubmissionLinkIndex",
    pk="submissionId",
    projection="KEYS_ONLY",
    purpose="A submitter's private status link",
    replaces=("SubmissionIndex",),
)
TAG_INDEX = RESOURCES.index("TagIndex", pk="resourceTag", sk="createdAt", purpose="Approved resources with a tag")
TAG_CATEGORY_INDEX = RESOURCES.index(
    "TagCategoryIndex",
    pk=("resourceTag", "tagCategory"),
    sk="createdAt",
    purpose="Approved resources of a category with a tag",
)
LOG_INDEX = RESOURCES.index("LogIndex", pk="logOf", sk="loggedAt", purpose="Moderation log and reports, by time")
HISTORY_INDEX = RESOURCES.index(
    "HistoryIndex", pk="historyOf", sk="loggedAt", purpose="Decisions on a resource and reports of it, by time"
)
SUBMITTER_INDEX = RESOURCES.index(
    "SubmitterIndex",
    pk="submittedBy",
    sk="createdAt",
    projection="KEYS_ONLY",
    purpose="What a member submitted: sparse",
)
COUNT_INDEX = RESOURCES.index("CountIndex", pk="countOf", sk="countedAs", purpose="Totals for analytics")

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(-[a-z0-9_]+)*$", max_length=120)]
Status = Literal["pending", "approved", "rejected"]
Category = Literal["development", "design", "learning", "productivity", "ai", "analytics", "other"]
STATUSES: tuple[Status, ...] = get_args(Status)
CATEGORIES: tuple[Category, ...] = get_args(Category)

Name = Annotated[str, StringConstraints(max_length=40)]
"""The name of an attribute."""

LOGOS = "kelifax/logos"
"""The folder of the logos in the file store."""

_ANALYTICS = "Analytics Queries: Filter by submitterDomain, viewCount, etc."


class Resource(Item, table=RESOURCES):
    """A resource with the document's attributes and formats; text that is not given is an empty string."""

    # Primary key
    resource_slug: Attribute[Slug]

    # Metadata
    submission_id: Attribute[str]
    resource_status: Attribute[Status] = attribute(default="pending")
    created_at: Attribute[Timestamp]
    submitted_at: Attribute[Timestamp]
    approved_at: Attribute[OptionalTimestamp] = attribute(default="")
    rejected_at: Attribute[OptionalTimestamp] = attribute(default="")
    rejection_reason: Attribute[str] = attribute(default="")

    # Submitter information: in no public answer
    submitter_first_name: Attribute[str]
    submitter_last_name: Attribute[str]
    submitter_email: Attribute[str]
    submitter_company: Attribute[str] = attribute(default="")
    submitter_phone: Attribute[str] = attribute(default="")

    submitted_by: Attribute[str | None] = attribute(default=None)
    """The account of a submitter who was signed in."""

    imported_in: Attribute[str | None] = attribute(default=None)
    """The job that imported it; nobody waits for an answer then."""

    # Basic resource info
    resource_name: Attribute[str]
    resource_url: Attribute[str]
    usage_purpose: Attribute[str]
    category: Attribute[Category]
    logo_image: Attribute[str] = attribute(default="")
    tags: Attribute[str] = attribute(default="")

    # Detailed information
    key_features: Attribute[str] = attribute(default="")
    use_cases: Attribute[str] = attribute(default="")
    learning_resources: Attribute[str] = attribute(default="")
    """These three are empty in lists, whose indexes do not hold them."""

    # Beside what the document has; absent if nobody said
    licence: Attribute[str | None] = attribute(default=None)
    pricing: Attribute[str | None] = attribute(default=None)

    # Search and filtering
    search_text: Attribute[str] = attribute(default="")
    featured: Attribute[bool] = attribute(default=False)

    # Analytics
    view_count: Attribute[int] = attribute(default=0, ge=0)
    last_viewed: Attribute[OptionalTimestamp] = attribute(default="")
    submitter_domain: Attribute[str | None] = attribute(default=None)

    upvotes: Attribute[int] = attribute(default=0)
    """How many members like it; counted with each upvote."""
    broken_url: Attribute[str | None] = attribute(default=None)
    """The address that did not answer for some days; another one is not broken."""
    broken_since: Attribute[OptionalTimestamp | None] = attribute(default=None)
    featured_order: Attribute[int | None] = attribute(default=None)
    """The place that moderators gave it among the featured ones, the highest first; without one its age decides."""

    # Keys of the sparse indexes: only while the resource is approved (and featured)
    approved_category: Attribute[Category | None] = derived(
        lambda resource_status, category: category if resource_status == "approved" else None
    )
    popular_in: Attribute[Literal["all"] | None] = derived(
        lambda resource_status: "all" if resource_status == "approved" else None
    )
    featured_as: Attribute[Literal["featured"] | None] = derived(
        lambda resource_status, featured: "featured" if featured and resource_status == "approved" else None
    )

    # The status and URL that guard, tags and totals were written for; missing or old if another program wrote the item
    booked_as: Attribute[Status] = derived(lambda resource_status: resource_status)
    claimed_url: Attribute[str | None] = derived(guarded_url)

    revision: Attribute[int] = version()
    """Goes up with every edit and decision, not with views."""

    @property
    def is_approved(self) -> bool:
        return self.resource_status == "approved"

    @property
    def public_since(self) -> str:
        """When it came into the directory; of one that another program approved perhaps when it was submitted."""
        return self.approved_at or self.created_at

    @property
    def public_slug(self) -> str | None:
        """The slug, if the public may see the resource."""
        return self.resource_slug if self.is_approved else None

    @property
    def is_broken(self) -> bool:
        """Whether its address has not answered for some days."""
        return self.broken_url is not None and self.broken_url == self.resource_url

    @property
    def featured_place(self) -> int:
        """A number by which the featured ones are in order, the highest first."""
        return place_at(self.created_at) if self.featured_order is None else self.featured_order

    @property
    def category_name(self) -> str:
        return category_name(self.category)

    @property
    def licence_name(self) -> str:
        """The kind of its licence as people read it; empty if nobody said, or another program says something else."""
        return LICENCES.get(self.licence or "", "")

    @property
    def pricing_name(self) -> str:
        return PRICINGS.get(self.pricing or "", "")

    @property
    def tag_list(self) -> tuple[str, ...]:
        return split_tags(self.tags)

    @property
    def feature_list(self) -> tuple[str, ...]:
        return split_features(self.key_features)

    @property
    def use_case_list(self) -> tuple[str, ...]:
        return split_features(self.use_cases)

    @property
    def learning_list(self) -> tuple[LearningResource, ...]:
        return split_learning(self.learning_resources)

    @property
    def logo_file(self) -> str | None:
        """The logo's name in the file store; None without one, or if another program named a file of its own."""
        return f"{LOGOS}/{self.logo_image}" if re.fullmatch(LOGO_NAME, self.logo_image) else None

    @property
    def domain(self) -> str:
        """The submitter's domain; empty if another program left it out."""
        return self.submitter_domain or ""


MODERATED = (
    *("resource_name", "resource_url", "usage_purpose", "category", "tags"),
    *("key_features", "use_cases", "learning_resources", "licence", "pricing"),
    *("resource_status", "approved_at", "rejected_at", "rejection_reason", "featured"),
)
"""What moderators edit and decide."""


@access_pattern(
    "Get Resource by Slug", RESOURCES, documented="Get Resource by Slug: Direct PK lookup", slug="amazing-dev-tool"
)
def resource(slug: str) -> Get[Resource]:
    return Resource.get(Resource.resource_slug(slug))


@access_pattern(
    "List All Approved Resources",
    RESOURCES,
    documented=(
        "List All Approved Resources: GSI query on ResourceStatusIndex (resourceStatus='approved')",
        'Get all approved resources (public): resourceStatus = "approved"',
    ),
)
def approved_resources() -> Query[Resource]:
    return Resource.query(STATUS_INDEX, Resource.resource_status("approved")).newest_first()


@access_pattern("Approved resources, oldest first", RESOURCES, documented=False)
def oldest_approved() -> Query[Resource]:
    return Resource.query(STATUS_INDEX, Resource.resource_status("approved"))


@access_pattern(
    "Admin: List Pending Resources",
    RESOURCES,
    documented=(
        "Admin: List Pending Resources: GSI query on ResourceStatusIndex (resourceStatus='pending')",
        'Get all pending resources (admin): resourceStatus = "pending"',
    ),
)
def pending_resources() -> Query[Resource]:
    return Resource.query(STATUS_INDEX, Resource.resource_status("pending"))


@access_pattern("Resources of a status", RESOURCES, documented=False, status="rejected")
def resources_with_status(status: Status) -> Query[Resource]:
    return Resource.query(STATUS_INDEX, Resource.resource_status(status)).newest_first()


@access_pattern(
    "Recently submitted",
    RESOURCES,
    documented='Get recently submitted: resourceStatus = "pending", createdAt > "2025-10-01"',
    since="2025-10-01",
)
def submitted_since(since: str) -> Query[Resource]:
    return Resource.query(STATUS_INDEX, Resource.resource_status("pending")).after(Resource.created_at(since))


@access_pattern(
    "List Approved by Category",
    RESOURCES,
    documented=(
        "List Approved by Category: GSI query on CategoryIndex + FilterExpression",
        'Filter by status post-query: + FilterExpression resourceStatus = "approved"',
    ),
    category="development",
)
def approved_in(category: Category) -> Query[Resource]:
    return _listed(Resource.query(APPROVED_INDEX, Resource.approved_category(category)).newest_first())


@access_pattern(
    "All resources of a category",
    RESOURCES,
    documented='Get all development resources: category = "development"',
    category="development",
)
def resources_in(category: Category) -> Query[Resource]:
    return Resource.query(CATEGORY_INDEX, Resource.category(category)).newest_first()


@access_pattern(
    "Recent resources of a category",
    RESOURCES,
    documented='Get recent design tools: category = "design", createdAt > "2025-10-01"',
    category="design",
    since="2025-10-01",
)
def recent_in(category: Category, since: str) -> Query[Resource]:
    return Resource.query(CATEGORY_INDEX, Resource.category(category)).after(Resource.created_at(since))


@access_pattern("Most viewed resources", RESOURCES, documented=_ANALYTICS)
def popular_resources() -> Query[Resource]:
    return _listed(Resource.query(POPULAR_INDEX, Resource.popular_in("all")).descending())


@access_pattern("Most viewed resources of a category", RESOURCES, documented=False, category="development")
def popular_in(category: Category) -> Query[Resource]:
    return _listed(Resource.query(POPULAR_CATEGORY_INDEX, Resource.approved_category(category)).descending())


@access_pattern(
    "Resources from a domain",
    RESOURCES,
    documented=_ANALYTICS,
    domain="techcorp.com",
)
def resources_from(domain: str) -> Query[Resource]:
    return Resource.query(DOMAIN_INDEX, Resource.submitter_domain(domain)).newest_first()


@access_pattern(
    "Recent resources from a domain", RESOURCES, documented=False, domain="techcorp.com", since="2025-10-01"
)
def recent_from(domain: str, since: str) -> Query[Resource]:
    return resources_from(domain).at_least(Resource.created_at(since))


@access_pattern(
    "Resources that a search found",
    RESOURCES,
    documented="Text Search: Scan with filter on searchText (for simple search)",
    slugs=tuple(f"amazing-dev-tool-{number}" for number in range(10, 35)),
)
def resources_found(slugs: tuple[Slug, ...]) -> BatchGet[Resource]:
    """The search index gives slugs, which are read by key: never a scan."""
    return BatchGet(tuple(Resource.key(Resource.resource_slug(slug)) for slug in slugs))


@access_pattern("Featured resources", RESOURCES, documented=False)
def featured_resources() -> Query[Resource]:
    return _listed(Resource.query(FEATURED_INDEX, Resource.featured_as("featured")).newest_first())


def _listed(query: Query[Resource]) -> Query[Resource]:
    """Only what lists show, so that the index answers alone."""
    assert query.index is not None
    held = {*query.index.include, *(key.name for key in query.index.key_names)}
    return projected(query, *(each for each in Resource.__attributes__.values() if each.stored_name in held))


@access_pattern("Submission status", RESOURCES, documented=False, submission_id="s1")
def submission(submission_id: str) -> Query[Resource]:
    return Resource.query(SUBMISSION_INDEX, Resource.submission_id(submission_id))


@access_pattern("Submissions of a member", RESOURCES, documented=False, user_id="01ARZ3NDEKTSV4RRFFQ69G5FAV")
def submissions_by(user_id: str) -> Query[Resource]:
    return Resource.query(SUBMITTER_INDEX, Resource.submitted_by(user_id)).newest_first()


class FormerSubmission(Item, table=RESOURCES, pk="GONE#{submission_id}"):
    """What a submitter's link says once the resource is gone."""

    submission_id: Attribute[str] = key_part()
    resource_name: Attribute[str]
    gone_at: Attribute[Timestamp]
    withdrawn: Attribute[bool] = attribute(default=False)
    """By the submitter, not by moderators."""


@access_pattern("Submission that is gone", RESOURCES, documented=False, submission_id="s1")
def former_submission(submission_id: str) -> Get[FormerSubmission]:
    return FormerSubmission.get(FormerSubmission.submission_id(submission_id))


class ResourceUrl(Item, table=RESOURCES, pk="URL#{url}"):
    """The guard of a normalised URL: each is in the directory once."""

    url: Attribute[str] = key_part()
    claimed_by: Attribute[Slug]


def _url_of(resource: Resource) -> ResourceUrl | None:
    if resource.claimed_url is None:
        return None
    return ResourceUrl(url=resource.claimed_url, claimed_by=resource.resource_slug)


def _other_spelling(guard: ResourceUrl) -> tuple[ResourceUrl, ...]:
    other = with_or_without_www(guard.url)
    return () if other is None else (ResourceUrl(url=other, claimed_by=guard.claimed_by),)


RESOURCE_URL = Guard(Resource, _url_of).alike(_other_spelling).otherwise(lambda guard: UrlTaken(guard.claimed_by))


@access_pattern("Resource with a URL", RESOURCES, documented=False, url="https://example.org")
def resource_with_url(url: str) -> Get[ResourceUrl]:
    return ResourceUrl.get(ResourceUrl.url(url))


@access_pattern(
    "Which URLs are claimed", RESOURCES, documented=False, urls=("https://example.org", "https://www.example.org")
)
def resources_with_urls(urls: tuple[str, ...]) -> BatchGet[ResourceUrl]:
    return BatchGet(tuple(ResourceUrl.key(ResourceUrl.url(url)) for url in urls))


class ResourceTag(Item, table=RESOURCES, pk="TAG#{slug}#{resource_tag}"):
    """A tag of an approved resource."""

    slug: Attribute[str] = key_part()
    resource_tag: Attribute[str]
    tag_category: Attribute[Category]
    created_at: Attribute[Timestamp]


@access_pattern("Approved resources with a tag", RESOURCES, documented=False, tag="productivity")
def approved_with_tag(tag: str) -> Query[ResourceTag]:
    return ResourceTag.query(TAG_INDEX, ResourceTag.resource_tag(tag)).newest_first()


@access_pattern(
    "Approved resources of a category with a tag", RESOURCES, documented=False, tag="maps", category="design"
)
def approved_with_tag_in(tag: str, category: Category) -> Query[ResourceTag]:
    return ResourceTag.query(
        TAG_CATEGORY_INDEX, ResourceTag.resource_tag(tag), ResourceTag.tag_category(category)
    ).newest_first()


ACTION_NAMES = {
    "approve": "Approved",
    "reject": "Rejected",
    "feature": "Featured",
    "unfeature": "Unfeatured",
    "move": "Moved among the featured",
    "edit": "Edited",
    "replace logo": "Logo replaced",
    "remove logo": "Logo removed",
    "delete": "Deleted",
    "close report": "Report closed",
    "reopen": "Returned to the queue",
    "revise": "Revised",
    "withdraw": "Withdrawn",
    "reopen report": "Report reopened",
}


class Decision(
    Entry,
    table=RESOURCES,
    pk="LOG#{slug}#{logged_at}#{entry_id}",
    keys={"logOf": "moderation", "historyOf": "decision#{slug}"},
):
    """A moderator's decision: who, when, what, why."""

    slug: Attribute[str]
    logged_at: Attribute[Timestamp]
    entry_id: Attribute[str] = key_part()
    reason: Attribute[str] = attribute(default="")
    changed: Attribute[tuple[Name, ...]] = attribute(default=(), max_length=20)
    """The attributes that an edit changed, as the document spells them."""

    @property
    def action_name(self) -> str:
        """What the moderator did, as people read it."""
        return ACTION_NAMES.get(self.action, self.action)


@access_pattern("Moderation log", RESOURCES, documented=False)
def decisions() -> Query[Decision]:
    return Decision.query(LOG_INDEX).newest_first()


@access_pattern("Decisions on a resource", RESOURCES, documented=False, slug="amazing-dev-tool")
def decisions_on(slug: str) -> Query[Decision]:
    return Decision.query(HISTORY_INDEX, Decision.slug(slug)).newest_first()


class Report(
    Item,
    table=RESOURCES,
    pk="REPORT#{slug}#{entry_id}",
    keys={"logOf": "report-{state}", "historyOf": "report-{state}#{slug}"},
):
    """A problem that somebody reported with a resource."""

    slug: Attribute[str]
    entry_id: Attribute[str] = key_part()
    logged_at: Attribute[Timestamp]
    state: Attribute[Literal["open", "closed"]] = attribute(default="open")
    reason: Attribute[str] = attribute(min_length=1, max_length=1000)


@access_pattern("A report", RESOURCES, documented=False, slug="amazing-dev-tool", entry_id="r1")
def report(slug: str, entry_id: str) -> Get[Report]:
    return Report.get(Report.slug(slug), Report.entry_id(entry_id))


@access_pattern("Open reports", RESOURCES, documented=False)
def open_reports() -> Query[Report]:
    return Report.query(LOG_INDEX, Report.state("open")).newest_first()


@access_pattern("Open reports of a resource", RESOURCES, documented=False, slug="amazing-dev-tool")
def open_reports_of(slug: str) -> Query[Report]:
    return Report.query(HISTORY_INDEX, Report.state("open"), Report.slug(slug)).newest_first()


class Total(Item, table=RESOURCES, pk="COUNT#{count_of}#{counted_as}"):
    """A number for analytics: resources of a status, a category or a domain, submissions of a day."""

    count_of: Attribute[Literal["status", "category", "domain", "day"]]
    counted_as: Attribute[str]
    count: Attribute[int] = attribute(default=0)


@access_pattern(
    "Totals by status, category, domain or day",
    RESOURCES,
    documented=_ANALYTICS,
    kind="domain",
)
def totals(kind: Literal["status", "category", "domain", "day"]) -> Query[Total]:
    return Total.query(COUNT_INDEX, Total.count_of(kind))


@access_pattern("Submissions per day since", RESOURCES, documented=False, since="2026-01-26")
def submissions_since(since: str) -> Query[Total]:
    return Total.query(COUNT_INDEX, Total.count_of("day")).at_least(Total.counted_as(since))


class Upvote(Item, table=RESOURCES, pk="VOTE#{user_id}#{slug}", keys={"logOf": "upvotes#{user_id}"}):
    """A member likes a resource."""

    user_id: Attribute[str] = key_part()
    slug: Attribute[str] = key_part()
    of_submission: Attribute[str]
    """Of the resource: another one may get its slug."""
    logged_at: Attribute[Timestamp]


@access_pattern("A member's upvote of a resource", RESOURCES, documented=False, user_id="01ARZ3ND", slug="a-tool")
def upvote(user_id: str, slug: str) -> Get[Upvote]:
    return Upvote.get(Upvote.user_id(user_id), Upvote.slug(slug))


class SavedResource(Item, table=RESOURCES, pk="SAVED#{user_id}#{slug}", keys={"logOf": "saved#{user_id}"}):
    """A member keeps a resource."""

    user_id: Attribute[str] = key_part()
    slug: Attribute[str] = key_part()
    of_submission: Attribute[str]
    logged_at: Attribute[Timestamp]


@access_pattern("Saved resources of a member", RESOURCES, documented=False, user_id="01ARZ3ND")
def saved_by(user_id: str) -> Query[SavedResource]:
    return SavedResource.query(LOG_INDEX, SavedResource.user_id(user_id)).newest_first()


class MonthScore(Item, table=RESOURCES, pk="MONTH#{month}#{slug}", keys={"popularIn": "month#{month}"}):
    """How popular a resource is in a month: its views and upvotes."""

    month: Attribute[str] = key_part()
    slug: Attribute[str] = key_part()
    view_count: Attribute[int] = attribute(default=0)


@access_pattern("Popular in a month", RESOURCES, documented=False, month="2026-11")
def popular_of_month(month: str) -> Query[MonthScore]:
    return MonthScore.query(POPULAR_INDEX, MonthScore.month(month)).descending()


@access_pattern("Add to a month", RESOURCES, documented=False, month="2026-11", slug="amazing-dev-tool", score=10)
def add_to_month(month: str, slug: str, score: int) -> Update[MonthScore]:
    key = MonthScore.key(MonthScore.month(month), MonthScore.slug(slug))
    return Update(key, MonthScore.view_count.add(score)).or_new()


class WaitingViews(Item, table=RESOURCES, pk="VIEWS#{slug}", keys={"countOf": "views", "countedAs": "{slug}"}):
    """Views that are not in the resource's `viewCount` yet."""

    slug: Attribute[str] = key_part()
    views: Attribute[int] = attribute(default=0)
    last_viewed: Attribute[Timestamp]


@access_pattern(
    "A view", RESOURCES, documented=False, slug="amazing-dev-tool", views=1, now="2026-01-26T10:30:00.123456Z"
)
def count_views(slug: str, views: int, now: str) -> Update[WaitingViews]:
    key = WaitingViews.key(WaitingViews.slug(slug))
    return Update(key, WaitingViews.views.add(views), WaitingViews.last_viewed.set(now)).or_new()


@access_pattern("Views that wait to be added to resources", RESOURCES, documented=False)
def waiting_views() -> Query[WaitingViews]:
    return WaitingViews.query(COUNT_INDEX)


@access_pattern("Waiting views of a resource", RESOURCES, documented=False, slug="amazing-dev-tool")
def waiting_views_of(slug: str) -> Get[WaitingViews]:
    return WaitingViews.get(WaitingViews.slug(slug))


@access_pattern("Resource with its waiting views", RESOURCES, documented=False, slug="amazing-dev-tool")
def resource_with_views(slug: str) -> BatchGet[Resource | WaitingViews]:
    return BatchGet((Resource.key(Resource.resource_slug(slug)), WaitingViews.key(WaitingViews.slug(slug))))


class LinkCheck(Item, table=RESOURCES, pk="LINK#{slug}", keys={"logOf": "links-{state}"}):
    """The address of a resource did not answer when it was asked; none of one that works."""

    slug: Attribute[str] = key_part()
    state: Attribute[Literal["failing", "broken"]]
    url: Attribute[str]
    days: Attribute[int]
    """On how many days in a row it has failed."""
    logged_at: Attribute[Timestamp]
    """Since when it fails."""
    checked_at: Attribute[Timestamp]
    reason: Attribute[str]


@access_pattern("Link of a resource that fails", RESOURCES, documented=False, slug="amazing-dev-tool")
def link_check(slug: str) -> Get[LinkCheck]:
    return LinkCheck.get(LinkCheck.slug(slug))


@access_pattern("Links that fail", RESOURCES, documented=False, state="broken")
def links(state: Literal["failing", "broken"]) -> Query[LinkCheck]:
    return LinkCheck.query(LOG_INDEX, LinkCheck.state(state)).newest_first()


# What `partita check` reports here, and why we accept it.
RESOURCES.accept(
    "second-read",
    SUBMITTER_INDEX,
    DOMAIN_INDEX,
    SUBMISSION_INDEX,
    because="few look at a member's, a company's or one submission, and every decision would rewrite larger entries",
)
RESOURCES.accept(
    "hot-partition",
    STATUS_INDEX,
    CATEGORY_INDEX,
    APPROVED_INDEX,
    POPULAR_INDEX,
    POPULAR_CATEGORY_INDEX,
    FEATURED_INDEX,
    LOG_INDEX,
    COUNT_INDEX,
    because="a directory takes a few submissions and decisions a second at most; beyond that a setting spreads the key",
)
