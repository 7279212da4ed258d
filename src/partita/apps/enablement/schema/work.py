"""Products, and the work of the background: uploads, people to be told, imports, removals, and how far the clock is."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from partita.apps.enablement.schema.content_items import Content
from partita.apps.enablement.schema.lifecycle import Proposal
from partita.apps.enablement.schema.registry import BY_DUE, CONTENT
from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Item,
    Query,
    access_pattern,
    attribute,
    collection,
    key_part,
    version,
)
from partita.table.types import Timestamp

MOST_SUITES = 60
MOST_CONCEPTS = 60
MOST_IMPORTS = 20
"""How many of somebody's imports are listed."""
REVIEW_DAYS = 180
"""How often content is reviewed, if its suite does not say otherwise."""


# 1. Products: one item, read with every form
class Suite(BaseModel):
    """A product suite with its concepts, and what its content begins with."""

    model_config = ConfigDict(frozen=True)

    name: str
    concepts: tuple[str, ...] = ()
    colour: int = Field(default=1, ge=1, le=12)
    review_days: int | None = None
    valid_days: int | None = None


class Products(Item, table=CONTENT, pk="PRODUCTS"):
    """The suites in their order, and the words for audiences and stages."""

    revision: Attribute[int] = version()
    suites: Attribute[tuple[Suite, ...]] = attribute(default=(), max_length=MOST_SUITES)
    audiences: Attribute[tuple[str, ...]] = attribute(default=(), max_length=40)
    stages: Attribute[tuple[str, ...]] = attribute(default=(), max_length=40)

    def suite(self, name: str | None) -> Suite | None:
        """One suite; content may have one that is not in the list."""
        return next((suite for suite in self.suites if suite.name == name), None)

    def review_days(self, suite: str | None) -> int:
        """How often content of a suite is reviewed."""
        known = self.suite(suite)
        return (known.review_days if known else None) or REVIEW_DAYS


@access_pattern("The products", CONTENT, documented=False)
def products() -> Get[Products]:
    return Products.get()


# 2. Uploads that wait to be attached
class PortalUpload(Item, table=CONTENT, pk="UPLOAD#{upload_id}"):
    """A file that somebody may send for a content item; swept unless it is attached within a day."""

    upload_id: Attribute[str] = key_part()
    of_content: Attribute[str]
    uploaded_by: Attribute[str]
    begun_at: Attribute[Timestamp]
    file_name: Attribute[str]
    content_type: Attribute[str]
    s3_bucket: Attribute[str]
    s3_key: Attribute[str]
    due_day: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    due_key: Attribute[str | None] = attribute(default=None, examples=["sweep#2026-01-15T00:00:00.000000Z#1"])


@access_pattern("An upload", CONTENT, documented=False, upload_id="x1")
def upload(upload_id: str) -> Get[PortalUpload]:
    return PortalUpload.get(PortalUpload.upload_id(upload_id))


# 3. Long work, and how far it is
class Fanout(Item, table=CONTENT, pk="FANOUT#{change_id}"):
    """People who must be told of a cause: a change of the history, or a reminder of the clock."""

    change_id: Attribute[str] = key_part()
    cause: Attribute[str]
    """The history's action, or the reminder's step: `approved`, `review-due`, `expires-soon`, `must-read`."""
    of_content: Attribute[str]
    caused_at: Attribute[Timestamp]
    """When the cause happened; a reminder's day at 00:00."""
    caused_by: Attribute[str | None] = attribute(default=None)
    details: Attribute[dict[str, Any] | None] = attribute(default=None, max_length=20)
    """What the words are made of, as far as the content item does not tell it later."""
    done: Attribute[tuple[str, ...]] = attribute(default=(), max_length=400)
    """The groups of people that have been told."""
    place: Attribute[str | None] = attribute(default=None)
    """How far the group is that is being told."""
    due_day: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    due_key: Attribute[str | None] = attribute(default=None, examples=["fanout#2026-01-15T00:00:00.000000Z#1"])


@access_pattern("People who must be told of a cause", CONTENT, documented=False, change_id="h1")
def fanout(change_id: str) -> Get[Fanout]:
    return Fanout.get(Fanout.change_id(change_id))


