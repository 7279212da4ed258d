"""fus in one table: sites, their tags, people's ratings and comments, groups and memberships."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from partita.apps.fus.formats import comment_name, host_of, rating_rank, title_key
from partita.kit.failing_links import DAYS_TO_BREAK, LONGEST_REASON
from partita.kit.history import Entry
from partita.kit.urls import UrlTaken, normalise, same_page, with_or_without_www
from partita.table import (
    Aggregate,
    Attribute,
    BatchGet,
    Get,
    Guard,
    Item,
    Query,
    Table,
    access_pattern,
    attribute,
    camel_case,
    derived,
    key_part,
    number,
    projected,
    version,
)
from partita.table.types import Timestamp

FUS = Table(
    "fus-main",
    pk="PK",
    sk="SK",
    terraform_variable="dynamoTableName",
    purpose="Sites with their tags, ratings and comments; groups and what they grant.",
    names=camel_case,
)

_COUNTED = ("ratingCount", "ratingSum", "rated1", "rated2", "rated3", "rated4", "rated5", "commentCount")
_LISTED = ("url", "title", "description", "tags", "iconFile", "createdAt", "updatedAt", "entityType", *_COUNTED)
"""What lists show of a site: not `scrapedContent`, since a page of twenty sites could hold two megabytes of it."""

BY_ENTITY = FUS.index("byEntity", pk="entityType", sk="entitySk", purpose="List all sites; list groups; list tags")
BY_TAG = FUS.index("byTag", pk="tag", sk="siteId", purpose="Sites by tag")
BY_COUNT = FUS.index("byCount", pk="entityType", sk=number("count"), purpose="Tags, most used first")
BY_STARS = FUS.index("byStars", pk=number("starRating"), sk="siteId", purpose="Ratings by value")
BY_GROUP = FUS.index("byGroup", pk="groupName", sk="userId", purpose="List users in a custom group")
BY_SITE = FUS.index("bySite", pk="commentedSite", sk="commentSk", purpose="Comments of a site, oldest first")
BY_TIME = FUS.index(
    "sitesByTime",
    pk="timeline",
    sk="createdAt",
    projection=_LISTED,
    purpose="Sites, newest first",
    replaces=("byTime",),  # it held no iconFile
)
BY_RATING = FUS.index(
    "sitesByRating",
    pk="timeline",
    sk=number("ratingRank"),
    projection=_LISTED,
    purpose="Sites, best rated first",
    replaces=("byRating",),
)
BY_TITLE = FUS.index(
    "sitesByTitle",
    pk="timeline",
    sk="titleKey",
    projection=_LISTED,
    purpose="Sites by title",
    replaces=("byTitle",),
)
BY_FETCH = FUS.index(
    "byFetch",
    pk="timeline",
    sk="fetchDue",
    projection=("url", "title", "createdAt", "updatedAt", "entityType", "fetchTries"),
    purpose="Sites whose pages wait to be read: sparse",
)
BY_RATER = FUS.index("byRater", pk="ratedBy", sk="ratedAt", purpose="One person's ratings, without their comments")
BY_COMMENTER = FUS.index("byCommenter", pk="commentedBy", sk="createdAt", purpose="One person's comments")

Tag = Annotated[str, StringConstraints(min_length=1, max_length=40, to_lower=True, strip_whitespace=True)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2048, pattern=r"^https?://")]
GroupName = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
_SEVERAL, _MANY_STARS = 3, 4.5
"""The ratings and the average from which a site counts as loved."""


# 1. Site (catalog entry): one item per site. Managers create and update; everyone can read.
class Site(
    Item,
    table=FUS,
    pk="SITE#{site_id}",
    sk="METADATA",
    keys={"entitySk": "SITE#{site_id}"},
):
    """A site in the catalog, with the exact sums of its ratings."""

    site_id: Attribute[str] = key_part()
    url: Attribute[Url]
    title: Attribute[str] = attribute(max_length=300)
    description: Attribute[str] = attribute(default="", max_length=2000)
    scraped_content: Attribute[str] = attribute(default="", max_length=100_000)
    tags: Attribute[tuple[Tag, ...]] = attribute(default=(), max_length=20)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    entity_type: Attribute[Literal["SITE"]] = attribute(default="SITE")
    timeline: Attribute[Literal["SITE"]] = derived(lambda: "SITE")
    """Not stored on sites that another program wrote, until they are adopted."""
    title_key: Attribute[str] = derived(title_key)
    rating_rank: Attribute[int | None] = attribute(default=None, ge=0)
    """Average and count as one number to sort by; follows the ratings by the change stream."""
    added_by: Attribute[str | None] = attribute(default=None)
    fetched_at: Attribute[Timestamp | None] = attribute(default=None)
    """When its page was read; None if that never worked."""
    fetch_note: Attribute[str | None] = attribute(default=None, max_length=500)
    """Why the page could not be read, if somebody wanted it read."""
    fetch_due: Attribute[Timestamp | None] = attribute(default=None)
    """When its page is to be read in the background, or its icon looked for; None if both are there or given up."""
    fetch_tries: Attribute[int | None] = attribute(default=None, ge=0)
    """How often that was tried since it last worked."""
    icon_file: Attribute[str | None] = attribute(default=None, max_length=200)
    """The name of the file with its icon, if its page had one when it was read."""
    icon_tries: Attribute[int | None] = attribute(default=None, ge=0)
    """How often its icon was looked for since its page was read; None if it has one, or nobody has looked."""
    comment_count: Attribute[int | None] = attribute(default=None, ge=0)
    rating_count: Attribute[int | None] = attribute(default=None, ge=0)
    rating_sum: Attribute[int | None] = attribute(default=None, ge=0)
    rated_1: Attribute[int | None] = attribute(default=None, ge=0)
    rated_2: Attribute[int | None] = attribute(default=None, ge=0)
    rated_3: Attribute[int | None] = attribute(default=None, ge=0)
    rated_4: Attribute[int | None] = attribute(default=None, ge=0)
    rated_5: Attribute[int | None] = attribute(default=None, ge=0)
    revision: Attribute[int] = version()
    """Changes with every edit, but not with ratings and comments."""

    @property
    def listed(self) -> bool:
        """Whether the catalog lists it: another program's site is listed when it is adopted."""
        return self.as_stored(Site.timeline) is not None

    @property
    def host(self) -> str:
        """The host of its address."""
        return host_of(self.url)

    @property
    def number_of_comments(self) -> int:
        return self.comment_count or 0

    @property
    def number_of_ratings(self) -> int:
        return self.rating_count or 0

    @property
    def rating_average(self) -> float | None:
        """The average of its stars with two digits; None if nobody has rated it."""
        average = STARS.mean(self)
        return None if average is None else float(average)

    @property
    def is_loved(self) -> bool:
        """Whether it stands out in lists: several people gave it many stars."""
        return self.number_of_ratings >= _SEVERAL and (self.rating_average or 0) >= _MANY_STARS

    @property
    def rating_histogram(self) -> tuple[int, int, int, int, int]:
        """How many people gave one star, two, … five."""
        return self.rated_1 or 0, self.rated_2 or 0, self.rated_3 or 0, self.rated_4 or 0, self.rated_5 or 0

    @property
    def ratings_by_stars(self) -> dict[str, int]:
        """Number of stars → how many people gave it."""
        return {str(stars): count for stars, count in enumerate(self.rating_histogram, 1)}

    @property
    def rank(self) -> int:
        """The rank that its ratings give it; `rating_rank` follows it."""
        return rating_rank(self.rating_count, self.rating_sum)


