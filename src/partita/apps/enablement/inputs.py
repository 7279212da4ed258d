"""What people type in the portal, with every bound; fields are called as in the document."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from partita.apps.enablement import formats
from partita.apps.enablement.schema import (
    MOST_CONCEPTS,
    MOST_ENTRIES,
    MOST_SUITES,
    ContentFields,
    EventName,
    ExpiryPolicy,
    Rhythm,
    fields_of,
)
from partita.kit.files.files import MOST_UPLOAD
from partita.kit.inputs import CLEARABLE, SNAKE_CASE, Changes, Edit, Input, Line, Text, example, one_line, storable
from partita.table.types import timestamp

MOST_TEXT_BYTES = 200_000
MOST_METADATA_BYTES = 8_192
MOST_EVENTS = 100
MOST_IMPORT_ROWS = 500
MOST_AT_ONCE = 100
"""How many items somebody changes with one job."""
BulkAction = Literal["approve", "retire", "hand_over"]
NOTE_LENGTHS = (10, 500)
_SEPARATES = "Leave out “#”, and do not use “*” alone: both have a meaning where this is stored."
_TAG_ENDS = re.compile(r"[,;\n]")


def _absent(value: Any) -> Any:
    """A field that was left empty is absent."""
    return None if isinstance(value, str) and not value.strip() else value


def _name(value: str) -> str:
    if formats.separates(value):
        raise ValueError(_SEPARATES)
    return value


def _tags(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each tag once, as it was typed first."""
    return tuple({formats.folded(tag): tag for tag in reversed(values)}[key] for key in _keys(values))


def _keys(values: tuple[str, ...]) -> dict[str, None]:
    return dict.fromkeys(map(formats.folded, values))


def _small(value: str) -> str:
    if len(value.encode()) > MOST_TEXT_BYTES:
        raise ValueError(f"At most {MOST_TEXT_BYTES:,} bytes; this text has {len(value.encode()):,}.")
    return value


