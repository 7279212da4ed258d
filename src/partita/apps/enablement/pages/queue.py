"""The approval queue: what waits at the side, what changed in the open one, its comments, and the decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.formats import day_after, day_in_words, day_of
from partita.apps.enablement.inputs import Approval, ChangesRequest, NewComment
from partita.apps.enablement.pages.changes import LABELS
from partita.apps.enablement.pages.deciding import Forms, decision_of
from partita.apps.enablement.pages.history import ACTIONS
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Content, ContentFields
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.desks import Pending
from partita.apps.enablement.service.products import unknown_product
from partita.apps.enablement.service.proposals import fields_with
from partita.kit.answers import Cursor
from partita.kit.desks import Desk, next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.markdown import html_of
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

QUEUE_PATH = "/enablement/queue"
LATE = 2
"""After so many days the waiting is marked."""
_PAGE = 20
_TALK = 30
_SAID = ("comment", "submitted", "changes_requested")


@dataclass(frozen=True, slots=True)
class Check:
    """Something that an approver looks at before deciding."""

    good: bool
    words: str


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def desk_page(
        request: Request,
        viewer: Viewer,
        at: str = "",
        cursor: str | None = None,
        forms: Forms | None = None,
        onward: str = QUEUE_PATH,
    ) -> Response:
        page = await service.desks.queue(viewer, limit=_PAGE, cursor=cursor)
        if cursor and not page.items:
            return redirect(QUEUE_PATH)
        desk = Desk.of(QUEUE_PATH, page, lambda each: each.content_id, at=at, cursor=cursor)
        if at and desk.open_key != at:
            try:
                desk = replace(desk, current=await service.desks.pending(viewer, at))
            except NotFound as gone:
                return redirect(onward, flash=gone.detail, kind="info")
        if desk.current is None:
            decisions = await service.desks.decisions(viewer)
            contents = await service.content.visible(viewer, (each.history_of for each in decisions))
            titles = {each.content_id: each.title for each in contents}
            people = await service.showing.names(each.changed_by for each in decisions)
            return render(
                request,
                "enablement/nothing_waits.html",
                decisions=decisions,
                titles=titles,
                people=people,
                actions=ACTIONS,
            )
        return await open_page(request, viewer, desk, desk.current, forms or Forms.empty())

    async def open_page(
        request: Request, viewer: Viewer, desk: Desk[Pending], pending: Pending, forms: Forms
    ) -> Response:
        content = pending.content
        shown = await service.showing.each([each.content for each in desk.page] + [content])
        history = await service.history.entries(viewer, content.content_id, limit=_TALK)
        talk = [
            each
            for each in reversed(history.items)
            if each.action in _SAID and each.comment not in (None, pending.change_note)
        ]
        fields = fields_with(content, pending.proposal)
        known = [pending.submitted_by, *(each.submitted_by for each in desk.page), *(each.changed_by for each in talk)]
        comparison = await service.history.pending(viewer, content.content_id)
        preview = (
            pending.proposal if pending.proposal is not None and "s3_key" in pending.proposal.proposed else content
        )
        return render(
            request,
            "enablement/queue.html",
            refused=forms.said.problem or forms.approval.problem,
            desk=desk,
            pending=pending,
            shown=shown[-1],
            covers={each.content_id: each for each in shown},
            **await service.showing.named(known),
            comparison=comparison,
            fields=fields,
            text=html_of(await service.content.text(fields)) if comparison.before is None else "",
            look=await service.previews.look(content, plays=True) if comparison.before is None else None,
            labels=LABELS,
            talk=talk,
            actions=ACTIONS,
            checks=checks_of(
                *(content, fields, pending, preview.preview_state),
                owner=shown[-1].owner is not None,
                unknown=unknown_product(await service.showing.products(), fields.product_suite),
            ),
            decision=await decision_of(service, viewer, pending, forms),
            today=shown[-1].today,
            late={each.content_id for each in (*desk.page, pending) if waits_long(each, shown[-1].today)},
        )

    @pages.get("/queue", Enablement.APPROVE)
    async def queue(
        request: Request,
        viewer: CurrentViewer,
        at: Annotated[str, Query(max_length=200)] = "",
        cursor: Cursor = None,
    ) -> Response:
        """What waits, with one of it open; an approver's first visit follows the queue."""
        await service.follows.visit_queue(viewer)
        return await desk_page(request, viewer, at, cursor)

    @pages.get("/queue/{content_id}", Enablement.APPROVE)
    async def one(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """The queue with this one open; if it does not wait any more, the queue says so."""
        await service.changing.content(content_id)
        return await desk_page(request, viewer, content_id)

    @pages.post("/queue/{content_id}/approve", Enablement.APPROVE, keeps=Approval)
    async def approve(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        onward = await next_in(request) or QUEUE_PATH

        async def save(approval: Approval) -> Response:
            content = await service.lifecycle.approve(viewer, content_id, approval)
            later = approval.release_on is not None and (day_of(approval.release_on) or "") > content.last_updated[:10]
            done = f"approved for {day_in_words(approval.release_on)}" if later else "approved"
            return redirect(onward, flash=f"“{content.title}” {done}.")

        async def again(form: Parsed[Approval]) -> Response:
            forms = replace(Forms.empty(), approval=form)
            return await desk_page(request, viewer, content_id, forms=forms, onward=onward)

        return await submitted(request, Approval, save, again)

    @pages.post("/queue/{content_id}/request-changes", Enablement.APPROVE, keeps=ChangesRequest)
    async def request_changes(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        onward = await next_in(request) or QUEUE_PATH

        async def save(wanted: ChangesRequest) -> Response:
            await service.lifecycle.request_changes(viewer, content_id, wanted)
            content = await service.changing.content(content_id)
            return redirect(onward, flash=f"Changes requested: “{content.title}”.", kind="info")

        async def again(form: Parsed[ChangesRequest]) -> Response:
            forms = replace(Forms.empty(), said=form)
            return await desk_page(request, viewer, content_id, forms=forms, onward=onward)

        return await submitted(request, ChangesRequest, save, again)

    @pages.post("/queue/{content_id}/comments", Enablement.APPROVE, keeps=NewComment)
    async def comment(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        async def save(new: NewComment) -> Response:
            await service.history.comment(viewer, content_id, new)
            return redirect(f"{QUEUE_PATH}/{content_id}", flash="Comment posted.")

        async def again(form: Parsed[NewComment]) -> Response:
            return await desk_page(request, viewer, content_id, forms=replace(Forms.empty(), said=form))

        return await submitted(request, NewComment, save, again)


def waits_long(pending: Pending, today: str) -> bool:
    """Whether it waits for the third day."""
    return (day_of(pending.submitted_at) or today) <= day_after(today, -LATE)


def checks_of(
    content: Content, fields: ContentFields, pending: Pending, preview: str | None, *, owner: bool, unknown: str = ""
) -> list[Check]:
    """What is in order about something that waits, and what is not; `unknown` is what to say of its product."""
    checks = [
        Check(owner, "It has an owner." if owner else "Its owner has left. Hand it over first."),
        Check(False, unknown)
        if unknown
        else Check(
            bool(fields.product_suite),
            f"Product: {fields.product_suite}." if fields.product_suite else "No product is chosen: few will find it.",
        ),
        Check(True, f"Review by {day_of(fields.review_due_date)}.")
        if fields.review_due_date
        else Check(False, "No review date: nobody will be reminded to check it."),
    ]
    if fields.expiry_date:
        checks.append(Check(True, f"Valid until {day_of(fields.expiry_date)}."))
    if fields.s3_key:
        words = {"ready": "The preview is ready.", "failed": "The preview could not be made: look at the file itself."}
        checks.append(Check(preview != "failed", words.get(preview or "", "The preview is being made.")))
    if content.major and not pending.change_note:
        checks.append(Check(False, "The author did not say what changed."))
    return checks
