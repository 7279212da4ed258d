"""The import as a job. Nothing is saved between rows: an address can be in the directory once, and what this very job
has added says so. After a kill it begins again, unless its report was saved already."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import join_features, join_learning, join_tags, search_text, slug_or_digest
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Decision, Resource
from partita.apps.kelifax.service.bookkeeping import completed
from partita.apps.kelifax.service.notifications import IMPORTED
from partita.apps.kelifax.service.resources import Resources
from partita.apps.kelifax.service.submissions import Submissions
from partita.apps.kelifax.service.transfer.reading import MOST_ENTRIES, Candidate, ImportedResource, read_candidates
from partita.kit.accounts import Account
from partita.kit.clock import stamp
from partita.kit.import_ends import tell_import_ended
from partita.kit.jobs import Arguments, Job, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.problems import NotFound, Problem
from partita.kit.urls import UrlTaken, same_page, spellings
from partita.table import Put

KIND = "kelifax.import"
FOLDER = "kelifax/imports"
KEPT_SECONDS = 2 * 86_400
"""A file that was tried stays so long, to be imported."""
_AHEAD = 50
_MOST_NAME = 56
_MOST_REASON = 90
"""Bytes of a name and a reason that a report repeats, so that five hundred fit into the result of a job."""
_LONGEST_REASON = 1_000

Outcome = Literal["added", "there", "refused"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """What became of a row, or would."""

    row: int
    name: str
    outcome: Outcome
    reason: str = ""
    slug: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of the rows of a file, or would if they were imported."""

    dry_run: bool
    rows: tuple[ImportedRow, ...] = ()

    @classmethod
    def read(cls, values: Mapping[str, Any] | None) -> ImportReport:
        """Of the result of a job."""
        values = values or {}
        return cls(bool(values.get("dryRun")), tuple(ImportedRow(*row) for row in values.get("rows", ())))

    @property
    def counts(self) -> dict[Outcome, int]:
        counted = Counter(row.outcome for row in self.rows)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    @property
    def values(self) -> dict[str, Any]:
        rows = [[row.row, row.name, row.outcome, row.reason, row.slug] for row in self.rows]
        return {"dryRun": self.dry_run, "rows": rows, **{str(each): count for each, count in self.counts.items()}}

    @property
    def summary(self) -> str:
        counts = self.counts
        added = "would be added" if self.dry_run else "added"
        return f"{counts['added']:,} {added}, {counts['there']:,} already there, {counts['refused']:,} refused."

    def of(self, outcome: Outcome) -> tuple[ImportedRow, ...]:
        return tuple(row for row in self.rows if row.outcome == outcome)


