"""Steps while they run: what every page of the wizard shows of them, live; cancelling, and trying again."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, StepName
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.steps import Look
from partita.kit.live import State, live
from partita.kit.pages import redirect, render
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.serving import serving

PART = "newsletter/step_states.html"
"""What every page of the wizard shows of its step; each part is replaced by its id."""
PAGES: dict[str, str] = {"retrieval": "plan", "outline": "outline", "draft": "write", "section": "write"}
"""Step → the page that shows its result; exports are on the page Finish."""
MAKING: tuple[StepName, ...] = ("retrieval", "outline", "draft")


def base(code: str) -> str:
    """The address of an edition."""
    return f"/newsletter/editions/{code}"


def page_of(code: str, step: str) -> str:
    """The page that shows the result of a step."""
    return f"{base(code)}/{PAGES.get(step, 'finish')}"


def onward(newsletter: Newsletter) -> str:
    """Where somebody goes on: the furthest step that was reached."""
    step = ("configure", "plan", "outline", "write")[newsletter.current_step - 1]
    return f"{base(newsletter.newsletter_code)}/{step}"


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    steps = service.steps

    def shown(looks: dict[StepName, Look], only: str) -> dict[str, Any]:
        wanted = MAKING if only == "all" else tuple(each for each in looks if each == only)
        return {"looks": [looks[step] for step in wanted], "only": only}

    @pages.get("/editions/{code}/making", Letters.WRITE)
    async def making(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """All three steps, one after the other."""
        newsletter = await service.newsletters.get(viewer, code)
        looks = await steps.looks(code)
        state = shown(looks, "all")
        return render(
            request,
            "newsletter/making.html",
            newsletter=newsletter,
            running=steps.going_on(state["looks"]),
            may_write=await service.access.may_write(viewer, newsletter),
            onward=onward(newsletter),
            **state,
        )

    @pages.get("/editions/{code}/events", Letters.WRITE, polled=True)
    async def events(request: Request, viewer: CurrentViewer, code: str, only: str = "all") -> Response:
        """The parts of a page that change while a step runs, as server-sent events."""
        newsletter = await service.newsletters.get(viewer, code)
        may_write = await service.access.may_write(viewer, newsletter)
        part = serving(request).templates.get_template(PART)

        async def look() -> State | None:
            try:
                now = await service.newsletters.get(viewer, code)
            except NotFound:
                return None
            state = shown(await steps.looks(code), only)
            text = part.render(newsletter=now, may_write=may_write, onward=onward(now), **state)
            return State(text, steps.going_on(state["looks"]))

        return live(request, look)

    @pages.post("/editions/{code}/steps/{step}/cancel", Letters.WRITE)
    async def cancel(viewer: CurrentViewer, code: str, step: StepName) -> Response:
        """Cancel a step."""
        try:
            look = await steps.cancel(viewer, code, step)
        except Problem as refused:
            if refused.status != 409:
                raise
            return redirect(page_of(code, step), flash=refused.detail, kind="info")
        flash = "Cancelled." if not look.is_open else "Stopping. Nothing you had before is changed."
        return redirect(page_of(code, step), flash=flash, kind="info")

    @pages.post("/editions/{code}/steps/{step}/start", Letters.WRITE)
    async def start(viewer: CurrentViewer, code: str, step: StepName) -> Response:
        """Start a step, or try it again."""
        there = await steps.look(code, step)
        inputs = {} if there.run is None else {name: v for name, v in there.run.inputs.items() if name != "then"}
        then: Any = there.following if there.state in ("failed", "cancelled") else ()
        await steps.start(viewer, code, step, inputs=inputs, then=then)
        opened = f"?{urlencode({'section': inputs['key']})}" if step == "section" and inputs.get("key") else ""
        return redirect(f"{base(code)}/making" if then else page_of(code, step) + opened)
