"""Import and export of the directory: exports are streamed, imports are jobs that report on every row."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import Request

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import category_name
from partita.apps.kelifax.schema import CATEGORIES, Category
from partita.apps.kelifax.service.resources import Resources
from partita.apps.kelifax.service.submissions import Submissions
from partita.apps.kelifax.service.transfer.importing import FOLDER, KIND, Importing, ImportReport
from partita.apps.kelifax.service.transfer.reading import MOST_BYTES, Format, unreadable
from partita.apps.kelifax.service.transfer.writing import COLUMNS, csv_line, json_object, markdown_line
from partita.kit.files import UploadedFile, UploadedForm
from partita.kit.files.content import TEXT
from partita.kit.files.names import download_name
from partita.kit.jobs import Job, JobKind
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, TooLarge
from partita.kit.spreadsheets import line


class Transfer:
    """Export and import."""

    def __init__(self, kit: Kit, resources: Resources, submissions: Submissions) -> None:
        self._kit = kit
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

    async def receive(self, request: Request) -> UploadedForm:
        """Take a form with a file, which waits for `begin`."""
        return await self._kit.uploads.receive(request, FOLDER, most_bytes=MOST_BYTES)

    async def keep(self, data: bytes, called: str) -> UploadedFile:
        """Take a file that is in memory, which waits for `begin`."""
        if len(data) > MOST_BYTES:
            raise TooLarge(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
        return UploadedFile(await self._kit.uploads.keep(FOLDER, data, TEXT), TEXT, len(data), download_name(called))

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
        try:
            if not file.size:
                raise unreadable("The file is empty.")
            content = await self._kit.files.load(file.name)
            arguments: dict[str, Any] = {
                "file": file.name,
                "called": file.called,
                "format": format,
                "category": category,
                "publish": publish,
                "dryRun": dry_run,
            }
            same = hashlib.sha256(content.data).hexdigest()[:32]
            key = f"{viewer.id} {format} {category} {publish} {dry_run} {same}"
            title = f"{'Try' if dry_run else 'Import'} {file.called}"
            job = await self._kit.jobs.start(KIND, arguments, viewer, key=key, title=title)
        except BaseException:
            await self._kit.uploads.discard(file.name)
            raise
        if orjson.loads(job.arguments)["file"] != file.name:
            await self._kit.uploads.discard(file.name)
        return job

    async def begin_tried(self, viewer: Viewer, job_id: str) -> Job:
        """Import a file that was tried."""
        tried = await self.find(viewer, job_id)
        arguments = orjson.loads(tried.arguments)
        if not arguments["dryRun"]:
            return tried
        arguments["dryRun"] = False
        title = f"Import {arguments['called']}"
        return await self._kit.jobs.start(KIND, arguments, viewer, key=f"tried {job_id}", title=title)

    async def ended_within(self, job: Job, seconds: float) -> Job:
        """An import once it has ended, or as it is after so many seconds."""
        return await self._kit.jobs.ended_within(job, seconds)

    async def find(self, viewer: Viewer, job_id: str) -> Job:
        """An import of the viewer's own."""
        job = await self._kit.jobs.find(viewer, job_id)
        if job.kind != KIND:
            raise NotFound("There is no such import; imports can be looked at for two weeks.")
        return job

    def report(self, job: Job) -> ImportReport:
        """What became of the rows of an import that has ended."""
        return ImportReport.read(job.result_values)
