"""What people type in the newsletter generator, with every bound; fields are called as in the document."""

from __future__ import annotations

import re
from collections.abc import Container
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from partita.apps.newsletter.formats import MOST_TOPICS, ONE_OF_THE_TOPICS, TOPICS, topic_label
from partita.apps.newsletter.schema import (
    MOST_ITEMS,
    MOST_SECTIONS,
    SHARED_SHELF,
    Audience,
    ExportFormat,
    Language,
    Theme,
)
from partita.kit.inputs import (
    CLEARABLE,
    SNAKE_CASE,
    Changes,
    Edit,
    Input,
    Line,
    Text,
    Url,
    VersionedEdit,
    distinct,
    example,
    storable,
    tidy,
)


def _topic(value: Any) -> Any:
    return topic_label(value.strip()) if isinstance(value, str) else value


def _known_topic(value: str) -> str:
    if value not in TOPICS.values():
        raise ValueError(ONE_OF_THE_TOPICS)
    return value


def _split_lines(value: Any) -> Any:
    """Lines of a form, without empty ones."""
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list | tuple):
        return [line.strip() for each in value for line in str(each).split("\n") if line.strip()]
    return value


def _listed(value: Any) -> Any:
    """One value of a form is a list of one."""
    return [value] if isinstance(value, str) else value


Title = Annotated[Line, Field(min_length=1, max_length=200, examples=["Weekly Research Digest"])]
Description = Annotated[Text, Field(max_length=2000)]
Audiences = Annotated[
    tuple[Audience, ...],
    BeforeValidator(_listed),
    Field(max_length=7),
    AfterValidator(lambda v: tuple(dict.fromkeys(v))),
]
Tone = Annotated[int, Field(ge=0, le=100)]
Format = Literal["email", "pdf", "web", "html"]
Length = Literal["short", "mixed", "long", "quick_read", "standard", "deep_dive"]
Frequency = Literal["daily", "weekly", "monthly", "quarterly", "custom"]
Region = Annotated[Line, Field(max_length=200)]
Topic = Annotated[str, BeforeValidator(_topic), AfterValidator(_known_topic)]
TopicList = Annotated[
    tuple[Topic, ...],
    BeforeValidator(_listed),
    Field(min_length=1, max_length=MOST_TOPICS),
    AfterValidator(distinct),
]
ChunkId = Annotated[Line, Field(min_length=1, max_length=100)]
Id = Annotated[Line, Field(min_length=1, max_length=200)]


# 1. Configuration
class NewNewsletter(Input):
    """A newsletter's configuration."""

    model_config = SNAKE_CASE | example(
        title="Weekly Research Digest", target_audience=["researchers", "policy_makers"], frequency="weekly"
    )

    title: Title
    description: Description = ""
    target_audience: Audiences = ()
    tone_professional: Tone = 50
    tone_technical: Tone = 50
    format_type: Format = "email"
    length_preference: Length = "mixed"
    frequency: Frequency = "weekly"
    geographic_focus: Region = ""
    language: Language = "en"
    theme: Theme = "journal"
    issue_label: Annotated[Line, Field(max_length=80)] = ""
    preheader: Annotated[Line, Field(max_length=140)] = ""
    generator: Annotated[Line, Field(max_length=40)] = ""


class NewsletterEdit(Edit):
    """What changes of a newsletter's configuration; fields that are left out stay as they are."""

    model_config = SNAKE_CASE | example(title="Monthly Research Digest", frequency="monthly", revision=3)

    title: Title | None = None
    description: Description | None = None
    target_audience: Audiences | None = None
    tone_professional: Tone | None = None
    tone_technical: Tone | None = None
    format_type: Format | None = None
    length_preference: Length | None = None
    frequency: Frequency | None = None
    geographic_focus: Region | None = None
    language: Language | None = None
    theme: Theme | None = None
    issue_label: Annotated[Line, Field(max_length=80)] | None = None
    preheader: Annotated[Line, Field(max_length=140)] | None = None
    generator: Annotated[Line, Field(max_length=40)] | None = None