STARS = Aggregate(
    count=Site.rating_count,
    total=Site.rating_sum,
    histogram={1: Site.rated_1, 2: Site.rated_2, 3: Site.rated_3, 4: Site.rated_4, 5: Site.rated_5},
)


@access_pattern("Get site", FUS, documented="Get site: GetItem(PK=SITE#<id>, SK=METADATA)", site_id="1")
def site(site_id: str) -> Get[Site]:
    return Site.get(Site.site_id(site_id))


@access_pattern(
    "List all sites", FUS, documented="List all sites: Query GSI byEntity with entityType=SITE, sort by entitySk"
)
def all_sites() -> Query[Site]:
    return Site.query(BY_ENTITY, Site.entity_type("SITE"))


@access_pattern("Sites, newest first", FUS, documented="(or add createdAt to entitySk for ordering)")
def newest_sites() -> Query[Site]:
    return _listed(Site.query(BY_TIME, Site.timeline("SITE")).newest_first())


@access_pattern("Sites, oldest first", FUS, documented=False)
def oldest_sites() -> Query[Site]:
    return _listed(Site.query(BY_TIME, Site.timeline("SITE")))


@access_pattern("Sites, best rated first", FUS, documented=False)
def best_sites() -> Query[Site]:
    return _listed(Site.query(BY_RATING, Site.timeline("SITE")).descending())


