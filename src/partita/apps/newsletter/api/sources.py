"""Sources over HTTP: adding texts, addresses and files, correcting, refreshing, passages."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.newsletter.api.steps import StepView, step_view
from partita.apps.newsletter.inputs import ChunkSwitch, NewSource, SourceEdit, SourceFacts
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import SHARED_SHELF, SourceKind, SourceStatus
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.reading.reading import MOST_BYTES
from partita.apps.newsletter.service.sources import MOST_AT_ONCE, Wanted
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.files import form_with_files
from partita.kit.forms import parse
from partita.kit.problems import BadRequest
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed

_SNAKE = ConfigDict(alias_generator=None)
_SOURCE = "/sources/{source_id}"
FILES_BODY = MOST_AT_ONCE * MOST_BYTES + 2_000_000
Tag = Annotated[str | None, Query(max_length=40)]
Shelf = Annotated[
    str, Query(max_length=40, description="`sources`, or the code of a newsletter or proposal with sources of its own.")
]


class SourceView(View):
    """A source."""

    model_config = _SNAKE

    source_id: str
    title: str
    kind: str = Field(description="text, markdown, html, pdf, docx or url")
    url: str | None
    published: str | None = Field(description="A day such as 2026-03-12.")
    publisher: str
    language: str | None
    tags: list[str]
    summary: str
    shelf: str
    status: str = Field(description="waiting, reading, ready or failed")
    error: str | None = Field(description="Why it could not be read or refreshed; what was read before is still there.")
    chunk_count: int
    words: int
    pages: int | None
    file_size: int
    enabled: bool = Field(description="Whether its passages are found.")
    cited_in: int = Field(description="In how many drafts and proposals it is cited.")
    created_by: str
    created_at: str
    updated_at: str | None
    fetched_at: str | None = Field(description="When it was read last.")
    revision: int


class ChunkView(View):
    """A passage."""

    model_config = _SNAKE

    chunk_id: str
    position: int
    text: str
    heading: str
    page: int | None
    kind: str = Field(description="text, table, or references, which are kept and not searched")
    start: int = Field(description="Where it begins in the source; it repeats the last sentence of the one before.")
    words: int
    enabled: bool


class RefusedFile(View):
    """A file that was not added, and why."""

    model_config = _SNAKE

    name: str
    code: str
    detail: str


class AddedFiles(View):
    """What became of the files that were sent."""

    model_config = _SNAKE

    items: list[SourceView]
    refused: list[RefusedFile]


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    sources = service.sources

    @api.get("/sources", Letters.READ_SOURCES, response_model=ListOf[SourceView], refuses=[400, 404])
    async def list_sources(
        viewer: CurrentViewer,
        kind: SourceKind | None = None,
        status: SourceStatus | None = None,
        tag: Tag = None,
        language: Annotated[str | None, Query(max_length=10)] = None,
        shelf: Shelf = SHARED_SHELF,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """The sources of a shelf, newest first."""
        wanted = Wanted(kind, status, tag, language)
        page = await sources.page(viewer, wanted, shelf=shelf, limit=limit, cursor=cursor)
        return Json(listed(SourceView, page))

    @api.post(
        "/sources",
        Letters.ADD_SOURCES,
        status_code=201,
        response_model=SourceView,
        refuses=[403, 404, 409, 413, 422, 429],
        most_bytes=4_200_000,
    )
    async def add_source(viewer: CurrentViewer, source: NewSource) -> Json:
        """Add a text or an address; it is read in the background.

        The same content or address again is refused with 409 `source_exists`, which names the source that is there.
        """
        return Json(SourceView.of(await sources.add(viewer, source)), 201)

    @api.post(
        "/sources/files",
        Letters.ADD_SOURCES,
        status_code=201,
        response_model=AddedFiles,
        refuses=[400, 403, 404, 413, 422],
        most_bytes=FILES_BODY,
        openapi_extra=form_with_files("files", "tags", "shelf", most=MOST_AT_ONCE),
    )
    async def add_source_files(request: Request, viewer: CurrentViewer) -> Json:
        """Add up to 20 files of 50 MB each, in the field `files` of a form: PDF, DOCX, HTML, Markdown, plain text.

        `tags` and `shelf` may be fields of the form. What is wrong with one file is said of it alone."""
        sent = await sources.receive(request, ("tags", "shelf"))
        form = parse(SourceFacts, sent.fields, separated=("tags",))
        if form.value is None:
            await sources.give_up(sent)
            assert form.problem is not None  # a form without a value says why
            raise form.problem
        added, refused = await sources.add_files(viewer, sent, form.value)
        if not added and not refused:
            raise BadRequest("Send a form with files in the field “files”.", code="file_missing")
        told = [{"name": name, "code": problem.code, "detail": problem.detail} for name, problem in refused]
        return Json({"items": SourceView.each(added), "refused": told}, 201)

    @api.get(_SOURCE, Letters.READ_SOURCES, response_model=SourceView, refuses=[404])
    async def get_source(viewer: CurrentViewer, source_id: str) -> Json:
        """A source."""
        return Json(SourceView.of(await sources.get(viewer, source_id)))

    @api.patch(_SOURCE, Letters.READ_SOURCES, response_model=SourceView, refuses=[400, 403, 404, 409, 422])
    async def edit_source(viewer: CurrentViewer, source_id: str, edit: SourceEdit) -> Json:
        """Correct a source, or switch it off."""
        return Json(SourceView.of(await sources.edit(viewer, source_id, edit)))

    @api.delete(_SOURCE, Letters.READ_SOURCES, status_code=204, refuses=[403, 404, 409])
    async def delete_source(viewer: CurrentViewer, source_id: str) -> Response:
        """Delete a source with its passages. Drafts keep their copy of what they cite."""
        await service.source_removals.delete(viewer, source_id)
        return Response(status_code=204)

    @api.post(
        f"{_SOURCE}/refresh",
        Letters.READ_SOURCES,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 429],
    )
    async def refresh_source(viewer: CurrentViewer, source_id: str) -> Json:
        """Read a source again; if that fails, what was read before stays."""
        look = await sources.refresh(viewer, source_id)
        return Json(step_view(look), 202, {"Location": f"/api/newsletter/sources/{source_id}"})

    @api.get(f"{_SOURCE}/steps/intake", Letters.READ_SOURCES, response_model=StepView, refuses=[404])
    async def get_reading(viewer: CurrentViewer, source_id: str) -> Json:
        """How far the reading of a source is."""
        return Json(step_view(await sources.look(await sources.get(viewer, source_id))))

    @api.delete(f"{_SOURCE}/steps/intake", Letters.READ_SOURCES, response_model=StepView, refuses=[403, 404, 409])
    async def cancel_reading(viewer: CurrentViewer, source_id: str) -> Json:
        """Stop reading a source; what was read of it before stays."""
        return Json(step_view(await sources.cancel(viewer, source_id)))

    @api.get(f"{_SOURCE}/chunks", Letters.READ_SOURCES, response_model=ListOf[ChunkView], refuses=[400, 404])
    async def list_chunks(viewer: CurrentViewer, source_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The passages of a source in order."""
        _, page = await sources.chunks(viewer, source_id, limit=limit, cursor=cursor)
        return Json(listed(ChunkView, page))

    @api.patch(f"{_SOURCE}/chunks", Letters.READ_SOURCES, response_model=ChunkView, refuses=[403, 404, 422])
    async def switch_chunk(viewer: CurrentViewer, source_id: str, switch: ChunkSwitch) -> Json:
        """Let a passage be found, or not."""
        return Json(ChunkView.of(await sources.switch(viewer, source_id, switch.position, enabled=switch.enabled)))
