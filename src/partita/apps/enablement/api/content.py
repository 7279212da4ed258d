"""Content over HTTP: lists, one item, creating and editing it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import ConfigDict, Field

from partita.apps.enablement.inputs import ContentEdit, NewContent
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import ApprovalState, Content, ExpiryPolicy, PreviewState, Proposal, Status
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import Closed, visible_to
from partita.apps.enablement.service.library import Sort, Wanted
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View

Words = Annotated[str, Query(max_length=200, description="Words to search for, also in texts and files.")]
Name = Annotated[str | None, Query(max_length=200)]
Fresh = Literal["current", "due", "expired"]
_FOR_STAFF = ("approval_state", "submitted_at", "submitted_by", "changed_by")


class ContentSummary(View):
    """A content item in a list."""

    model_config = ConfigDict(alias_generator=None)

    content_id: str
    status: Status
    approval_state: ApprovalState | None
    title: str
    summary: str
    product_suite: str | None
    product_concept: str | None
    audience_role: str | None
    lifecycle_stage: str | None
    owner_user_id: str
    tags: list[str]
    version: str = Field(description="`3.2`; readers get the major alone.")
    last_updated: str
    released_at: str | None
    review_due_date: str | None
    effective_date: str | None
    expiry_date: str | None
    expiry_policy: ExpiryPolicy | None
    file_name: str | None
    content_type: str | None
    size_bytes: int | None
    uploaded_at: str | None
    page_count: int | None
    preview_state: PreviewState | None = Field(description="`making` until there is one; null without a file.")


class ContentDetail(ContentSummary):
    """A content item, whole."""

    submitted_at: str | None
    submitted_by: str | None
    changed_by: str | None
    change_note: str | None
    confirmed_at: str | None
    confirmed_by: str | None
    review_every_days: int | None
    superseded_by: str | None
    retired_because: str | None
    must_read_by: str | None
    text: str = Field(description="In Markdown.")


class Edited(View):
    """What an edit has changed."""

    model_config = ConfigDict(alias_generator=None)

    content_id: str
    proposal: bool = Field(description="Whether it is a proposal, which readers do not see until it is approved.")
    version: str = Field(description="What the next edit or an approval names.")


def summary_of(service: EnablementService, viewer: Viewer, content: Content) -> dict[str, Any]:
    """An item as somebody may see it in a list."""
    return _for(viewer, service, content, ContentSummary.of(content, **_made(content)))


def edited(result: Content | Proposal) -> dict[str, Any]:
    """The answer to an edit."""
    proposal = isinstance(result, Proposal)
    content_id = result.of_content if isinstance(result, Proposal) else result.content_id
    return {"content_id": content_id, "proposal": proposal, "version": result.version}


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @api.get("/content", Enablement.READ, response_model=ListOf[ContentSummary], refuses=[400, 422])
    async def browse_content(
        viewer: CurrentViewer,
        status: Status | None = None,
        product_suite: Name = None,
        product_concept: Name = None,
        tags: Annotated[tuple[str, ...], Query(max_length=10, description="All of them; repeat it for more.")] = (),
        q: Words = "",
        kind: Name = None,
        audience_role: Name = None,
        lifecycle_stage: Name = None,
        owner: Name = None,
        fresh: Fresh | None = None,
        sort: Annotated[
            Sort | None, Query(description="Without it the best match first with `q`, else newest.")
        ] = None,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Content that you may find, newest first or the best match first.

        Lists by status alone, with a suite, with a suite and a concept, or with an audience, and those by owner alone
        show a write at once; the others follow within a moment.
        """
        wanted = Wanted(
            text=q.strip(),
            suite=product_suite,
            concept=product_concept,
            kind=kind,
            audience=audience_role,
            stage=lifecycle_stage,
            tags=tags,
            fresh=fresh,
            status=status,
            owner=owner,
            sort=sort,
        )
        page = await service.library.browse(viewer, wanted, limit=limit, cursor=cursor)
        items = [summary_of(service, viewer, each) for each in page]
        return Json({"items": items, "next_cursor": page.next_cursor})

    @api.post("/content", Enablement.WRITE, status_code=201, response_model=ContentDetail, refuses=[422, 429])
    async def create_content(viewer: CurrentViewer, new: NewContent) -> Json:
        """Begin a draft of your own."""
        content = await service.content.create(viewer, new)
        return Json(await detail_of(viewer, content), 201)

    @api.get("/content/{content_id}", Enablement.READ, response_model=ContentDetail, refuses=[403, 404])
    async def one_content(viewer: CurrentViewer, content_id: str) -> Json:
        """One item. What is closed to you is refused with `closed`, and names what replaced it."""
        content, visibility = await service.content.look(viewer, content_id)
        if visibility.page == "short":
            raise Closed(content)
        return Json(await detail_of(viewer, content))

    @api.put("/content/{content_id}", Enablement.WRITE, response_model=Edited, refuses=[400, 403, 404, 409, 422])
    async def edit_content(viewer: CurrentViewer, content_id: str, changes: ContentEdit) -> Json:
        """Change a draft; or, if it is approved, the proposal to change it. Fields that are left out stay."""
        return Json(edited(await service.content.edit(viewer, content_id, changes)))

    async def detail_of(viewer: Viewer, content: Content) -> dict[str, Any]:
        text = await service.content.text(content)
        return _for(viewer, service, content, ContentDetail.of(content, text=text, **_made(content)))


def _made(content: Content) -> dict[str, Any]:
    state = content.preview_state or ("making" if content.s3_key else None)
    return {"tags": list(content.tags), "preview_state": state}


def _for(viewer: Viewer, service: EnablementService, content: Content, json: dict[str, Any]) -> dict[str, Any]:
    """Readers see the major alone, and nothing of the work on it."""
    if not visible_to(viewer, content, service.changing.now()).history:
        json["version"] = str(content.major)
        json.update(dict.fromkeys(name for name in _FOR_STAFF if name in json))
    return json
