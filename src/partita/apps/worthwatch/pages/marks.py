"""One press: Seen, To watch, Not for me; from any poster, and back to the same place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from fastapi import Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import QueueInput
from partita.apps.worthwatch.schema import Mine
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, Kind
from partita.apps.worthwatch.service.tiles import tile_of_title
from partita.kit.forms import MOST_FIELDS
from partita.kit.pages import local, redirect, render, with_message
from partita.kit.permissions import Access
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

_LONGEST_ID = 100


@dataclass(frozen=True, slots=True)
class Press:
    """What a button sends: on or off, where it is, and the list that gave the idea."""

    on: bool
    back: str
    from_list: str | None


Mark: TypeAlias = Callable[[Press], Awaitable[Mine | None]]


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    marks = service.marks

    @pages.post("/seen/{kind}/{content_id}", Access.SIGNED_IN)
    async def seen(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        content_type = CONTENT_TYPES[kind]

        async def mark(press: Press) -> Mine | None:
            if press.on:
                return await marks.mark_seen(viewer, content_type, content_id)
            return await marks.take_seen_back(viewer, content_type, content_id)

        return await pressed(request, kind, content_id, mark, ("is marked as seen", "is not seen any more"))

    @pages.post("/to-watch/{kind}/{content_id}", Access.SIGNED_IN)
    async def to_watch(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        content_type = CONTENT_TYPES[kind]

        async def mark(press: Press) -> Mine | None:
            if press.on:
                idea = QueueInput(from_list=press.from_list)
                return await marks.want(viewer, content_type, content_id, idea)
            return await marks.drop(viewer, content_type, content_id)

        return await pressed(request, kind, content_id, mark, ("is on To watch", "is off To watch"))

    @pages.post("/not-for-me/{kind}/{content_id}", Access.SIGNED_IN)
    async def not_for_me(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        content_type = CONTENT_TYPES[kind]

        async def mark(press: Press) -> Mine | None:
            if press.on:
                return await marks.put_aside(viewer, content_type, content_id)
            return await marks.take_up_again(viewer, content_type, content_id)

        words = "is put aside: nothing proposes it any more", "may be proposed again"
        return await pressed(request, kind, content_id, mark, words)

    async def pressed(request: Request, kind: Kind, content_id: str, mark: Mark, words: tuple[str, str]) -> Response:
        """Mark, and say so: with script by the buttons as they are now, else by a message on the page they were on."""
        press = await _press(request)
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        refused: Problem | None = None
        try:
            mine = await mark(press)
        except NotFound:
            raise
        except Problem as problem:
            refused = problem
            mine = await service.shelves.mine(request.state.viewer, CONTENT_TYPES[kind], content_id)
        if "hx-request" in request.headers:
            tile = tile_of_title(title).marked(mine)
            part = render(request, "worthwatch/marks.html", tile=tile, back=press.back, from_list=press.from_list or "")
            return part if refused is None else with_message(part, refused.detail, "bad")
        if refused is not None:
            return redirect(press.back, flash=refused.detail, kind="bad")
        return redirect(press.back, flash=f"“{title.title}” {words[0] if press.on else words[1]}.")


async def _press(request: Request) -> Press:
    async with request.form(max_fields=MOST_FIELDS) as sent:
        from_list = str(sent.get("fromList", ""))
        return Press(
            on=sent.get("on") != "false",
            back=local(str(sent.get("back", "")), "/worthwatch"),
            from_list=from_list if 0 < len(from_list) <= _LONGEST_ID and "#" not in from_list else None,
        )
