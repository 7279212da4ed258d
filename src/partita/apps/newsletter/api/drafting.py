"""Writing the draft over HTTP: all of it, or one section."""

from __future__ import annotations

from partita.apps.newsletter.api.steps import StepView, accepted, step_view
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes

_DRAFT = "/newsletters/{code}/draft"


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.post(
        f"{_DRAFT}/generate",
        Letters.WRITE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 429],
    )
    async def generate_draft(viewer: CurrentViewer, code: str) -> Json:
        """Write the draft, which follows the outline.

        The text that is there stays until the end; what you wrote is kept
        in the history."""
        return accepted(code, step_view(await service.steps.start(viewer, code, "draft")))

    @api.post(
        f"{_DRAFT}/sections/{{key}}/generate",
        Letters.WRITE,
        status_code=202,
        response_model=StepView,
        refuses=[403, 404, 409, 429],
    )
    async def generate_section(viewer: CurrentViewer, code: str, key: str) -> Json:
        """Write one section anew; the others stay as they are."""
        return accepted(code, step_view(await service.steps.start(viewer, code, "section", inputs={"key": key})))
