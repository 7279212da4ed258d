"""The history of content over HTTP: who did what, comments, versions, and what changed between them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import ConfigDict, Field

from partita.apps.enablement.inputs import NewComment
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed


class FieldChangeView(View):
    """A field before and after."""

    model_config = ConfigDict(alias_generator=None)

    before: str | None
    after: str | None


class HistoryEntry(View):
    """Something that was done or said."""

    model_config = ConfigDict(alias_generator=None)

    change_id: str
    changed_at: str
    changed_by: str
    action: str
    from_status: str | None
    to_status: str | None
    to_version: str | None
    comment: str | None
    changed_fields: dict[str, FieldChangeView] | None


class VersionView(View):
    """What an approval released."""

    model_config = ConfigDict(alias_generator=None)

    major: int
    version: str
    approved_at: str
    approved_by: str
    written_by: str
    change_note: str | None
    title: Annotated[str, From("fields.title")]
    file_name: Annotated[str | None, From("fields.file_name")]
    size_bytes: Annotated[int | None, From("fields.size_bytes")]


class ChangeNote(View):
    """What a version brought, for readers."""

    model_config = ConfigDict(alias_generator=None)

    major: int
    approved_at: str
    change_note: str | None


class VersionList(View):
    """All versions, newest first; for readers, days and notes alone."""

    model_config = ConfigDict(alias_generator=None)

    items: list[VersionView | ChangeNote]


class ComparisonView(View):
    """What differs between two versions."""

    model_config = ConfigDict(alias_generator=None)

    before: str | None
    after: str
    fields: dict[str, FieldChangeView]
    text: list[tuple[str, str]] = Field(description="The words of both in order: same, added or removed.")
    file_changed: bool


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.get(
        "/content/{content_id}/history",
        Enablement.READ,
        response_model=ListOf[HistoryEntry],
        refuses=[400, 403, 404, 422],
    )
    async def content_history(viewer: CurrentViewer, content_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Everything that was done and said, newest first."""
        page = await service.history.entries(viewer, content_id, limit=limit, cursor=cursor)
        return Json(listed(HistoryEntry, page, changed_fields=changed_fields))

    @api.post(
        "/content/{content_id}/comments",
        Enablement.READ,
        status_code=201,
        response_model=HistoryEntry,
        refuses=[403, 404, 409, 422],
    )
    async def add_comment(viewer: CurrentViewer, content_id: str, new: NewComment) -> Json:
        """Say something to its owner and the approvers."""
        said = await service.history.comment(viewer, content_id, new)
        return Json(HistoryEntry.of(said, changed_fields=None), 201)

    @api.get("/content/{content_id}/versions", Enablement.READ, response_model=VersionList, refuses=[403, 404])
    async def content_versions(viewer: CurrentViewer, content_id: str) -> Json:
        """What was approved, newest first; readers get days and notes."""
        _, visibility = await service.content.look(viewer, content_id)
        if visibility.history:
            return Json({"items": VersionView.each(await service.history.versions(viewer, content_id))})
        return Json({"items": ChangeNote.each(await service.history.change_notes(viewer, content_id))})

    @api.get(
        "/content/{content_id}/compare",
        Enablement.READ,
        response_model=ComparisonView,
        refuses=[403, 404, 422],
    )
    async def compare_versions(
        viewer: CurrentViewer,
        content_id: str,
        before: Annotated[
            int | None, Query(ge=1, le=999_999_999, alias="from", description="Left out: the one before the latest.")
        ] = None,
        after: Annotated[
            int | None, Query(ge=1, le=999_999_999, alias="to", description="Left out: what is proposed or drafted.")
        ] = None,
    ) -> Json:
        """What changed between two versions."""
        if before is None:
            content, _ = await service.content.look(viewer, content_id)
            before = max(content.major - 1, 1)
        found = await service.history.compare(viewer, content_id, before, after)
        fields = {name: change.model_dump() for name, change in found.fields.items()}
        sides = {"before": found.before and found.before.label, "after": found.after.label}
        return Json({**sides, "fields": fields, "text": found.text, "file_changed": found.file_changed})


def changed_fields(entry: object) -> dict[str, dict[str, str | None]] | None:
    """What an entry of the history changed, as it leaves."""
    changed = getattr(entry, "changed_fields", None)
    return None if changed is None else {name: each.model_dump() for name, each in changed.items()}
