"""The search page: tabs with counts, filters beside posters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.search import LONGER
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import curator_path
from partita.apps.worthwatch.service.finding import KINDS, PREVIEW, Sort, Wanted
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.search import FacetValue

Tab = Literal["all", "lists", "films", "series", "curators"]
SORTS: dict[Sort, str] = {
    "fit": "Best match",
    "listed": "On most lists",
    "average": "Best rated",
    "year": "Newest",
}
LENGTHS = {"90": "≤ 1 h 30", "120": "≤ 2 h", "150": "≤ 2 h 30", LONGER: "Longer"}
_TABS: dict[Tab, str] = {"all": "All", "lists": "Lists", "films": "Films", "series": "Series", "curators": "Curators"}
Values = Annotated[list[str], Query(max_length=30)]


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    finding = service.finding

    @pages.get("/search", Access.PUBLIC)
    async def search(
        request: Request,
        viewer: CurrentViewer,
        q: Annotated[str, Query(max_length=200)] = "",
        show: Annotated[str, Query(max_length=20)] = "all",
        genre: Values = [],  # noqa: B006 - FastAPI leaves it alone
        decade: Values = [],  # noqa: B006
        length: Annotated[str, Query(max_length=10)] = "",
        unseen: bool = False,
        sort: Annotated[str, Query(max_length=20)] = "fit",
        cursor: Cursor = None,
    ) -> Response:
        """What was found; parameters that make no sense are ignored."""
        wanted = Wanted(
            q.strip(),
            frozenset(genre),
            frozenset(decade),
            length if length in LENGTHS else "",
            unseen=unseen and viewer.signed_in,
            sort=next((each for each in SORTS if each == sort), "fit"),
        )
        tab: Tab = next((each for each in _TABS if each == show), "all")
        if tab == "all" and wanted.narrowed:
            tab = "films"  # only titles have filters
        totals = await finding.totals(wanted)
        kinds = KINDS if tab == "all" else (tab,)
        found = {
            kind: await finding.find(
                viewer,
                kind,
                wanted,
                cursor=cursor if tab != "all" else None,
                **({"limit": PREVIEW} if tab == "all" else {}),
            )
            for kind in kinds
        }
        me = await service.people.mine(viewer)
        return render(
            request,
            "worthwatch/search.html",
            wanted=wanted,
            tab=tab,
            tabs=[
                (each, label, sum(totals.values()) if each == "all" else totals[each]) for each, label in _TABS.items()
            ],
            found=found,
            only=found[tab] if tab != "all" else None,
            sorts=list(SORTS.items()),
            lengths=LENGTHS,
            lengths_found=_in_order(found[tab].facets.get("length", ())) if tab != "all" else (),
            curator_path=curator_path,
            hides_averages=me is not None and bool(me.hide_averages),
            may_add=viewer.may(WorthWatch.CATALOG) or (me is not None and me.approved),
        )


def _in_order(values: Iterable[FacetValue]) -> list[FacetValue]:
    """The shortest first."""
    order = list(LENGTHS)
    return sorted(values, key=lambda each: order.index(each.value) if each.value in order else len(order))
