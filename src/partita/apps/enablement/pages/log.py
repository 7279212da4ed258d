"""The log: events by day or person, and what was done with content by month."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.formats import is_day, month_in_words
from partita.apps.enablement.pages.changes import LABELS, told
from partita.apps.enablement.pages.history import ACTIONS
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Event
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.routes import CurrentViewer, Routes
from partita.table import Page

_PAGE = 50
EVENT_WORDS = {
    "content_viewed": ("opened", "eye"),
    "content_downloaded": ("downloaded", "download"),
    "content_previewed": ("looked at the preview of", "image"),
    "search_done": ("searched", "search"),
    "search_opened": ("opened from a search", "search"),
    "collection_opened": ("opened a collection", "list"),
    "notification_opened": ("opened from a notification", "bell"),
}
"""Event → what somebody did, and its picture."""
Text = Annotated[str, Query(max_length=100)]


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/log", Enablement.MANAGE)
    async def events(
        request: Request,
        viewer: CurrentViewer,
        day: Annotated[str, Query(max_length=100, alias="date")] = "",
        user: Text = "",
        cursor: Cursor = None,
    ) -> Response:
        """Events of a day, or of a person."""
        today = service.changing.now().date().isoformat()
        chosen = day if is_day(day) and _is_date(day) else today
        person = await service.analytics.person(viewer, user) if user.strip() else None
        page: Page[Event] = Page((), None)
        if person is not None:
            page = await service.events.of(viewer, person.user_id, limit=_PAGE, cursor=cursor)
        elif not user.strip():
            page = await service.events.on(viewer, chosen, limit=_PAGE, cursor=cursor)
        return render(
            request,
            "enablement/log.html",
            page=page,
            day=chosen,
            today=today,
            user=user.strip(),
            person=person,
            before=_day(chosen, -1),
            after=_day(chosen, 1) if chosen < today else None,
            words=EVENT_WORDS,
            **await service.showing.named(each.user_id for each in page),
            contents=await service.analytics.titles(viewer, {each.content_id for each in page if each.content_id}),
        )

    @pages.get("/log/audit", Enablement.MANAGE)
    async def audit(request: Request, viewer: CurrentViewer, month: Text = "", cursor: Cursor = None) -> Response:
        """What was done with content in a month."""
        now = service.changing.now().date().isoformat()[:7]
        chosen = month if _is_date(f"{month}-01") and len(month) == 7 else now
        page = await service.history.audit(viewer, chosen, limit=_PAGE, cursor=cursor)
        return render(
            request,
            "enablement/audit.html",
            page=page,
            month=chosen,
            now=now,
            in_words=month_in_words,
            before=_day(f"{chosen}-01", -1)[:7],
            after=_day(f"{chosen}-28", 5)[:7] if chosen < now else None,
            actions=ACTIONS,
            labels=LABELS,
            **await told(service, viewer, page.items),
            contents=await service.analytics.titles(viewer, {each.history_of for each in page}),
        )


def _is_date(text: str) -> bool:
    try:
        return date(2000, 1, 1) <= date.fromisoformat(text) <= date(2999, 12, 31)
    except ValueError:
        return False


def _day(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
