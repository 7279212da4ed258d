"""Import and export: exports are streamed, imports are jobs that report on every row."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson

from partita.apps.fus import schema
from partita.apps.fus.service.fetching import Fetching
from partita.apps.fus.service.sites import Sites
from partita.apps.fus.service.transfer import bookmarks, listing, spreadsheet
from partita.apps.fus.service.transfer.importing import KIND, Importing
from partita.apps.fus.service.transfer.reading import MOST_BYTES
from partita.apps.fus.service.transfer.report import FOLDER, Journal, Report
from partita.apps.fus.service.transfer.rows import Entry, Format
from partita.kit.files import UploadedFile
from partita.kit.imports import Imports
from partita.kit.jobs import Job, JobKind
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.kit.spreadsheets import line

IMPORTING = Rule("fus-import", most=20, seconds=3600)


class Transfer(Imports):
    """Export and import."""

    def __init__(self, kit: Kit, sites: Sites, fetching: Fetching) -> None:
        super().__init__(kit, KIND, FOLDER, MOST_BYTES)
        self._importing = Importing(kit, sites, fetching)

    @property
    def kind(self) -> JobKind:
        """The job that imports."""
        return self._importing.kind

    async def export(self, format: Format) -> AsyncIterator[bytes]:
        """Every site, newest first, as the pieces of a file."""
        if format == "html":
            yield bookmarks.HEAD.encode()
        elif format == "csv":
            yield line(spreadsheet.COLUMNS).encode()
        else:
            yield b"["
        between = b""
        async for site in self._kit.store.stream(schema.newest_sites()):
            entry = Entry.of(site)
            if format == "html":
                yield bookmarks.bookmark(entry).encode()
            elif format == "csv":
                yield spreadsheet.entry_line(entry).encode()
            else:
                yield between + b"\n" + listing.entry_object(entry)
                between = b","
        yield {"html": bookmarks.FOOT.encode(), "csv": b"", "json": b"\n]\n"}[format]

    async def begin_import(
        self,
        viewer: Viewer,
        file: UploadedFile,
        format: Format | None = None,
        *,
        folders_as_tags: bool = False,
        tags: tuple[str, ...] = (),
        dry_run: bool = False,
    ) -> Job:
        """Start to import a file; while the same file of the same person is imported, it is that job. Every site gets
        the tags. A dry run only says what would be added."""
        try:
            await self._kit.limits.check(IMPORTING, viewer.id)
        except BaseException:
            await self.discard(file)
            raise
        options = {"format": format, "foldersAsTags": folders_as_tags, "tags": list(tags), "dryRun": dry_run}
        return await self.begin_with(viewer, file, "Check" if dry_run else "Import", options)

    async def import_checked(self, viewer: Viewer, job_id: str) -> Job:
        """Start to import the file of a dry run, with what was chosen for it."""
        checked = await self.find(viewer, job_id)
        chosen = orjson.loads(checked.arguments)
        if not chosen.get("dryRun"):
            raise Conflict("This file was imported already.", code="imported")
        try:
            content = await self._kit.files.load(chosen["file"])
        except NotFound:
            raise NotFound("The file is no longer there. Choose it again.") from None
        kept = await self.keep(content.data, chosen["called"])
        return await self.begin_import(
            viewer,
            kept,
            chosen["format"],
            folders_as_tags=chosen["foldersAsTags"],
            tags=tuple(chosen["tags"]),
        )

    @staticmethod
    def is_dry_run(job: Job) -> bool:
        """Whether it only says what would be added."""
        return bool(orjson.loads(job.arguments).get("dryRun"))

    async def report(self, job: Job) -> Report:
        """What became of the rows of an import; of one that has not ended, of those so far."""
        try:
            journal = await Journal.load(self._kit, None if job.checkpoint is None else orjson.loads(job.checkpoint))
        except NotFound:
            raise NotFound("The report of this import is no longer kept.") from None
        return journal.report
