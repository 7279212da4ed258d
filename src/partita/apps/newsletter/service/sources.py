"""Sources: what newsletters and proposals draw from. Adding, finding, correcting and refreshing them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import is_newsletter
from partita.apps.newsletter.inputs import NewSource, SourceEdit, SourceFacts
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import (
    DIGEST,
    SHARED_SHELF,
    URL,
    Chunk,
    Newsletter,
    Proposal,
    Source,
    SourceDigest,
    SourceKind,
    SourceStatus,
    SourceUrl,
)
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.reading.reading import MOST_BYTES
from partita.apps.newsletter.service.steps import Look, Steps
from partita.kit.files import UploadedFile, UploadedFiles
from partita.kit.files.content import DOCX, HTML, PDF, TEXT
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer, authorize, refuse_withheld
from partita.kit.previews.thumbnails import thumbnail_of
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid, NotFound, Problem
from partita.kit.urls import host_of
from partita.table import ChangedMeanwhileError, Page, Put, Transaction, Update, Write
from partita.table.types import timestamp

ADDING = Rule("newsletter-sources", most=200, seconds=86_400)
FOLDER = "newsletter/sources"
CANCELLED = "Reading it was cancelled. Try again."
MOST_AT_ONCE = 20
_KINDS: dict[str, SourceKind] = {PDF: "pdf", DOCX: "docx", HTML: "html", TEXT: "text"}
_MARKDOWN = re.compile(r"\.(?:md|markdown|mdown)$", re.IGNORECASE)
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,10}$")
_COUNTED = 1_000
_NAMED = 50


class SourceExists(Conflict):
    """The same content or address is there already."""

    code = "source_exists"

    def __init__(self, source_id: str, title: str) -> None:
        super().__init__(f"“{title}” is the same and is there already.")
        self.source_id = source_id
        self.source_title = title

    @property
    def members(self) -> dict[str, Any]:
        return {"source_id": self.source_id, "source_title": self.source_title}


class _Taken(Exception):
    """A guard belongs to another source."""

    def __init__(self, guard: SourceDigest | SourceUrl) -> None:
        super().__init__(guard.of_source)
        self.of_source = guard.of_source


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list of sources is narrowed to."""

    kind: SourceKind | None = None
    status: SourceStatus | None = None
    tag: str | None = None
    language: str | None = None

    @property
    def chosen(self) -> dict[str, str]:
        pairs = {"kind": self.kind, "status": self.status, "tag": self.tag, "language": self.language}
        return {name: value for name, value in pairs.items() if value}


@dataclass(frozen=True, slots=True)
class Part:
    """A passage as it stands in its source: what the one before has already is left out."""

    chunk: Chunk
    headings: tuple[tuple[int, str], ...]
    text: str
    new_page: int | None
    """The page that begins here."""


