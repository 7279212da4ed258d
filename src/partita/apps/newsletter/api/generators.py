"""Writers over HTTP: which are set up, which one is chosen, and trials."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from partita.apps.newsletter.inputs import WriterChoice
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.generators.trial import Trial
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View

_SNAKE = ConfigDict(alias_generator=None)


class WriterView(View):
    """A writer."""

    model_config = _SNAKE

    name: str
    title: str
    purpose: str
    model: str
    ready: bool
    missing: list[str] = Field(description="Settings without which it cannot be used.")


class WritersView(View):
    """All writers, and the one in use."""

    model_config = _SNAKE

    chosen: str
    chosen_by: str = Field(description="Empty if the settings say so.")
    chosen_at: str
    writers: list[WriterView]


class TokensView(View):
    """What a model has read and written."""

    model_config = _SNAKE

    read: int
    written: int
    estimated: bool = Field(description="Whether the service did not count them.")


class TrialView(View):
    """How a trial went."""

    model_config = _SNAKE

    writer: str = Field(description="Who wrote the text: the writer itself, or `extractive` in its place.")
    model: str
    text: str
    seconds: float
    tokens: TokensView
    calls: int
    error: str = Field(description="Why the writer did not succeed; empty if it did.")


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get("/generators", Letters.MANAGE_PROMPTS, response_model=WritersView)
    async def writers() -> Json:
        """The writers."""
        return Json(await _writers(service))

    @api.put("/generators", Letters.MANAGE_PROMPTS, response_model=WritersView, refuses=[409, 422])
    async def choose(viewer: CurrentViewer, choice: WriterChoice) -> Json:
        """Choose who writes from now on; newsletters that name a writer keep it."""
        await service.generators.choose(viewer, choice.writer)
        return Json(await _writers(service))

    @api.post("/generators/{name}/try", Letters.MANAGE_PROMPTS, response_model=TrialView, refuses=[404, 429])
    async def try_writer(viewer: CurrentViewer, name: str) -> Json:
        """Let a writer write a small section. It may take three minutes."""
        return Json(trial_view(await service.generators.try_out(viewer, name)))


async def _writers(service: NewsletterService) -> dict[str, Any]:
    chosen = await service.generators.chosen()
    return {
        "chosen": chosen.name,
        "chosen_by": chosen.by,
        "chosen_at": chosen.at,
        "writers": [WriterView.of(state, missing=list(state.missing)) for state in service.generators.states()],
    }


def trial_view(trial: Trial) -> dict[str, Any]:
    """The JSON of a trial."""
    made = trial.made_with
    return {
        "writer": made.writer,
        "model": made.model,
        "text": trial.text,
        "seconds": trial.seconds,
        "tokens": {"read": made.tokens.read, "written": made.tokens.written, "estimated": made.tokens.estimated},
        "calls": made.calls,
        "error": trial.error,
    }
