"""Managing content: a list to choose from, one step for all that are ticked, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.inputs import BulkAction, BulkStep
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Status
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.bulk import WORDS
from partita.apps.enablement.service.library import Wanted
from partita.apps.enablement.service.shown import Shown
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS, Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.table import Page

PATH = "/enablement/manage"
_PAGE = 50
_STATES: Mapping[str, Status] = {
    "released": "Approved",
    "drafts": "Draft",
    "expired": "Expired",
    "retired": "Deprecated",
}
TABS = {
    "mine": "Mine",
    "waiting": "Waiting for approval",
    "released": "Released",
    "drafts": "Drafts",
    "expired": "Expired",
    "retired": "Retired",
}
_STEPS: Mapping[str, tuple[BulkAction, ...]] = {"waiting": ("approve",), "released": ("retire", "hand_over")}
"""What can be done with all that are ticked; with the others, handing over."""
Name = Annotated[str, Query(max_length=200)]


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def rows(viewer: Viewer, show: str, suite: str, cursor: str | None) -> tuple[Page[Shown], dict[str, str]]:
        """The items of a list, and the version that a decision about each would name."""
        if show == "waiting":
            waiting = await service.desks.queue(viewer, limit=_PAGE, cursor=cursor)
            shown = await service.showing.each([each.content for each in waiting])
            return Page(tuple(shown), waiting.next_cursor), {each.content_id: each.version for each in waiting}
        wanted = Wanted(owner=viewer.id) if show == "mine" else Wanted(status=_STATES[show], suite=suite or None)
        found = await service.library.browse(viewer, wanted, limit=_PAGE, cursor=cursor)
        shown = await service.showing.each(found.items)
        return Page(tuple(shown), found.next_cursor), {each.content_id: each.version for each in found}

    async def list_page(
        request: Request,
        viewer: Viewer,
        show: str,
        suite: str,
        cursor: str | None,
        form: Parsed[BulkStep],
        chosen: Sequence[str] = (),
    ) -> Response:
        staff = viewer.may(Enablement.APPROVE)
        tabs = TABS if staff else {"mine": TABS["mine"]}
        show = show if show in tabs else ("waiting" if staff else "mine")
        page, versions = await rows(viewer, show, suite, cursor)
        products = await service.showing.products()
        return render(
            request,
            "enablement/manage.html",
            page_items=page,
            versions=versions,
            tabs=[(label, f"{PATH}?show={name}", None) for name, label in tabs.items()],
            current=f"{PATH}?show={show}",
            show=show,
            suite=suite,
            suites=[each.name for each in products.suites],
            steps=_STEPS.get(show, ("hand_over",)),
            chosen=chosen,
            form=form,
        )

    @pages.get("/manage", Enablement.WRITE)
    async def manage(
        request: Request, viewer: CurrentViewer, show: Name = "", suite: Name = "", cursor: Cursor = None
    ) -> Response:
        """Choose several: everything for approvers, their own for others."""
        return await list_page(request, viewer, show, suite, cursor, Parsed(None))

    @pages.post("/manage", Enablement.WRITE, keeps=BulkStep)
    async def change(request: Request, viewer: CurrentViewer) -> Response:
        """The same step for all that are ticked."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            ids = [str(each) for each in sent.getlist("ids")]
            show, suite = str(sent.get("show", ""))[:200], str(sent.get("suite", ""))[:200]
            typed = {name: str(sent.get(name, "")) for name in ("action", "reason", "to", "comment")}
        if not ids:
            back = f"{PATH}?show={show}" if show in TABS else PATH
            return redirect(back, flash="Tick something first.", kind="warn")
        for number, (content_id, _, version) in enumerate(each.rpartition("@") for each in ids):
            typed |= {f"items.{number}.content_id": content_id, f"items.{number}.version": version}
        form = parse(BulkStep, typed)
        chosen = [each.rpartition("@")[0] for each in ids]
        if form.value is None:
            return await list_page(request, viewer, show, suite, None, form, chosen)
        try:
            job = await service.bulk.start(viewer, form.value)
        except Problem as refused:
            if refused.status != 422:
                raise
            return await list_page(request, viewer, show, suite, None, form.refused(refused), chosen)
        return redirect(f"/jobs/{job.job_id}")

    @pages.get("/bulk/{job_id}", Enablement.WRITE)
    async def report(request: Request, viewer: CurrentViewer, job_id: str) -> Response:
        """What became of each."""
        found = await service.bulk.report(viewer, job_id)
        return render(request, "enablement/bulk.html", report=found, words=WORDS[found.action])
