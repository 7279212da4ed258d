"""Notes at the sections of a newsletter or a proposal, on the page of its review."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import NewNote, NoteEdit
from partita.apps.newsletter.service import NewsletterService
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import confirm, redirect
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes

Show = Callable[[Request, Viewer, str, dict[str, Parsed[Any]]], Awaitable[Response]]
"""Renders the review of a code with forms that were refused, by name: `note`, `share`, `decision`."""


def add_notes(pages: Routes, service: NewsletterService, path: str, permission: str, show: Show) -> None:
    """Notes on the review page at `path`, in which `{code}` is what is reviewed."""

    def here(code: str, anchor: str = "") -> str:
        return f"/newsletter{path.format(code=code)}{f'#{anchor}' if anchor else ''}"

    @pages.post(f"{path}/notes", permission, keeps=NewNote)
    async def add_note(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Leave a note."""

        async def save(new: NewNote) -> Response:
            made = await service.notes.add(viewer, code, new)
            return redirect(here(code, f"note-{made.note_id}"), flash="Note added.")

        return await submitted(request, NewNote, save, lambda form: show(request, viewer, code, {"note": form}))

    @pages.post(f"{path}/notes/{{note_id}}/resolve", permission)
    async def resolve(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """A note is dealt with."""
        await service.notes.resolve(viewer, code, note_id, NoteEdit(resolved=True))
        return redirect(here(code), flash="Note resolved.", undo=f"{here(code)}/notes/{note_id}/reopen")

    @pages.post(f"{path}/notes/{{note_id}}/reopen", permission)
    async def reopen(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """A note is open again."""
        await service.notes.resolve(viewer, code, note_id, NoteEdit(resolved=False))
        return redirect(here(code, f"note-{note_id}"), flash="Note reopened.")

    @pages.get(f"{path}/notes/{{note_id}}/delete", permission)
    async def ask_delete(request: Request, viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """Ask before a note is deleted."""
        note = await service.notes.one(viewer, code, note_id)
        lost = f"“{note.text[:200]}” cannot be brought back."
        return confirm(request, "Delete this note?", lost, button="Delete note", keep=here(code))

    @pages.post(f"{path}/notes/{{note_id}}/delete", permission)
    async def delete(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """Delete a note."""
        await service.notes.delete(viewer, code, note_id)
        return redirect(here(code), flash="Note deleted.")