class Sources:
    """Everything about a source as one thing."""

    def __init__(self, kit: Kit, access: Access, steps: Steps) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._steps = steps

    # -- adding

    async def add(self, viewer: Viewer, new: NewSource) -> Source:
        """A text or an address. It is read in the background."""
        if bool(new.text) == (new.url is not None):
            words = "Paste a text, or enter an address." if not new.text else "Either a text or an address, not both."
            raise Invalid(FieldError("text", words))
        await self._may_add(viewer, new.shelf)
        facts: dict[str, Any] = {
            "published": None if new.published is None else new.published.isoformat(),
            "publisher": new.publisher,
            "tags": new.tags,
            "shelf": new.shelf,
        }
        if new.url is not None:
            title = new.title or new.url[:300]
            source = self._made(viewer, title, "url", url=new.url, **facts)
            return await self._stored(viewer, source, titled=bool(new.title))
        data = new.text.encode()
        name = await self._kit.uploads.keep(FOLDER, data, TEXT)
        title = new.title or _first_line(new.text)
        size = {"file_key": name, "file_size": len(data), "digest": digest_of(data)}
        source = self._made(viewer, title, "text", **facts, **size)
        return await self._stored(viewer, source, titled=bool(new.title), upload=name)

    async def add_file(self, viewer: Viewer, file: UploadedFile, facts: SourceFacts | None = None) -> Source:
        """A file that was sent; it is read in the background, and given up if it is refused."""
        facts = facts or SourceFacts()
        try:
            await self._may_add(viewer, facts.shelf)
            if file.size > MOST_BYTES:
                raise Invalid(FieldError("files", f"A file may have {MOST_BYTES // 1_000_000} MB at most."))
            data = (await self._kit.files.load(file.name)).data
            kind = _KINDS.get(file.kind, "text")
            source = self._made(
                viewer,
                _ENDING.sub("", file.called)[:300] or "A file",
                "markdown" if kind == "text" and _MARKDOWN.search(file.called) else kind,
                file_key=file.name,
                file_size=file.size,
                digest=digest_of(data),
                tags=facts.tags,
                shelf=facts.shelf,
            )
            return await self._stored(viewer, source, titled=False, upload=file.name)
        except Exception:
            await self._kit.uploads.discard(file.name)
            raise

    async def receive(self, request: Request, texts: Collection[str] | None = None) -> UploadedFiles:
        """Files as they arrive, each of any kind: what it is shows when it is read. A form that has other fields than
        `texts` is refused, if these are given."""
        return await self._kit.uploads.receive_several(
            request, FOLDER, most_bytes=MOST_BYTES, most_files=MOST_AT_ONCE, field="files", texts=texts
        )

    async def add_files(
        self, viewer: Viewer, sent: UploadedFiles, facts: SourceFacts
    ) -> tuple[list[Source], list[tuple[str, Problem]]]:
        """Files that were sent together: the sources, and why others are none, by what they are called."""
        added: list[Source] = []
        refused = list(sent.refused)
        for file in sent.files:
            try:
                added.append(await self.add_file(viewer, file, facts))
            except Problem as problem:
                refused.append((file.called, problem))
        return added, refused

    async def give_up(self, sent: UploadedFiles) -> None:
        """Forget files that are not wanted, because the form that brought them is refused."""
        for file in sent.files:
            await self._kit.uploads.discard(file.name)

    async def _may_add(self, viewer: Viewer, shelf: str) -> None:
        if shelf == SHARED_SHELF:
            authorize(viewer, Letters.ADD_SOURCES)
        else:
            await self._access.subject(viewer, shelf, write=True)
        await self._kit.limits.check(ADDING, viewer.id)

    def _made(self, viewer: Viewer, title: str, kind: SourceKind, **facts: Any) -> Source:
        now = timestamp(self._kit.clock.now())
        return Source(
            source_id=self._kit.ids.new(),
            title=title,
            kind=kind,
            created_by=viewer.id,
            created_at=now,
            updated_at=now,
            status="waiting",
            **facts,
        )

    async def _stored(self, viewer: Viewer, source: Source, *, titled: bool, upload: str | None = None) -> Source:
        gone = Conflict("The file was not kept. Send it again.", code="no_upload")
        claims: list[Write] = [] if upload is None else [self._kit.uploads.claim(upload).otherwise(gone)]
        guards = (*DIGEST.otherwise(_Taken).claim(source), *URL.otherwise(_Taken).claim(source))
        try:
            await self._store.transact(Transaction(Put(source).if_new(), *guards, *claims))
        except _Taken as taken:
            raise await self._exists(taken.of_source) from None
        await self._steps.begin(viewer, source.source_id, "intake", inputs={"titled": titled})
        return source

    async def _exists(self, source_id: str) -> SourceExists:
        there = await find(self._store, schema.source, source_id)
        return SourceExists(source_id, "A source" if there is None else there.title)

    # -- reading

    async def get(self, viewer: Viewer, source_id: str, *, write: bool = False) -> Source:
        """A source that the viewer may read, or correct and delete."""
        missing = NotFound("There is no such source.")
        found = await find_or(missing, self._store, schema.source, source_id)
        if found.shelf != SHARED_SHELF:
            try:
                await self._access.subject(viewer, found.shelf, write=write)
            except NotFound:
                raise missing from None
            return found
        authorize(viewer, Letters.READ_SOURCES)
        if write and not self.may_write(viewer, found):
            refuse_withheld(viewer, Letters.MANAGE_SOURCES)
            raise Forbidden("Only whoever added a source, and editors, can change it.")
        return found

    def may_write(self, viewer: Viewer, source: Source) -> bool:
        """Whether somebody who may read a source may change it; of a private shelf, whoever may write what it is of."""
        return source.shelf != SHARED_SHELF or viewer.id == source.created_by or viewer.may(Letters.MANAGE_SOURCES)

    async def page(
        self,
        viewer: Viewer,
        wanted: Wanted | None = None,
        *,
        shelf: str = SHARED_SHELF,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Source]:
        """The sources of a shelf, newest first."""
        if shelf == SHARED_SHELF:
            authorize(viewer, Letters.READ_SOURCES)
        else:
            await self._access.subject(viewer, shelf)
        wanted = wanted or Wanted()
        query = schema.sources(shelf)
        if wanted.kind:
            query = query.where(Source.kind.equals(wanted.kind))
        if wanted.status:
            query = query.where(Source.status.equals(wanted.status))
        if wanted.tag:
            query = query.where(Source.tags.contains(wanted.tag))
        if wanted.language:
            query = query.where(Source.language.equals(wanted.language))
        return await self._store.page(query, limit=limit, after=cursor)

    async def chunks(
        self, viewer: Viewer, source_id: str, *, limit: int = 50, cursor: str | None = None, first: int = 0
    ) -> tuple[Source, Page[Chunk]]:
        """A source with its passages in order, from the first one that is wanted."""
        source = await self.get(viewer, source_id)
        return source, await self._store.page(schema.chunks_of(source_id, first), limit=limit, after=cursor)

    async def look(self, source: Source) -> Look:
        """How far its reading is."""
        return await self._steps.look(source.source_id, "intake")

    async def citing(self, viewer: Viewer, source: Source) -> tuple[list[Newsletter | Proposal], int]:
        """Which of the viewer's newsletters and proposals cite a source, and how many of others do."""
        codes = [each.code async for each in self._store.stream(schema.citing(source.source_id))]
        newsletters = tuple(code for code in codes if is_newsletter(code))[:_NAMED]
        proposals = tuple(code for code in codes if not is_newsletter(code))[:_NAMED]
        found: list[Newsletter | Proposal | None] = []
        if newsletters:
            found += await self._store.batch_get(schema.newsletters_with(newsletters).keys)
        if proposals:
            found += await self._store.batch_get(schema.proposals_with(proposals).keys)
        mine = [each for each in found if each is not None and self._access.owns(viewer, each)]
        return mine, len(codes) - len(mine)

    # -- changing

    async def edit(self, viewer: Viewer, source_id: str, edit: SourceEdit) -> Source:
        """Correct a source."""

        async def attempt() -> Source:
            before = await self.get(viewer, source_id, write=True)
            edit.check_revision(before.revision)
            changes = edit.changes
            if isinstance(changes.get("published"), date):
                changes["published"] = changes["published"].isoformat()
            after = before.model_copy(update={**changes, "updated_at": timestamp(self._kit.clock.now())})
            return await self._store.write(
                Update.between(before, after).next_version(before).otherwise(_gone_or_changed), returning="new"
            )

        return await self._store.attempt(attempt)

    async def switch(self, viewer: Viewer, source_id: str, position: int, *, enabled: bool) -> Chunk:
        """Let a passage be found, or not."""
        await self.get(viewer, source_id, write=True)
        missing = NotFound("There is no such passage.")
        there = await find_or(missing, self._store, schema.chunk, source_id, position)
        update = Update(there.own_key, Chunk.enabled.set(enabled)).otherwise(missing)
        return await self._store.write(update, returning="new")

    async def refresh(self, viewer: Viewer, source_id: str) -> Look:
        """Read a source again: its page, or its file. What was read before stays if that fails."""
        source = await self.get(viewer, source_id, write=True)
        if source.kind != "url" and source.file_key is None:
            raise Conflict("What this was read from is not kept. Add it again.", code="nothing_to_read")
        await self._kit.limits.check(ADDING, viewer.id)
        return await self._steps.begin(viewer, source_id, "intake", inputs={"titled": True})

    async def cancel(self, viewer: Viewer, source_id: str) -> Look:
        """Stop reading a source: what was read of it before stays."""
        source = await self.get(viewer, source_id, write=True)
        look = await self._steps.stop(source_id, "intake")
        if look.state == "cancelled":  # it had not begun, so nobody says it of the source
            status = Source.status.set("ready" if source.chunk_count else "failed")
            ended = Update(source.own_key, status, Source.error.set(CANCELLED)).when(Source.status.equals("waiting"))
            with suppress(_NotWaiting):
                await self._store.write(ended.otherwise(_NotWaiting()))
        return look

    async def file(self, viewer: Viewer, source_id: str) -> str:
        """A link to the file that a source was read from."""
        source = await self.get(viewer, source_id)
        if source.file_key is None:
            raise NotFound("There is no file of this source.")
        ending = source.file_key.rpartition(".")[2]
        return self._kit.files.url(source.file_key, download_as=f"{source.title[:100]}.{ending}")

    async def page_picture(self, viewer: Viewer, source_id: str, number: int, width: int) -> bytes:
        """A page of a PDF as a picture; the first is 1."""
        source = await self.get(viewer, source_id)
        if source.file_key is None or source.kind != "pdf" or not 1 <= number <= (source.pages or 0):
            raise NotFound("There is no picture of this page.")
        file = await self._kit.files.load(source.file_key)
        return (await thumbnail_of(file.data, width=width, height=2 * width, page=number - 1)).data

    async def cited_in(self, source_id: str) -> int:
        """In how many drafts and proposals a source is cited."""
        return len(await self._store.page(schema.citing(source_id), limit=_COUNTED))


