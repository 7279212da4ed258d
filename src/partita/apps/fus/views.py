"""What leaves fus, with the document's attribute names; a note is in one shape only, and that goes to its author."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from partita.apps.fus.comments import Said, SaidOf
from partita.apps.fus.formats import comment_name
from partita.apps.fus.groups import Member
from partita.apps.fus.people import Person
from partita.apps.fus.ratings import GivenStars, RatedSite
from partita.apps.fus.schema import STARS, Group, GroupLog, Rating, Site, TagTotal
from partita.apps.fus.sites import Preview
from partita.apps.fus.transfer import Report

Json = dict[str, Any]


class View(BaseModel):
    """Documents the shape of an answer."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class PersonView(View):
    """What everybody may know of somebody."""

    user_id: str
    username: str
    name: str


class SiteSummary(View):
    """A site in a list."""

    site_id: str
    url: str
    title: str
    description: str
    tags: list[str]
    rating_count: int
    rating_average: float | None
    comment_count: int
    created_at: str
    updated_at: str


class SiteDetail(SiteSummary):
    """A site, whole."""

    rating_histogram: dict[str, int] = Field(description="How many people gave each number of stars.")
    scraped_content: str = Field(description="The text of the page when it was fetched.")
    fetched_at: str | None = Field(description="When the page was fetched; null where that never worked.")
    fetch_note: str | None = Field(description="Why nothing was fetched.")
    revision: int = Field(description="Send it with changes, and they are refused if somebody was faster.")


class SiteList(BaseModel):
    items: list[SiteSummary]
    next_cursor: str | None


class PreviewView(View):
    """What a page says; nothing is saved."""

    url: str
    title: str
    description: str
    text: str
    note: str | None = Field(description="Why nothing was fetched.")
    known_as: SiteSummary | None = Field(description="The site that has this address already.")


class TagView(View):
    tag: str
    count: int


class TagList(BaseModel):
    items: list[TagView]
    next_cursor: str | None


class MyRating(View):
    """Your own rating; nobody else sees the note."""

    site_id: str
    stars: int
    note: str
    updated_at: str


class MyRatedSite(MyRating):
    site: SiteSummary


class MyRatingList(BaseModel):
    items: list[MyRatedSite]
    next_cursor: str | None


class GivenStarsView(View):
    """Stars as everybody sees them."""

    site_id: str
    stars: int
    updated_at: str
    by: PersonView
    site: SiteSummary


class GivenStarsList(BaseModel):
    items: list[GivenStarsView]
    next_cursor: str | None


class CommentView(View):
    comment_id: str = Field(description="Names the comment within its site.")
    site_id: str
    body: str
    created_at: str
    updated_at: str
    by: PersonView


class CommentList(BaseModel):
    items: list[CommentView]
    next_cursor: str | None


class MyComment(View):
    comment_id: str
    site_id: str
    body: str
    created_at: str
    updated_at: str
    site: SiteSummary


class MyCommentList(BaseModel):
    items: list[MyComment]
    next_cursor: str | None


class GroupView(View):
    name: str
    description: str
    permissions: list[str]
    member_count: int
    created_at: str
    updated_at: str
    revision: int = Field(description="Send it with changes, and they are refused if somebody was faster.")


class GroupList(BaseModel):
    items: list[GroupView]
    next_cursor: str | None


class MemberView(View):
    group_name: str
    user_id: str
    added_at: str
    added_by: str
    person: PersonView


class MemberList(BaseModel):
    items: list[MemberView]
    next_cursor: str | None


class GroupLogEntry(View):
    at: str
    by: str
    action: str
    details: dict[str, Any]


class GroupLogList(BaseModel):
    items: list[GroupLogEntry]
    next_cursor: str | None


class Permissions(BaseModel):
    items: list[str]


class ImportedRow(View):
    row: int
    url: str
    outcome: str = Field(description="`added`, `there` or `refused`.")
    reason: str
    site_id: str | None


class ImportReport(View):
    added: int
    there: int
    refused: int
    rows: list[ImportedRow]


def person(known: Person) -> Json:
    return {"userId": known.user_id, "username": known.username, "name": known.name}


def summary(site: Site) -> Json:
    average = STARS.mean(site)
    return {
        "siteId": site.site_id,
        "url": site.url,
        "title": site.title,
        "description": site.description,
        "tags": list(site.tags),
        "ratingCount": site.rating_count or 0,
        "ratingAverage": None if average is None else float(average),
        "commentCount": site.comment_count or 0,
        "createdAt": site.created_at,
        "updatedAt": site.updated_at,
    }


def detail(site: Site) -> Json:
    return {
        **summary(site),
        "ratingHistogram": {str(stars): count for stars, count in enumerate(site.rating_histogram, 1)},
        "scrapedContent": site.scraped_content,
        "fetchedAt": site.fetched_at,
        "revision": site.revision,
        "fetchNote": site.fetch_note,
    }


def preview(seen: Preview) -> Json:
    return {
        "url": seen.url,
        "title": seen.title,
        "description": seen.description,
        "text": seen.text,
        "note": seen.note or None,
        "knownAs": None if seen.known is None else summary(seen.known),
    }


def tag(total: TagTotal) -> Json:
    return {"tag": total.tag, "count": total.count}


def my_rating(rating: Rating) -> Json:
    """For whoever gave it, and for nobody else."""
    return {
        "siteId": rating.site_id,
        "stars": rating.stars,
        "note": rating.note,
        "updatedAt": rating.updated_at,
    }


def my_rated_site(rated: RatedSite) -> Json:
    return {**my_rating(rated.rating), "site": summary(rated.site)}


def given_stars(given: GivenStars) -> Json:
    return {
        "siteId": given.site.site_id,
        "stars": given.stars,
        "updatedAt": given.at,
        "by": person(given.person),
        "site": summary(given.site),
    }


def comment(said: Said) -> Json:
    return {
        "commentId": comment_name(said.comment),
        "siteId": said.comment.site_id,
        "body": said.comment.body,
        "createdAt": said.comment.created_at,
        "updatedAt": said.comment.updated_at,
        "by": person(said.person),
    }


def my_comment(said: SaidOf) -> Json:
    return {
        "commentId": comment_name(said.comment),
        "siteId": said.comment.site_id,
        "body": said.comment.body,
        "createdAt": said.comment.created_at,
        "updatedAt": said.comment.updated_at,
        "site": summary(said.site),
    }


def group(known: Group) -> Json:
    return {
        "name": known.name,
        "description": known.description,
        "permissions": list(known.permissions),
        "memberCount": known.member_count or 0,
        "createdAt": known.created_at,
        "updatedAt": known.updated_at,
        "revision": known.revision,
    }


def member(known: Member) -> Json:
    return {
        "groupName": known.membership.group_name,
        "userId": known.membership.user_id,
        "addedAt": known.membership.added_at,
        "addedBy": known.membership.added_by,
        "person": person(known.person),
    }


def log_entry(entry: GroupLog) -> Json:
    return {"at": entry.at, "by": entry.by, "action": entry.action, "details": entry.details}


def report(told: Report) -> Json:
    return {
        "added": told.count("added"),
        "there": told.count("there"),
        "refused": told.count("refused"),
        "rows": [
            {"row": row.row, "url": row.url, "outcome": row.outcome, "reason": row.reason, "siteId": row.site_id}
            for row in told.rows
        ],
    }