# 2. Topics
class TopicsEdit(Changes):
    """Which topics the newsletter has, and how their content is searched."""

    model_config = SNAKE_CASE | example(selected_types=["Research Findings", "Funding Opportunities"])

    selected_types: TopicList | None = None
    source_ids: Annotated[tuple[Id, ...], BeforeValidator(_listed), Field(max_length=200)] | None = None
    search_words: dict[Topic, Annotated[Line, Field(max_length=500)]] | None = None
    any_age: (
        Annotated[
            tuple[Topic, ...],
            BeforeValidator(_listed),
            Field(max_length=12, description="Topics for which content of any age is taken."),
        ]
        | None
    ) = None


class PassageEdit(Input):
    """What becomes of a passage: it comes first, never, or as it ranks."""

    model_config = SNAKE_CASE | example(mark="pinned")

    mark: Literal["pinned", "dropped", "none"]


# 3. Outline
ItemTitle = Annotated[Line, Field(min_length=1, max_length=200)]
Gist = Annotated[Text, Field(max_length=1000)]
WriterNote = Annotated[Text, Field(max_length=1000)]


class NewItem(Input):
    """A story that a person adds to a section."""

    model_config = SNAKE_CASE | example(section="section-2", title="A visit to the seed bank", note="Two paragraphs.")

    section: Id
    title: ItemTitle
    description: Gist = ""
    note: WriterNote = ""
    rag_reference_ids: Annotated[tuple[ChunkId, ...], BeforeValidator(_listed), Field(max_length=20)] = ()
    words: Annotated[int, Field(ge=0, le=5000)] = 0


class ItemEdit(VersionedEdit):
    """What changes of an item of the outline; its `version` is in the outline."""

    model_config = SNAKE_CASE | example(title="Sorghum that needs less rain", enabled=True)

    title: ItemTitle | None = None
    description: Gist | None = None
    note: WriterNote | None = None
    words: Annotated[int, Field(ge=0, le=5000)] | None = None
    enabled: bool | None = None
    rag_reference_ids: Annotated[tuple[ChunkId, ...], BeforeValidator(_listed), Field(max_length=20)] | None = None


class ItemMove(Input):
    """Where an item goes: a section and a place in it, counted from 0, or a step up or down."""

    model_config = SNAKE_CASE | example(section="section-3", position=0)

    section: Id | None = None
    position: Annotated[int, Field(ge=0, le=MOST_ITEMS)] | None = None
    direction: Literal["up", "down"] | None = None


class OutlineItemText(Input):
    """An item of an outline that is sent whole."""

    model_config = SNAKE_CASE

    id: Annotated[Line, Field(max_length=100)] = ""
    """Empty for a new one."""
    title: ItemTitle
    description: Gist = ""
    note: WriterNote = ""
    words: Annotated[int, Field(ge=0, le=5000)] = 0
    enabled: bool = True
    rag_reference_ids: Annotated[tuple[ChunkId, ...], BeforeValidator(_listed), Field(max_length=20)] = ()


class OutlineSectionText(Input):
    """A section of an outline that is sent whole."""

    model_config = SNAKE_CASE

    id: Annotated[Line, Field(max_length=100)] = ""
    name: Annotated[Line, Field(min_length=1, max_length=200)]
    enabled: bool = True
    items: Annotated[tuple[OutlineItemText, ...], Field(max_length=MOST_ITEMS)] = ()


class OutlineEdit(Input):
    """A whole outline: sections and items in their order; what is missing is removed."""

    model_config = SNAKE_CASE | example(revision=2, sections=[{"id": "section-1", "name": "Introduction", "items": []}])

    revision: int | None = Field(default=None, ge=1)
    sections: Annotated[tuple[OutlineSectionText, ...], Field(min_length=1, max_length=MOST_SECTIONS)]


# 4. Exports
class NewExport(Input):
    """A format to export."""

    model_config = SNAKE_CASE | example(format="pdf")

    format: ExportFormat
    short: Annotated[
        bool, Field(description="Only for mails: each story ends after its first paragraph, with a link to the rest.")
    ] = False


