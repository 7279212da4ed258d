"""What the life cycle of a content item writes beside it: its history, the proposal to change it, its versions."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from partita.apps.enablement import formats
from partita.apps.enablement.schema.content_items import Content, approval_key
from partita.apps.enablement.schema.fields import ApprovalState, ContentFields, PreviewState
from partita.apps.enablement.schema.registry import AUDIT, BY_APPROVAL, CONTENT, HISTORY
from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Item,
    Query,
    access_pattern,
    attribute,
    collection,
    derived,
    key_part,
    version,
)
from partita.table.types import Timestamp


class FieldChange(BaseModel):
    """A field before and after a change, as text that people read."""

    model_config = ConfigDict(frozen=True)

    before: str | None = None
    after: str | None = None


# 1. History: who did what, and comments, so that one query tells the whole story
class ContentChange(Item, table=CONTENT, pk="HISTORY#{history_of}#{change_id}"):
    """A change of a content item: who, when, from which status and version to which; or a comment on it."""

    history_of: Attribute[str]
    change_id: Attribute[str] = key_part()
    changed_at: Attribute[Timestamp]
    changed_by: Attribute[str]
    action: Attribute[str]
    from_status: Attribute[str | None] = attribute(default=None)
    to_status: Attribute[str | None] = attribute(default=None)
    to_version: Attribute[str | None] = attribute(default=None)
    """Absent if the content item itself did not change: a comment, a change of its proposal."""
    comment: Attribute[str | None] = attribute(default=None, max_length=2000)
    """What was said: a comment, the note of a submission, the reason of a retirement."""
    changed_fields: Attribute[dict[str, FieldChange] | None] = attribute(default=None, max_length=40)
    ask_again: Attribute[bool] = attribute(default=False)
    """Whether an approval asks those who must read it once more."""
    batch: Attribute[str | None] = attribute(default=None)
    """The job that did the same with several items: people hear of them together."""
    changed_month: Attribute[str] = derived(lambda changed_at: formats.month_of(changed_at))


@access_pattern("A change of a content item", CONTENT, documented=False, content_id="c1", change_id="h1")
def change(content_id: str, change_id: str) -> Get[ContentChange]:
    return ContentChange.get(ContentChange.history_of(content_id), ContentChange.change_id(change_id))


@access_pattern("History of a content item", CONTENT, documented=False, content_id="c1")
def history_of(content_id: str) -> Query[ContentChange]:
    return ContentChange.query(HISTORY, ContentChange.history_of(content_id)).newest_first()


@access_pattern("Changes of all content in a month", CONTENT, documented=False, month="2026-01")
def changes_in(month: str) -> Query[ContentChange]:
    return ContentChange.query(AUDIT, ContentChange.changed_month(month)).newest_first()


# 2. Proposals: readers keep what is released while somebody changes it
class Proposal(Item, table=CONTENT, pk="PROPOSAL#{of_content}"):
    """The change of a released content item, until it is approved and merged."""

    of_content: Attribute[str] = key_part()
    revision: Attribute[int] = version()
    based_on: Attribute[str]
    """The version of the content item when the change was begun."""
    fields: Attribute[ContentFields]
    """The content item as it will be; only the fields named in `proposed` count, the others follow the item."""
    proposed: Attribute[frozenset[str]] = attribute(default=frozenset(), max_length=40)
    begun_at: Attribute[Timestamp]
    begun_by: Attribute[str]
    changed_by: Attribute[str]
    approval_state: Attribute[ApprovalState | None] = attribute(default=None)
    submitted_at: Attribute[Timestamp | None] = attribute(default=None)
    submitted_by: Attribute[str | None] = attribute(default=None)
    change_note: Attribute[str | None] = attribute(default=None, max_length=500)
    approved_by: Attribute[str | None] = attribute(default=None)
    """Who approved it for a later day."""
    release_on: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    ask_again: Attribute[bool] = attribute(default=False)
    due_day: Attribute[str | None] = attribute(default=None, examples=["2026-01-15"])
    due_key: Attribute[str | None] = attribute(default=None, examples=["release#2026-01-15T00:00:00.000000Z#1"])
    approval_key: Attribute[str | None] = derived(
        lambda approval_state, submitted_at, of_content: approval_key(approval_state, submitted_at, of_content)
    )
    # Written by the background alone, if the proposal brings a file
    cover_key: Attribute[str | None] = attribute(default=None)
    page_count: Attribute[int | None] = attribute(default=None, ge=0)
    text_key: Attribute[str | None] = attribute(default=None)
    preview_state: Attribute[PreviewState | None] = attribute(default=None)
    preview_problem: Attribute[str | None] = attribute(default=None, max_length=300)
    """Why there is none, if it failed."""

    @property
    def version(self) -> str:
        """What an approval names: `3.1+2`, the second state of a change of version 3.1."""
        return formats.version_of_proposal(self.based_on, self.revision)


@access_pattern("The proposal to change a content item", CONTENT, documented=False, content_id="c1")
def proposal(content_id: str) -> Get[Proposal]:
    return Proposal.get(Proposal.of_content(content_id))


@access_pattern(
    "The proposals of several content items",
    CONTENT,
    documented=False,
    content_ids=tuple(f"c{number}" for number in range(10, 35)),
)
def proposals_of(content_ids: tuple[str, ...]) -> BatchGet[Proposal]:
    return BatchGet(tuple(Proposal.key(Proposal.of_content(content_id)) for content_id in content_ids))


@access_pattern("The approval queue, longest waiting first", CONTENT, documented=False, state="waiting")
def in_approval(state: ApprovalState) -> Query[Content | Proposal]:
    return collection(
        Content.query(BY_APPROVAL, Content.approval_state(state)),
        Proposal.query(BY_APPROVAL, Proposal.approval_state(state)),
    )


# 3. Versions: what every approval released
class Version(Item, table=CONTENT, pk="VERSION#{of_content}#{major}"):
    """A content item as it was approved: its fields, the names of its text and file, why, and by whom."""

    of_content: Attribute[str] = key_part()
    major: Attribute[int] = key_part()
    fields: Attribute[ContentFields]
    version: Attribute[str]
    approved_at: Attribute[Timestamp]
    approved_by: Attribute[str]
    written_by: Attribute[str]
    """The owner at that time."""
    change_note: Attribute[str | None] = attribute(default=None, max_length=500)
    cover_key: Attribute[str | None] = attribute(default=None)
    page_count: Attribute[int | None] = attribute(default=None, ge=0)
    text_key: Attribute[str | None] = attribute(default=None)


@access_pattern("A version of a content item", CONTENT, documented=False, content_id="c1", major=1)
def version_of(content_id: str, major: int) -> Get[Version]:
    return Version.get(Version.of_content(content_id), Version.major(major))


@access_pattern("Versions of a content item", CONTENT, documented=False, content_id="c1", majors=(3, 2, 1))
def versions_of(content_id: str, majors: tuple[int, ...]) -> BatchGet[Version]:
    """Majors count up from 1, so that no index is needed."""
    return BatchGet(tuple(Version.key(Version.of_content(content_id), Version.major(major)) for major in majors))