@access_pattern("Sites by title", FUS, documented=False)
def sites_by_title() -> Query[Site]:
    return _listed(Site.query(BY_TITLE, Site.timeline("SITE")))


@access_pattern("Sites whose pages are to be read", FUS, documented=False, now="2026-01-01T00:00:00.000000Z")
def sites_to_read(now: str) -> Query[Site]:
    due = Site.query(BY_FETCH, Site.timeline("SITE")).at_most(Site.fetch_due(now))
    return projected(due, Site.url, Site.title, Site.created_at, Site.updated_at, Site.fetch_due, Site.fetch_tries)


def _listed(query: Query[Site]) -> Query[Site]:
    """Only what lists show, so that the index answers alone."""
    return projected(
        query,
        Site.url,
        Site.title,
        Site.description,
        Site.tags,
        Site.icon_file,
        Site.created_at,
        Site.updated_at,
        Site.rating_count,
        Site.rating_sum,
        Site.comment_count,
    )


@access_pattern("Sites by their ids", FUS, documented=False, site_ids=tuple(str(number) for number in range(10, 35)))
def sites_by_id(site_ids: tuple[str, ...]) -> BatchGet[Site]:
    return BatchGet(tuple(Site.key(Site.site_id(site_id)) for site_id in site_ids))


# 2. Site–tag: one item per tag per site, written when a site's tags change.
class SiteTag(
    Item,
    table=FUS,
    pk="SITE#{site_id}",
    sk="TAG#{tag}",
    keys={"siteId": "SITE#{site_id}"},
):
    """A site has a tag."""

    site_id: Attribute[str] = key_part()
    tag: Attribute[Tag]


@access_pattern("Sites by tag", FUS, documented="Sites by tag: Query GSI byTag with tag=<tagValue>", tag="javascript")
def sites_with_tag(tag: str) -> Query[SiteTag]:
    return SiteTag.query(BY_TAG, SiteTag.tag(tag))


@access_pattern("Sites by tag, newest first", FUS, documented=False, tag="javascript")
def newest_with_tag(tag: str) -> Query[SiteTag]:
    return SiteTag.query(BY_TAG, SiteTag.tag(tag)).descending()


class TagTotal(Item, table=FUS, pk="TAGTOTAL#{tag}", sk="TOTAL", keys={"entitySk": "TAG#{tag}"}):
    """How many sites have a tag."""

    tag: Attribute[Tag] = key_part()
    count: Attribute[int] = attribute(default=0)
    entity_type: Attribute[Literal["TAG"]] = attribute(default="TAG")


@access_pattern("All tags with their counts", FUS, documented=False)
def all_tags() -> Query[TagTotal]:
    return TagTotal.query(BY_ENTITY, TagTotal.entity_type("TAG"))


@access_pattern("Tags, most used first", FUS, documented=False)
def popular_tags() -> Query[TagTotal]:
    return TagTotal.query(BY_COUNT, TagTotal.entity_type("TAG")).descending()


@access_pattern("How many sites have a tag", FUS, documented=False, tag="maps")
def tag_total(tag: str) -> Get[TagTotal]:
    return TagTotal.get(TagTotal.tag(tag))


@access_pattern("Tags of a site", FUS, documented=False, site_id="1")
def tags_of(site_id: str) -> Query[SiteTag]:
    return SiteTag.query(SiteTag.site_id(site_id))


# 3. User rating (stars and note): one item per user per site, written by that user.
class Rating(
    Item,
    table=FUS,
    pk="USER#{user_id}",
    sk="SITE#{site_id}",
    keys={"siteId": "SITE#{site_id}", "ratedBy": "USER#{user_id}", "ratedAt": "{updated_at}"},
):
    """One user's stars and private note for one site."""

    user_id: Attribute[str] = key_part()
    site_id: Attribute[str] = key_part()
    stars: Attribute[int] = attribute(ge=1, le=5)
    star_rating: Attribute[int] = derived(lambda stars: stars)
    note: Attribute[str] = attribute(default="", max_length=2000)
    updated_at: Attribute[Timestamp]
    counted_stars: Attribute[int] = derived(lambda stars: stars)
    """The stars that the sums of its site contain; stored otherwise, or not at all, if another program wrote it."""