def _day(value: Any) -> Any:
    """A day as text; a moment is refused."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        try:
            return date.fromisoformat(value.strip()).isoformat() if formats.is_day(value.strip()) else _no_day()
        except ValueError:
            _no_day()
    return value


def _no_day() -> None:
    raise ValueError("Enter a day such as 2026-01-31.")


def _day_or_moment(value: Any) -> Any:
    """A day, or a moment in UTC."""
    if isinstance(value, str) and not formats.is_day(value.strip()):
        at = formats.moment_of(value.strip())
        if at is None:
            raise ValueError("Enter a day such as 2026-01-31, or a moment such as 2026-01-31T18:00:00Z.")
        return timestamp(at)
    if isinstance(value, datetime):
        return timestamp(value if value.tzinfo else value.replace(tzinfo=UTC))
    return _day(value)


Id = Annotated[Line, Field(min_length=1, max_length=200)]
Title = Annotated[Line, Field(min_length=1, max_length=300, examples=["How to price Atlas"])]
Summary = Annotated[Text, Field(max_length=500)]
Name = Annotated[Line, Field(min_length=1, max_length=100), AfterValidator(_name)]
OptionalName = Annotated[Name | None, BeforeValidator(_absent)]
Label = Annotated[Annotated[Line, Field(min_length=1, max_length=100)] | None, BeforeValidator(_absent)]
Tag = Annotated[Line, Field(min_length=1, max_length=40), AfterValidator(_name)]
Tags = Annotated[tuple[Tag, ...], Field(max_length=20), AfterValidator(_tags)]
Day = Annotated[str, BeforeValidator(_day), Field(json_schema_extra={"format": "date"}, examples=["2027-01-31"])]
OptionalDay = Annotated[Day | None, BeforeValidator(_absent)]
DayOrMoment = Annotated[
    Annotated[str, BeforeValidator(_day_or_moment), Field(examples=["2027-01-31"])] | None, BeforeValidator(_absent)
]
Markdown = Annotated[Text, AfterValidator(_small)]
Days = Annotated[int, Field(ge=1, le=3650)]
Policy = Annotated[ExpiryPolicy | None, BeforeValidator(_absent)]
Comment = Annotated[Text, Field(min_length=1, max_length=2000)]
Note = Annotated[
    Annotated[Text, Field(min_length=NOTE_LENGTHS[0], max_length=NOTE_LENGTHS[1])] | None, BeforeValidator(_absent)
]
SeenVersion = Annotated[
    Annotated[Line, Field(max_length=40)] | None,
    BeforeValidator(_absent),
    Field(description="The version you saw; refused with 409 if it has changed since."),
]


# 1. Content
class NewContent(Input):
    """A draft; only its title is needed until it is submitted."""

    model_config = SNAKE_CASE | example(title="How to price Atlas", summary="List prices and discounts.")

    title: Title
    summary: Summary = ""
    product_suite: OptionalName = None
    product_concept: OptionalName = None
    audience_role: Label = None
    lifecycle_stage: Label = None
    tags: Tags = ()
    review_due_date: OptionalDay = None
    review_every_days: Days | None = None
    effective_date: OptionalDay = None
    expiry_date: DayOrMoment = None
    expiry_policy: Policy = None
    text: Markdown | None = Field(default=None, description="The text in Markdown, 200 KB at most.")

    @property
    def fields(self) -> ContentFields:
        """The fields as they are stored; the text becomes a file."""
        return ContentFields(**self.model_dump(exclude={"text"}))


class ContentEdit(Changes):
    """What changes about a content item, or about the proposal to change it; fields that are left out stay."""

    model_config = SNAKE_CASE | example(summary="List prices, discounts and bundles.", version="0.3")
    made_from = "version"

    title: Title | None = None
    summary: Summary | None = None
    product_suite: Annotated[OptionalName, CLEARABLE] = None
    product_concept: Annotated[OptionalName, CLEARABLE] = None
    audience_role: Annotated[Label, CLEARABLE] = None
    lifecycle_stage: Annotated[Label, CLEARABLE] = None
    tags: Tags | None = None
    review_due_date: Annotated[OptionalDay, CLEARABLE] = None
    review_every_days: Annotated[Days | None, CLEARABLE] = None
    effective_date: Annotated[OptionalDay, CLEARABLE] = None
    expiry_date: Annotated[DayOrMoment, CLEARABLE] = None
    expiry_policy: Annotated[Policy, CLEARABLE] = None
    text: Annotated[Markdown | None, CLEARABLE] = None
    version: SeenVersion = None


class EditForm(NewContent):
    """The form of an edit. It shows the whole item, so that what is empty was emptied."""

    version: SeenVersion = None

    @property
    def edit(self) -> ContentEdit:
        """The same as an edit of every field."""
        return ContentEdit.model_construct(_fields_set=set(type(self).model_fields), **dict(self))

    @classmethod
    def of(cls, source: Any, text: str | None, version: str) -> EditForm:
        """The form as it is opened. Other programs may have stored what the form would refuse."""
        fields = {name: value for name, value in dict(fields_of(source)).items() if name in cls.model_fields}
        return cls.model_construct(**fields, text=text, version=version)


class NewUpload(Input):
    """A file that will be sent."""

    model_config = SNAKE_CASE | example(file_name="prices.pdf")

    file_name: Annotated[Line, Field(min_length=1, max_length=300)]
    size_bytes: Annotated[int, Field(ge=1, le=MOST_UPLOAD)] | None = Field(
        default=None, description="How large it is, so that a file which is too large is refused before it is sent."
    )


class Attachment(Input):
    """Attaches a file that was sent."""

    model_config = SNAKE_CASE | example(upload_id="x1", file_name="prices.pdf")

    upload_id: Id
    file_name: Annotated[Annotated[Line, Field(max_length=300)] | None, BeforeValidator(_absent)] = Field(
        default=None, description="What it is called; as it was announced if left out."
    )
    version: SeenVersion = None


class EditorForm(EditForm):
    """What the editor sends: the item, a file that has arrived, and whether all of it is submitted."""

    note: Note = None
    upload_id: Annotated[Id | None, BeforeValidator(_absent)] = None
    file_name: Annotated[Annotated[Line, Field(max_length=300)] | None, BeforeValidator(_absent)] = None
    remove_file: bool = False
    go: Literal["save", "submit"] = "save"

    @property
    def new(self) -> NewContent:
        """The same as a draft."""
        return NewContent.model_construct(**{name: getattr(self, name) for name in NewContent.model_fields})

    @property
    def edit(self) -> ContentEdit:
        """The same as an edit of every field."""
        values = {name: getattr(self, name) for name in EditForm.model_fields}
        return ContentEdit.model_construct(_fields_set=set(values), **values)


# 2. The life cycle
class Submission(Input):
    """Sends a draft or a proposal to the approvers."""

    model_config = SNAKE_CASE | example(note="Prices of 2027 added.")

    note: Note = Field(
        default=None, description="What changed, for readers; required from the second released version on."
    )
    version: SeenVersion = None


class NewComment(Input):
    """A comment on a content item, for its owner and the approvers."""

    model_config = SNAKE_CASE | example(comment="Is the discount of page 3 still right?")

    comment: Comment


class ChangesRequest(Input):
    """Sends it back to its author, and says why."""

    model_config = SNAKE_CASE | example(comment="Please add the prices of 2027.")

    comment: Comment
    version: SeenVersion = None


class Approval(Input):
    """Approves what the approver saw, now or for a day."""

    model_config = SNAKE_CASE | example(version="0.3")

    version: Annotated[
        Line, Field(min_length=1, max_length=40, description="The version you saw; refused with 409 if it has changed.")
    ]
    release_on: OptionalDay = Field(default=None, description="The day on which readers get it; today if left out.")
    note: Note = Field(default=None, description="What changed, for readers, if the author did not say.")
    comment: Annotated[Comment | None, BeforeValidator(_absent)] = None
    ask_again: bool = Field(default=False, description="Whether those who must read it are asked again.")


class Retirement(Input):
    """Takes it out of use."""

    model_config = SNAKE_CASE | example(reason="Atlas 1 is no longer sold.")

    reason: Annotated[Text, Field(min_length=1, max_length=1000)]
    superseded_by: Annotated[Id | None, BeforeValidator(_absent)] = Field(
        default=None, description="The id of the content that replaces it."
    )


class RetirementForm(Input):
    """The same on a page, where the replacement is named as people know it."""

    model_config = SNAKE_CASE

    reason: Annotated[Text, Field(min_length=1, max_length=1000)]
    superseded_by: Annotated[Title | None, BeforeValidator(_absent)] = None
    """Its title, the address of its page, or its id."""


class Validity(Changes):
    """From when and until when it is valid, and when it is reviewed; without approval, by an approver."""

    model_config = SNAKE_CASE | example(expiry_date="2027-12-31")
    made_from = "version"

    release_on: OptionalDay = None
    """Only while it is scheduled."""
    review_due_date: Annotated[OptionalDay, CLEARABLE] = None
    review_every_days: Annotated[Days | None, CLEARABLE] = None
    expiry_date: Annotated[DayOrMoment, CLEARABLE] = None
    expiry_policy: Annotated[Policy, CLEARABLE] = None
    version: SeenVersion = None


class Reason(Input):
    """Why something is done, if somebody wants to say it."""

    model_config = SNAKE_CASE | example(comment="The tariff has ended early.")

    comment: Annotated[Comment | None, BeforeValidator(_absent)] = None


class Transfer(Input):
    """Hands content to a colleague."""

    model_config = SNAKE_CASE | example(to="ioana")

    to: Annotated[Line, Field(min_length=1, max_length=100, description="The colleague's username.")]
    comment: Annotated[Comment | None, BeforeValidator(_absent)] = None


class BulkItem(Input):
    """One of several items, as somebody saw it."""

    model_config = SNAKE_CASE | example(content_id="01hx", version="0.3")

    content_id: Id
    version: SeenVersion = None
    """Needed to approve it."""


class BulkStep(Input):
    """The same step for several items."""

    model_config = SNAKE_CASE | example(
        action="retire", items=[{"content_id": "01hx"}], reason="Atlas 1 is no longer sold."
    )

    action: BulkAction
    items: Annotated[tuple[BulkItem, ...], Field(min_length=1, max_length=MOST_AT_ONCE)]
    reason: Annotated[Annotated[Text, Field(max_length=1000)] | None, BeforeValidator(_absent)] = None
    """Needed to retire: readers see it."""
    to: Annotated[Annotated[Line, Field(max_length=100)] | None, BeforeValidator(_absent)] = None
    """Needed to hand over: the colleague's username."""
    comment: Annotated[Comment | None, BeforeValidator(_absent)] = None


