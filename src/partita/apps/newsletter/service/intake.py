"""Reading a source in: its page or file becomes passages. What was read before stays until all that is new is kept.

A reading is decided in one transaction: what the source says of itself, that nobody else has its content, and the new
passages, which are kept with the run. Whatever fails or is cancelled before leaves the old ones. From then on the
passages are put in place; a run that is killed meanwhile, or the next one, goes on with that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import DIGEST, Chunk, Source
from partita.apps.newsletter.service.reading.chunks import Passage
from partita.apps.newsletter.service.reading.reading import Reading, read_in
from partita.apps.newsletter.service.sources import CANCELLED, digest_of, site_of
from partita.apps.newsletter.service.steps import Step, Steps, Work
from partita.kit.files.content import DOCX, HTML, PDF, TEXT
from partita.kit.jobs import JobCancelled, JobFailed
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, Problem
from partita.table import Delete, Put, Update
from partita.table.types import timestamp

FETCHED = (HTML, PDF, DOCX, TEXT, "text/markdown")
MOST_FETCHED = 20_000_000
SECONDS = 300.0
_BATCH = 25


class Intake:
    """The step that reads sources."""

    def __init__(self, kit: Kit, steps: Steps) -> None:
        self._kit = kit
        self._store = kit.store
        self._steps = steps

    @property
    def step(self) -> Step:
        return Step("intake", self._run, seconds=SECONDS, limited=False)

    async def begin(self, source: Source) -> None:
        """Start what was never started: the process may have been killed after the source was added. Called by the
        change stream, which may tell of a source twice."""
        now = await find(self._store, schema.source, source.source_id)
        if now is not None and now.status == "waiting":
            await self._steps.begin(Viewer(source.created_by), source.source_id, "intake", inputs={"titled": True})

    async def _run(self, work: Work) -> None:
        source = await find(self._store, schema.source, work.subject)
        if source is None:
            raise JobFailed("The source was deleted meanwhile.")
        try:
            await self._put(source, work.partial)
            if not _is_decided(work):
                await self._read(work, source)
                await self._put(source, work.partial)
            count = len(work.partial["chunks"])
            await work.finish(
                Update(source.own_key, Source.error.remove()).otherwise(_deleted()),
                message=f"{count:,} passages.",
                path=f"/newsletter/sources/{source.source_id}",
            )
        except JobCancelled:
            if not _is_decided(work):
                await self._failed(source, CANCELLED)
            raise
        except Exception as error:
            words = error.detail if isinstance(error, Problem) else str(error) if isinstance(error, JobFailed) else ""
            await self._failed(source, words or "It could not be read, for a reason that nobody foresaw. Try again.")
            raise

    async def _read(self, work: Work, source: Source) -> None:
        await work.progress("Fetching" if source.kind == "url" else "Reading")
        await self._store.write(Update(source.own_key, Source.status.set("reading")).otherwise(_deleted()))
        data = await self._content(source)
        if source.kind == "url":
            await work.progress("Reading")
        now = self._kit.clock.now()
        reading = await read_in(data, source.source_id, now.date())
        chunks = await self._chunks(source, reading)
        await work.progress("Keeping passages", total=len(chunks))
        changes: dict[str, Any] = {
            "status": "ready",
            "error": None,
            "chunk_count": len(reading.passages),
            "words": reading.words,
            "pages": reading.pages,
            "summary": reading.summary,
            "digest": digest_of(data),
            "fetched_at": timestamp(now),
            "updated_at": timestamp(now),
        }
        if not work.inputs.get("titled") and reading.title:
            changes["title"] = reading.title
        if source.published is None and reading.published is not None:
            changes["published"] = reading.published
        if source.language is None and reading.language is not None:
            changes["language"] = reading.language
        if not source.publisher:
            changes["publisher"] = reading.publisher or (site_of(source.url) if source.url else "")
        after = source.model_copy(update=changes)
        actions = [
            getattr(Source, name).remove() if value is None else getattr(Source, name).set(value)
            for name, value in changes.items()
        ]
        taken = JobFailed("Another source has the same content. Delete one of them.")
        await work.keep(
            {"run": work.run_id, "chunks": [each.model_dump(mode="json", exclude_defaults=True) for each in chunks]},
            Update(source.own_key, *actions).otherwise(_deleted()),
            *DIGEST.otherwise(taken).move(source, after),
        )

    async def _content(self, source: Source) -> bytes:
        if source.kind == "url" and source.url is not None:
            found = await self._kit.fetcher.fetch_file(source.url, kinds=FETCHED, most_bytes=MOST_FETCHED)
            return found.data
        if source.file_key is None:
            raise JobFailed("What it was read from is not kept. Add it again.")
        try:
            return (await self._kit.files.load(source.file_key)).data
        except NotFound:
            raise JobFailed("The file is not there any more. Add it again.") from None

    async def _chunks(self, source: Source, reading: Reading) -> list[Chunk]:
        """The passages of a reading. Those whose text has not changed keep their id, and stay switched off if they
        were."""
        before = self._store.stream(schema.chunks_of(source.source_id).consistently())
        off = {chunk.chunk_id async for chunk in before if not chunk.enabled}
        return [_chunk(source.source_id, passage, passage.chunk_id not in off) for passage in reading.passages]

    async def _put(self, source: Source, partial: Mapping[str, Any]) -> None:
        """Write the passages that were decided on, and delete those that are no more. What is in its place already
        stays as it is: somebody may have switched it since. From here on nothing is cancelled."""
        if "chunks" not in partial:
            return
        stored = self._store.stream(schema.chunks_of(source.source_id).consistently())
        before = {chunk.position: chunk async for chunk in stored}
        after = [Chunk(**each) for each in partial["chunks"]]
        writes: list[Put[Any] | Delete[Any]] = [
            Put(chunk) for chunk in after if not _same(before.get(chunk.position), chunk)
        ]
        writes += [Delete(chunk.own_key) for position, chunk in before.items() if position >= len(after)]
        for first in range(0, len(writes), _BATCH):
            if await find(self._store, schema.source, source.source_id) is None:
                raise _deleted()
            await self._store.batch_write(writes[first : first + _BATCH])

    async def _failed(self, source: Source, words: str) -> None:
        """It could not be read: what was read before is still there, and says of when it is."""
        there = await find(self._store, schema.source, source.source_id)
        if there is None:
            return
        status = Source.status.set("ready" if there.chunk_count else "failed")
        update = Update(there.own_key, status, Source.error.set(words[:1000]))
        try:
            await self._store.write(update.otherwise(_deleted()))
        except JobFailed:
            return


def _is_decided(work: Work) -> bool:
    """Whether this run has read the source, and only its passages are to be put in place."""
    return bool(work.partial.get("run") == work.run_id)


def _same(there: Chunk | None, chunk: Chunk) -> bool:
    """Whether a passage is in its place, switched on or off."""
    return there is not None and there.with_(Chunk.enabled(chunk.enabled)) == chunk


def _chunk(source_id: str, passage: Passage, enabled: bool) -> Chunk:
    return Chunk(
        source_id=source_id,
        position=passage.position,
        text=passage.text,
        heading=passage.heading,
        chunk_id=passage.chunk_id,
        page=passage.page,
        kind=passage.kind,
        start=passage.start,
        words=passage.words,
        above=tuple(f"{'#' * min(6, level)} {heading}" for level, heading in passage.above),
        turns=passage.turns[:100],
        enabled=enabled,
    )


def _deleted() -> JobFailed:
    return JobFailed("The source was deleted meanwhile.")
