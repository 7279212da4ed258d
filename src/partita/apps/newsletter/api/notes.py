"""Notes on newsletters and proposals over HTTP."""

from __future__ import annotations

from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.newsletter.inputs import NewNote, NoteEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.problems import NotFound
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
    decision: str = Field(
        description="`approve`, `ask_for_changes` or `no_objections` if it is the comment of a decision, else empty."
    )


class NotesView(View):
    """All notes, oldest first."""

    model_config = _SNAKE

    items: list[NoteView]


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    _add(api, service, "/newsletters/{code}/notes", Letters.WRITE, "NL-")
    _add(api, service, "/proposals/{code}/notes", Letters.PROPOSE, "PROP-", "proposal_")


def _add(api: Routes, service: NewsletterService, path: str, permission: Letters, prefix: str, names: str = "") -> None:
    """The routes of one kind; codes of the other kind are not found there. `names` is what their names begin with."""

    @api.get(path, permission, response_model=NotesView, refuses=[404], name=f"{names}notes")
    async def notes(viewer: CurrentViewer, code: str) -> Json:
        """The notes."""
        check_kind(code, prefix)
        return Json({"items": NoteView.each(await service.notes.on(viewer, code))})

    @api.post(
        path, permission, status_code=201, response_model=NoteView, refuses=[404, 409, 422], name=f"{names}add_note"
    )
    async def add_note(viewer: CurrentViewer, code: str, new: NewNote) -> Json:
        """Leave a note at a section, or on all of it."""
        check_kind(code, prefix)
        return Json(NoteView.of(await service.notes.add(viewer, code, new)), status=201)

    @api.patch(
        f"{path}/{{note_id}}", permission, response_model=NoteView, refuses=[403, 404, 422], name=f"{names}resolve"
    )
    async def resolve(viewer: CurrentViewer, code: str, note_id: str, edit: NoteEdit) -> Json:
        """Say that a note is dealt with, or open it again."""
        check_kind(code, prefix)
        return Json(NoteView.of(await service.notes.resolve(viewer, code, note_id, edit)))

    @api.delete(f"{path}/{{note_id}}", permission, status_code=204, refuses=[403, 404], name=f"{names}delete")
    async def delete(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """Delete a note."""
        check_kind(code, prefix)
        await service.notes.delete(viewer, code, note_id)
        return Response(status_code=204)


def check_kind(code: str, prefix: str) -> None:
    """A newsletter is no proposal, and the other way round."""
    if not code.startswith(prefix):
        raise NotFound("There is nothing of this code.")
