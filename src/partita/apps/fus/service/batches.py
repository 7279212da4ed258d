"""The same change of many sites as a job: tags that come and go, deleting, and renaming a tag or merging two.

Each site changes in the transaction that moves the checkpoint, so that each changes once, and counts are exact after a
kill anywhere. A site that cannot be changed is reported and does not stop the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, get_args

import orjson

from partita.apps.fus import schema
from partita.apps.fus.inputs import MOST_TAGS, SiteChanges, TagRename
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Site, SiteTag
from partita.apps.fus.service.bookkeeping import Write
from partita.apps.fus.service.notifications import FusNotifications
from partita.apps.fus.service.sites import AlreadyThere, Sites, changed_now, deletion, edition
from partita.apps.fus.service.tagged import totals
from partita.apps.fus.service.transfer.report import BatchOutcome, ImportedRow, Journal
from partita.kit.clock import stamp
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import FieldError, Invalid, NotFound

KIND = "fus.change-sites"
CHANGING = Rule("fus-change-sites", most=60, seconds=3600)
OUTCOMES: tuple[BatchOutcome, ...] = get_args(BatchOutcome)
_STRETCH = 50
_MOST_ROWS = 2_000
"""So many sites are named in a report; further ones are counted."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What became of the sites so far."""

    counts: dict[str, int]
    rows: tuple[ImportedRow, ...]

    def of(self, outcome: BatchOutcome) -> tuple[ImportedRow, ...]:
        return tuple(row for row in self.rows if row.outcome == outcome)


