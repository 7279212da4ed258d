"""The reading list, and who has read an item."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.api.responses import readers_file
from partita.apps.enablement.inputs import MustReadRequest
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import allows
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 50
_SHOWN = 200
Names = Annotated[str, Query(max_length=10_000)]
_NAMES = ("usernames", "groups")


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    reading = service.reading

    @pages.get("/reading", Enablement.READ)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        """What I must read, the most urgent first, and what I have read."""
        to_read = await reading.mine(viewer, limit=_PAGE)
        confirmed = await reading.confirmed(viewer, cursor=cursor)
        shown = await service.showing.each([each.content for each in (*to_read, *confirmed)])
        return render(
            request,
            "enablement/reading.html",
            to_read=list(zip(to_read, shown[: len(to_read)], strict=True)),
            confirmed=list(zip(confirmed, shown[len(to_read) :], strict=True)),
            next_cursor=confirmed.next_cursor,
            people=await service.showing.names(each.row.asked_by for each in to_read),
            today=service.changing.now().date().isoformat(),
        )

    async def readers_page(
        request: Request, viewer: Viewer, content_id: str, form: Parsed[MustReadRequest]
    ) -> Response:
        readers = await reading.readers(viewer, content_id)
        rows = (*readers.missing[:_SHOWN], *readers.confirmed[:_SHOWN], *readers.unasked[:_SHOWN])
        return render(
            request,
            "enablement/readers.html",
            shown=await service.showing.one(readers.content),
            readers=readers,
            most=_SHOWN,
            people=await service.showing.people(each.reader for each in rows),
            may_ask=allows(viewer, readers.content, Action.ASK, service.changing.now()),
            today=service.changing.now().date().isoformat(),
            form=form,
        )

    @pages.get("/readers/complete", Enablement.APPROVE)
    async def complete(request: Request, viewer: CurrentViewer, usernames: Names = "", groups: Names = "") -> Response:
        """Options for the fields that name people and groups; several names are separated by commas."""
        before, _, name = (usernames or groups).rpartition(",")
        people = await reading.suggest_people(viewer, name) if usernames else []
        found = await reading.suggest_groups(viewer, name) if groups else []
        return render(
            request,
            "people_options.html",
            people=people,
            groups=found,
            before=f"{before.strip()}, " if before.strip() else "",
        )

    @pages.get("/content/{content_id}/readers", Enablement.READ)
    async def readers(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Who was asked to read it, and who has."""
        content = await service.changing.content(content_id)
        values: dict[str, Any] = {"read_by": content.must_read_by} if content.must_read_by else {}
        return await readers_page(request, viewer, content_id, Parsed(None, values))

    @pages.get("/content/{content_id}/readers.csv", Enablement.READ)
    async def readers_csv(viewer: CurrentViewer, content_id: str) -> Response:
        """The same for a spreadsheet."""
        return await readers_file(service, await reading.readers(viewer, content_id))

    @pages.post("/content/{content_id}/must-read", Enablement.APPROVE, keeps=MustReadRequest)
    async def ask(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Ask people to read it."""

        async def save(asked: MustReadRequest) -> Response:
            await reading.ask(viewer, content_id, asked)
            return redirect(f"/enablement/content/{content_id}/readers", flash="Asked. They are told.")

        async def again(form: Parsed[MustReadRequest]) -> Response:
            return await readers_page(request, viewer, content_id, _by_field(form))

        return await submitted(request, MustReadRequest, save, again, separated=_NAMES)

    @pages.post("/content/{content_id}/must-read/remind", Enablement.APPROVE)
    async def remind(viewer: CurrentViewer, content_id: str) -> Response:
        """Remind those who have not confirmed."""
        number = await reading.remind(viewer, content_id)
        people = "person" if number == 1 else "people"
        return redirect(f"/enablement/content/{content_id}/readers", flash=f"{number} {people} reminded.")

    @pages.get("/content/{content_id}/must-read/withdraw", Enablement.APPROVE)
    async def withdraw_page(request: Request, viewer: CurrentViewer, content_id: str) -> Response:
        """Ask before nobody is asked any more."""
        content = await service.changing.allowed(viewer, content_id, Action.ASK)
        return confirm(
            request,
            f"Ask nobody to read “{content.title}” any more?",
            "It leaves everybody's reading list. What people have confirmed stays.",
            button="Ask nobody",
            keep=f"/enablement/content/{content_id}/readers",
        )

    @pages.post("/content/{content_id}/must-read/withdraw", Enablement.APPROVE)
    async def withdraw(viewer: CurrentViewer, content_id: str) -> Response:
        """Ask nobody any more."""
        await reading.withdraw(viewer, content_id)
        return redirect(f"/enablement/content/{content_id}/readers", flash="Nobody is asked any more.", kind="info")


def _by_field(form: Parsed[MustReadRequest]) -> Parsed[MustReadRequest]:
    """Names are typed in one field each: what is wrong with several of them stands below it."""
    errors: dict[str, str] = {}
    for name, message in form.errors.items():
        field = name.partition(".")[0] if name.partition(".")[0] in _NAMES else name
        errors[field] = f"{errors[field]} {message}" if field in errors else message
    return Parsed(None, form.values, errors, form.refusal)
