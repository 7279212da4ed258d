"""Reading a source in: its page or file becomes passages. What was read before stays until there is something new."""

from __future__ import annotations

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
            await self._read(work, source)
        except JobCancelled:
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
        await self._keep(work, source, reading)
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
        await work.finish(
            Update(source.own_key, *actions).otherwise(_deleted()),
            *DIGEST.otherwise(JobFailed("Another source has the same content. Delete one of them.")).move(
                source, after
            ),
            message=f"{len(reading.passages):,} passages.",
            path=f"/newsletter/sources/{source.source_id}",
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

    async def _keep(self, work: Work, source: Source, reading: Reading) -> None:
        """Write the passages that are new, and delete those that are no more. Passages whose text has not changed keep
        their id, and stay switched off if they were."""
        before = {chunk.position: chunk async for chunk in self._store.stream(schema.chunks_of(source.source_id))}
        off = {chunk.chunk_id for chunk in before.values() if not chunk.enabled}
        after = [_chunk(source.source_id, passage, passage.chunk_id not in off) for passage in reading.passages]
        writes: list[Put[Any] | Delete[Any]] = [Put(chunk) for chunk in after if before.get(chunk.position) != chunk]
        writes += [Delete(chunk.own_key) for position, chunk in before.items() if position >= len(after)]
        for first in range(0, len(writes), _BATCH):
            await work.progress("Keeping passages", done=first, total=len(writes))
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