class Importing:
    """What the job does."""

    def __init__(self, kit: Kit, resources: Resources, submissions: Submissions) -> None:
        self._kit = kit
        self._resources = resources
        self._submissions = submissions

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Import resources", self.run, on_end=self.tell, needs=Kelifax.TRANSFER)

    async def run(self, running: Running, arguments: Arguments) -> Result:
        """Add the resources of a file that are not in the directory yet; a refused one does not stop the others."""
        if running.saved is None:
            gone = JobFailed("The file is no longer there. Choose it again.")
            claim = self._kit.uploads.claim_for(arguments["file"], seconds=KEPT_SECONDS)
            await running.checkpoint({"claimed": True}, claim.otherwise(gone))
        ended = running.saved is not None and "rows" in running.saved
        report = ImportReport.read(running.saved) if ended else await self._import(running, arguments)
        if not report.dry_run:
            if not ended:
                await running.checkpoint(report.values)  # without its file it cannot begin again
            await self._kit.uploads.discard(arguments["file"])
        return Result(report.summary, f"/kelifax/moderation/import/{running.job_id}", report.values)

    async def tell(self, ended: Job) -> None:
        """Tell whoever started it how it ended."""
        await tell_import_ended(self._kit, IMPORTED, ended)

    async def _import(self, running: Running, arguments: Arguments) -> ImportReport:
        await running.progress("Reading the file")
        candidates = await self._candidates(arguments)
        importer = await self._kit.accounts.people.get(running.user_id or "")
        most_reason = _room_for_reasons(len(candidates))
        rows: list[ImportedRow] = []
        for start in range(0, len(candidates), _AHEAD):
            ahead = candidates[start : start + _AHEAD]
            known = await self._known(ahead)
            for candidate in ahead:
                await running.progress("Adding resources", done=len(rows), total=len(candidates))
                rows.append(await self._take(running, arguments, candidate, known, importer, most_reason))
        await running.progress(done=len(rows), total=len(candidates))
        return ImportReport(bool(arguments["dryRun"]), tuple(rows))

    async def _candidates(self, arguments: Arguments) -> list[Candidate]:
        try:
            file = await self._kit.files.load(arguments["file"])
            return await asyncio.to_thread(read_candidates, file.data, arguments["format"], arguments["category"])
        except NotFound:
            raise JobFailed("The file is no longer there. Choose it again.") from None
        except Problem as refused:
            if refused.status >= 500:
                raise
            raise JobFailed(refused.errors[0].message if refused.errors else refused.detail) from refused

    async def _known(self, candidates: Sequence[Candidate]) -> dict[str, Resource]:
        """Address → the resource that has it."""
        wanted = (spelling for each in candidates if each.resource is not None for spelling in spellings(each.address))
        addresses = tuple(dict.fromkeys(wanted))
        guards = await self._kit.store.batch_get(schema.resources_with_urls(addresses)) if addresses else []
        owners = {same_page(guard.url): guard.claimed_by for guard in guards if guard is not None}
        resources = await self._resources.of_any_status(owners.values())
        return {url: resources[slug] for url, slug in owners.items() if slug in resources}

    async def _take(
        self,
        running: Running,
        arguments: Arguments,
        candidate: Candidate,
        known: Mapping[str, Resource],
        importer: Account,
        most_reason: int,
    ) -> ImportedRow:
        def outcome(outcome: Outcome, reason: str = "", slug: str = "") -> ImportedRow:
            return ImportedRow(
                candidate.row, _short(candidate.name, _MOST_NAME), outcome, _short(reason, most_reason), slug
            )

        if candidate.resource is None:
            return outcome("refused", candidate.problem)
        if candidate.same_as is not None:
            return outcome("there", f"Row {candidate.same_as} has the same address.")
        there = known.get(candidate.address)
        if there is not None and there.imported_in != running.job_id:
            return outcome("there", f"{there.resource_status.capitalize()} already.", there.resource_slug)
        if there is not None:
            return outcome("added", slug=there.resource_slug)
        if arguments["dryRun"]:
            return outcome("added")
        try:
            added = await self._add(running.job_id, candidate.resource, importer, publish=bool(arguments["publish"]))
        except UrlTaken as taken:  # somebody was faster
            return outcome("there", "Submitted just now.", taken.owner)
        return outcome("added", slug=added.resource_slug)

    async def _add(self, job_id: str, imported: ImportedResource, importer: Account, *, publish: bool) -> Resource:
        now = stamp(self._kit.clock)
        first, _, last = importer.name.strip().rpartition(" ")
        email = importer.email or ""
        resource = Resource(
            resource_slug=slug_or_digest(imported.resource_name),
            submission_id=str(uuid.uuid4()),
            resource_status="approved" if publish else "pending",
            created_at=now,
            submitted_at=now,
            approved_at=now if publish else "",
            submitter_first_name=first or last,
            submitter_last_name=last if first else "",
            submitter_email=email,
            resource_name=imported.resource_name,
            resource_url=imported.resource_url,
            usage_purpose=imported.usage_purpose,
            category=imported.category,
            tags=join_tags(imported.tags),
            licence=imported.licence or None,
            pricing=imported.pricing or None,
            key_features=join_features(imported.key_features),
            use_cases=join_features(imported.use_cases),
            learning_resources=join_learning(imported.learning_resources),
            search_text=search_text(imported.resource_name, imported.tags, imported.category, imported.key_features),
            imported_in=job_id,
        )

        def logged(resource: Resource) -> tuple[Put[Decision], ...]:
            if not publish:
                return ()
            entry = Decision(
                slug=resource.resource_slug,
                logged_at=now,
                entry_id=self._kit.ids.new(),
                by=importer.username,
                action="approve",
                reason="Imported.",
            )
            return (Put(entry),)

        return await self._submissions.create(completed(resource), logged)


def _room_for_reasons(rows: int) -> int:
    """Bytes for the reason of each of so many rows: a report of few has room for whole ones."""
    return min(_LONGEST_REASON, _MOST_REASON * MOST_ENTRIES // max(1, min(rows, MOST_ENTRIES)))


def _short(text: str, most: int) -> str:
    """So many bytes of a text on one line, as whole words, without what JSON writes in two."""
    plain = "".join(each if each.isprintable() and each not in '"\\' else " " for each in text[: most + 1]).rstrip()
    said = plain.encode("utf-8", "ignore")
    if len(said) <= most and len(text) <= most:
        return said.decode().strip()
    cut = said[: most - len("…".encode())].decode("utf-8", "ignore")
    words = cut if plain[len(cut) : len(cut) + 1] == " " else cut.rpartition(" ")[0] or cut
    return f"{words.strip()}…"
