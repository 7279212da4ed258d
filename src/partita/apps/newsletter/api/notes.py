"""Notes on a newsletter over HTTP."""

from __future__ import annotations

from pydantic import ConfigDict
from starlette.responses import Response

from partita.apps.newsletter.inputs import NewNote, NoteEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_SNAKE = ConfigDict(alias_generator=None)


class NoteView(View):
    """A note."""

    model_config = _SNAKE

    note_id: str
    section_key: str
    text: str
    by: str
    by_name: str
    created_at: str
    resolved_at: str | None
    resolved_by: str | None


class NotesView(View):
    """All notes, oldest first."""

    model_config = _SNAKE

    items: list[NoteView]


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get("/newsletters/{code}/notes", Letters.WRITE, response_model=NotesView, refuses=[404])
    async def notes(viewer: CurrentViewer, code: str) -> Json:
        """The notes."""
        return Json({"items": NoteView.each(await service.notes.on(viewer, code))})

    @api.post(
        "/newsletters/{code}/notes", Letters.WRITE, status_code=201, response_model=NoteView, refuses=[404, 409, 422]
    )
    async def add_note(viewer: CurrentViewer, code: str, new: NewNote) -> Json:
        """Leave a note at a section, or on all of it."""
        return Json(NoteView.of(await service.notes.add(viewer, code, new)), status=201)

    @api.patch("/newsletters/{code}/notes/{note_id}", Letters.WRITE, response_model=NoteView, refuses=[403, 404, 422])
    async def resolve(viewer: CurrentViewer, code: str, note_id: str, edit: NoteEdit) -> Json:
        """Say that a note is dealt with, or open it again."""
        return Json(NoteView.of(await service.notes.resolve(viewer, code, note_id, edit)))

    @api.delete("/newsletters/{code}/notes/{note_id}", Letters.WRITE, status_code=204, refuses=[403, 404])
    async def delete(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """Delete a note."""
        await service.notes.delete(viewer, code, note_id)
        return Response(status_code=204)
