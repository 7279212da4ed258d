"""Tonight over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.tiles import curator_name
from partita.apps.worthwatch.service.tonight import MOST_SKIPPED, Minutes, Pick
from partita.kit.answers import Json
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, View

Time = Annotated[Literal["90", "120", "150"] | None, Query(description="How many minutes there are at most.")]
Genre = Annotated[str, Query(max_length=100, description="Only titles of this genre.")]
Skip = Annotated[int, Query(ge=0, le=MOST_SKIPPED, description="How many candidates to pass over: 3 for others.")]
_MINUTES: dict[str, Minutes] = {"90": 90, "120": 120, "150": 150}


class ReasonView(View):
    """Who recommends a title, and why."""

    watchlist_id: Annotated[str, From("watchlist.watchlist_id")]
    watchlist_title: Annotated[str, From("watchlist.title")]
    curator_id: Annotated[str, From("watchlist.curator_id")]
    curator_name: str
    note: str
    note_spoils: bool


class PickView(View):
    """A candidate for tonight."""

    content_type: Annotated[str, From("tile.type")]
    content_id: Annotated[str, From("tile.id")]
    title: Annotated[str, From("tile.title")]
    year: Annotated[int | None, From("tile.year")]
    runtime: Annotated[int | None, From("tile.runtime")]
    genres: Annotated[list[str], From("tile.genres")]
    queued: bool = Field(description="Whether it is on your To watch.")
    reason: ReasonView
    more_curators: Annotated[int, From("others")] = Field(description="How many more recommend it.")


class EveningView(View):
    """At most three candidates; if there are none, how many there would be without a condition."""

    picks: list[PickView]
    more: bool = Field(description="Whether there are others.")
    fitting_at_any_length: int
    fitting_of_any_genre: int


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @api.get("/tonight", Access.PUBLIC, response_model=EveningView, refuses=[422])
    async def tonight(viewer: CurrentViewer, minutes: Time = None, genre: Genre = "", skip: Skip = 0) -> Json:
        """At most three titles for tonight; the same ones until you pass over them.

        They come from your To watch, saved lists and the curators you follow, or from popular lists.
        """
        evening = await service.tonight.choose(
            viewer, minutes=None if minutes is None else _MINUTES[minutes], genre=genre, skip=skip
        )
        answer: dict[str, Any] = {
            "picks": PickView.each(evening.picks, reason=_reason),
            "more": evening.more,
            "fittingAtAnyLength": evening.without_time,
            "fittingOfAnyGenre": evening.without_genre,
        }
        return Json(answer)


def _reason(pick: Pick) -> dict[str, Any]:
    return ReasonView.of(pick.reason, curator_name=curator_name(pick.reason.curator))
