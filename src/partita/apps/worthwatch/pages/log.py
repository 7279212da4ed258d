"""The log: who changed what others can see, by day, by thing or by person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.log import Entry
from partita.kit.answers import Cursor
from partita.kit.pages import render
from partita.kit.routes import Routes

_PAGE = 40
_PLACES = {
    "WATCHLIST": "/worthwatch/lists/{id}/-",
    "USER": "/worthwatch/curators/{id}",
    "MOVIE": "/worthwatch/titles/film/{id}/-",
    "SHOW": "/worthwatch/titles/series/{id}/-",
}
_VERBS = {"commented": "commented on", "replied": "replied on", "changed status": "changed the status of"}
_NOBODY = {
    "hid list": "A decision on its curator",
    "restored list": "A decision on its curator",
    "removed review": "Its author or a moderator",
    "deleted from catalog": "A librarian",
    "joined": "Somebody",
}
_IDS = ("comment", "of")
_NAMES = {
    "isPublic": "public",
    "isRanked": "ranked",
    "coverImageUrl": "cover",
    "curatorNote": "note",
    "noteSpoils": "tells the ending",
}


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of the log in words."""

    entry: Entry
    path: str
    at: str
    changes: tuple[tuple[str, str, str], ...]
    """Field, before, after."""

    @property
    def who(self) -> str:
        if self.entry.who is not None:
            return self.entry.who.username
        return "Somebody who left" if self.entry.log.who else _NOBODY.get(self.entry.log.verb, "Its curator")

    @property
    def verb(self) -> str:
        verb = _VERBS.get(self.entry.log.verb, self.entry.log.verb)
        return f"{verb} themselves" if self.name is None and verb.endswith((" of", " on")) else verb

    @property
    def name(self) -> str | None:
        """What it happened to, unless it is who did it."""
        own = self.entry.log.who is not None and self.entry.log.what == f"USER#{self.entry.log.who}"
        return None if own else self.entry.name


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @pages.get("/log", WorthWatch.LOG)
    async def log(
        request: Request,
        day: Annotated[str, Query(max_length=10)] = "",
        of: Annotated[str, Query(max_length=300)] = "",
        by: Annotated[str, Query(max_length=100)] = "",
        cursor: Cursor = None,
    ) -> Response:
        if of:
            page = await service.logs.of(of, limit=_PAGE, cursor=cursor)
        elif by:
            page = await service.logs.by(by, limit=_PAGE, cursor=cursor)
        else:
            page = await service.logs.on_day(day or None, limit=_PAGE, cursor=cursor)
        person = await service.people.find(by) if by else None
        return render(
            request,
            "worthwatch/log.html",
            lines=[_line(entry) for entry in page],
            next_cursor=page.next_cursor,
            day=day,
            of=of,
            by=by,
            person=person,
        )


def _line(entry: Entry) -> Line:
    kind, _, thing_id = entry.log.what.partition("#")
    path = _PLACES.get(kind, "").format(id=thing_id)
    names = [name for name in dict.fromkeys((*entry.log.before, *entry.log.after)) if name not in _IDS]
    changes = (
        (_NAMES.get(name, name), _said(entry.log.before.get(name)), _said(entry.log.after.get(name))) for name in names
    )
    return Line(entry, path, entry.log.at, tuple(changes))


def _said(value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