# 4b. Brand
def _colour(value: str) -> str:
    if re.fullmatch(r"#[0-9a-fA-F]{6}", value) is None:
        raise ValueError("Write a colour as # and six digits, such as #1f6f54.")
    return value.lower()


class BrandEdit(Input):
    """What changes of the brand; fields that are left out stay as they are."""

    model_config = SNAKE_CASE | example(colour="#1f6f54", masthead_line="Horn of Africa Research Network", version=3)

    colour: Annotated[Line, AfterValidator(_colour)] | None = None
    masthead_line: Annotated[Line, Field(max_length=120)] | None = None
    imprint: Annotated[Text, Field(max_length=2000)] | None = None
    sign_off: Annotated[Text, Field(max_length=500)] | None = None
    theme: Theme | None = None
    logo_alt: Annotated[Line, Field(max_length=200)] | None = None
    remove_logo: bool = False
    version: Annotated[
        int | None, Field(ge=0, description="The version you edited (0: none yet); refused if there is newer.")
    ] = None


# 5. Writers and prompts
PromptText = Annotated[Text, Field(min_length=1, max_length=20_000)]
WriterName = Literal["extractive", "bedrock", "openai"]


class PromptEdit(Input):
    """A new version of a prompt."""

    model_config = SNAKE_CASE | example(text="You write for a newsletter called “{title}” …", note="Shorter", version=2)

    text: PromptText
    note: Annotated[Line, Field(max_length=500)] = ""
    version: Annotated[
        int | None,
        Field(ge=0, description="The version you edited (0 is the program's own); refused if there is newer."),
    ] = None


class PromptTrial(Input):
    """A prompt to try; without a text the one in use, without a writer the one that is chosen."""

    model_config = SNAKE_CASE | example(text="You write for a newsletter called “{title}” …", writer="openai")

    text: PromptText | None = None
    writer: WriterName | None = None


class WriterChoice(Input):
    """Who writes, unless a newsletter says otherwise."""

    model_config = SNAKE_CASE | example(writer="openai")

    writer: WriterName


# 6. Shares, notes, approval
class NewShare(Input):
    """Whom to share with, and what they may do."""

    model_config = SNAKE_CASE | example(to="joyce", role="reader", review=True)

    to: Annotated[Line, Field(min_length=1, max_length=320, description="A username or an email address.")]
    role: Literal["reader", "editor"] = "reader"
    review: bool = Field(default=False, description="Whether they are asked for a review.")


class NewNote(Input):
    """A note on a section, or on all of it."""

    model_config = SNAKE_CASE | example(section_key="research_findings", text="Is this figure of this year?")

    section_key: Annotated[Line, Field(max_length=200)] = ""
    text: Annotated[Text, Field(min_length=1, max_length=2000)]


class NoteEdit(Input):
    """Whether a note is dealt with."""

    model_config = SNAKE_CASE | example(resolved=True)

    resolved: bool


class Decision(Input):
    """What a reviewer decides: approve this revision of the draft, ask for changes, or say that they have read it and
    have no objections."""

    model_config = SNAKE_CASE | example(decision="approve", revision=4)

    decision: Literal["approve", "ask_for_changes", "no_objections", "withdraw"]
    comment: Annotated[Text, Field(max_length=2000)] = ""
    revision: Annotated[
        int | None, Field(ge=1, description="The revision of the draft that you read; refused if it has changed since.")
    ] = None


# 5. Draft
Markdown = Annotated[str, BeforeValidator(tidy), Field(max_length=200_000)]
UpdatedAt = Annotated[str, Field(max_length=40, description="`updated_at` of the draft that you edited.")]
Base = Annotated[
    Markdown,
    Field(description="The text as you opened it: if nobody has changed it since, an older revision is no conflict."),
]


class SectionEdit(Input):
    """The text of a section, made from a revision of the draft."""

    model_config = SNAKE_CASE | example(text="## Research Findings\n\nSorghum yields rose by 12 % [3].", revision=4)

    text: Markdown
    revision: int = Field(ge=1)
    updated_at: UpdatedAt | None = None
    base: Base | None = None


