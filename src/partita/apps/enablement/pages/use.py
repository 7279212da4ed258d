"""What readers do with content: vote, report, confirm that they have read it. The content page includes it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from partita.apps.enablement.inputs import NewReport, ReportAnswer, VoteInput
from partita.apps.enablement.permissions import Action, Enablement, Part
from partita.apps.enablement.schema import Content, MustRead, Report, Vote
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import allows, parts_of
from partita.apps.enablement.service.analytics import ContentUse
from partita.apps.enablement.service.reading import is_open
from partita.kit.desks import next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes


@dataclass(frozen=True, slots=True)
class Use:
    """What the page of an item shows of its use; made by `use_of`, shown by `enablement/use.html`."""

    path: str
    responds: bool
    """Whether the viewer may vote, report and confirm."""
    vote: Vote | None
    row: MustRead | None
    confirmed: bool
    """Whether they have confirmed the current version."""
    must_read: bool
    late: bool
    sees_readers: bool
    numbers: ContentUse | None
    reports: tuple[Report, ...]
    """Open ones, for whoever may answer them."""


async def use_of(service: EnablementService, viewer: Viewer, content: Content) -> Use:
    """Everything that the content page shows of an item's use."""
    now = service.changing.now()
    responds = allows(viewer, content, Action.RESPOND, now)
    staff = bool(parts_of(viewer, content) & {Part.OWNER, Part.APPROVER, Part.ADMIN})
    vote = await service.votes.mine(viewer, content.content_id) if responds else None
    row = await service.reading.state(viewer, content.content_id) if responds else None
    still = row is not None and is_open(row)
    return Use(
        path=f"/enablement/content/{content.content_id}",
        responds=responds,
        vote=vote,
        row=row,
        confirmed=row is not None and not still and row.confirmed_major == content.major,
        must_read=still,
        late=still and row is not None and row.read_by < now.date().isoformat(),
        sees_readers=allows(viewer, content, Action.SEE_READERS, now),
        numbers=await service.analytics.of_content(viewer, content.content_id) if staff and content.major else None,
        reports=await service.reports.open_of(viewer, content.content_id) if staff and content.major else (),
    )


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def onward(request: Request, content_id: str) -> str:
        async with request.form(max_fields=20) as sent:
            asked = sent.get("next")
        return local(asked if isinstance(asked, str) else None, f"/enablement/content/{content_id}")

    @pages.post("/content/{content_id}/vote", Enablement.READ)
    async def vote(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Say whether it helped."""

        async def save(given: VoteInput) -> Response:
            await service.votes.vote(viewer, content_id, given)
            words = "Thank you. Vote saved." if given.helped else "Vote saved. Tell us what is wrong, if you like."
            return redirect(f"/enablement/content/{content_id}#helped", flash=words)

        async def again(form: Parsed[VoteInput]) -> Response:
            assert form.problem is not None
            raise form.problem

        return await submitted(request, VoteInput, save, again)

    async def report_page(request: Request, viewer: Viewer, content_id: str, form: Parsed[NewReport]) -> Response:
        content = await service.changing.allowed(viewer, content_id, Action.RESPOND)
        shown = await service.showing.one(content)
        return render(request, "enablement/report.html", shown=shown, form=form)

    @pages.get("/content/{content_id}/report", Enablement.READ)
    async def report_form(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """What is wrong with it?"""
        return await report_page(request, viewer, content_id, Parsed(None))

    @pages.post("/content/{content_id}/report", Enablement.READ, keeps=NewReport)
    async def report(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Report it to its owner."""

        async def save(new: NewReport) -> Response:
            await service.reports.add(viewer, content_id, new)
            told = "Reported. Its owner is told, and you will hear when it is answered."
            return redirect(f"/enablement/content/{content_id}", flash=told)

        async def again(form: Parsed[NewReport]) -> Response:
            return await report_page(request, viewer, content_id, form)

        return await submitted(request, NewReport, save, again)

    @pages.post("/content/{content_id}/read", Enablement.READ)
    async def confirm(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """I have read this."""
        row = await service.reading.confirm(viewer, content_id)
        flash = f"Confirmed: you have read version {row.confirmed_major}."
        return redirect(await onward(request, content_id), flash=flash)

    async def reports_page(
        request: Request, viewer: Viewer, content_id: str, form: Parsed[ReportAnswer], at: str = ""
    ) -> Response:
        reports = await service.reports.open_of(viewer, content_id)
        content, _ = await service.content.look(viewer, content_id)
        return render(
            request,
            "enablement/reports.html",
            shown=await service.showing.one(content),
            reports=reports,
            **await service.showing.named(each.reported_by for each in reports),
            form=form,
            at=at,
        )

    @pages.get("/content/{content_id}/reports", Enablement.READ)
    async def reports(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Open reports of an item, for its owner and approvers."""
        return await reports_page(request, viewer, content_id, Parsed(None))

    @pages.post("/content/{content_id}/reports/{report_id}", Enablement.READ, keeps=ReportAnswer)
    async def answer(request: Request, viewer: CurrentViewer, content_id: str, report_id: str) -> Response:
        """Answer a report."""

        back = await next_in(request) or f"/enablement/content/{content_id}/reports"

        async def save(given: ReportAnswer) -> Response:
            await service.reports.close(viewer, f"{report_id}.{content_id}", given)
            return redirect(back, flash="Answered. Whoever reported it is told.")

        async def again(form: Parsed[ReportAnswer]) -> Response:
            return await reports_page(request, viewer, content_id, form, report_id)

        return await submitted(request, ReportAnswer, save, again)


def write_address(words: str) -> str:
    """Where content about words that found nothing is begun."""
    return f"/enablement/new?{urlencode({'title': words})}"
