"""Discover: a list worth opening in ten seconds; and all lists, or those with a tag."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.pages.sharing import discover_head
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_CARDS = 24


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    discovery = service.discovery

    @pages.get("", Access.PUBLIC)
    async def discover(
        request: Request,
        viewer: CurrentViewer,
        tag: Annotated[str, Query(max_length=50)] = "",
        sort: Literal["", "new", "popular"] = "",
        cursor: Cursor = None,
    ) -> Response:
        head = discover_head(tag, sort)
        if tag:
            page = await discovery.tagged(tag, limit=_CARDS, cursor=cursor)
            found = await discovery.tag(tag)
            return render(
                request, "worthwatch/lists.html", page=page, tag=found, count=found.count, sort="new", page_head=head
            )
        if sort:
            read = discovery.popular if sort == "popular" else discovery.newest
            page = await read(limit=_CARDS, cursor=cursor)
            count = await service.finding.live_lists()
            return render(request, "worthwatch/lists.html", page=page, tag=None, count=count, sort=sort, page_head=head)
        me = await service.people.mine(viewer)
        front = await discovery.front(viewer)
        return render(request, "worthwatch/discover.html", front=front, me=me, page_head=head)