class DraftEdit(Input):
    """The whole text, made from a revision of the draft."""

    model_config = SNAKE_CASE | example(user_edits="# Weekly Research Digest\n\n## News\n\nIt rained [1].", revision=4)

    user_edits: Annotated[Markdown, Field(min_length=1)]
    revision: int = Field(ge=1)
    updated_at: UpdatedAt | None = None
    base: Base | None = None


class DraftReset(Input):
    """What goes back to the generated text: a section, or all of them."""

    model_config = SNAKE_CASE | example(section="research_findings")

    section: Annotated[Line, Field(min_length=1, max_length=200)] | None = None
    revision: int | None = Field(default=None, ge=1)


class PastedText(Input):
    """HTML from a clipboard."""

    model_config = SNAKE_CASE | example(html="<p>It <b>rained</b>.</p>")

    html: Annotated[str, Field(max_length=1_000_000)]


class NewCitation(Input):
    """A sentence of a passage that is put into the text."""

    model_config = SNAKE_CASE | example(chunk_id="chunk-1a2b3c", quote="Sorghum yields rose by 12 percent.")

    chunk_id: ChunkId
    quote: Annotated[Text, Field(min_length=1, max_length=4000, description="What is used of it, a sentence a line.")]
    section: Annotated[Line, Field(max_length=200, description="Where `text` is put; empty for nowhere.")] = ""
    text: Annotated[Line, Field(max_length=2000)] = ""


class NewProposalCitation(Input):
    """A passage that a proposal cites: sentences of it, or the passage as a whole."""

    model_config = SNAKE_CASE | example(
        source_id="s1", chunk_id="chunk-1a2b3c", quote="Sorghum yields rose by 12 percent."
    )

    source_id: Annotated[Line, Field(min_length=1, max_length=100)]
    chunk_id: ChunkId
    quote: Annotated[
        Text, Field(max_length=4000, description="What is used of it, a sentence a line; empty for all of it.")
    ] = ""
    section: Annotated[Line, Field(max_length=200, description="Where `quote` is put; empty for nowhere.")] = ""


class PictureWords(Input):
    """What a picture shows, for those who do not see it."""

    model_config = SNAKE_CASE | example(alt="A field of sorghum in Turkana")

    alt: Annotated[Line, Field(min_length=1, max_length=300)]
    caption: Annotated[Line, Field(max_length=300)] = ""
    section: Annotated[Line, Field(max_length=200)] = ""


class SectionPreview(Input):
    """A section that is being typed."""

    model_config = SNAKE_CASE

    key: Annotated[Line, Field(min_length=1, max_length=200)]
    text: Markdown


# 6. Sources
SourceTitle = Annotated[Line, Field(min_length=1, max_length=300)]
Publisher = Annotated[Line, Field(max_length=200)]
Tag = Annotated[Line, Field(min_length=1, max_length=40)]
Tags = Annotated[tuple[Tag, ...], BeforeValidator(_listed), Field(max_length=10), AfterValidator(distinct)]
Shelf = Annotated[Line, Field(max_length=40, description="`sources`, or the code of a newsletter or proposal.")]
SourceLanguage = Annotated[Line, Field(pattern="^[a-z]{2}$", description="A code such as `en`.")]


class NewSource(Input):
    """A text that is pasted, or the address of a page or document."""

    model_config = SNAKE_CASE | example(url="https://example.org/report.pdf", tags=["maize"])

    title: Annotated[Line, Field(max_length=300)] = ""
    text: Annotated[str, BeforeValidator(tidy), Field(max_length=1_000_000)] = ""
    url: Url | None = None
    published: date | None = None
    publisher: Publisher = ""
    tags: Tags = ()
    shelf: Shelf = SHARED_SHELF


class SourceFacts(Input):
    """What is said of files that are sent."""

    model_config = SNAKE_CASE

    tags: Tags = ()
    shelf: Shelf = SHARED_SHELF


