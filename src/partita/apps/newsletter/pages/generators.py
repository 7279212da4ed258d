"""Writers and prompts: which writer is on, trials with time and tokens, and the prompts in use."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.newsletter.inputs import WriterChoice
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.generators.prompts import PROMPTS
from partita.kit.forms import Parsed, submitted
from partita.kit.jobs import Job
from partita.kit.markdown import html_of
from partita.kit.pages import redirect, render
from partita.kit.routes import CurrentViewer, Routes

WRITERS_PATH = "/newsletter/writers"
_SHORT_SECONDS = 3.0
PROMPT_LABELS = {
    "outline": ("Outline", "How stories are made of what was found."),
    "section": ("Section", "How a section is written from its passages."),
    "rewrite": ("Other words", "How a selection is made shorter, simpler or more formal."),
}
JobId = Annotated[str, Query(max_length=64)]


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    @pages.get("/writers", Letters.MANAGE_PROMPTS)
    async def writers(request: Request, viewer: CurrentViewer, trial: JobId = "") -> Response:
        """The writers, the last trial, and the prompts."""
        used = await service.prompts.all_in_use()
        tried = await service.generators.trial(viewer, trial) if trial else None
        return render(
            request,
            "newsletter/writers.html",
            states=service.generators.states(),
            chosen=await service.generators.chosen(),
            trial=tried,
            trial_text=html_of(tried["text"]) if tried else "",
            prompts=[(name, *PROMPT_LABELS[name], used[name]) for name in PROMPTS],
        )

    @pages.post("/writers/choose", Letters.MANAGE_PROMPTS)
    async def choose(request: Request, viewer: CurrentViewer) -> Response:
        """Use a writer from now on."""

        async def save(choice: WriterChoice) -> Response:
            await service.generators.choose(viewer, choice.writer)
            title = next(state.title for state in service.generators.states() if state.name == choice.writer)
            return redirect(WRITERS_PATH, flash=f"{title} writes from now on.")

        async def again(form: Parsed[WriterChoice]) -> Response:
            why = form.problem.detail if form.problem else "Choose a writer."
            return redirect(WRITERS_PATH, flash=why, kind="warn")

        return await submitted(request, WriterChoice, save, again)

    @pages.post("/writers/{name}/try", Letters.MANAGE_PROMPTS)
    async def try_out(viewer: CurrentViewer, name: str) -> Response:
        """Let a writer write a small section."""
        job = await service.generators.start_trial(viewer, name)
        return await trial_page(service, job)


async def trial_page(service: NewsletterService, job: Job) -> Response:
    """The result of a trial if it comes soon, else the page that shows how far it is."""
    ended = await service.generators.ended_within(job, _SHORT_SECONDS)
    return redirect(f"{WRITERS_PATH}?trial={job.job_id}#trial" if not ended.is_open else f"/jobs/{job.job_id}")
