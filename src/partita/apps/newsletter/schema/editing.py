"""What lies around a text: its versions, its series, who may see it, what they say about it, and how it looks."""

from __future__ import annotations

from typing import Any, Literal

from partita.apps.newsletter.schema.main import BY_USER, MAIN, Theme, UnlessEmpty
from partita.table import Attribute, Get, Item, Query, access_pattern, attribute, key_part
from partita.table.types import Timestamp

HistoryAction = Literal["generated", "saved", "reset", "restored"]


# 1. History of a draft, or of a proposal's text
class TextVersion(Item, table=MAIN, pk="HISTORY#{code}", sk="DRAFT#{revision:06}"):
    """A text as it was."""

    code: Attribute[str] = key_part()
    revision: Attribute[int] = key_part(ge=1)
    text: Attribute[str] = attribute(default="", large=32_000)
    sections: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=32_000)
    """Section key → Markdown, to restore it by section."""
    citations: Attribute[tuple[dict[str, Any], ...]] = attribute(default=(), large=32_000)
    by: Attribute[str]
    """A user's id; empty for the writer."""
    by_name: Attribute[str] = attribute(default="")
    action: Attribute[HistoryAction]
    words: Attribute[int] = attribute(default=0, ge=0)
    at: Attribute[Timestamp]


@access_pattern("A version of a text", MAIN, documented=False, code="NL-20260126-A1B2", revision=3)
def text_version(code: str, revision: int) -> Get[TextVersion]:
    return TextVersion.get(TextVersion.code(code), TextVersion.revision(revision))


@access_pattern("The versions of a text, newest first", MAIN, documented=False, code="NL-20260126-A1B2")
def text_versions(code: str) -> Query[TextVersion]:
    return TextVersion.query(TextVersion.code(code)).newest_first()


# 2. Series
class Issue(Item, table=MAIN, pk="SERIES#{series_id}", sk="ISSUE#{created_at}"):
    """An issue of a series, and what it cites: later issues rank that lower."""

    series_id: Attribute[str] = key_part()
    created_at: Attribute[Timestamp] = key_part()
    newsletter_code: Attribute[str]
    issue_number: Attribute[int] = attribute(default=1, ge=1)
    chunk_ids: Attribute[tuple[str, ...]] = attribute(default=(), max_length=500)


@access_pattern("The issues of a series, newest first", MAIN, documented=False, series_id="r1")
def issues_of(series_id: str) -> Query[Issue]:
    return Issue.query(Issue.series_id(series_id)).newest_first()


def issues_before(series_id: str, created_at: str) -> Query[Issue]:
    """The issues of a series that were made before a moment, newest first."""
    return issues_of(series_id).before(Issue.created_at(created_at))


# 3. Shares
class Share(
    Item,
    table=MAIN,
    pk="SHARE#{code}",
    sk="USER#{user_id}",
    keys={"GSI1PK": "USER#{user_id}", "GSI1SK": "SHARED#{shared_at}"},
):
    """Somebody else who may read or edit a newsletter or proposal."""

    code: Attribute[str] = attribute("sharedCode")
    user_id: Attribute[str] = attribute("sharedWith")
    role: Attribute[Literal["reader", "editor"]] = attribute(default="reader")
    shared_by: Attribute[str]
    shared_at: Attribute[Timestamp]
    review_asked: Attribute[bool] = attribute(default=False)
    user_name: Attribute[str] = attribute(default="")


@access_pattern(
    "Whether something is shared with somebody", MAIN, documented=False, code="NL-20260126-A1B2", user_id="user123"
)
def share(code: str, user_id: str) -> Get[Share]:
    return Share.get(Share.code(code), Share.user_id(user_id))


@access_pattern("With whom something is shared", MAIN, documented=False, code="NL-20260126-A1B2")
def shares_of(code: str) -> Query[Share]:
    return Share.query(Share.code(code))


@access_pattern("What is shared with somebody, newest first", MAIN, documented=False, user_id="user123")
def shared_with(user_id: str) -> Query[Share]:
    return Share.query(BY_USER, Share.user_id(user_id)).newest_first()


