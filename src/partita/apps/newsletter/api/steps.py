"""Steps over HTTP: how far they are, live, and cancelling them."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import StepName
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.steps import Look
from partita.kit.answers import Json
from partita.kit.live import State, live
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_STEP = "/newsletters/{code}/steps/{step}"
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The events.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


class StepView(View):
    """A step: ask for it again until `state` is `done`, `failed` or `cancelled`."""

    model_config = ConfigDict(alias_generator=None)

    step: str
    state: str = Field(description="none, waiting, running, done, failed or cancelled")
    phase: str
    done: int
    total: int | None
    message: str = Field(description="What it is doing; if one step is read that is done, its result.")
    error: str | None = Field(description="Why it failed, and what to do.")
    cancelling: bool
    since: str | None = Field(description="When it was asked for.")
    following: list[str] = Field(description="The steps that start by themselves after it.")


def step_view(look: Look) -> dict[str, Any]:
    """A step as it leaves."""
    return StepView.of(look, following=list(look.following))


def accepted(code: str, view: dict[str, Any]) -> Json:
    """The answer to a request that starts a step: 202, and where to look."""
    return Json(view, 202, {"Location": f"/api/newsletter/newsletters/{code}/steps/{view['step']}"})


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    steps = service.steps

    @api.get(_STEP, Letters.WRITE, response_model=StepView, refuses=[404, 422])
    async def get_step(viewer: CurrentViewer, code: str, step: StepName) -> Json:
        """How far a step is."""
        await service.access.newsletter(viewer, code)
        return Json(step_view(await steps.look(code, step)))

    @api.delete(_STEP, Letters.WRITE, response_model=StepView, refuses=[403, 404, 409, 422])
    async def cancel_step(viewer: CurrentViewer, code: str, step: StepName) -> Json:
        """Cancel a step; what was there before stays."""
        return Json(step_view(await steps.cancel(viewer, code, step)))

    @api.get(
        "/newsletters/{code}/events",
        Letters.WRITE,
        polled=True,
        response_class=Response,
        responses=_EVENTS,
        refuses=[404, 429],
    )
    async def events(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """The steps as server-sent events.

        `state` with the steps that ran or run, as JSON, whenever something changes;
        `end` when nothing runs any more."""
        await service.access.newsletter(viewer, code)

        async def look() -> State | None:
            try:
                await service.access.newsletter(viewer, code)
            except NotFound:
                return None
            looks = await steps.looks(code)
            known = {step: step_view(each) for step, each in looks.items() if each.state != "none"}
            return State(orjson.dumps(known).decode(), any(each.is_open for each in looks.values()))

        return live(request, look)
