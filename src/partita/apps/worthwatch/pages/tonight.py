"""Tonight: three candidates, each with a person's reason."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import curator_path, list_path
from partita.apps.worthwatch.service.tiles import curator_name
from partita.apps.worthwatch.service.tonight import MOST_SKIPPED, THREE, Minutes
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.sharing import Head

TIMES: tuple[tuple[str, Minutes | None, str], ...] = (
    ("90", 90, "An hour and a half"),
    ("120", 120, "Two hours"),
    ("150", 150, "Two and a half"),
    ("", None, "Any length"),
)
_GENRES = 12
_HEAD = Head("/worthwatch/tonight", "Three films or series that fit your evening, each with a curator's reason.")


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @pages.get("/tonight", Access.PUBLIC)
    async def tonight(
        request: Request,
        viewer: CurrentViewer,
        minutes: Annotated[str, Query(max_length=10)] = "",
        genre: Annotated[str, Query(max_length=100)] = "",
        skip: Annotated[str, Query(max_length=4)] = "",
    ) -> Response:
        """At most three titles; parameters that make no sense are ignored."""
        time, limit, _ = next((each for each in TIMES if each[0] == minutes), TIMES[-1])
        past = min(int(skip), MOST_SKIPPED) if skip.isascii() and skip.isdecimal() else 0
        evening = await service.tonight.choose(viewer, minutes=limit, genre=genre, skip=past)
        genres = list(evening.genres[:_GENRES])
        if genre and genre not in genres:
            genres.insert(0, genre)
        return render(
            request,
            "worthwatch/tonight.html",
            page_head=_HEAD,
            evening=evening,
            times=[(value, label) for value, _, label in TIMES],
            time=time,
            genre=genre,
            genres=genres,
            skip=past,
            others=past + THREE,
            list_path=list_path,
            curator_path=curator_path,
            curator_name=curator_name,
        )
