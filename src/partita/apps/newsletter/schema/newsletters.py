"""A newsletter is four items, one per step: configuration, topics, outline, draft."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from partita.apps.newsletter.schema.main import (
    BY_USER,
    MAIN,
    MOST_IMAGES,
    MOST_SECTIONS,
    TOUCHED,
    Audience,
    Language,
    NewsletterCode,
    StepStatus,
    Theme,
    UnlessEmpty,
    left_out,
)
from partita.table import (
    Action,
    Attribute,
    BatchGet,
    Get,
    Item,
    Query,
    Update,
    access_pattern,
    attribute,
    collection,
    derived,
    key_part,
    version,
)
from partita.table.types import Timestamp


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
    user_name: Attribute[str] = attribute(default="")
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
    """The furthest step that was reached, not the one that is shown."""

    # Ours
    revision: Attribute[int] = version()
    language: Attribute[Annotated[Language, left_out("en")]] = attribute(default="en")
    theme: Attribute[Annotated[Theme, left_out("journal")]] = attribute(default="journal")
    issue_label: Attribute[UnlessEmpty[str]] = attribute(default="", max_length=80)
    preheader: Attribute[UnlessEmpty[str]] = attribute(default="", max_length=140)
    series_id: Attribute[str | None] = attribute(default=None)
    issue_number: Attribute[int | None] = attribute(default=None, ge=1)
    generator: Attribute[UnlessEmpty[str]] = attribute(default="", max_length=40)
    """The writer; empty for the one that is set for all."""
    approved_by: Attribute[str | None] = attribute(default=None)
    approved_at: Attribute[Timestamp | None] = attribute(default=None)
    approved_revision: Attribute[int | None] = attribute(default=None)
    """The draft's revision when it was approved."""
    approved_edition: Attribute[str | None] = attribute(default=None, max_length=64)
    """A digest of all that was printed then: the text, and what the configuration prints beside it."""
    review_asked_at: Attribute[Timestamp | None] = attribute(default=None)
    changes_asked_by: Attribute[str | None] = attribute(default=None)
    changes_asked_at: Attribute[Timestamp | None] = attribute(default=None)
    """When a reviewer asked for changes, until somebody approves it or asks for a review again."""
    link_digest: Attribute[str | None] = attribute(default=None)
    """The digest of the secret in its read-online link; the item `Link` has the same."""
    link_nonce: Attribute[str | None] = attribute(default=None)
    """What the secret is derived from, together with a key that is not stored here."""
    headlines: Attribute[UnlessEmpty[tuple[str, ...]]] = attribute(default=(), max_length=3)
    """For the desk; kept by the change stream, as is `attention`."""
    attention: Attribute[UnlessEmpty[dict[str, int]]] = attribute(default_factory=dict, max_length=3)
    """`notes` (open ones), `failed` (steps), `review` (asked for) → how many; what is 0 is left out."""
    touched_at: Attribute[Timestamp | None] = attribute("touchedAt", default=None)
    """When somebody last edited anything of it; written at most once a minute."""
    touched_by: Attribute[str | None] = derived(
        lambda user_id, touched_at: None if touched_at is None else f"NEWSLETTER#{user_id}", name="touchedBy"
    )


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

    # Ours
    revision: Attribute[int] = version()
    source_ids: Attribute[UnlessEmpty[tuple[str, ...]]] = attribute(default=(), max_length=200)
    """The sources to search; empty for all."""
    search_words: Attribute[UnlessEmpty[dict[str, str]]] = attribute(default_factory=dict)
    """Topic → the person's own words instead of ours."""
    pinned: Attribute[UnlessEmpty[tuple[str, ...]]] = attribute(default=(), max_length=200)
    """Chunk ids that come first."""
    excluded: Attribute[UnlessEmpty[tuple[str, ...]]] = attribute(default=(), max_length=500)
    """Chunk ids that never come."""
    any_age: Attribute[UnlessEmpty[tuple[str, ...]]] = attribute(default=(), max_length=12)
    """Topics for which content of any age is taken."""
    settings: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict)
    """What the retrieval was made with; the page tells what has changed since."""
    thin: Attribute[UnlessEmpty[tuple[str, ...]]] = attribute(default=(), max_length=12)
    """Topics with fewer than two passages."""


# 3. OUTLINE item (outline review, step 3)
class Outline(Item, table=MAIN, pk="NEWSLETTER#{newsletter_code}", sk="OUTLINE"):
    """Sections with items, and what the person changed of them."""

    newsletter_code: Attribute[NewsletterCode] = key_part()
    outline_status: Attribute[StepStatus] = attribute(default="pending")
    outline_started_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    outline_completed_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    outline_error: Attribute[str | None] = attribute(default=None, null=True)
    sections: Attribute[tuple[dict[str, Any], ...]] = attribute(default=(), max_length=MOST_SECTIONS, large=100_000)
    user_modifications: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    generated_at: Attribute[Timestamp | None] = attribute(default=None, null=True)
    updated_at: Attribute[Timestamp]

    # Ours
    revision: Attribute[int] = version()
    last_numbers: Attribute[UnlessEmpty[dict[str, int]]] = attribute(default_factory=dict)
    """`section`, `item-2`, `custom-item` → the highest number that was ever given: ids are never given twice."""
    settings: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict)
    made_with: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict)
    """`writer`, `model`, `prompt_version`, `tokens`, `seconds`, `calls`, `fallback`."""


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
    """Format → `s3_key`, `generated_at`, `file_size`; ours are `revision`, `theme`, `pages`, `warnings`, and
    `page_keys`: the pictures of a PDF's pages."""

    # Ours
    revision: Attribute[int] = version()
    edited_sections: Attribute[UnlessEmpty[dict[str, str]]] = attribute(default_factory=dict, large=100_000)
    """Section key → the person's text; `user_edits` is the whole edition with these in it."""
    citations: Attribute[UnlessEmpty[tuple[dict[str, Any], ...]]] = attribute(default=(), large=32_000)
    """`n`, `chunk_id`, `source_id`, `title`, `url`, `date`, `page`, `quote`: copies, whatever becomes of the source."""
    made_with: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict, large=32_000)
    """Section key → `writer`, `model`, `prompt_version`, `tokens`, `seconds`, `fallback`."""
    quality: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict, large=32_000)
    outline_revision: Attribute[UnlessEmpty[int]] = attribute(default=0, ge=0)
    settings: Attribute[UnlessEmpty[dict[str, Any]]] = attribute(default_factory=dict)
    images: Attribute[UnlessEmpty[tuple[dict[str, Any], ...]]] = attribute(default=(), max_length=MOST_IMAGES)
    """`s3_key`, `alt`, `caption`, `file_size`, `width`, `height`."""


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


@access_pattern("A user's newsletters, last edited first", MAIN, documented=False, user_id="user123")
def newsletters_touched(user_id: str) -> Query[Newsletter]:
    return Newsletter.query(TOUCHED, Newsletter.touched_by(f"NEWSLETTER#{user_id}")).newest_first()


@access_pattern(
    "Several newsletters, such as those shared with somebody",
    MAIN,
    documented=False,
    newsletter_codes=("NL-20260126-A1B2", "NL-20260126-A1B3"),
)
def newsletters_with(newsletter_codes: tuple[str, ...]) -> BatchGet[Newsletter]:
    return BatchGet(tuple(Newsletter.key(Newsletter.newsletter_code(code)) for code in newsletter_codes))