@access_pattern(
    "My rating for a site",
    FUS,
    documented="My rating for a site: GetItem(PK=USER#<userId>, SK=SITE#<siteId>)",
    user_id="ada",
    site_id="1",
)
def my_rating(user_id: str, site_id: str) -> Get[Rating]:
    return Rating.get(Rating.user_id(user_id), Rating.site_id(site_id))


@access_pattern(
    "My ratings", FUS, documented="My ratings: Query PK=USER#<userId> (all my SITE#... items)", user_id="ada"
)
def my_ratings(user_id: str) -> Query[Rating]:
    return Rating.query(BY_RATER, Rating.user_id(user_id)).newest_first()


@access_pattern(
    "All ratings with so many stars",
    FUS,
    documented=("All 5-star ratings: Query GSI byStars with starRating=5", "Ratings by value: starRating=5"),
    stars=5,
)
def ratings_with(stars: int) -> Query[Rating]:
    return Rating.query(BY_STARS, Rating.star_rating(stars))


# 4. Comment (per user per site)
class Comment(
    Item,
    table=FUS,
    pk="USER#{user_id}",
    sk="SITE#{site_id}#COMMENT#{comment_id}",
    keys={
        "commentedSite": "SITE#{site_id}",
        "commentSk": "COMMENT#{created_at}#{comment_id}",
        "commentedBy": "USER#{user_id}",
    },
):
    """What a user writes about a site."""

    user_id: Attribute[str] = key_part()
    site_id: Attribute[str] = key_part()
    comment_id: Attribute[str] = key_part()
    body: Attribute[str] = attribute(min_length=1, max_length=5000)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    counted: Attribute[bool] = derived(lambda: True)
    """Whether its site has counted it; not stored if another program wrote it, until it is adopted."""
    reply_to: Attribute[str | None] = attribute(default=None, max_length=200)
    """The public id of the comment of the same site that it answers, which may be deleted."""
    revision: Attribute[int] = version()

    @property
    def name(self) -> str:
        """Its public id."""
        return comment_name(self.user_id, self.comment_id)

    @property
    def edited(self) -> bool:
        return self.updated_at != self.created_at


@access_pattern(
    "Comments for a site",
    FUS,
    documented='Comments for a site: to list "all comments for site X" use a GSI (e.g. bySite …)',
    site_id="1",
)
def comments_of(site_id: str) -> Query[Comment]:
    return Comment.query(BY_SITE, Comment.site_id(site_id))


@access_pattern("Ratings of a site with so many stars", FUS, documented=False, site_id="1", stars=5)
def ratings_of(site_id: str, stars: int) -> Query[Rating]:
    return Rating.query(BY_STARS, Rating.star_rating(stars), Rating.site_id(site_id))


@access_pattern("A comment", FUS, documented=False, user_id="ada", site_id="1", comment_id="c1")
def comment(user_id: str, site_id: str, comment_id: str) -> Get[Comment]:
    return Comment.get(Comment.user_id(user_id), Comment.site_id(site_id), Comment.comment_id(comment_id))


@access_pattern("My comments", FUS, documented=False, user_id="ada")
def my_comments(user_id: str) -> Query[Comment]:
    return Comment.query(BY_COMMENTER, Comment.user_id(user_id)).newest_first()


# 5. Custom group
class Group(
    Item,
    table=FUS,
    pk="GROUP#{name}",
    sk="METADATA",
    keys={"entitySk": "GROUP#{name}"},
):
    """A group grants its permissions to its members."""

    name: Attribute[GroupName]
    description: Attribute[str] = attribute(default="", max_length=2000)
    permissions: Attribute[tuple[str, ...]] = attribute(default=())
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    entity_type: Attribute[Literal["GROUP"]] = attribute(default="GROUP")
    member_count: Attribute[int | None] = attribute(default=None, ge=0)
    revision: Attribute[int] = version()

    @property
    def number_of_members(self) -> int:
        return self.member_count or 0


@access_pattern("List all groups", FUS, documented="List all groups: Query GSI byEntity with entityType=GROUP")
def all_groups() -> Query[Group]:
    return Group.query(BY_ENTITY, Group.entity_type("GROUP"))


