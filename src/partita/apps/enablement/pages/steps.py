"""Steps of the life cycle from anywhere: still correct, hand over, retire, expire, renew, back in use, withdraw."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from partita.apps.enablement.formats import day_of
from partita.apps.enablement.inputs import Reason, Retirement, RetirementForm, Transfer
from partita.apps.enablement.pages.replacing import replacement
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.kit.desks import next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import confirm as confirm_page
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden
from partita.kit.routes import CurrentViewer, Routes

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Form:
    """A step that asks something first."""

    needs: Action
    template: str


STEPS = (Action.CONFIRM, Action.HAND_OVER, Action.PLAN, Action.REINSTATE, Action.RENEW, Action.RESPOND)
"""What the page of a content item has buttons for."""
RETIRE = Form(Action.PLAN, "enablement/retire.html")
EXPIRE = Form(Action.PLAN, "enablement/expire.html")
HAND_OVER = Form(Action.HAND_OVER, "enablement/hand_over.html")


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    def page_of(content_id: str) -> str:
        return f"/enablement/content/{content_id}"

    async def by_button(request: Request, content_id: str, step: Awaitable[object], flash: str) -> Response:
        """A step by a button alone: back to where it was pressed, or why it was refused."""
        back = await next_in(request) or page_of(content_id)
        try:
            await step
        except (Conflict, Forbidden) as refused:
            return redirect(back, flash=refused.detail, kind="warn")
        return redirect(back, flash=flash)

    async def form_page(request: Request, viewer: Viewer, content_id: str, form: Form, typed: Parsed[Any]) -> Response:
        content, _ = await service.content.look(viewer, content_id)
        orphaned = viewer.may(Enablement.APPROVE) and await service.lifecycle.has_no_owner(content)
        if form.needs is not Action.HAND_OVER or not orphaned:
            content = await service.changing.allowed(viewer, content_id, form.needs)
        shown = await service.showing.one(content)
        return render(request, form.template, shown=shown, form=typed, next=await next_in(request))

    @pages.post("/content/{content_id}/confirm", Enablement.WRITE)
    async def confirm(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Still correct."""
        back = await next_in(request) or page_of(content_id)
        try:
            content = await service.lifecycle.confirm(viewer, content_id)
        except (Conflict, Forbidden) as refused:
            return redirect(back, flash=refused.detail, kind="warn")
        due = day_of(content.review_due_date)
        return redirect(back, flash=f"“{content.title}” is confirmed. Next review on {due}.")

    @pages.post("/content/{content_id}/withdraw", Enablement.WRITE)
    async def withdraw(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        step = service.lifecycle.withdraw(viewer, content_id)
        return await by_button(request, content_id, step, "Withdrawn. Submit it again when it is ready.")

    @pages.post("/content/{content_id}/reinstate", Enablement.APPROVE)
    async def reinstate(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        step = service.lifecycle.reinstate(viewer, content_id)
        return await by_button(request, content_id, step, "Readers have it again.")

    @pages.get("/content/{content_id}/renew", Enablement.WRITE)
    async def ask_to_renew(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        content = await service.changing.allowed(viewer, content_id, Action.RENEW)
        return confirm_page(
            request,
            f"Renew “{content.title}”?",
            "It becomes a draft. Readers do not see it until it is approved again.",
            button="Renew",
            keep=page_of(content_id),
        )

    @pages.post("/content/{content_id}/renew", Enablement.WRITE)
    async def renew(viewer: CurrentViewer, content_id: str) -> Response:
        await service.lifecycle.renew(viewer, content_id)
        return redirect(f"{page_of(content_id)}/edit", flash="This is a draft now. Change it and submit it.")

    async def stepped(
        request: Request,
        viewer: Viewer,
        content_id: str,
        form: Form,
        model: type[M],
        save: Callable[[M], Awaitable[Content]],
        flash: str,
    ) -> Response:
        back = await next_in(request) or page_of(content_id)

        async def done(value: M) -> Response:
            content = await save(value)
            return redirect(back, flash=flash.format(content.title))

        async def again(typed: Parsed[M]) -> Response:
            return await form_page(request, viewer, content_id, form, typed)

        return await submitted(request, model, done, again)

    @pages.get("/content/{content_id}/retire", Enablement.APPROVE)
    async def retire_form(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        return await form_page(request, viewer, content_id, RETIRE, Parsed(None))

    @pages.post("/content/{content_id}/retire", Enablement.APPROVE, keeps=RetirementForm)
    async def retire(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        async def save(form: RetirementForm) -> Content:
            following = await replacement(service, viewer, content_id, form.superseded_by)
            retirement = Retirement(reason=form.reason, superseded_by=following)
            return await service.lifecycle.retire(viewer, content_id, retirement)

        return await stepped(request, viewer, content_id, RETIRE, RetirementForm, save, "“{}” is retired.")

    @pages.get("/content/{content_id}/expire", Enablement.APPROVE)
    async def expire_form(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        return await form_page(request, viewer, content_id, EXPIRE, Parsed(None))

    @pages.post("/content/{content_id}/expire", Enablement.APPROVE, keeps=Reason)
    async def expire(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        async def save(value: Reason) -> Content:
            return await service.lifecycle.expire(viewer, content_id, value)

        return await stepped(request, viewer, content_id, EXPIRE, Reason, save, "“{}” has expired.")

    @pages.get("/content/{content_id}/hand-over", Enablement.WRITE)
    async def hand_over_form(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        return await form_page(request, viewer, content_id, HAND_OVER, Parsed(None))

    @pages.post("/content/{content_id}/hand-over", Enablement.WRITE, keeps=Transfer)
    async def hand_over(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        async def save(value: Transfer) -> Content:
            return await service.lifecycle.hand_over(viewer, content_id, value)

        return await stepped(request, viewer, content_id, HAND_OVER, Transfer, save, "“{}” is handed over.")
