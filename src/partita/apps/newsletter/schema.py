"""Newsletters and proposals in one table: a newsletter is four items, one per step; a proposal is one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from partita.table import (
    Action,
    Attribute,
    Get,
    Item,
    Query,
    Table,
    Update,
    access_pattern,
    attribute,
    collection,
    key_part,
    version,
)
from partita.table.types import Timestamp

MAIN = Table(
    "igad-testing-main-table",
    pk="PK",
    sk="SK",
    variable="TABLE_NAME",
    purpose="Shared by the newsletter generator and the proposal writer.",
)

BY_USER = MAIN.index("GSI1", pk="GSI1PK", sk="GSI1SK", purpose="A user's newsletters or proposals, by date")
SOURCES = MAIN.index("sources", pk="sourceShelf", sk="addedAt", purpose="Knowledge sources, newest first")
STEPS = MAIN.index(
    "steps", pk="runningStep", sk="claimedUntil", purpose="Steps under way, to take up what a crash left"
)

NewsletterCode = Annotated[
    str, StringConstraints(pattern=r"^NL-\d{8}-[A-Z0-9]{4}$"), Field(examples=["NL-20260126-A1B2"])
]
ProposalCode = Annotated[
    str, StringConstraints(pattern=r"^PROP-\d{8}-[A-Z0-9]{4}$"), Field(examples=["PROP-20260126-A1B2"])
]
StepStatus = Literal["pending", "processing", "completed", "failed"]
Audience = Literal[
    "myself", "researchers", "development_partners", "policy_makers", "ag_tech_industry", "field_staff", "farmers"
]


# 1. METADATA item (configuration, step 1)
class Newsletter(
    Item,
    table=MAIN,
    pk="NEWSLETTER#{newsletter_code}",
    sk="METADATA",
    keys={"GSI1PK": "USER#{user_id}", "GSI1SK": "NEWSLETTER#{created_at}"},
):
    """A newsletter's configuration."""

    id: Attribute[str]
    newsletter_code: Attribute[NewsletterCode] = attribute("newsletterCode")
    title: Attribute[str] = attribute(min_length=1, max_length=200)
    description: Attribute[str] = attribute(default="", max_length=2000)
    status: Attribute[Literal["draft", "completed", "exported"]] = attribute(default="draft")
    user_id: Attribute[str]
    user_email: Attribute[str]
    user_name: Attribute[str]
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]
    target_audience: Attribute[tuple[Audience, ...]] = attribute(default=())
    tone_professional: Attribute[int] = attribute(default=50, ge=0, le=100)
    tone_technical: Attribute[int] = attribute(default=50, ge=0, le=100)
    format_type: Attribute[Literal["email", "pdf", "web", "html"]] = attribute(default="email")
    length_preference: Attribute[Literal["short", "mixed", "long", "quick_read", "standard", "deep_dive"]] = attribute(
        default="mixed"
    )
    frequency: Attribute[Literal["daily", "weekly", "monthly", "quarterly", "custom"]] = attribute(default="weekly")
    geographic_focus: Attribute[str] = attribute(default="", max_length=200)
    current_step: Attribute[int] = attribute(default=1, ge=1, le=4)


# 2. TOPICS item (content planning, step 2)
class Topics(Item, table=MAIN, pk="NEWSLETTER#{newsletter_code}", sk="TOPICS"):
    """What the newsletter is about, and what was found for it."""

    newsletter_code: Attribute[NewsletterCode] = key_part()
    selected_types: Attribute[tuple[str, ...]] = attribute(default=())
    retrieval_status: Attribute[StepStatus] = attribute(default="pending")
    retrieval_started_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    retrieval_completed_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    retrieval_error: Attribute[str | None] = attribute(default=None, null=True)
    retrieved_content: Attribute[tuple[dict[str, Any], ...]] = attribute(default=(), large=300_000)
    total_chunks_retrieved: Attribute[int] = attribute(default=0, ge=0)
    updated_at: Attribute[Timestamp]


# 3. OUTLINE item (outline review, step 3)
class Outline(Item, table=MAIN, pk="NEWSLETTER#{newsletter_code}", sk="OUTLINE"):
    """Sections with items, and what the person changed of them."""

    newsletter_code: Attribute[NewsletterCode] = key_part()
    outline_status: Attribute[StepStatus] = attribute(default="pending")
    outline_started_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    outline_completed_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    outline_error: Attribute[str | None] = attribute(default=None, null=True)
    sections: Attribute[tuple[dict[str, Any], ...]] = attribute(default=())
    user_modifications: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    generated_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    updated_at: Attribute[Timestamp]