class SourceForm(Input):
    """Several sources at once: addresses, one a line, and a text."""

    model_config = SNAKE_CASE

    title: Annotated[Line, Field(max_length=300)] = ""
    text: Annotated[str, BeforeValidator(tidy), Field(max_length=900_000)] = ""
    urls: Annotated[tuple[Url, ...], BeforeValidator(_split_lines), Field(max_length=20)] = ()
    tags: Tags = ()


class SourceEdit(Edit):
    """What changes of a source; fields that are left out stay as they are."""

    model_config = SNAKE_CASE | example(title="Maize prices in March", published="2026-03-12", revision=2)

    title: SourceTitle | None = None
    published: Annotated[date | None, CLEARABLE] = None
    publisher: Publisher | None = None
    language: Annotated[SourceLanguage | None, CLEARABLE] = None
    tags: Tags | None = None
    enabled: bool | None = None


class SourceCorrection(Edit):
    """The facts of a source as its page sends them: all of them, and empty ones are empty."""

    model_config = SNAKE_CASE

    title: SourceTitle
    published: Annotated[date | None, CLEARABLE] = None
    publisher: Publisher = ""
    language: Annotated[SourceLanguage | None, CLEARABLE] = None
    tags: Tags = ()

    @property
    def edit(self) -> SourceEdit:
        """The same as an edit of every field."""
        return SourceEdit(**self.model_dump(exclude=None if self.revision else {"revision"}))


class ChunkSwitch(Input):
    """Whether a passage is searched."""

    model_config = SNAKE_CASE | example(position=3, enabled=False)

    position: int = Field(ge=0, le=999_999)
    enabled: bool


class RewriteWish(Input):
    """A piece of the text that a model says in other words."""

    model_config = SNAKE_CASE | example(text="Sorghum yields rose by 12 percent [1].", wish="shorter")

    text: Annotated[Markdown, Field(min_length=1, max_length=8000)]
    wish: Literal["shorter", "simpler", "more formal"]


# 9. Proposals
Guidance = Annotated[Text, Field(max_length=1000)]
WordLimit = Annotated[int, Field(ge=0, le=50_000)]
ProposalDescription = Annotated[Text, Field(max_length=5000)]
Applicant = Annotated[Line, Field(max_length=200)]
Funder = Annotated[Line, Field(max_length=200)]
Currency = Annotated[Line, Field(max_length=10)]
Amount = Annotated[int, Field(ge=0, le=10**12)]
ProposalStatus = Literal["draft", "in_review", "ready", "submitted", "accepted", "declined", "archived"]


Annex = Literal["yes", "no"]
"""Whether exports have the checklist of the call as an annex, if it has entries."""


SectionTexts = Annotated[
    dict[Annotated[Line, Field(min_length=1, max_length=100)], Markdown],
    Field(max_length=40, description="Section → Markdown; a key that no section has becomes a section."),
]
_FACTS = frozenset(
    {"applicant", "funder", "call_url", "deadline", "amount", "currency", "language", "theme", "annex", "frame"}
)
_KEPT_BY_US = frozenset({"sections", "requirements", "offer", "review", "frame"})


def _own_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """What others keep in a proposal's metadata: values of JSON that the table can hold, and nothing of ours."""
    ours = sorted(_KEPT_BY_US & metadata.keys())
    if ours:
        raise ValueError(f"{', '.join(ours)} cannot be set here: sections, requirements and reviews have routes.")
    stored: dict[str, Any] = storable(metadata)
    return stored


OwnMetadata = Annotated[
    dict[str, Any],
    AfterValidator(_own_metadata),
    Field(max_length=60, description="Facts, checked as the fields of the same name; the rest is kept as it is."),
]


def _with_facts(values: Any, fields: Container[str]) -> Any:
    """Facts in `metadata`, where the document has them, are the fields of the same name."""
    metadata = values.get("metadata") if isinstance(values, dict) else None
    if not isinstance(metadata, dict):
        return values
    facts = {name: value for name, value in metadata.items() if name in _FACTS and name in fields}
    rest = {name: value for name, value in metadata.items() if name not in facts}
    return {**facts, **values, "metadata": rest}


