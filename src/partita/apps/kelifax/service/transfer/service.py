"""Import and export of the directory: exports are streamed, imports are jobs that report on every row."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.schema import CATEGORIES, Category
from partita.apps.kelifax.service.resources import Resources
from partita.apps.kelifax.service.submissions import Submissions
from partita.apps.kelifax.service.transfer.importing import FOLDER, KIND, Importing, ImportReport
from partita.apps.kelifax.service.transfer.reading import MOST_BYTES, Format
from partita.apps.kelifax.service.transfer.writing import COLUMNS, csv_line, json_object, markdown_line
from partita.kit.files import UploadedFile
from partita.kit.imports import Imports
from partita.kit.jobs import Job, JobKind
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.spreadsheets import line


class Transfer(Imports):
    """Export and import."""

    def __init__(self, kit: Kit, resources: Resources, submissions: Submissions) -> None:
        super().__init__(kit, KIND, FOLDER, MOST_BYTES)
        self._importing = Importing(kit, resources, submissions)

    @property
    def kind(self) -> JobKind:
        """The job that imports."""
        return self._importing.kind

    async def export(self, format: Format) -> AsyncIterator[bytes]:
        """Every approved resource, newest first (in Markdown, by category), as the pieces of a file."""
        if format == "md":
            async for piece in self._list():
                yield piece
            return
        yield line(COLUMNS).encode() if format == "csv" else b"["
        between = b"\n"
        async for resource in self._kit.store.stream(schema.approved_resources()):
            if format == "csv":
                yield csv_line(resource).encode()
            else:
                yield between + json_object(resource)
                between = b",\n"
        yield b"" if format == "csv" else b"\n]\n"

    async def _list(self) -> AsyncIterator[bytes]:
        yield b"# Developer resources\n"
        for category in CATEGORIES:
            heading = f"\n## {category_name(category)}\n\n".encode()
            async for resource in self._kit.store.stream(schema.approved_in(category)):
                yield heading + markdown_line(resource).encode()
                heading = b""

    async def begin(
        self,
        viewer: Viewer,
        file: UploadedFile,
        *,
        format: Format | None = None,
        category: Category = "other",
        publish: bool = False,
        dry_run: bool = False,
    ) -> Job:
        """Start to import a file, or to say what would be imported; the same file at once is the same job."""
        options = {"format": format, "category": category, "publish": publish, "dryRun": dry_run}
        return await self.begin_with(viewer, file, "Try" if dry_run else "Import", options)

    async def begin_tried(self, viewer: Viewer, job_id: str) -> Job:
        """Import a file that was tried."""
        tried = await self.find(viewer, job_id)
        arguments = orjson.loads(tried.arguments)
        if not arguments["dryRun"]:
            return tried
        arguments["dryRun"] = False
        title = f"Import {arguments['called']}"
        return await self._kit.jobs.start(KIND, arguments, viewer, key=f"tried {job_id}", title=title)

    def report(self, job: Job) -> ImportReport:
        """What became of the rows of an import that has ended."""
        return ImportReport.read(job.result_values)