@access_pattern("Get group", FUS, documented="Get group: GetItem(PK=GROUP#<name>, SK=METADATA)", name="editors")
def group(name: str) -> Get[Group]:
    return Group.get(Group.name(name))


# 6. User membership in a custom group
class Membership(
    Item,
    table=FUS,
    pk="USER#{user_id}",
    sk="MEMBERSHIP#{group_name}",
):
    """A user is in a group."""

    group_name: Attribute[GroupName]
    user_id: Attribute[str]
    added_at: Attribute[Timestamp]
    added_by: Attribute[str]
    counted: Attribute[bool] = derived(lambda: True)
    """Whether its group has counted it; not stored if another program wrote it, until it is adopted."""


@access_pattern(
    "User's custom groups",
    FUS,
    documented="User's custom groups: Query PK=USER#<sub> where SK begins_with MEMBERSHIP#",
    user_id="ada",
)
def groups_of(user_id: str) -> Query[Membership]:
    return Membership.query(Membership.user_id(user_id))


@access_pattern(
    "Group members",
    FUS,
    documented=("Group members: Query GSI byGroup with groupName=<name>", "List users in custom group"),
    name="editors",
)
def members_of(name: str) -> Query[Membership]:
    return Membership.query(BY_GROUP, Membership.group_name(name))


@access_pattern("Membership of a user in a group", FUS, documented=False, user_id="ada", name="editors")
def membership(user_id: str, name: str) -> Get[Membership]:
    return Membership.get(Membership.user_id(user_id), Membership.group_name(name))


# Beyond the document: each URL once, the number of sites, removals under way, and a log of groups.
class SiteUrl(Item, table=FUS, pk="URL#{url}", sk="UNIQUE"):
    """The guard that keeps a normalised URL in the catalog once."""

    url: Attribute[str] = key_part()
    of_site: Attribute[str]


def _other_spelling(guard: SiteUrl) -> tuple[SiteUrl, ...]:
    other = with_or_without_www(guard.url)
    return () if other is None else (SiteUrl(url=other, of_site=guard.of_site),)


SITE_URL = (
    Guard(Site, lambda site: SiteUrl(url=normalise(site.url), of_site=site.site_id))
    .alike(_other_spelling)
    .otherwise(lambda guard: UrlTaken(guard.of_site))
)


@access_pattern("Which URLs are taken", FUS, documented=False, urls=("https://example.org", "https://example.com"))
def sites_with_urls(urls: tuple[str, ...]) -> BatchGet[SiteUrl]:
    return BatchGet(tuple(SiteUrl.key(SiteUrl.url(url)) for url in urls))


class Total(Item, table=FUS, pk="TOTAL#{of}", sk="TOTAL"):
    """How many there are of something."""

    of: Attribute[Literal["sites"]] = key_part()
    amount: Attribute[int] = attribute(default=0)


@access_pattern("How many sites there are", FUS, documented=False, of="sites")
def total(of: Literal["sites"]) -> Get[Total]:
    return Total.get(Total.of(of))


class SiteRemoval(Item, table=FUS, pk="SITE#{site_id}", sk="REMOVAL"):
    """A deleted site, until its tags, ratings and comments are removed."""

    site_id: Attribute[str] = key_part()
    title: Attribute[str]
    removed_by: Attribute[str]
    removed_at: Attribute[Timestamp]


@access_pattern("The removal of a site", FUS, documented=False, site_id="1")
def removal(site_id: str) -> Get[SiteRemoval]:
    return SiteRemoval.get(SiteRemoval.site_id(site_id))


class GroupRemoval(Item, table=FUS, pk="GROUP#{name}", sk="REMOVAL"):
    """A deleted group, until its memberships are removed and its name is free again."""

    name: Attribute[str] = key_part()
    removed_by: Attribute[str]
    removed_at: Attribute[Timestamp]


@access_pattern("The removal of a group", FUS, documented=False, name="editors")
def group_removal(name: str) -> Get[GroupRemoval]:
    return GroupRemoval.get(GroupRemoval.name(name))


class GroupSpelling(Item, table=FUS, pk="GROUPNAME#{folded}", sk="UNIQUE"):
    """The guard of a group's name without its case, since people tell groups by reading."""

    folded: Attribute[str] = key_part()
    of_group: Attribute[str]


