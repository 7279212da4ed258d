"""Review: the edition as it will look, notes at its sections, who sees it, and the decision."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import Decision, NewNote, NewShare, NoteEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.rendering import Renderer
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict
from partita.kit.routes import CurrentViewer, Routes

_REVIEW = "/editions/{code}/review"


def _path(code: str, anchor: str = "") -> str:
    return f"/newsletter/editions/{code}/review{f'#{anchor}' if anchor else ''}"


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def review_page(
        request: Request,
        viewer: Viewer,
        code: str,
        *,
        note: Parsed[NewNote] | None = None,
        share: Parsed[NewShare] | None = None,
        decision: Parsed[Decision] | None = None,
    ) -> Response:
        newsletter = await service.access.newsletter(viewer, code)
        try:
            text = await service.draft.read(viewer, code)
        except Conflict:  # there is no draft yet: people can still be chosen
            text = None
        looks = {}
        if text is not None:
            renderer = Renderer(
                newsletter, text.draft, lambda where, n: f"/newsletter/editions/{code}/write?section={where}&cite={n}"
            )
            looks = {each.key: renderer.section(place, each.key, each.text) for place, each in enumerate(text.sections)}
        notes = await service.notes.on(viewer, code)
        approval = await service.approval.of(viewer, code)
        owns = newsletter.user_id == viewer.id or viewer.may(Letters.MANAGE)
        return render(
            request,
            "newsletter/review.html",
            newsletter=newsletter,
            text=text,
            looks=looks,
            notes=notes,
            open_notes=sum(each.open for each in notes),
            approval=approval,
            approver=await service.approval.name_of(approval),
            shares=await service.shares.of(viewer, code),
            owns=owns,
            may_write=await service.access.may_write(viewer, newsletter),
            may_approve=service.approval.may_approve(viewer, newsletter),
            refused=next((each.problem for each in (note, share, decision) if each is not None), None),
            note_form=note or Parsed(None),
            share_form=share or Parsed(None, {"role": "reader"}),
            decision_form=decision or Parsed(None),
        )

    @pages.get(_REVIEW, Letters.WRITE)
    async def review(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """The edition, to say what is wrong and to approve it."""
        return await review_page(request, viewer, code)

    # -- notes

    @pages.post(f"{_REVIEW}/notes", Letters.WRITE, keeps=NewNote)
    async def add_note(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Leave a note."""

        async def save(new: NewNote) -> Response:
            made = await service.notes.add(viewer, code, new)
            return redirect(_path(code, f"note-{made.note_id}"), flash="Note added.")

        return await submitted(request, NewNote, save, lambda form: review_page(request, viewer, code, note=form))

    @pages.post(f"{_REVIEW}/notes/{{note_id}}/resolve", Letters.WRITE)
    async def resolve(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """A note is dealt with."""
        await service.notes.resolve(viewer, code, note_id, NoteEdit(resolved=True))
        undo = f"/newsletter/editions/{code}/review/notes/{note_id}/reopen"
        return redirect(_path(code), flash="Note resolved.", undo=undo)

    @pages.post(f"{_REVIEW}/notes/{{note_id}}/reopen", Letters.WRITE)
    async def reopen(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """A note is open again."""
        await service.notes.resolve(viewer, code, note_id, NoteEdit(resolved=False))
        return redirect(_path(code, f"note-{note_id}"), flash="Note opened again.")

    @pages.get(f"{_REVIEW}/notes/{{note_id}}/delete", Letters.WRITE)
    async def ask_delete(request: Request, viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """Ask before a note is deleted."""
        note = await service.notes.one(viewer, code, note_id)
        lost = f"“{note.text[:200]}” cannot be brought back."
        return confirm(request, "Delete this note?", lost, button="Delete", keep=_path(code))

    @pages.post(f"{_REVIEW}/notes/{{note_id}}/delete", Letters.WRITE)
    async def delete(viewer: CurrentViewer, code: str, note_id: str) -> Response:
        """Delete a note."""
        await service.notes.delete(viewer, code, note_id)
        return redirect(_path(code), flash="Note deleted.")

    # -- sharing

    @pages.post(f"{_REVIEW}/shares", Letters.WRITE, keeps=NewShare)
    async def share(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Share it with somebody."""

        async def save(new: NewShare) -> Response:
            made = await service.shares.share(viewer, code, new)
            told = f"{made.user_name} was asked for a review." if new.review else f"Shared with {made.user_name}."
            return redirect(_path(code, "people"), flash=told)

        return await submitted(request, NewShare, save, lambda form: review_page(request, viewer, code, share=form))

    @pages.post(f"{_REVIEW}/shares/{{user_id}}/remove", Letters.WRITE)
    async def remove(viewer: CurrentViewer, code: str, user_id: str) -> Response:
        """Stop sharing with somebody."""
        await service.shares.remove(viewer, code, user_id)
        if user_id == viewer.id:
            return redirect("/newsletter", flash="It is no longer shared with you.")
        return redirect(_path(code, "people"), flash="No longer shared.")

    # -- the decision

    @pages.post(f"{_REVIEW}/decision", Letters.WRITE, keeps=Decision)
    async def decide(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Approve, ask for changes, or take an approval back."""

        async def save(decision: Decision) -> Response:
            await service.approval.decide(viewer, code, decision)
            told = {
                "approve": "Approved.",
                "ask_for_changes": "Changes asked for; your words are a note now.",
                "withdraw": "Approval taken back.",
            }
            return redirect(_path(code), flash=told[decision.decision])

        return await submitted(request, Decision, save, lambda form: review_page(request, viewer, code, decision=form))
