"""What readers add, over HTTP: votes, reports, what they must read and have read."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.enablement.inputs import MustReadRequest, NewReport, ReportAnswer, VoteInput
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import MustRead, Report
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.reading import Readers, ReadingEntry
from partita.apps.enablement.service.reports import public_id
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.spreadsheets import CSV_RESPONSE, download
from partita.kit.views import ListOf, View

_SNAKE = ConfigDict(alias_generator=None)
_CONTENT = "/content/{content_id}"
READER_COLUMNS = ("user_id", "name", "username", "read_by", "confirmed_at", "version")


class VoteView(View):
    """Somebody's vote."""

    model_config = _SNAKE

    content_id: str
    helped: bool
    voted_at: str


class ReportView(View):
    """What somebody says is wrong."""

    model_config = _SNAKE

    report_id: str = Field(description="Names the report for `POST /reports/{id}/close`.")
    content_id: str
    text: str
    reported_by: str
    reported_at: str
    closed_at: str | None
    closed_by: str | None
    answer: str | None


class ReaderView(View):
    """Somebody who was asked to read something, or who has."""

    model_config = _SNAKE

    user_id: str
    read_by: str | None
    confirmed_at: str | None
    version: int | None = Field(description="The version that they confirmed.")
    reminded_on: str | None


class ReadersView(View):
    """Who was asked, and who has."""

    model_config = _SNAKE

    content_id: str
    read_by: str | None
    asked: int
    confirmed: int
    missing: list[ReaderView]
    readers: list[ReaderView]
    unasked: list[ReaderView] = Field(description="Those who confirmed without having been asked.")


class ReadingView(View):
    """Something to read."""

    model_config = _SNAKE

    content_id: str
    title: str
    read_by: str | None
    asked_by: str
    confirmed_at: str | None
    version: int | None


class Asked(View):
    """By when it is to be read; null if nobody is asked."""

    model_config = _SNAKE

    content_id: str
    must_read_by: str | None