@access_pattern("Group with a name in any case", FUS, documented=False, folded="editors")
def group_spelling(folded: str) -> Get[GroupSpelling]:
    return GroupSpelling.get(GroupSpelling.folded(folded))


class GroupLog(Item, table=FUS, pk="GROUPLOG#{group_name}", sk="{at}#{entry_id}"):
    """Who changed a group or its members, and how."""

    group_name: Attribute[str] = key_part()
    at: Attribute[Timestamp] = key_part()
    entry_id: Attribute[str] = key_part()
    by: Attribute[str]
    action: Attribute[str]
    details: Attribute[dict[str, Any]] = attribute(default_factory=dict)


@access_pattern("Log of a group", FUS, documented=False, name="editors")
def log_of(name: str) -> Query[GroupLog]:
    return GroupLog.query(GroupLog.group_name(name)).newest_first()


class SiteLog(Entry, table=FUS, pk="SITELOG#{site_id}", sk="{at}#{entry_id}"):
    """Who changed a site, and how; it stays if the site is deleted."""

    site_id: Attribute[str] = key_part()
    at: Attribute[Timestamp] = key_part()
    entry_id: Attribute[str] = key_part()


@access_pattern("History of a site", FUS, documented=False, site_id="1")
def history_of(site_id: str) -> Query[SiteLog]:
    return SiteLog.query(SiteLog.site_id(site_id)).newest_first()


# Suggestions: under the person who made them; those that wait are in the documented list of everything there is.
class Suggestion(
    Item,
    table=FUS,
    pk="USER#{user_id}",
    sk="SUGGESTION#{suggestion_id}",
    keys={"entitySk": "SUGGESTION#{suggestion_id}"},
):
    """A site that somebody would like to see in the catalog, and what became of it."""

    user_id: Attribute[str] = key_part()
    suggestion_id: Attribute[str] = key_part()
    url: Attribute[Url]
    title: Attribute[str] = attribute(default="", max_length=300)
    description: Attribute[str] = attribute(default="", max_length=2000)
    tags: Attribute[tuple[Tag, ...]] = attribute(default=(), max_length=20)
    status: Attribute[Literal["waiting", "accepted", "declined"]] = attribute(default="waiting")
    entity_type: Attribute[Literal["SUGGESTION"] | None] = derived(
        lambda status: "SUGGESTION" if status == "waiting" else None
    )
    created_at: Attribute[Timestamp]
    decided_at: Attribute[Timestamp | None] = attribute(default=None)
    decided_by: Attribute[str | None] = attribute(default=None)
    answer: Attribute[str] = attribute(default="", max_length=1000)
    """Why it was declined."""
    became: Attribute[str | None] = attribute(default=None)
    """The id of the site that it became."""
    revision: Attribute[int] = version()

    @property
    def name(self) -> str:
        """Its public id."""
        return comment_name(self.user_id, self.suggestion_id)

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def waits(self) -> bool:
        return self.status == "waiting"


@access_pattern("A suggestion", FUS, documented=False, user_id="ada", suggestion_id="s1")
def suggestion(user_id: str, suggestion_id: str) -> Get[Suggestion]:
    return Suggestion.get(Suggestion.user_id(user_id), Suggestion.suggestion_id(suggestion_id))


@access_pattern("My suggestions, newest first", FUS, documented=False, user_id="ada")
def my_suggestions(user_id: str) -> Query[Suggestion]:
    return Suggestion.query(Suggestion.user_id(user_id)).newest_first()


@access_pattern("Suggestions that wait, oldest first", FUS, documented=False)
def waiting_suggestions() -> Query[Suggestion]:
    return Suggestion.query(BY_ENTITY, Suggestion.entity_type("SUGGESTION"))


class SuggestedUrl(Item, table=FUS, pk="SUGGESTED#{url}", sk="UNIQUE"):
    """The guard that keeps a page among the suggestions that wait once."""

    url: Attribute[str] = key_part()
    of_user: Attribute[str]
    of_suggestion: Attribute[str]


SUGGESTED_URL = Guard(
    Suggestion,
    lambda made: (
        SuggestedUrl(url=same_page(made.url), of_user=made.user_id, of_suggestion=made.suggestion_id)
        if made.waits
        else None
    ),
)


# Sites that are related to a site: follows its tags and ratings by the change stream.
MOST_RELATED = 6


