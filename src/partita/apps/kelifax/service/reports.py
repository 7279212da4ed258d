"""Reports: problems that people see in approved resources, open until a moderator closes them."""

from __future__ import annotations

from dataclasses import dataclass

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Report, Resource
from partita.apps.kelifax.service.bookkeeping import decision
from partita.apps.kelifax.service.resources import Resources, no_resource
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Check, Page, Put, Transaction, Update

REPORTING = Rule("kelifax-report", most=20, seconds=3600)
MOST_COUNTED = 20
"""So many reports are counted; that there are more is all that anybody needs to know then."""


@dataclass(frozen=True, slots=True)
class ReportedResource:
    """A report with the resource that it is about."""

    report: Report
    resource: Resource | None
    """None if it was deleted a moment ago."""

    @property
    def name(self) -> str:
        """The resource's name, as well as it is known."""
        return self.report.slug.replace("-", " ") if self.resource is None else self.resource.resource_name

    @property
    def key(self) -> str:
        return f"{self.report.slug}/{self.report.entry_id}"


class Reports:
    """Reporting a problem, and dealing with it."""

    def __init__(self, kit: Kit, resources: Resources) -> None:
        self._kit = kit
        self._store = kit.store
        self._resources = resources

    async def add(self, slug: str, reason: str, address: str) -> None:
        """Report a problem with an approved resource."""
        resource = await self._resources.detail(slug)
        await self._kit.limits.check(REPORTING, address)
        report = Report(slug=slug, entry_id=self._kit.ids.new(), logged_at=stamp(self._kit.clock), reason=reason)
        # Else the report of a resource that is deleted at this moment would stay open for ever.
        approved = Check(resource.own_key, Resource.resource_status.equals("approved")).otherwise(no_resource(slug))
        await self._store.transact(Transaction(Put(report).if_new(), approved))

    async def all_open(self, *, limit: int = 20, cursor: str | None = None) -> Page[Report]:
        """Open reports of all resources, newest first."""
        return await self._store.page(schema.open_reports(), limit=limit, after=cursor)

    async def queue(self, *, limit: int = 20, cursor: str | None = None) -> Page[ReportedResource]:
        """The same with the resources, for those who deal with them."""
        page = await self.all_open(limit=limit, cursor=cursor)
        resources = await self._resources.of_any_status(report.slug for report in page)
        reported = tuple(ReportedResource(report, resources.get(report.slug)) for report in page)
        return Page(reported, page.next_cursor)

    async def count_open(self, most: int) -> int:
        """How many reports are open, up to `most`: there is no total of them, so they are read."""
        return len(await self.all_open(limit=most))

    async def open_of(self, slug: str, limit: int = 20) -> tuple[Report, ...]:
        """Open reports of a resource, newest first."""
        return (await self._store.page(schema.open_reports_of(slug), limit=limit)).items

    async def close(self, viewer: Viewer, slug: str, entry_id: str) -> None:
        missing = NotFound("There is no open report with this id. Somebody may have closed it.")
        closed = Update(Report.key(Report.slug(slug), Report.entry_id(entry_id)), Report.state.set("closed"))
        log_entry = decision(self._kit, viewer, slug, "close report")
        await self._store.transact(
            Transaction(closed.when(Report.state.equals("open")).otherwise(missing), Put(log_entry))
        )

    async def reopen(self, viewer: Viewer, slug: str, entry_id: str) -> None:
        """Take it back that a report was closed."""
        missing = NotFound("There is no report with this id that was closed. Somebody may have reopened it.")
        opened = Update(Report.key(Report.slug(slug), Report.entry_id(entry_id)), Report.state.set("open"))
        # As for a new report: nobody would close that of a resource which is gone.
        public = Check(Resource.key(Resource.resource_slug(slug)), Resource.resource_status.equals("approved"))
        await self._store.transact(
            Transaction(
                opened.when(Report.state.equals("closed")).otherwise(missing),
                public.otherwise(no_resource(slug)),
                Put(decision(self._kit, viewer, slug, "reopen report")),
            )
        )
