"""Files that are imported by a job: taken in, begun once, and found again by whoever began."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from starlette.requests import Request

from partita.kit.files import UploadedFile, UploadedForm
from partita.kit.files.content import TEXT
from partita.kit.files.names import download_name
from partita.kit.jobs import Job
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, NotFound, TooLarge


def unreadable(detail: str) -> Invalid:
    """The refusal of a file that is not in its format."""
    return Invalid(FieldError("file", detail), code="unreadable_file")


class Imports:
    """The imports of one kind of job, whose arguments are the file (`file`), its name (`called`) and options."""

    def __init__(self, kit: Kit, kind: str, folder: str, most_bytes: int) -> None:
        self._kit = kit
        self._kind = kind
        self._folder = folder
        self._most_bytes = most_bytes

    async def receive(self, request: Request) -> UploadedForm:
        """Take a form with a file, which waits for its import to begin."""
        return await self._kit.uploads.receive(request, self._folder, most_bytes=self._most_bytes)

    async def keep(self, data: bytes, called: str) -> UploadedFile:
        """Take a file that is in memory, which waits for its import to begin."""
        if len(data) > self._most_bytes:
            raise TooLarge(f"A file can have at most {self._most_bytes // 1_000_000} MB. Split it.")
        name = await self._kit.uploads.keep(self._folder, data, TEXT)
        return UploadedFile(name, TEXT, len(data), download_name(called))

    async def discard(self, file: UploadedFile) -> None:
        """Forget a file that is not imported."""
        await self._kit.uploads.discard(file.name)

    async def begin_with(self, viewer: Viewer, file: UploadedFile, title: str, options: dict[str, Any]) -> Job:
        """Start to import a file; while the same file of the same person is imported in the same way, it is that job.
        The file is forgotten if it is not imported."""
        try:
            if not file.size:
                raise unreadable("The file is empty.")
            content = await self._kit.files.load(file.name)
            same = hashlib.sha256(content.data + orjson.dumps(options)).hexdigest()[:32]
            arguments = {"file": file.name, "called": file.called, **options}
            job = await self._kit.jobs.start(
                self._kind, arguments, viewer, key=f"{viewer.id} {same}", title=f"{title} {file.called}"
            )
        except BaseException:
            await self.discard(file)
            raise
        if orjson.loads(job.arguments)["file"] != file.name:
            await self.discard(file)
        return job

    async def ended_within(self, job: Job, seconds: float) -> Job:
        """An import once it has ended, or as it is after so many seconds."""
        return await self._kit.jobs.ended_within(job, seconds)

    async def find(self, viewer: Viewer, job_id: str) -> Job:
        """An import of the viewer's own."""
        job = await self._kit.jobs.find(viewer, job_id)
        if job.kind != self._kind:
            raise NotFound("There is no such import; imports can be looked at for two weeks.")
        return job
