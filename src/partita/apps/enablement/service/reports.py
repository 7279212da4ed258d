"""Reports: what readers say is wrong with content, open until its owner or an approver answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import NewReport, ReportAnswer
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import Content, Report
from partita.apps.enablement.service import audience
from partita.apps.enablement.service.access import no_such_content
from partita.apps.enablement.service.bookkeeping import entry
from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.fanouts import Fanouts
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, NotFound
from partita.table import Check, Page, Put, Transaction
from partita.table.types import timestamp

REPORTING = Rule("enablement-report", most=30, seconds=3600)
REPORTED, CLOSED = "reported", "report_closed"
"""Actions of the history; `reported` has the report's id, `report_closed` that id and `.closed`."""
_SEPARATOR = "."


@dataclass(frozen=True, slots=True)
class ReportedContent:
    """A report with the item that it is about."""

    report: Report
    content: Content | None


class Reports:
    """Reporting, and answering."""

    def __init__(self, kit: Kit, changing: Changing, fanouts: Fanouts) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._fanouts = fanouts

    async def add(self, viewer: Viewer, content_id: str, new: NewReport) -> Report:
        """Say what is wrong; the owner is told."""
        content = await self._changing.allowed(viewer, content_id, Action.RESPOND)
        await self._kit.limits.check(REPORTING, viewer.id)
        now = self._changing.now()
        report = Report(
            of_content=content_id,
            report_id=self._kit.ids.new(),
            text=new.text,
            reported_by=viewer.id,
            reported_at=timestamp(now),
        )
        told = entry(report.report_id, viewer.id, REPORTED, now, before=content, after=None, comment=new.text)
        there = Check(content.own_key, content.own_key.present()).otherwise(no_such_content(content_id))
        due = self._fanouts.due(
            report.report_id,
            audience.REPORTED,
            content_id,
            report.reported_at,
            by=viewer.id,
            details={"text": new.text},
        )
        await self._store.transact(Transaction(there, Put(report).if_new(), Put(told).if_new(), Put(due).if_new()))
        return report

    async def close(self, viewer: Viewer, public_id: str, given: ReportAnswer) -> Report:
        """Answer a report; whoever reported it is told."""
        report = await self._report(public_id)
        content = await self._changing.allowed(viewer, report.of_content, Action.HISTORY)
        now = self._changing.now()
        after = report.with_(Report.closed_at(timestamp(now)), Report.closed_by(viewer.id), Report.answer(given.answer))
        answered = Conflict("Somebody has answered this report already.", code="report_closed")
        closed = Put(after).when(Report.closed_at.missing()).when(report.own_key.present()).otherwise(answered)
        change_id = f"{report.report_id}.closed"
        told = entry(change_id, viewer.id, CLOSED, now, before=content, after=None, comment=given.answer)
        due = self._fanouts.due(
            change_id,
            audience.REPORT_CLOSED,
            report.of_content,
            timestamp(now),
            by=viewer.id,
            details={"person": report.reported_by, "answer": given.answer},
        )
        await self._store.transact(Transaction(closed, Put(told).if_new().otherwise(answered), Put(due).if_new()))
        return after

    async def _report(self, public_id: str) -> Report:
        report_id, _, content_id = public_id.partition(_SEPARATOR)
        found = await find(self._store, schema.report, content_id, report_id) if report_id and content_id else None
        if found is None:
            raise NotFound("There is no such report.")
        return found

    async def queue(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[ReportedContent]:
        """All open reports with their content; for approvers."""
        authorize(viewer, Enablement.APPROVE)
        page = await self._store.page(schema.open_reports(), limit=limit, after=cursor)
        return Page(tuple(await self._with_content(page)), page.next_cursor)

    async def open_of(self, viewer: Viewer, content_id: str, *, limit: int = 50) -> tuple[Report, ...]:
        """The open reports of an item, oldest first; for its owner and approvers."""
        await self._changing.allowed(viewer, content_id, Action.HISTORY)
        return (await self._store.page(schema.open_reports_of(content_id), limit=limit)).items

    async def _with_content(self, reports: Iterable[Report]) -> list[ReportedContent]:
        listed = list(reports)
        ids = tuple(dict.fromkeys(each.of_content for each in listed))
        found = await self._store.batch_get(schema.content_found(ids).keys) if ids else []
        contents = {each.content_id: each for each in found if each is not None}
        return [ReportedContent(each, contents.get(each.of_content)) for each in listed]


def public_id(report: Report) -> str:
    """The id of a report for those who answer it: our own part first, since another program's ids hold anything."""
    return f"{report.report_id}{_SEPARATOR}{report.of_content}"