# 4. Notes
class Note(Item, table=MAIN, pk="REVIEW#{code}", sk="NOTE#{created_at}#{note_id}"):
    """What a reader says about a section."""

    code: Attribute[str] = key_part()
    created_at: Attribute[Timestamp] = key_part()
    note_id: Attribute[str] = key_part()
    section_key: Attribute[str] = attribute(default="", max_length=200)
    """Empty for the whole edition."""
    text: Attribute[str] = attribute(min_length=1, max_length=2000)
    by: Attribute[str]
    by_name: Attribute[str] = attribute(default="")
    resolved_at: Attribute[Timestamp | None] = attribute(default=None)
    resolved_by: Attribute[str | None] = attribute(default=None)
    decision: Attribute[UnlessEmpty[str]] = attribute(default="", max_length=40)
    """`approve`, `ask_for_changes` or `no_objections` if it is the comment of a decision; the first two are told
    instead of the note."""

    @property
    def open(self) -> bool:
        return self.resolved_at is None


@access_pattern(
    "A note",
    MAIN,
    documented=False,
    code="NL-20260126-A1B2",
    created_at="2026-01-26T10:30:00.000000Z",
    note_id="n1",
)
def note(code: str, created_at: str, note_id: str) -> Get[Note]:
    return Note.get(Note.code(code), Note.created_at(created_at), Note.note_id(note_id))


@access_pattern("The notes on something, oldest first", MAIN, documented=False, code="NL-20260126-A1B2")
def notes_on(code: str) -> Query[Note]:
    return Note.query(Note.code(code))


# 5. Read-online links
class Link(Item, table=MAIN, pk="LINK#{digest}", sk="METADATA"):
    """A secret link to the web edition; deleted when it is revoked."""

    digest: Attribute[str] = key_part()
    """SHA-256 of the secret, in hexadecimal."""
    newsletter_code: Attribute[str]
    created_by: Attribute[str]
    created_at: Attribute[Timestamp]


@access_pattern("What a secret link opens", MAIN, documented=False, digest="0a")
def link(digest: str) -> Get[Link]:
    return Link.get(Link.digest(digest))


# 6. Brand and prompts: the highest version is in use
class Brand(Item, table=MAIN, pk="BRAND", sk="VERSION#{version:06}"):
    """How our editions look."""

    version: Attribute[int] = key_part(ge=1)
    logo_key: Attribute[str | None] = attribute(default=None)
    logo_alt: Attribute[str] = attribute(default="", max_length=200)
    colour: Attribute[str] = attribute(default="#7a3e9d", pattern=r"^#[0-9a-f]{6}$")
    masthead_line: Attribute[str] = attribute(default="", max_length=120)
    imprint: Attribute[str] = attribute(default="", max_length=2000)
    sign_off: Attribute[str] = attribute(default="", max_length=500)
    theme: Attribute[Theme] = attribute(default="journal")
    changed_by: Attribute[str]
    created_at: Attribute[Timestamp]


@access_pattern("Versions of the brand, newest first", MAIN, documented=False)
def brand_versions() -> Query[Brand]:
    return Brand.query().newest_first()


class Prompt(Item, table=MAIN, pk="PROMPT#{name}", sk="VERSION#{version:06}"):
    """A version of a prompt; the highest one is in use."""

    name: Attribute[str] = key_part()
    version: Attribute[int] = key_part(ge=1)
    text: Attribute[str] = attribute(min_length=1, max_length=50_000)
    note: Attribute[str] = attribute(default="", max_length=500)
    changed_by: Attribute[str]
    created_at: Attribute[Timestamp]


@access_pattern("Versions of a prompt, newest first", MAIN, documented=False, name="outline")
def prompt_versions(name: str) -> Query[Prompt]:
    return Prompt.query(Prompt.name(name)).newest_first()


@access_pattern("A version of a prompt", MAIN, documented=False, name="outline", version=2)
def prompt(name: str, version: int) -> Get[Prompt]:
    return Prompt.get(Prompt.name(name), Prompt.version(version))