# 3. Readers
class MustReadRequest(Input):
    """Asks people to read something by a day."""

    model_config = SNAKE_CASE | example(read_by="2027-01-31", usernames=["mara"], groups=[])

    read_by: Day
    usernames: Annotated[tuple[Annotated[Line, Field(min_length=1, max_length=100)], ...], Field(max_length=500)] = ()
    groups: Annotated[tuple[Annotated[Line, Field(min_length=1, max_length=100)], ...], Field(max_length=20)] = ()

    @model_validator(mode="after")
    def _somebody(self) -> MustReadRequest:
        if not self.usernames and not self.groups:
            raise ValueError("Name at least one person or group.")
        return self


class VoteInput(Input):
    """Whether it helped."""

    model_config = SNAKE_CASE | example(helped=True)

    helped: bool


class NewReport(Input):
    """What is wrong with it."""

    model_config = SNAKE_CASE | example(text="The price of the bundle on page 3 is from last year.")

    text: Annotated[Text, Field(min_length=10, max_length=1000)]


class ReportAnswer(Input):
    """What became of a report."""

    model_config = SNAKE_CASE | example(answer="Thank you: mended in version 4.")

    answer: Annotated[Text, Field(min_length=1, max_length=1000)]


class CollectionEntry(Input):
    """A content item in a collection."""

    model_config = SNAKE_CASE

    content_id: Id
    note: Annotated[Text, Field(max_length=300)] = ""


