"""The one table of newsletters and proposals, its indexes, and the types that its items have in common."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, SerializationInfo, SerializerFunctionWrapHandler, StringConstraints, WrapSerializer

from partita.table import Table

T = TypeVar("T")

MAIN = Table(
    "igad-testing-main-table",
    pk="PK",
    sk="SK",
    variable="TABLE_NAME",
    purpose="Shared by the newsletter generator and the proposal writer.",
)

# The document's index
BY_USER = MAIN.index("GSI1", pk="GSI1PK", sk="GSI1SK", purpose="A user's newsletters or proposals, by date")

# Our three: sources by shelf, what was edited last, and what is due
SOURCES = MAIN.index("sources", pk="sourceShelf", sk="addedAt", purpose="Knowledge sources of a shelf, newest first")
TOUCHED = MAIN.index(
    "touched", pk="touchedBy", sk="touchedAt", purpose="A user's newsletters or proposals, last edited first"
)
DUE = MAIN.index("due", pk="dueBy", sk="dueAt", purpose="A user's proposals by deadline: sparse")

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
Language = Literal["en", "am", "ar"]
Theme = Literal["journal", "bulletin", "field", "letter"]


def left_out(default: Any = None) -> WrapSerializer:
    """What is ours is not stored while it is empty or has its default: rows of the original program stay as they are.
    In JSON it is shown all the same."""

    def written(value: Any, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> Any:
        usual = not value if default is None else value == default
        return None if usual and not info.mode_is_json() else handler(value)

    return WrapSerializer(written)


UnlessEmpty = Annotated[T, left_out()]
ExportFormat = Literal["pdf", "docx", "html", "md", "eml", "email"]
StepName = Literal[
    "retrieval",
    "outline",
    "draft",
    "section",
    "intake",
    "requirements",
    "proposal",
    "export-pdf",
    "export-docx",
    "export-html",
    "export-md",
    "export-eml",
    "export-email",
]
SHARED_SHELF = "sources"
"""The shelf from which every newsletter draws; a private one has the code of its newsletter or proposal."""
MOST_SECTIONS = 40
MOST_ITEMS = 200
MOST_IMAGES = 20
