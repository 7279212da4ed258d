"""What readers and approvers add to content: reports, votes, collections."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from partita.apps.enablement import formats
from partita.apps.enablement.schema.registry import BY_REPORT, CONTENT, SHELVES
from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Item,
    Query,
    access_pattern,
    attribute,
    derived,
    key_part,
    version,
)
from partita.table.types import Timestamp

MOST_ENTRIES = 50


# 1. Reports: "this is out of date"
class Report(
    Item,
    table=CONTENT,
    pk="REPORT#{of_content}#{report_id}",
    keys={"report_key": "{of_content}#{reported_at}"},
):
    """What somebody says is wrong with a content item; open until its owner or an approver answers it."""

    of_content: Attribute[str] = key_part()
    report_id: Attribute[str] = key_part()
    text: Attribute[str] = attribute(min_length=1, max_length=1000)
    reported_by: Attribute[str]
    reported_at: Attribute[Timestamp]
    closed_at: Attribute[Timestamp | None] = attribute(default=None)
    closed_by: Attribute[str | None] = attribute(default=None)
    answer: Attribute[str | None] = attribute(default=None, max_length=1000)
    report_state: Attribute[Literal["open"] | None] = derived(lambda closed_at: None if closed_at else "open")


@access_pattern("A report", CONTENT, documented=False, content_id="c1", report_id="r1")
def report(content_id: str, report_id: str) -> Get[Report]:
    return Report.get(Report.of_content(content_id), Report.report_id(report_id))


@access_pattern("Open reports", CONTENT, documented=False)
def open_reports() -> Query[Report]:
    return Report.query(BY_REPORT, Report.report_state("open"))


@access_pattern("Open reports of a content item", CONTENT, documented=False, content_id="c1")
def open_reports_of(content_id: str) -> Query[Report]:
    return open_reports().starting_with(f"{content_id}#")


# 2. Votes: "this helped", one per person
class Vote(Item, table=CONTENT, pk="VOTE#{of_content}#{voter}"):
    """Whether a content item helped somebody; the totals are in its statistics."""

    of_content: Attribute[str] = key_part()
    voter: Attribute[str] = key_part()
    helped: Attribute[bool]
    voted_at: Attribute[Timestamp]
    about_major: Attribute[int] = attribute(default=0, ge=0)


@access_pattern("Somebody's vote on a content item", CONTENT, documented=False, content_id="c1", user_id="u1")
def vote(content_id: str, user_id: str) -> Get[Vote]:
    return Vote.get(Vote.of_content(content_id), Vote.voter(user_id))


@access_pattern(
    "Votes of several people on a content item", CONTENT, documented=False, content_id="c1", user_ids=("u1", "u2")
)
def votes_on(content_id: str, user_ids: tuple[str, ...]) -> BatchGet[Vote]:
    """Who has read it, the statistics tell."""
    return BatchGet(tuple(Vote.key(Vote.of_content(content_id), Vote.voter(user_id)) for user_id in user_ids))


# 3. Collections: content in an order
class Entry(BaseModel):
    """A content item in a collection, and why it is there."""

    model_config = ConfigDict(frozen=True)

    content_id: str
    note: str = Field(default="", max_length=300)


class Collection(Item, table=CONTENT, pk="COLLECTION#{collection_id}"):
    """Content that is read in an order, all in one item."""

    collection_id: Attribute[str] = key_part()
    revision: Attribute[int] = version()
    title: Attribute[str] = attribute(min_length=1, max_length=200)
    text: Attribute[str] = attribute(default="", max_length=5000)
    entries: Attribute[tuple[Entry, ...]] = attribute(default=(), max_length=MOST_ENTRIES)
    made_by: Attribute[str]
    made_at: Attribute[Timestamp]
    edited_at: Attribute[Timestamp]
    shelf: Attribute[Literal["all"]] = attribute(default="all")
    shelf_key: Attribute[str] = derived(lambda title, collection_id: f"{formats.folded(title)}#{collection_id}")


@access_pattern("A collection", CONTENT, documented=False, collection_id="k1")
def collection_with_id(collection_id: str) -> Get[Collection]:
    return Collection.get(Collection.collection_id(collection_id))


@access_pattern("Collections by title", CONTENT, documented=False)
def collections() -> Query[Collection]:
    return Collection.query(SHELVES, Collection.shelf("all"))