CollectionTitle = Annotated[Line, Field(min_length=1, max_length=200)]
CollectionText = Annotated[Text, Field(max_length=5000)]
Entries = Annotated[tuple[CollectionEntry, ...], Field(max_length=MOST_ENTRIES)]


class NewCollection(Input):
    """Content to be read in an order."""

    model_config = SNAKE_CASE | example(title="Your first week", text="", entries=[])

    title: CollectionTitle
    text: CollectionText = ""
    entries: Entries = ()


class CollectionEdit(Edit):
    """What changes about a collection."""

    model_config = SNAKE_CASE | example(title="Your first month")

    title: CollectionTitle | None = None
    text: CollectionText | None = None
    entries: Entries | None = None


class NewView(Input):
    """Filters of the library to be kept under a name; `query` is that of its address."""

    model_config = SNAKE_CASE | example(name="Price lists", query="suite=Atlas&tag=prices")

    name: Annotated[Line, Field(min_length=1, max_length=60)]
    query: Annotated[str, Field(max_length=3000)] = ""


# 4. Being told
class NewSubscription(Input):
    """What somebody wants to hear of; what is left out means any."""

    model_config = SNAKE_CASE | example(product_suite="Atlas", tags=["pricing"])

    product_suite: OptionalName = None
    product_concept: OptionalName = None
    tags: Tags = ()


class ReadAll(Input):
    """Marks notifications as read."""

    model_config = SNAKE_CASE | example(until="2026-01-26T10:30:00Z")

    until: Annotated[DayOrMoment, Field(description="When your list was made: what came later stays unread.")] = None