# 4. DRAFT item (draft and export, step 4)
class Draft(Item, table=MAIN, pk="NEWSLETTER#{newsletter_code}", sk="DRAFT"):
    """The text, as generated and as edited, and its exports."""

    newsletter_code: Attribute[NewsletterCode] = key_part()
    draft_status: Attribute[StepStatus] = attribute(default="pending")
    draft_started_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    draft_completed_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    draft_error: Attribute[str | None] = attribute(default=None, null=True)
    generated_content: Attribute[str] = attribute(default="", large=100_000)
    sections: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=100_000)
    user_edits: Attribute[str | None] = attribute(default=None, null=True, large=100_000)
    has_user_edits: Attribute[bool] = attribute(default=False)
    word_count: Attribute[int] = attribute(default=0, ge=0)
    estimated_read_time: Attribute[str] = attribute(default="")
    generated_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    updated_at: Attribute[Timestamp]
    exports: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    revision: Attribute[int] = version()


@access_pattern(
    "Get Newsletter by Code",
    MAIN,
    documented="Get Newsletter by Code: Get METADATA",
    newsletter_code="NL-20260126-A1B2",
)
def newsletter(newsletter_code: str) -> Get[Newsletter]:
    return Newsletter.get(Newsletter.newsletter_code(newsletter_code))


@access_pattern(
    "All items of a newsletter, to read them or to delete them",
    MAIN,
    documented=(
        "Get Newsletter by Code: Get all items for a newsletter",
        "Delete Newsletter (All Items): Delete all items for a newsletter",
    ),
    newsletter_code="NL-20260126-A1B2",
)
def whole_newsletter(newsletter_code: str) -> Query[Newsletter | Topics | Outline | Draft]:
    return collection(
        Newsletter.query(Newsletter.newsletter_code(newsletter_code)),
        Topics.query(Topics.newsletter_code(newsletter_code)),
        Outline.query(Outline.newsletter_code(newsletter_code)),
        Draft.query(Draft.newsletter_code(newsletter_code)),
    )


@access_pattern(
    "Topics of a newsletter",
    MAIN,
    documented="Support streaming: Load steps independently",
    newsletter_code="NL-20260126-A1B2",
)
def topics(newsletter_code: str) -> Get[Topics]:
    return Topics.get(Topics.newsletter_code(newsletter_code))


@access_pattern(
    "Outline of a newsletter",
    MAIN,
    documented="Support streaming: Load steps independently",
    newsletter_code="NL-20260126-A1B2",
)
def outline(newsletter_code: str) -> Get[Outline]:
    return Outline.get(Outline.newsletter_code(newsletter_code))


@access_pattern(
    "Draft of a newsletter",
    MAIN,
    documented="Support streaming: Load steps independently",
    newsletter_code="NL-20260126-A1B2",
)
def draft(newsletter_code: str) -> Get[Draft]:
    return Draft.get(Draft.newsletter_code(newsletter_code))


@access_pattern(
    "Update Newsletter Step Data",
    MAIN,
    documented="Update Newsletter Step Data: SET target_audience = :audience, updated_at = :now",
    newsletter_code="NL-20260126-A1B2",
    changes=(Newsletter.target_audience.set(("researchers", "policy_makers")),),
    now="2026-01-26T10:35:30Z",
)
def newsletter_changed(newsletter_code: str, changes: tuple[Action, ...], now: str) -> Update[Newsletter]:
    """Some fields of the configuration, and when; what was deleted meanwhile is not brought back."""
    key = Newsletter.key(Newsletter.newsletter_code(newsletter_code))
    return Update(key, *changes, Newsletter.updated_at.set(now))


@access_pattern(
    "List User's Newsletters",
    MAIN,
    documented="List User's Newsletters: Query GSI1 for all user newsletters (most recent first)",
    user_id="user123",
)
def newsletters_of(user_id: str) -> Query[Newsletter]:
    return Newsletter.query(BY_USER, Newsletter.user_id(user_id)).newest_first()


# The neighbour: a proposal is a single item under its own prefix.
class Proposal(
    Item,
    table=MAIN,
    pk="PROPOSAL#{proposal_code}",
    sk="METADATA",
    keys={"GSI1PK": "USER#{user_id}", "GSI1SK": "PROPOSAL#{created_at}"},
):
    """A proposal, all of its data in one item."""

    id: Attribute[str]
    proposal_code: Attribute[ProposalCode] = attribute("proposalCode")
    title: Attribute[str] = attribute(min_length=1, max_length=200)
    description: Attribute[str] = attribute(default="", max_length=5000)
    status: Attribute[str] = attribute(default="draft")
    user_id: Attribute[str]
    user_email: Attribute[str] = attribute(default="")
    user_name: Attribute[str] = attribute(default="")
    uploaded_files: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    text_inputs: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    metadata: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    created_at: Attribute[Timestamp]
    updated_at: Attribute[Timestamp]


