"""Deleting a source: nobody finds it from now on, and its passages and file go in batches that can be resumed."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import DIGEST, URL, Source
from partita.apps.newsletter.service.sources import Sources
from partita.apps.newsletter.service.steps import Steps
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.table import ChangedMeanwhileError, Delete, Write

KIND = "newsletter.remove-source"
_BATCH = 25


class SourceRemovals:
    """Deleting sources. Drafts keep their copy of what they cite."""

    def __init__(self, kit: Kit, sources: Sources, steps: Steps) -> None:
        self._kit = kit
        self._store = kit.store
        self._sources = sources
        self._steps = steps

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Delete a source", self._run)

    async def delete(self, viewer: Viewer, source_id: str) -> None:
        """Delete a source for somebody."""
        source = await self._sources.get(viewer, source_id, write=True)
        await self._begin(source, viewer)

    async def delete_private(self, source_id: str) -> None:
        """Delete a source of a newsletter or proposal that is being deleted."""
        source = await find(self._store, schema.source, source_id)
        if source is not None:
            await self._begin(source, None)

    async def _begin(self, source: Source, viewer: Viewer | None) -> None:
        """The source itself is deleted with the start of the work: at no moment is one without the other."""

        def beside(_: Job) -> tuple[Write, ...]:
            changed = ChangedMeanwhileError("The source")
            mine = Delete(source.own_key).when(
                Source.digest.missing() if source.digest is None else Source.digest.equals(source.digest)
            )
            return (mine.otherwise(changed), *DIGEST.release(source), *URL.release(source))

        arguments = {"source_id": source.source_id, "file_key": source.file_key}
        title = f"Delete “{source.title[:150]}”"
        await self._kit.jobs.start(KIND, arguments, viewer, key=source.source_id, title=title, beside=beside)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        source_id = arguments["source_id"]
        await running.progress("Stopping what runs")
        await self._steps.stop_all(source_id)
        if arguments.get("file_key"):
            await running.progress("Deleting its file")
            await self._kit.files.delete(arguments["file_key"])
        keys: list[Any] = []
        async for row in self._store.stream(schema.whole_source(source_id)):
            keys.append(row.own_key)
            if len(keys) == _BATCH:
                await self._delete(keys)
                await running.progress("Deleting its passages")
        keys += [run.own_key async for run in self._store.stream(schema.step_runs(source_id))]
        await self._delete(keys)
        return Result("Deleted with its passages.", "/newsletter/sources")

    async def _delete(self, keys: list[Any]) -> None:
        await self._store.batch_write([Delete(key) for key in keys])
        keys.clear()
