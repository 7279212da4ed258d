"""Analytics: what is used, unused, stale and searched for in vain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.pages.use import write_address
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.analytics import Overview
from partita.apps.enablement.service.summaries import WINDOWS, Window
from partita.kit.pages import render
from partita.kit.routes import CurrentViewer, Routes

PERIODS = {7: "7 days", 30: "30 days", 90: "90 days"}
_MOST = 5


@dataclass(frozen=True, slots=True)
class Compared:
    """A number, and the same of the window before."""

    label: str
    value: int | None
    before: int | None
    icon: str
    good: bool = True
    """Whether more of it is better."""

    @property
    def note(self) -> str:
        """How it has changed, in words."""
        if self.value is None or self.before is None:
            return ""
        if not self.before:
            return "none before" if self.value else ""
        share = round(100 * (self.value - self.before) / self.before)
        return "as before" if share == 0 else f"{abs(share)} % {'more' if share > 0 else 'less'} than before"


def compared(seen: Overview) -> tuple[Compared, ...]:
    """The four numbers on top."""
    now, then, counted = seen.totals, seen.before, seen.as_of is not None  # the window before comes with the rankings
    return (
        Compared("people", now.people, then.people if counted else None, "users"),
        Compared("views", now.views, then.views if counted else None, "eye"),
        Compared("downloads", now.downloads, then.downloads if counted else None, "download"),
        Compared("searches in vain", now.in_vain, then.in_vain if counted else None, "search", good=False),
    )


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    @pages.get("/analytics", Enablement.APPROVE)
    async def analytics(
        request: Request, viewer: CurrentViewer, days: Annotated[str, Query(max_length=10)] = ""
    ) -> Response:
        """The numbers of a window; one that is not offered is 30 days."""
        window: Window = next((each for each in WINDOWS if str(each) == days), 30)
        found = await service.analytics.dashboard(viewer, window, _MOST)
        return render(
            request,
            "enablement/analytics.html",
            seen=found.overview,
            numbers=compared(found.overview),
            found=found,
            period=window,
            periods=PERIODS,
            most=_MOST,
            write_address=write_address,
        )
