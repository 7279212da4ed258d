"""A prompt: its text, trying it before it is saved, its versions and their differences."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import PromptEdit
from partita.apps.newsletter.pages.generators import PROMPT_LABELS, WRITERS_PATH, trial_page
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.generators.prompts import PLACEHOLDERS, RULES, Prompt
from partita.apps.newsletter.service.prompts import known
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS, Parsed, parse, submitted
from partita.kit.history import word_diff
from partita.kit.inputs import StaleEdit
from partita.kit.pages import redirect, render
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 10
Number = Annotated[int, Path(ge=0, le=999_999)]


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def prompt_page(
        request: Request, name: str, form: Parsed[PromptEdit] | None = None, cursor: str | None = None
    ) -> Response:
        used = await service.prompts.in_use(known(name))
        page = await service.prompts.versions(name, limit=_PAGE, cursor=cursor)
        title, purpose = PROMPT_LABELS[known(name)]
        shown = form or Parsed(None, {"text": used.text, "note": "", "version": str(used.version)})
        stale = form is not None and isinstance(form.refusal, StaleEdit)
        return render(
            request,
            "newsletter/prompt.html",
            name=name,
            title=title,
            purpose=purpose,
            used=used,
            page=page,
            names=await service.prompts.names(page),
            form=shown,
            difference=word_diff(used.text, str(shown.values.get("text", ""))) if stale else (),
            placeholders=PLACEHOLDERS,
            rules=RULES[known(name)],
            states=[state for state in service.generators.states() if state.name != "extractive"],
        )

    @pages.get("/writers/prompts/{name}", Letters.MANAGE_PROMPTS)
    async def prompt(request: Request, name: str, cursor: Cursor = None) -> Response:
        """A prompt, to edit it."""
        return await prompt_page(request, name, cursor=cursor)

    @pages.post("/writers/prompts/{name}", Letters.MANAGE_PROMPTS, keeps=PromptEdit)
    async def save(request: Request, viewer: CurrentViewer, name: str) -> Response:
        """Save a new version."""

        async def saved(edit: PromptEdit) -> Response:
            new = await service.prompts.save(viewer, name, edit)
            return redirect(f"{WRITERS_PATH}/prompts/{name}", flash=f"Version {new.version} is in use.")

        return await submitted(request, PromptEdit, saved, lambda form: prompt_page(request, name, form))

    @pages.post("/writers/prompts/{name}/try", Letters.MANAGE_PROMPTS, keeps=PromptEdit)
    async def try_out(request: Request, viewer: CurrentViewer, name: str) -> Response:
        """Try the text as it stands in the form; nothing is saved."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            form = parse(PromptEdit, sent)
            writer = str(sent.get("writer", ""))
        if form.value is None:
            return await prompt_page(request, name, form)
        version = form.value.version or 0
        job = await service.generators.start_trial(viewer, writer, {known(name): Prompt(form.value.text, version)})
        return await trial_page(service, job)

    @pages.get("/writers/prompts/{name}/{version}", Letters.MANAGE_PROMPTS)
    async def version(request: Request, name: str, version: Number) -> Response:
        """A version, and what has changed since."""
        text = await service.prompts.text(name, version)
        used = await service.prompts.in_use(known(name))
        return render(
            request,
            "newsletter/prompt_version.html",
            name=name,
            title=PROMPT_LABELS[known(name)][0],
            version=version,
            text=text,
            used=used,
            difference=word_diff(text, used.text),
        )

    @pages.post("/writers/prompts/{name}/{version}", Letters.MANAGE_PROMPTS)
    async def use(viewer: CurrentViewer, name: str, version: Number) -> Response:
        """Use an old version again; it becomes the newest one."""
        text = await service.prompts.text(name, version)
        new = await service.prompts.save(viewer, name, PromptEdit(text=text, note=f"Version {version} again"))
        return redirect(f"{WRITERS_PATH}/prompts/{name}", flash=f"Version {version} is in use again, as {new.version}.")