class RelatedSites(Item, table=FUS, pk="SITE#{site_id}", sk="RELATED"):
    """What else somebody may like who likes a site, best first."""

    site_id: Attribute[str] = key_part()
    related: Attribute[tuple[str, ...]] = attribute(default=(), max_length=MOST_RELATED)


@access_pattern("Sites that are related to a site", FUS, documented=False, site_id="1")
def related_to(site_id: str) -> Get[RelatedSites]:
    return RelatedSites.get(RelatedSites.site_id(site_id))


# A copy of a site's page, for those who may keep them: its text here, the page itself in a file.
class PageCopy(Item, table=FUS, pk="SITE#{site_id}", sk="COPY", keys={"entitySk": "COPY#{site_id}"}):
    """What a page said when it was copied."""

    site_id: Attribute[str] = key_part()
    entity_type: Attribute[Literal["COPY"]] = attribute(default="COPY")
    page_url: Attribute[str] = attribute(max_length=4000)
    """Where the page was in the end."""
    title: Attribute[str] = attribute(default="", max_length=300)
    text: Attribute[str] = attribute(default="", max_length=100_000)
    file: Attribute[str] = attribute(max_length=200)
    size: Attribute[int] = attribute(ge=0)
    copied_at: Attribute[Timestamp]
    copied_by: Attribute[str]


@access_pattern("The copy of a site's page", FUS, documented=False, site_id="1")
def page_copy(site_id: str) -> Get[PageCopy]:
    return PageCopy.get(PageCopy.site_id(site_id))


@access_pattern("Copies of pages by their sites", FUS, documented=False, site_ids=("1", "2"))
def copies_of(site_ids: tuple[str, ...]) -> BatchGet[PageCopy]:
    return BatchGet(tuple(PageCopy.key(PageCopy.site_id(site_id)) for site_id in site_ids))


@access_pattern("All copies of pages, for the search index", FUS, documented=False)
def all_copies() -> Query[PageCopy]:
    return PageCopy.query(BY_ENTITY, PageCopy.entity_type("COPY"))


# Addresses that do not answer: none of a site whose address works.
class LinkCheck(Item, table=FUS, pk="SITE#{site_id}", sk="LINK", keys={"entitySk": "LINK#{site_id}"}):
    """The address of a site did not answer when it was asked."""

    site_id: Attribute[str] = key_part()
    url: Attribute[str]
    days: Attribute[int] = attribute(ge=1)
    """On how many days in a row it has failed."""
    since: Attribute[Timestamp]
    checked_at: Attribute[Timestamp]
    reason: Attribute[str] = attribute(max_length=LONGEST_REASON)
    entity_type: Attribute[Literal["FAILING", "BROKEN"]] = derived(
        lambda days: "BROKEN" if days >= DAYS_TO_BREAK else "FAILING"
    )


@access_pattern("Whether the address of a site fails", FUS, documented=False, site_id="1")
def link_check(site_id: str) -> Get[LinkCheck]:
    return LinkCheck.get(LinkCheck.site_id(site_id))


@access_pattern("Addresses that fail", FUS, documented=False, state="BROKEN")
def links(state: Literal["FAILING", "BROKEN"]) -> Query[LinkCheck]:
    return LinkCheck.query(BY_ENTITY, LinkCheck.entity_type(state))


# Collections of a person, and what a person shows of themselves.
MOST_COLLECTIONS = 50
MOST_COLLECTED = 500


class Profile(Item, table=FUS, pk="USER#{user_id}", sk="PROFILE"):
    """What somebody shows of themselves, and how many collections they have."""

    user_id: Attribute[str] = key_part()
    is_public: Attribute[bool] = attribute(default=False)
    about: Attribute[str] = attribute(default="", max_length=500)
    collection_count: Attribute[int] = attribute(default=0, ge=0, le=MOST_COLLECTIONS)
    revision: Attribute[int] = version()
    """Counts what its owner changes, not the collections."""


@access_pattern("A person's profile", FUS, documented=False, user_id="ada")
def profile(user_id: str) -> Get[Profile]:
    return Profile.get(Profile.user_id(user_id))