@access_pattern(
    "Get proposal by code",
    MAIN,
    documented="Comparison with Proposal Writer: Single item (all data)",
    proposal_code="PROP-20260126-A1B2",
)
def proposal(proposal_code: str) -> Get[Proposal]:
    return Proposal.get(Proposal.proposal_code(proposal_code))


@access_pattern(
    "List user's proposals",
    MAIN,
    documented="Comparison with Proposal Writer: GSI1SK PROPOSAL#timestamp",
    user_id="user123",
)
def proposals_of(user_id: str) -> Query[Proposal]:
    return Proposal.query(BY_USER, Proposal.user_id(user_id)).newest_first()


# What retrieval searches: our own item types, never mixed into a newsletter's partition.
class Source(
    Item, table=MAIN, pk="SOURCE#{source_id}", sk="METADATA", keys={"sourceShelf": "sources", "addedAt": "{created_at}"}
):
    """A text, a file or a page that newsletters may draw from."""

    source_id: Attribute[str] = key_part()
    title: Attribute[str] = attribute(min_length=1, max_length=300)
    kind: Attribute[Literal["text", "markdown", "html", "pdf", "docx", "url"]]
    url: Attribute[str | None] = attribute(default=None)
    published: Attribute[str | None] = attribute(default=None)
    chunk_count: Attribute[int] = attribute(default=0, ge=0)
    created_by: Attribute[str]
    created_at: Attribute[Timestamp]


class Chunk(Item, table=MAIN, pk="SOURCE#{source_id}", sk="CHUNK#{position:06}"):
    """A piece of a source, small enough to be found and cited."""

    source_id: Attribute[str] = key_part()
    position: Attribute[int] = key_part(ge=0)
    text: Attribute[str] = attribute(max_length=20_000)
    heading: Attribute[str] = attribute(default="")


@access_pattern("A source", MAIN, documented=False, source_id="s1")
def source(source_id: str) -> Get[Source]:
    return Source.get(Source.source_id(source_id))


@access_pattern("All sources, newest first", MAIN, documented=False)
def sources() -> Query[Source]:
    return Source.query(SOURCES).newest_first()


@access_pattern("Chunks of a source", MAIN, documented=False, source_id="s1")
def chunks_of(source_id: str) -> Query[Chunk]:
    return Chunk.query(Chunk.source_id(source_id))


class StepRun(Item, table=MAIN, pk="STEP#{newsletter_code}", sk="{step}", keys={"runningStep": "{state}"}):
    """A generating step under way: two presses start one run, and a crashed worker's run is taken up again."""

    newsletter_code: Attribute[str] = key_part()
    step: Attribute[Literal["retrieval", "outline", "draft"]] = key_part()
    state: Attribute[Literal["running"] | None] = attribute(default="running")
    run_id: Attribute[str]
    claimed_until: Attribute[Timestamp] = attribute("claimedUntil")
    progress: Attribute[int] = attribute(default=0, ge=0, le=100)


@access_pattern("A step's run", MAIN, documented=False, newsletter_code="NL-20260126-A1B2", step="draft")
def step_run(newsletter_code: str, step: Literal["retrieval", "outline", "draft"]) -> Get[StepRun]:
    return StepRun.get(StepRun.newsletter_code(newsletter_code), StepRun.step(step))


@access_pattern("Runs whose worker is gone", MAIN, documented=False, now="2026-01-26T10:30:00.000000Z")
def abandoned_runs(now: str) -> Query[StepRun]:
    return StepRun.query(STEPS, StepRun.state("running")).before(StepRun.claimed_until(now))


class Prompt(Item, table=MAIN, pk="PROMPT#{name}", sk="VERSION#{version:06}"):
    """A version of a prompt; the highest one is in use."""

    name: Attribute[str] = key_part()
    version: Attribute[int] = key_part(ge=1)
    text: Attribute[str] = attribute(min_length=1, max_length=50_000)
    changed_by: Attribute[str]
    created_at: Attribute[Timestamp]


@access_pattern("Versions of a prompt, newest first", MAIN, documented=False, name="outline")
def prompt_versions(name: str) -> Query[Prompt]:
    return Prompt.query(Prompt.name(name)).newest_first()


# What `partita check` finds here, and why we live with it.
MAIN.accept("hot-partition", SOURCES, STEPS, because="staff add sources by hand, and few steps run at once")
MAIN.accept(
    "large-item", Topics, because="selected_types come from twelve; what retrieval found lies in a file when large"
)
MAIN.accept("large-item", Outline, Draft, because="an outline has dozens of items, and there are four export formats")
MAIN.accept(
    "large-item", Proposal, because="the document keeps a proposal in one item; files are kept in the file store"
)
MAIN.accept("heavy-page", prompt_versions, because="few people look at old versions of a prompt, and rarely")
