"""What can be found in the portal: content by its words, those of its text and file, and by what lists are narrowed by.

Everything is in the index, each document with who may find it; what is found is read again and checked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_of, file_at, kind_of_file, moment_of
from partita.apps.enablement.permissions import State
from partita.apps.enablement.schema import Content
from partita.kit.search import Catalog, Document
from partita.kit.search.catalog import Text, Texts

EVERYBODY, STAFF = "everybody", "staff"
"""Who may find a document: all viewers, or its owner and those who approve."""
CURRENT, DUE, EXPIRED = "current", "due", "expired"
FRESHNESS = {CURRENT: "Confirmed", DUE: "Due for review", EXPIRED: "Expired"}
"""How far one can rely on released content → as people read it."""
FACETS = ("suite", "concept", "kind", "audience", "stage", "tag", "fresh")
"""What people narrow the library by."""
_SOURCES = tuple(schema.content_with_status(status) for status in ("Approved", "Draft", "Expired", "Deprecated"))
_LATER = 10**11
"""More seconds than any date has: what has expired comes after everything else."""


def owner_mark(user_id: str) -> str:
    """The value of the filter `finder` for an owner."""
    return f"owner:{user_id}"


def catalog(
    load: Callable[[str], Awaitable[str]],
    bucket: str,
    now: Callable[[Content], tuple[State, str]],
) -> Catalog[Content]:
    """The catalog of content. Texts are loaded from their files by name; `now` tells the state of an item, and which
    day it is."""

    def document(content: Content) -> Document:
        return _document(content, *now(content))

    def written(content: Content) -> Text | None:
        name = file_at(content.s3_uri, bucket)
        return None if name is None else Text(content.content_id, "text", name)

    def attached(content: Content) -> Text | None:
        return None if content.text_key is None else Text(content.content_id, "file", content.text_key)

    return Catalog(
        name="enablement.content",
        title="content of Enablement",
        item_type=Content,
        document=document,
        weights={"title": 10.0, "tags": 5.0, "product": 3.0, "summary": 3.0, "text": 1.0, "file": 1.0, "name": 2.0},
        sources=_SOURCES,
        filters=(*FACETS, "finder", "status", "owner"),
        sorts=("updated", "title", "due", "closes"),
        order="-updated",
        texts=(
            Texts("text", Content, written, _SOURCES, load),
            Texts("file", Content, attached, _SOURCES, load),
        ),
    )


def _document(content: Content, state: State, today: str) -> Document:
    readable = state in (State.RELEASED, State.SOFT_EXPIRED)
    updated = moment_of(content.last_updated)
    seconds = int(updated.timestamp()) if updated is not None else 0
    file_name = content.file_name or ""
    return Document(
        id=content.content_id,
        fields={
            "title": content.title,
            "tags": " ".join(content.tags),
            "product": f"{content.product_suite or ''} {content.product_concept or ''}".strip(),
            "summary": content.summary,
            "name": file_name.replace("_", " "),
        },
        filters={
            "suite": content.product_suite or (),
            "concept": content.product_concept or (),
            "kind": kind_of_file(content.content_type if content.s3_key else None),
            "audience": content.audience_role or (),
            "stage": content.lifecycle_stage or (),
            "tag": content.tags,
            "fresh": _freshness(content, state, today) or (),
            "finder": (EVERYBODY if readable else STAFF, owner_mark(content.owner_user_id)),
            "status": content.status,
            "owner": content.owner_user_id,
        },
        sorts={
            # What has expired ranks last.
            "updated": seconds - (_LATER if state is State.SOFT_EXPIRED else 0),
            "title": content.title,
            # When the clock has come to a date, its step changes: so the index looks at the date again.
            "due": content.due_key,
            # From then on readers do not find it, and no number counts it, whoever writes that down when.
            "closes": _closes(content) if readable else None,
        },
    )


def _closes(content: Content) -> float | None:
    """When it is closed to readers, in seconds."""
    ends = moment_of(content.expires_at or "") if content.closes and content.status == "Approved" else None
    return None if ends is None else ends.timestamp()


def _freshness(content: Content, state: State, today: str) -> str | None:
    if state in (State.SOFT_EXPIRED, State.HARD_EXPIRED):
        return EXPIRED
    if state is not State.RELEASED:
        return None
    return DUE if (day_of(content.review_due_date) or "9999") <= today else CURRENT
