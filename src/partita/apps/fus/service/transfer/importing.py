"""The import as a job: each site is added in the transaction that moves the checkpoint, so that after a kill it goes on
with the next row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from partita.apps.fus import schema
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Site
from partita.apps.fus.service.bookkeeping import creation
from partita.apps.fus.service.fetching import Fetching
from partita.apps.fus.service.notifications import IMPORTED
from partita.apps.fus.service.sites import AlreadyThere, Sites, new_site
from partita.apps.fus.service.transfer.reading import Candidate, ImportedSite, read_candidates
from partita.apps.fus.service.transfer.report import KEPT_SECONDS, ImportedRow, Journal, Report
from partita.kit.clock import id_at, stamp
from partita.kit.import_ends import tell_import_ended
from partita.kit.jobs import Arguments, Job, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.problems import NotFound, Problem
from partita.kit.urls import UrlTaken, same_page, spellings

KIND = "fus.import"
_AHEAD = 50
"""For how many rows at once it is looked up which addresses are in the catalog."""


class Importing:
    """What the job does."""

    def __init__(self, kit: Kit, sites: Sites, fetching: Fetching) -> None:
        self._kit = kit
        self._sites = sites
        self._fetching = fetching

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Import sites", self.run, on_end=self.tell, needs=Fus.IMPORT)

    async def run(self, running: Running, arguments: Arguments) -> Result:
        """Add the sites of a file that are not in the catalog yet; a row that is refused does not stop the others. A
        dry run reports the same and adds nothing; it leaves the file, so that it can be imported."""
        journal = await Journal.load(self._kit, running.saved)
        if running.saved is None:
            gone = JobFailed("The file is no longer there. Choose it again.")
            claim = self._kit.uploads.claim_for(arguments["file"], seconds=KEPT_SECONDS)
            await running.checkpoint(journal.checkpoint, claim.otherwise(gone))
        await self._import(running, arguments, journal)
        # From here on everything may be done again.
        report = journal.report
        if arguments.get("dryRun"):
            return Result(f"Checked, nothing added: {summary(report)}", f"/fus/import/{running.job_id}", report.counts)
        if report.added:
            await self._fetching.begin()
        await self._kit.uploads.discard(arguments["file"])
        return Result(summary(report), f"/fus/import/{running.job_id}", report.counts)

    async def tell(self, ended: Job) -> None:
        """Tell whoever started it how it ended."""
        await tell_import_ended(self._kit, IMPORTED, ended)

    async def _import(self, running: Running, arguments: Arguments, journal: Journal) -> None:
        if journal.ended_at is not None:
            return
        await running.progress("Reading the file")
        candidates = await self._candidates(arguments)
        dry_run = bool(arguments.get("dryRun"))
        step = "Checking sites" if dry_run else "Adding sites"
        for start in range(journal.done, len(candidates), _AHEAD):
            ahead = candidates[start : start + _AHEAD]
            known = await self._known([each for each in ahead if each.site is not None and each.same_as is None])
            for candidate in ahead:
                await running.progress(step, done=journal.done, total=len(candidates))
                await self._take(running, journal, candidate, known, dry_run=dry_run)
                if journal.is_full:
                    await self._save_in_file(running, journal)
        running.note(step, done=len(candidates), total=len(candidates))
        journal.ended_at = stamp(self._kit.clock)
        await running.checkpoint(journal.checkpoint)

    async def _candidates(self, arguments: Arguments) -> list[Candidate]:
        try:
            file = await self._kit.files.load(arguments["file"])
            folders_as_tags, tags = arguments["foldersAsTags"], arguments.get("tags", ())
            return await read_candidates(file.data, arguments["format"], folders_as_tags=folders_as_tags, tags=tags)
        except NotFound:
            raise JobFailed("The file is no longer there. Choose it again.") from None
        except Problem as refused:
            if refused.status >= 500:
                raise
            raise JobFailed(refused.errors[0].message if refused.errors else refused.detail) from refused

    async def _take(
        self,
        running: Running,
        journal: Journal,
        candidate: Candidate,
        known: dict[str, AlreadyThere],
        *,
        dry_run: bool,
    ) -> None:
        """Do one row. What is not added is written with the next checkpoint: to look at it again does no harm."""
        number, url = candidate.row, candidate.url
        if candidate.site is None:
            journal.add(ImportedRow.of(number, url, "refused", candidate.problem))
        elif candidate.same_as is not None:
            journal.add(ImportedRow.of(number, url, "there", f"Row {candidate.same_as} has the same address."))
        elif dry_run and candidate.address not in known:
            journal.add(ImportedRow.of(number, url, "added"))
        else:
            there = known.get(candidate.address) or await self._add(running, journal, number, candidate.site)
            if there is None:
                return
            journal.add(ImportedRow.of(number, url, "there", there.detail, there.site_id))
        journal.done += 1

    async def _add(
        self, running: Running, journal: Journal, number: int, imported: ImportedSite
    ) -> AlreadyThere | None:
        """Add a site, and one row to the report, and save that; or the site that has its address already."""
        site = self._new_site(imported, running.user_id)
        journal.add(ImportedRow.of(number, imported.url, "added", site_id=site.site_id))
        journal.done += 1
        try:
            await running.checkpoint(journal.checkpoint, *creation(site))
        except UrlTaken as taken:  # somebody was faster
            journal.take_back()
            journal.done -= 1
            return await self._sites.already_there(taken)
        return None

    def _new_site(self, imported: ImportedSite, added_by: str | None) -> Site:
        now = stamp(self._kit.clock)
        created = min(imported.created_at, now) if imported.created_at else None
        site_id = self._kit.ids.new() if created is None else id_at(datetime.fromisoformat(created))
        site = new_site(imported, site_id, created or now, added_by)
        return site.with_(Site.updated_at(now), *self._fetching.wanted(now))

    async def _known(self, candidates: Sequence[Candidate]) -> dict[str, AlreadyThere]:
        """Of the addresses those that are in the catalog, with their sites."""
        addresses = tuple(spelling for candidate in candidates for spelling in spellings(candidate.address))
        guards = await self._kit.store.batch_get(schema.sites_with_urls(addresses).keys) if addresses else []
        owners = {same_page(guard.url): guard.of_site for guard in guards if guard is not None}
        sites = await self._sites.by_id(owners.values())
        return {url: AlreadyThere(owner, sites[owner].title) for url, owner in owners.items() if owner in sites}

    async def _save_in_file(self, running: Running, journal: Journal) -> None:
        old = await journal.move_to_file()
        await running.checkpoint(journal.checkpoint)
        if old is not None:
            await self._kit.uploads.discard(old)


def summary(report: Report) -> str:
    """An import in a sentence."""
    added = "1 site added" if report.added == 1 else f"{report.added:,} sites added"
    return f"{added}, {report.there:,} already there, {report.refused:,} refused."
