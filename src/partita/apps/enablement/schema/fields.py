"""What people write about a content item: the fields that a proposal changes and a version keeps."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Status = Literal["Draft", "Approved", "Deprecated", "Expired"]
ExpiryPolicy = Literal["soft_expire", "hard_expire"]
ApprovalState = Literal["waiting", "changes_requested", "scheduled"]
PreviewState = Literal["making", "ready", "none", "failed"]


class ContentFields(BaseModel):
    """The documented attributes that people edit, by their documented names."""

    model_config = ConfigDict(frozen=True)

    title: str = ""
    summary: str = ""
    product_suite: str | None = None
    product_concept: str | None = None
    audience_role: str | None = None
    lifecycle_stage: str | None = None
    tags: tuple[str, ...] = ()
    review_due_date: str | None = None
    review_every_days: int | None = None
    effective_date: str | None = None
    expiry_date: str | None = None
    expiry_policy: ExpiryPolicy | None = None
    s3_uri: str | None = None
    file_name: str | None = None
    content_type: str | None = None
    size_bytes: int | None = None
    s3_bucket: str | None = None
    s3_key: str | None = None
    uploaded_at: str | None = None


FIELDS: tuple[str, ...] = tuple(ContentFields.model_fields)
"""Every field that can be edited."""
FILE_FIELDS = ("file_name", "content_type", "size_bytes", "s3_bucket", "s3_key", "uploaded_at")
"""What describes the one attachment."""
PREVIEW_FIELDS = ("cover_key", "page_count", "text_key", "preview_state", "preview_problem")
"""What the background adds about the attachment; the next attachment has others."""


def fields_of(source: object) -> ContentFields:
    """The fields of a content item, as they are; another program may have stored what our forms would refuse."""
    values: dict[str, Any] = {name: getattr(source, name) for name in FIELDS}
    return ContentFields.model_construct(**values)