class Reminded(View):
    """How many people are reminded."""

    model_config = _SNAKE

    reminded: int


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    reading = service.reading

    @api.put(f"{_CONTENT}/vote", Enablement.READ, response_model=VoteView, refuses=[403, 404, 409, 422])
    async def vote(viewer: CurrentViewer, content_id: str, given: VoteInput) -> Json:
        """Say whether it helped; the last word counts."""
        cast = await service.votes.vote(viewer, content_id, given)
        return Json({"content_id": content_id, "helped": cast.helped, "voted_at": cast.voted_at})

    @api.post(
        f"{_CONTENT}/reports",
        Enablement.READ,
        status_code=201,
        response_model=ReportView,
        refuses=[403, 404, 409, 422, 429],
    )
    async def report_content(viewer: CurrentViewer, content_id: str, new: NewReport) -> Json:
        """Say what is wrong with it; its owner is told."""
        return Json(report_json(await service.reports.add(viewer, content_id, new)), 201)

    @api.get("/reports", Enablement.APPROVE, response_model=ListOf[ReportView], refuses=[400, 422])
    async def reports(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """All open reports."""
        page = await service.reports.queue(viewer, limit=limit, cursor=cursor)
        return Json({"items": [report_json(each.report) for each in page], "next_cursor": page.next_cursor})

    @api.post("/reports/{report_id}/close", Enablement.READ, response_model=ReportView, refuses=[403, 404, 409, 422])
    async def close_report(viewer: CurrentViewer, report_id: str, answer: ReportAnswer) -> Json:
        """Answer a report; whoever reported it is told."""
        return Json(report_json(await service.reports.close(viewer, report_id, answer)))

    @api.put(f"{_CONTENT}/must-read", Enablement.APPROVE, response_model=Asked, refuses=[403, 404, 409, 422])
    async def ask_to_read(viewer: CurrentViewer, content_id: str, request: MustReadRequest) -> Json:
        """Ask people, and groups as they are now, to read it by a day."""
        content = await reading.ask(viewer, content_id, request)
        return Json({"content_id": content_id, "must_read_by": content.must_read_by})

    @api.delete(f"{_CONTENT}/must-read", Enablement.APPROVE, response_model=Asked, refuses=[403, 404, 409])
    async def ask_no_more(viewer: CurrentViewer, content_id: str) -> Json:
        """Ask nobody any more; what was confirmed stays."""
        await reading.withdraw(viewer, content_id)
        return Json({"content_id": content_id, "must_read_by": None})

    @api.post(f"{_CONTENT}/must-read/remind", Enablement.APPROVE, response_model=Reminded, refuses=[403, 404, 409])
    async def remind_readers(viewer: CurrentViewer, content_id: str) -> Json:
        """Remind those who have not confirmed; once a day."""
        return Json({"reminded": await reading.remind(viewer, content_id)})

    @api.get(f"{_CONTENT}/readers", Enablement.READ, response_model=ReadersView, refuses=[403, 404, 409])
    async def readers(viewer: CurrentViewer, content_id: str) -> Json:
        """Who was asked to read it, and who has; for its owner and approvers."""
        return Json(_readers(await reading.readers(viewer, content_id)))

    @api.get(
        f"{_CONTENT}/readers.csv",
        Enablement.READ,
        refuses=[403, 404, 409],
        response_class=Response,
        responses={200: CSV_RESPONSE},
    )
    async def readers_csv(viewer: CurrentViewer, content_id: str) -> Response:
        """The same for a spreadsheet."""
        return await readers_file(service, await reading.readers(viewer, content_id))

    @api.post(f"{_CONTENT}/read", Enablement.READ, response_model=ReaderView, refuses=[403, 404, 409])
    async def confirm_reading(viewer: CurrentViewer, content_id: str) -> Json:
        """I have read this, as it is now."""
        return Json(_reader(await reading.confirm(viewer, content_id)))

    @api.get("/reading", Enablement.READ, response_model=ListOf[ReadingView], refuses=[400, 422])
    async def reading_list(
        viewer: CurrentViewer, confirmed: bool = False, limit: Limit = 50, cursor: Cursor = None
    ) -> Json:
        """What you must still read, the most urgent first; or what you have confirmed."""
        wanted = reading.confirmed if confirmed else reading.mine
        page = await wanted(viewer, limit=limit, cursor=cursor)
        return Json({"items": [_entry(each) for each in page], "next_cursor": page.next_cursor})


def report_json(report: Report) -> dict[str, Any]:
    """A report as it leaves."""
    return ReportView.of(report, report_id=public_id(report), content_id=report.of_content)


async def readers_file(service: EnablementService, readers: Readers) -> Response:
    """Who was asked and who has, as a file."""
    rows = (*readers.missing, *readers.confirmed, *readers.unasked)
    people = await service.showing.people(each.reader for each in rows)

    def cells(row: MustRead) -> tuple[object, ...]:
        person = people.get(row.reader)
        name, username = (person.name, person.username) if person else ("Deleted account", "")
        asked = row.asked_by != row.reader
        return (row.reader, name, username, row.read_by if asked else None, row.confirmed_at, row.confirmed_major)

    return download("readers", READER_COLUMNS, map(cells, rows))


def _reader(row: MustRead) -> dict[str, Any]:
    asked = row.asked_by != row.reader
    return ReaderView.of(row, user_id=row.reader, version=row.confirmed_major, read_by=row.read_by if asked else None)


def _readers(readers: Readers) -> dict[str, Any]:
    return {
        "content_id": readers.content.content_id,
        "read_by": readers.content.must_read_by,
        "asked": readers.total,
        "confirmed": len(readers.confirmed),
        "missing": [_reader(each) for each in readers.missing],
        "readers": [_reader(each) for each in readers.confirmed],
        "unasked": [_reader(each) for each in readers.unasked],
    }


def _entry(entry: ReadingEntry) -> dict[str, Any]:
    return {
        "content_id": entry.content.content_id,
        "title": entry.content.title,
        "read_by": entry.row.read_by if entry.asked else None,
        "asked_by": entry.row.asked_by,
        "confirmed_at": entry.row.confirmed_at,
        "version": entry.row.confirmed_major,
    }