class SentFile(BaseModel):
    """A file that was sent for a row of an import."""

    model_config = ConfigDict(frozen=True)

    key: str
    called: str = ""
    """Its own name, if somebody chose it for the row; else it is called as the row says."""
    content_type: str
    size_bytes: int
    sent_at: str


class Import(Item, table=CONTENT, pk="IMPORT#{import_id}"):
    """Content from a CSV file: its rows are in a file, how far it is stands here."""

    import_id: Attribute[str] = key_part()
    revision: Attribute[int] = version()
    called: Attribute[str]
    """What the CSV file was called."""
    begun_by: Attribute[str]
    begun_at: Attribute[Timestamp]
    rows_key: Attribute[str]
    """The file with the rows as they were checked."""
    row_count: Attribute[int] = attribute(default=0, ge=0)
    bad_rows: Attribute[int] = attribute(default=0, ge=0)
    """Rows that were refused: when they were checked, or when their drafts were made."""
    done_rows: Attribute[int] = attribute(default=0, ge=0)
    """Rows whose drafts were made."""
    files: Attribute[dict[str, SentFile]] = attribute(default={}, max_length=500)
    """File name of a row, folded → the file that was sent for it."""
    refused: Attribute[dict[str, str]] = attribute(default={}, max_length=500)
    """Row → why its draft could not be made, though it had passed the check."""
    state: Attribute[Literal["waiting", "running", "done"]] = attribute(default="waiting")
    job_id: Attribute[str | None] = attribute(default=None)


@access_pattern("An import", CONTENT, documented=False, import_id="i1")
def import_with_id(import_id: str) -> Get[Import]:
    return Import.get(Import.import_id(import_id))


class ImportsOf(Item, table=CONTENT, pk="IMPORTS#{person}"):
    """The latest imports of somebody, newest first: few and short, so that they need no index."""

    person: Attribute[str] = key_part()
    revision: Attribute[int] = version()
    latest: Attribute[tuple[str, ...]] = attribute(default=(), max_length=MOST_IMPORTS)


@access_pattern("The latest imports of somebody", CONTENT, documented=False, user_id="u1")
def imports_of(user_id: str) -> Get[ImportsOf]:
    return ImportsOf.get(ImportsOf.person(user_id))


@access_pattern("Several imports", CONTENT, documented=False, import_ids=("i1", "i2"))
def imports_with_ids(import_ids: tuple[str, ...]) -> BatchGet[Import]:
    return BatchGet(tuple(Import.key(Import.import_id(import_id)) for import_id in import_ids))


class Removal(Item, table=CONTENT, pk="REMOVAL#{of_content}"):
    """A content item that was deleted: hidden at once, removed with everything that belongs to it step by step."""

    of_content: Attribute[str] = key_part()
    title: Attribute[str]
    removed_by: Attribute[str]
    removed_at: Attribute[Timestamp]
    majors: Attribute[int] = attribute(default=0, ge=0)
    """How many versions it has."""
    file_keys: Attribute[tuple[str, ...]] = attribute(default=(), max_length=100)
    """Files that no row names any more."""
    step: Attribute[str | None] = attribute(default=None)
    job_id: Attribute[str | None] = attribute(default=None)


@access_pattern("The removal of a content item", CONTENT, documented=False, content_id="c1")
def removal(content_id: str) -> Get[Removal]:
    return Removal.get(Removal.of_content(content_id))


# 4. The clock
class ClockMark(Item, table=CONTENT, pk="CLOCK#{name}"):
    """The first day that the clock has not finished: it begins there the next time."""

    name: Attribute[str] = key_part()
    from_day: Attribute[str]


@access_pattern("How far the clock is", CONTENT, documented=False, name="expiry")
def clock_mark(name: str) -> Get[ClockMark]:
    return ClockMark.get(ClockMark.name(name))


@access_pattern("What the clock does on a day", CONTENT, documented=False, day="2026-01-15")
def due_on(day: str) -> Query[Content | Proposal | PortalUpload | Fanout]:
    return collection(
        Content.query(BY_DUE, Content.due_day(day)),
        Proposal.query(BY_DUE, Proposal.due_day(day)),
        PortalUpload.query(BY_DUE, PortalUpload.due_day(day)),
        Fanout.query(BY_DUE, Fanout.due_day(day)),
    )
