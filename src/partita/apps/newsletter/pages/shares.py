"""Who else may see a newsletter or a proposal, on the page of its review."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import NewShare
from partita.apps.newsletter.pages.notes import Show
from partita.apps.newsletter.service import NewsletterService
from partita.kit.forms import submitted
from partita.kit.pages import redirect
from partita.kit.routes import CurrentViewer, Routes


def add_sharing(pages: Routes, service: NewsletterService, path: str, permission: str, show: Show, home: str) -> None:
    """Sharing on the review page at `path`; `home` is where people go who may no longer see it."""

    def here(code: str) -> str:
        return f"/newsletter{path.format(code=code)}#people"

    @pages.post(f"{path}/shares", permission, keeps=NewShare)
    async def share(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Share it with somebody, or ask them for a review."""

        async def save(new: NewShare) -> Response:
            made = await service.shares.share(viewer, code, new)
            asked = f"{made.user_name} has been asked for a review."
            return redirect(here(code), flash=asked if new.review else f"Shared with {made.user_name}.")

        return await submitted(request, NewShare, save, lambda form: show(request, viewer, code, {"share": form}))

    @pages.post(f"{path}/shares/{{user_id}}/remove", permission)
    async def remove(viewer: CurrentViewer, code: str, user_id: str) -> Response:
        """Stop sharing with somebody."""
        await service.shares.remove(viewer, code, user_id)
        if user_id == viewer.id:
            return redirect(home, flash="It is no longer shared with you.")
        return redirect(here(code), flash="No longer shared.")
