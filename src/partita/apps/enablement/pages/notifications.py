"""Notifications of the portal: by day, with why, and an action in place; and how often mail comes."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.inputs import PreferencesForm, PreferencesInput
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.inbox import MOST_COUNTED
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS, Parsed, submitted
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.table.types import timestamp

PATH = "/enablement/notifications"
_PAGE = 30
RHYTHMS = (
    ("at_once", "At once", "After ten minutes, in one mail"),
    ("daily", "Daily", "One mail a day, if there is something"),
    ("weekly", "Weekly", "On Mondays"),
    ("never", "Never", "Only under the bell"),
)
_MOST_SUGGESTED = 3


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    notifications = service.notifications

    @pages.get("/notifications", Enablement.READ)
    async def browse(
        request: Request,
        viewer: CurrentViewer,
        show: Annotated[str, Query(max_length=20)] = "all",
        cursor: Cursor = None,
    ) -> Response:
        """What is new for the viewer."""
        chosen: Literal["all", "unread", "must_read"] = show if show in ("unread", "must_read") else "all"  # type: ignore[assignment]
        shown_at = timestamp(service.changing.now())
        page, about = await notifications.list_with_content(viewer, show=chosen, limit=_PAGE, cursor=cursor)
        contents = service.content.seen(viewer, about)
        unread = await notifications.unread_count(viewer)
        return render(
            request,
            "enablement/notifications.html",
            page=page,
            show=chosen,
            covers={each.content_id: each for each in await service.showing.each(contents)},
            to_read=await service.reading.open_among(
                viewer, (each.content_id for each in page if each.content_id and each.about == "must_read")
            ),
            unread="99+" if unread >= MOST_COUNTED else unread,
            shown_at=shown_at,
            suggestions=await suggestions(viewer) if not page.items and chosen == "all" else (),
        )

    async def suggestions(viewer: Viewer) -> list[tuple[str, int]]:
        """The largest suites with how many items they have: what somebody who follows nothing may begin with."""
        products = await service.showing.products()
        numbers = [(each.name, await service.library.covered(viewer, suite=each.name)) for each in products.suites[:12]]
        return sorted(numbers, key=lambda each: -each[1])[:_MOST_SUGGESTED]

    @pages.post("/notifications/read-all", Enablement.READ)
    async def read_all(request: Request, viewer: CurrentViewer) -> Response:
        """Mark those as read that the page had."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            until = str(sent.get("until", ""))[:40]
        marked = await notifications.read_all(viewer, until or None)
        return redirect(PATH, flash=f"{marked} marked as read." if marked else "Nothing was unread.")

    @pages.post("/notifications/{notification_id}/read", Enablement.READ)
    async def read(viewer: CurrentViewer, notification_id: str) -> Response:
        """Mark one as read, and go where it leads."""
        told = await notifications.read(viewer, notification_id)
        return redirect(local(told.link or "", PATH))

    async def settings_page(request: Request, viewer: Viewer, form: Parsed[PreferencesForm]) -> Response:
        sample = await notifications.sample(viewer)
        return render(request, "enablement/notification_settings.html", form=form, rhythms=RHYTHMS, sample=sample)

    @pages.get("/notifications/settings", Enablement.READ)
    async def settings(request: Request, viewer: CurrentViewer) -> Response:
        chosen = await notifications.preferences(viewer)
        return await settings_page(
            request, viewer, Parsed(None, values={str(about): rhythm for about, rhythm in chosen.items()})
        )

    @pages.post("/notifications/settings", Enablement.READ, keeps=PreferencesForm)
    async def save_settings(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: PreferencesForm) -> Response:
            await notifications.choose(viewer, PreferencesInput(**form.model_dump()))
            return redirect(f"{PATH}/settings", flash="Saved.")

        async def again(form: Parsed[PreferencesForm]) -> Response:
            return await settings_page(request, viewer, form)

        return await submitted(request, PreferencesForm, save, again)