class NewProposal(Input):
    """A proposal and the frame it begins with."""

    model_config = SNAKE_CASE | example(title="Fodder banks in the drylands", frame="concept_note", funder="The Fund")

    title: Title
    description: ProposalDescription = ""
    frame: Literal["concept_note", "full_proposal", "letter_of_interest", "document"] = "concept_note"
    applicant: Applicant = ""
    funder: Funder = ""
    call_url: Url | None = None
    deadline: date | None = None
    amount: Amount | None = None
    currency: Currency = ""
    language: Language = "en"
    theme: Theme = "journal"
    annex: Annex = "yes"
    text_inputs: SectionTexts = Field(default_factory=dict)
    metadata: OwnMetadata = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _facts_of_metadata(cls, values: Any) -> Any:
        return _with_facts(values, cls.model_fields)


class ProposalEdit(Edit):
    """What changes of a proposal's facts; fields that are left out stay as they are."""

    model_config = SNAKE_CASE | example(deadline="2026-06-30", amount=250000, currency="USD", revision=3)

    title: Title | None = None
    description: ProposalDescription | None = None
    applicant: Applicant | None = None
    funder: Funder | None = None
    call_url: Annotated[Url | None, CLEARABLE] = None
    deadline: Annotated[date | None, CLEARABLE] = None
    amount: Annotated[Amount | None, CLEARABLE] = None
    currency: Currency | None = None
    language: Language | None = None
    theme: Theme | None = None
    annex: Annex | None = None
    text_inputs: SectionTexts | None = None
    metadata: OwnMetadata | None = None

    @model_validator(mode="before")
    @classmethod
    def _facts_of_metadata(cls, values: Any) -> Any:
        return _with_facts(values, cls.model_fields)


class ProposalFacts(Edit):
    """The facts of a proposal as its page sends them: all of them, and empty ones are empty."""

    model_config = SNAKE_CASE

    title: Title
    description: ProposalDescription = ""
    applicant: Applicant = ""
    funder: Funder = ""
    call_url: Annotated[Url | None, CLEARABLE] = None
    deadline: Annotated[date | None, CLEARABLE] = None
    amount: Annotated[Amount | None, CLEARABLE] = None
    currency: Currency = ""
    language: Language = "en"
    theme: Theme = "journal"
    annex: Annex = "yes"

    @property
    def edit(self) -> ProposalEdit:
        """The same as an edit of every field."""
        return ProposalEdit(**self.model_dump(exclude=None if self.revision else {"revision"}))


class NewProposalSection(Input):
    """A section that a person adds."""

    model_config = SNAKE_CASE | example(title="Risks", word_limit=300)

    title: ItemTitle
    guidance: Guidance = ""
    word_limit: WordLimit = 0


class ProposalSectionEdit(Changes):
    """What changes of a section beside its text; `move` takes it a step up or down."""

    model_config = SNAKE_CASE | example(done=True)

    title: ItemTitle | None = None
    guidance: Guidance | None = None
    word_limit: WordLimit | None = None
    done: bool | None = None
    move: Literal["up", "down"] | None = None


class ProposalSectionText(Input):
    """The text of a section, made from a revision of the proposal."""

    model_config = SNAKE_CASE | example(text="Two in three households lost animals [1].", revision=4)

    text: Markdown
    revision: int = Field(ge=1)
    base: Base | None = None


class StatusChange(Input):
    """Where a proposal goes."""

    model_config = SNAKE_CASE | example(status="in_review")

    status: ProposalStatus


class RequirementEdit(Changes):
    """A requirement that is ticked, or tied to a section; an empty section ties it to none."""

    model_config = SNAKE_CASE | example(done=True, section="budget")

    done: bool | None = None
    section: Annotated[Line, Field(max_length=200)] | None = None


class NewRequirement(Input):
    """A requirement that a person adds."""

    model_config = SNAKE_CASE | example(text="Two letters of support.", section="partners")

    text: Annotated[Line, Field(min_length=1, max_length=400)]
    section: Annotated[Line, Field(max_length=200)] = ""