class Batches:
    """Changes of many sites."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._sites = sites
        self._notifications = FusNotifications(kit)

    @property
    def kind(self) -> JobKind:
        """The job that changes sites."""
        return JobKind(KIND, "Change sites", self._run, needs=_needed)

    async def begin(self, viewer: Viewer, wanted: SiteChanges) -> Job:
        """Start to change sites; while the same change of the same person is under way, it is that job."""
        authorize(viewer, Fus.DELETE if wanted.delete else Fus.EDIT)
        if not wanted.site_ids and wanted.tag is None:
            raise Invalid(FieldError("siteIds", "Choose at least one site, or a tag."))
        if not (wanted.delete or wanted.add_tags or wanted.remove_tags):
            raise Invalid(FieldError("addTags", "Say which tags to add or to remove."))
        if wanted.tag is not None:
            await self.sites_with(wanted.tag)
        arguments = wanted.model_dump(mode="json", by_alias=True)
        return await self._start(viewer, arguments, _title(wanted))

    async def begin_rename(self, viewer: Viewer, rename: TagRename) -> Job:
        """Start to rename a tag on all sites that have it, or to merge it into another."""
        authorize(viewer, Fus.EDIT)
        await self.sites_with(rename.tag)
        arguments = {"tag": rename.tag, "to": rename.to}
        return await self._start(viewer, arguments, f"Rename the tag “{rename.tag}” to “{rename.to}”")

    async def sites_with(self, *tags: str) -> int:
        """How many sites have a tag; of several, the sum. Refused if no site has the first."""
        counts = await totals(self._kit.store, tags)
        if not counts[tags[0]]:
            raise NotFound(f"No site has the tag “{tags[0][:80]}”.")
        return sum(counts.values())

    async def ended_within(self, job: Job, seconds: float) -> Job:
        """A change once it has ended, or as it is after so many seconds."""
        return await self._kit.jobs.ended_within(job, seconds)

    async def find(self, viewer: Viewer, job_id: str) -> Job:
        """A change that the viewer started."""
        job = await self._kit.jobs.find(viewer, job_id)
        if job.kind != KIND:
            raise NotFound("There is no such change of sites; they can be looked at for two weeks.")
        return job

    async def report(self, job: Job) -> BatchReport:
        """What became of the sites; of a change that has not ended, of those so far."""
        saved = None if job.checkpoint is None else orjson.loads(job.checkpoint)
        try:
            progress = await _Progress.load(self._kit, saved)
        except NotFound:
            raise NotFound("The report of this change is no longer kept.") from None
        return progress.report

    async def _start(self, viewer: Viewer, arguments: dict[str, Any], title: str) -> Job:
        await self._kit.limits.check(CHANGING, viewer.id)
        same = hashlib.sha256(orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
        arguments = {**arguments, "by": viewer.username, "title": title}
        return await self._kit.jobs.start(KIND, arguments, viewer, key=f"{viewer.id} {same}", title=title)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        progress = await _Progress.load(self._kit, running.saved)
        change = _Change.of(arguments)
        by = Viewer(user_id=running.user_id, username=arguments["by"])
        if progress.ended_at is None:
            if change.tag is None:
                await self._named(running, progress, change, by, arguments["siteIds"])
            else:
                await self._tagged(running, progress, change, by, change.tag)
            progress.ended_at = stamp(self._kit.clock)
            await running.checkpoint(progress.checkpoint)
        report = progress.report
        if running.user_id is not None:
            ended_at = progress.ended_at or running.created_at
            title, said = arguments["title"], summary(report)
            await self._notifications.tell_changed(running.user_id, running.job_id, ended_at, title, said)
        return Result(summary(report), f"/fus/batches/{running.job_id}", report.counts)

    async def _named(
        self, running: Running, progress: _Progress, change: _Change, by: Viewer, site_ids: Iterable[str]
    ) -> None:
        wanted = list(site_ids)
        for place in range(progress.done, len(wanted)):
            await running.progress("Changing sites", done=place, total=len(wanted))
            await self._change(running, progress, change, by, wanted[place])

    async def _tagged(self, running: Running, progress: _Progress, change: _Change, by: Viewer, tag: str) -> None:
        """All sites with a tag, newest first. If the change takes the tag away, sites that got it meanwhile are found
        by going through the rest again, until nothing is left that can be changed."""
        total = (await totals(self._kit.store, (tag,)))[tag] + progress.done
        while True:
            query = schema.newest_with_tag(tag)
            if progress.after is not None:
                query = query.before(SiteTag.site_id(progress.after))
            page = await self._kit.store.page(query, limit=_STRETCH)
            for entry in page:
                await running.progress("Changing sites", done=progress.done, total=max(total, progress.done))
                progress.after = entry.site_id
                if entry.site_id not in progress.refused:
                    await self._change(running, progress, change, by, entry.site_id)
            if page.next_cursor is not None:
                continue
            if not (change.takes_away(tag) and progress.found):
                return
            progress.after, progress.found = None, False

    async def _change(self, running: Running, progress: _Progress, change: _Change, by: Viewer, site_id: str) -> None:
        """Change a site and save that; what was refused or is the same already is saved with the next one."""

        async def attempt() -> None:
            before = await (self._sites.site(site_id) if change.delete else self._sites.adopted(site_id))
            writes, outcome, reason = self._writes(change, by, before)
            taken = progress.add(ImportedRow.of(progress.done + 1, before.title, outcome, reason, site_id))
            if not writes:
                return
            try:
                await running.checkpoint(progress.checkpoint, *writes)
            except BaseException:
                progress.take_back(taken, outcome)
                raise

        try:
            await self._kit.store.attempt(attempt)
        except NotFound:
            progress.add(ImportedRow.of(progress.done + 1, "", "same", "This site is no longer there.", site_id))
        except AlreadyThere as refused:
            progress.add(ImportedRow.of(progress.done + 1, "", "refused", refused.detail, site_id))
        if progress.journal.is_full:
            old = await progress.journal.move_to_file()
            await running.checkpoint(progress.checkpoint)
            if old is not None:
                await self._kit.uploads.discard(old)

    def _writes(self, change: _Change, by: Viewer, before: Site) -> tuple[tuple[Write, ...], BatchOutcome, str]:
        if change.delete:
            return deletion(self._kit, by, before), "deleted", ""
        tags = change.applied(before.tags)
        if tags == before.tags:
            return (), "same", "It has these tags already." if change.add else "It does not have these tags."
        if len(tags) > MOST_TAGS:
            return (), "refused", f"It would have {len(tags)} tags, and {MOST_TAGS} are the most."
        after = changed_now(self._kit, before, before.with_(Site.tags(tags)))
        return edition(self._kit, by, before, after), "changed", ""


@dataclass(frozen=True, slots=True)
class _Change:
    """What happens to each site."""

    tag: str | None
    """All sites with this tag, if they are not named."""
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    to: str | None = None
    """What the tag is called from now on."""
    delete: bool = False

    @classmethod
    def of(cls, arguments: Arguments) -> _Change:
        if "to" in arguments:
            return cls(arguments["tag"], to=arguments["to"])
        add, remove = tuple(arguments["addTags"]), tuple(arguments["removeTags"])
        return cls(arguments["tag"], add, remove, delete=arguments["delete"])

    def applied(self, tags: tuple[str, ...]) -> tuple[str, ...]:
        """The tags of a site afterwards, each once; a tag that is renamed keeps its place."""
        if self.to is not None:
            return tuple(dict.fromkeys(self.to if tag == self.tag else tag for tag in tags))
        return tuple(dict.fromkeys([*(tag for tag in tags if tag not in self.remove), *self.add]))

    def takes_away(self, tag: str) -> bool:
        """Whether a site that was changed does not have this tag any more."""
        return self.delete or self.to is not None or tag in self.remove


@dataclass(slots=True)
class _Progress:
    """How far a change is, with its report."""

    journal: Journal
    counts: Counter[str] = field(default_factory=Counter)
    after: str | None = None
    """The last site with the tag that was looked at."""
    found: bool = False
    """Whether this time through the list anything was changed."""
    refused: set[str] = field(default_factory=set)

    @classmethod
    async def load(cls, kit: Kit, saved: dict[str, Any] | None) -> _Progress:
        journal = await Journal.load(kit, saved)
        if saved is None:
            return cls(journal)
        refused = {row.site_id for row in journal.rows if row.outcome == "refused" and row.site_id is not None}
        return cls(journal, Counter(saved["counts"]), saved["after"], saved["found"], refused)

    @property
    def checkpoint(self) -> dict[str, Any]:
        place = {"counts": dict(self.counts), "after": self.after, "found": self.found}
        return {**self.journal.checkpoint, **place}

    @property
    def done(self) -> int:
        return self.counts.total()

    @property
    def ended_at(self) -> str | None:
        return self.journal.ended_at

    @ended_at.setter
    def ended_at(self, at: str) -> None:
        self.journal.ended_at = at

    @property
    def report(self) -> BatchReport:
        return BatchReport({outcome: self.counts[outcome] for outcome in OUTCOMES}, tuple(self.journal.rows))

    def add(self, row: ImportedRow) -> bool:
        """Count a site and name it in the report if there is room; whether it was named."""
        self.counts[row.outcome] += 1
        self.found = self.found or row.outcome in ("changed", "deleted")
        if row.outcome == "refused" and row.site_id is not None:
            self.refused.add(row.site_id)
        room = len(self.journal.rows) < _MOST_ROWS
        if room:
            self.journal.add(row)
        return room

    def take_back(self, named: bool, outcome: BatchOutcome) -> None:
        """Forget the last site, which was not written."""
        self.counts[outcome] -= 1
        if named:
            self.journal.take_back()


def summary(report: BatchReport) -> str:
    """A change of sites in a sentence."""
    deleted, changed = report.counts["deleted"], report.counts["changed"]
    number, does = (deleted, "deleted") if deleted else (changed, "changed")
    sites = "1 site" if number == 1 else f"{number:,} sites"
    return f"{sites} {does}, {report.counts['same']:,} left as they were, {report.counts['refused']:,} refused."


def _title(wanted: SiteChanges) -> str:
    what = "Delete" if wanted.delete else "Change the tags of"
    if wanted.tag is not None:
        return f"{what} all sites tagged “{wanted.tag}”"
    return f"{what} {'1 site' if len(wanted.site_ids) == 1 else f'{len(wanted.site_ids):,} sites'}"


def _needed(change: Arguments) -> Fus:
    return Fus.DELETE if change.get("delete") else Fus.EDIT