class Collection(Item, table=FUS, pk="USER#{user_id}", sk="COLLECTION#{collection_id}"):
    """Sites that somebody keeps together: for themselves, or for everybody who has the link."""

    user_id: Attribute[str] = key_part()
    collection_id: Attribute[str] = key_part()
    name: Attribute[str] = attribute(min_length=1, max_length=100)
    description: Attribute[str] = attribute(default="", max_length=2000)
    secret: Attribute[str | None] = attribute(default=None)
    """What the link consists of; None if only its owner sees it."""
    site_count: Attribute[int] = attribute(default=0, ge=0, le=MOST_COLLECTED)
    created_at: Attribute[Timestamp]
    revision: Attribute[int] = version()
    """Counts edits of its name and description, not its sites."""


@access_pattern("My collections, newest first", FUS, documented=False, user_id="ada")
def my_collections(user_id: str) -> Query[Collection]:
    return Collection.query(Collection.user_id(user_id)).newest_first()


@access_pattern("A collection", FUS, documented=False, user_id="ada", collection_id="c1")
def collection(user_id: str, collection_id: str) -> Get[Collection]:
    return Collection.get(Collection.user_id(user_id), Collection.collection_id(collection_id))


class CollectionLink(Item, table=FUS, pk="COLLECTIONLINK#{secret}", sk="LINK"):
    """The collection that a link leads to."""

    secret: Attribute[str] = key_part()
    of_user: Attribute[str]
    of_collection: Attribute[str]


@access_pattern("The collection behind a link", FUS, documented=False, secret="s3cret")
def collection_link(secret: str) -> Get[CollectionLink]:
    return CollectionLink.get(CollectionLink.secret(secret))


class CollectedSite(Item, table=FUS, pk="COLLECTION#{collection_id}", sk="SITE#{added_at}#{site_id}"):
    """A site in a collection, in the order of time; `CollectionMark` says the same of the site."""

    collection_id: Attribute[str] = key_part()
    added_at: Attribute[Timestamp] = key_part()
    site_id: Attribute[str] = key_part()


@access_pattern("Sites of a collection, latest first", FUS, documented=False, collection_id="c1")
def collected_in(collection_id: str) -> Query[CollectedSite]:
    return CollectedSite.query(CollectedSite.collection_id(collection_id)).newest_first()


class CollectionMark(Item, table=FUS, pk="SITE#{site_id}", sk="COLLECTED#{collection_id}"):
    """A collection that has a site: it is in it once."""

    site_id: Attribute[str] = key_part()
    collection_id: Attribute[str] = key_part()
    of_user: Attribute[str]
    collected_at: Attribute[Timestamp]


@access_pattern("Whether a site is in a collection", FUS, documented=False, site_id="1", collection_id="c1")
def collection_mark(site_id: str, collection_id: str) -> Get[CollectionMark]:
    return CollectionMark.get(CollectionMark.site_id(site_id), CollectionMark.collection_id(collection_id))


@access_pattern("Collections that have a site", FUS, documented=False, site_id="1")
def collections_with(site_id: str) -> Query[CollectionMark]:
    return CollectionMark.query(CollectionMark.site_id(site_id))


class CollectionRemoval(Item, table=FUS, pk="COLLECTION#{collection_id}", sk="REMOVAL"):
    """A deleted collection, until nothing of it is left."""

    collection_id: Attribute[str] = key_part()
    removed_at: Attribute[Timestamp]


@access_pattern("The removal of a collection", FUS, documented=False, collection_id="c1")
def collection_removal(collection_id: str) -> Get[CollectionRemoval]:
    return CollectionRemoval.get(CollectionRemoval.collection_id(collection_id))


# What `partita check` finds here, and why it is accepted.
FUS.accept(
    "hot-partition",
    BY_ENTITY,
    BY_COUNT,
    BY_STARS,
    BY_TIME,
    BY_RATING,
    BY_TITLE,
    BY_FETCH,
    because="a catalog gets a few edits and ratings a second; beyond that a setting spreads the key",
)
FUS.accept(
    "large-item",
    Site,
    PageCopy,
    because="the page's text is cut to 100 KB, and the other texts are short: only four-byte letters reach 407 KB",
)
FUS.accept(
    "large-item", Group, GroupLog, because="permissions come from a registered list, and a log entry names a few"
)
FUS.accept(
    "heavy-page",
    all_sites,
    because="the document keeps scrapedContent in the item; the catalog's pages read other lists",
)
FUS.accept(
    "heavy-page",
    all_copies,
    because="only the search index reads all copies, when it is built anew",
)