class _NotWaiting(Exception):
    """A source is read, or was."""


def parts_of(chunks: Sequence[Chunk], before: Chunk | None = None) -> list[Part]:
    """Passages as one text: with headings and pages, and without what two of them have in common."""
    parts: list[Part] = []
    for chunk in chunks:
        known = 0 if before is None else max(0, before.start + len(before.text) - chunk.start)
        text = chunk.text[known:] if known < len(chunk.text) else chunk.text
        headings = tuple((len(line) - len(line.lstrip("#")), line.lstrip("# ")) for line in chunk.above)
        page = chunk.page if chunk.page is not None and (before is None or before.page != chunk.page) else None
        parts.append(Part(chunk, headings, text.strip("\n"), page))
        before = chunk
    return parts


def digest_of(data: bytes) -> str:
    """What tells that two sources have the same content; spaces make no difference in a text."""
    return hashlib.sha256(b" ".join(data.split()) if len(data) < 2_000_000 else data).hexdigest()


def site_of(url: str) -> str:
    """The host of an address, for a publisher that nobody has named."""
    return host_of(urlsplit(url)).removeprefix("www.")


def _first_line(text: str) -> str:
    line = text.lstrip("#-*> \n\t").split("\n", 1)[0].strip()
    return line[:120].strip() or "Pasted text"


def _gone_or_changed(there: Source | None) -> Exception:
    return NotFound("There is no such source.") if there is None else ChangedMeanwhileError("The source")