class PreferencesForm(Input):
    """The three questions of the settings page."""

    model_config = SNAKE_CASE

    my_work: Rhythm
    must_read: Rhythm
    news: Rhythm


class PreferencesInput(Changes):
    """How often somebody gets mail, for each of three kinds of news."""

    model_config = SNAKE_CASE | example(news="weekly")

    my_work: Rhythm | None = None
    must_read: Rhythm | None = None
    news: Rhythm | None = None


# 5. Events
class EventInput(Input):
    """Something that happened in a browser or program; who and when, the server says."""

    model_config = SNAKE_CASE | example(event_name="search_done", metadata={"words": "discount table", "results": 3})

    event_name: EventName
    content_id: Annotated[Id | None, BeforeValidator(_absent)] = None
    metadata: dict[Annotated[str, Field(max_length=100)], Any] | None = None

    @field_validator("metadata")
    @classmethod
    def _bounded(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        try:
            size = 0 if value is None else len(orjson.dumps(value))
        except (TypeError, orjson.JSONEncodeError):
            raise ValueError("Metadata holds what JSON can hold.") from None
        if size > MOST_METADATA_BYTES:
            raise ValueError(f"At most {MOST_METADATA_BYTES:,} bytes as JSON; this has {size:,}.")
        stored: dict[str, Any] | None = storable(value)
        return stored


class EventBatch(Input):
    """Several events at once."""

    model_config = SNAKE_CASE

    events: Annotated[tuple[EventInput, ...], Field(min_length=1, max_length=MOST_EVENTS)]


# 6. Products
class SuiteInput(Input):
    """A product suite."""

    model_config = SNAKE_CASE

    name: Name
    concepts: Annotated[tuple[Name, ...], Field(max_length=MOST_CONCEPTS)] = ()
    colour: Annotated[int, Field(ge=1, le=12)] = 1
    review_days: Days | None = None
    valid_days: Days | None = None


Labels = Annotated[tuple[Annotated[Line, Field(min_length=1, max_length=100)], ...], Field(max_length=40)]


class ProductsInput(Input):
    """The whole list of suites, audiences and stages."""

    model_config = SNAKE_CASE | example(suites=[{"name": "Atlas", "concepts": ["Pricing"], "colour": 3}], revision=0)

    suites: Annotated[tuple[SuiteInput, ...], Field(max_length=MOST_SUITES)]
    audiences: Labels = ()
    stages: Labels = ()
    revision: Annotated[int, Field(ge=0, description="The revision you edited; 0 if there is no list yet.")]

    @field_validator("suites")
    @classmethod
    def _once(cls, value: tuple[SuiteInput, ...]) -> tuple[SuiteInput, ...]:
        names = [formats.folded(suite.name) for suite in value]
        if len(set(names)) != len(names):
            raise ValueError("Name each suite once.")
        return value


# 7. Import
class ImportStart(Input):
    """Starts an import."""

    model_config = SNAKE_CASE | example(submit=False)

    submit: bool = Field(default=False, description="Whether the drafts are submitted for approval as well.")


class ImportRow(Input):
    """A row of a CSV file, by the names of its columns."""

    model_config = SNAKE_CASE

    title: Title
    summary: Summary = ""
    suite: OptionalName = None
    concept: OptionalName = None
    tags: Annotated[Tags, BeforeValidator(lambda value: _split_tags(value))] = ()
    audience: Label = None
    review_date: OptionalDay = None
    expiry_date: DayOrMoment = None
    file_name: Annotated[Annotated[Line, Field(max_length=300)] | None, BeforeValidator(_absent)] = None


def _split_tags(value: Any) -> Any:
    """Tags in one cell, separated by commas or semicolons."""
    if not isinstance(value, str):
        return value
    return tuple(tag for part in _TAG_ENDS.split(value) if (tag := one_line(part)))
