"""Prompts over HTTP: their versions, and trials of a text before it is saved."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import ConfigDict, Field

from partita.apps.newsletter.api.generators import TrialView, trial_view
from partita.apps.newsletter.inputs import PromptEdit, PromptTrial
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.generators.prompts import PLACEHOLDERS, PROMPTS, Prompt
from partita.apps.newsletter.service.prompts import known
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import ListOf, View, listed

_SNAKE = ConfigDict(alias_generator=None)
Number = Annotated[int, Path(ge=0, le=999_999)]


class PromptView(View):
    """A prompt in use."""

    model_config = _SNAKE

    name: str
    version: int = Field(description="0 is the text that comes with the program.")
    text: str


class PromptsView(View):
    """All prompts in use."""

    model_config = _SNAKE

    prompts: list[PromptView]
    placeholders: list[str] = Field(description="What a prompt may name in braces.")


class VersionView(View):
    """A version of a prompt."""

    model_config = _SNAKE

    name: str
    version: int
    text: str
    note: str
    changed_by: str
    created_at: str


def add(api: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @api.get("/prompts", Letters.MANAGE_PROMPTS, response_model=PromptsView)
    async def prompts() -> Json:
        """The prompts in use."""
        used = await service.prompts.all_in_use()
        return Json(
            {
                "prompts": [{"name": name, "version": used[name].version, "text": used[name].text} for name in PROMPTS],
                "placeholders": list(PLACEHOLDERS),
            }
        )

    @api.get("/prompts/{name}", Letters.MANAGE_PROMPTS, response_model=ListOf[VersionView], refuses=[400, 404])
    async def versions(name: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The versions of a prompt that were saved, newest first."""
        return Json(listed(VersionView, await service.prompts.versions(name, limit=limit, cursor=cursor)))

    @api.get("/prompts/{name}/{version}", Letters.MANAGE_PROMPTS, response_model=PromptView, refuses=[404])
    async def version(name: str, version: Number) -> Json:
        """The text of a version; 0 is the one that comes with the program."""
        return Json({"name": name, "version": version, "text": await service.prompts.text(name, version)})

    @api.post(
        "/prompts/{name}",
        Letters.MANAGE_PROMPTS,
        status_code=201,
        response_model=VersionView,
        refuses=[404, 409, 422],
    )
    async def save(viewer: CurrentViewer, name: str, edit: PromptEdit) -> Json:
        """Save a new version, which is used from now on."""
        return Json(VersionView.of(await service.prompts.save(viewer, name, edit)), status=201)

    @api.post("/prompts/{name}/try", Letters.MANAGE_PROMPTS, response_model=TrialView, refuses=[404, 422, 429])
    async def try_prompt(viewer: CurrentViewer, name: str, trial: PromptTrial) -> Json:
        """Try a text of a prompt on a small section, without saving it."""
        prompt = known(name)
        used = await service.prompts.in_use(prompt)
        text = used if trial.text is None else Prompt(trial.text, used.version)
        writer = trial.writer or (await service.generators.chosen()).name
        return Json(trial_view(await service.generators.try_out(viewer, writer, {prompt: text})))
