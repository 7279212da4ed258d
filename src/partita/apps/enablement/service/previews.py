"""Previews of attachments: covers, pictures of pages, texts for search, made by a job in processes of their own."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from partita.apps.enablement import schema
from partita.apps.enablement.formats import kind_of_file
from partita.apps.enablement.schema import Content, PreviewState, Proposal, Version
from partita.apps.enablement.service.access import no_such_content
from partita.apps.enablement.service.attachments import CSV
from partita.apps.enablement.service.content import Contents
from partita.apps.enablement.service.covers import drawn_cover
from partita.apps.enablement.service.files import ATTACHMENTS, PREVIEWS, preview_name
from partita.apps.enablement.service.history import History
from partita.apps.enablement.service.shown import Showing, colour_in
from partita.apps.enablement.service.texts import Texts
from partita.kit.fetcher.charsets import text_of, without_half_a_character
from partita.kit.files.content import SVG, WEBP, kind_of
from partita.kit.jobs import Arguments, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.previews.making import made
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.texts import text_in
from partita.kit.problems import NotFound
from partita.table import ChangedMeanwhileError, Update

_log = logging.getLogger(__name__)

JOB = "enablement.preview"
SECONDS, MEGABYTES = 30.0, 512
MOST_PAGES = 20
PAGE_WIDTH, COVER_WIDTH = 1200, 480
MOST_TEXT = 100_000
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 50, 30, 300
MOST_NAMES = 1000
MOST_BYTES = 64_000_000
"""Larger files have no preview: they would have to be in memory twice."""
_START = 1_000_000
_SHOWN = 20_000
_TRIES = 3
_JSON = "application/json"
_TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class Preview:
    """What was made of a file."""

    state: PreviewState
    cover: bytes | None = None
    pages: tuple[bytes, ...] = ()
    page_count: int | None = None
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    problem: str | None = None
    """Why it failed, in words."""


NOTHING = Preview("none")


@dataclass(frozen=True, slots=True)
class Look:
    """What a page shows of a file before anybody downloads it."""

    shape: Literal["pages", "table", "text", "names", "video", "making", "failed", "none"]
    pages: tuple[int, ...] = ()
    """The numbers of the pages that there are pictures of."""
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""
    """A part of the text, the names in an archive, or why there is nothing to look at."""


class Previews:
    """Makes previews, and reads what was made."""

    def __init__(self, kit: Kit, contents: Contents, history: History, showing: Showing, texts: Texts) -> None:
        self._kit = kit
        self._history = history
        self._contents = contents
        self._showing = showing
        self._store = kit.store
        self.bucket = texts.bucket

    async def want(self, content_id: str, source: Any) -> None:
        """Have the preview of a file made, if it has none yet; asked twice, it is made once."""
        key = source.s3_key
        if key is not None and source.s3_bucket == self.bucket and key.startswith(f"{ATTACHMENTS}/"):
            await self._kit.jobs.start(JOB, {"content_id": content_id, "key": key}, None, key=key)

    async def make(self, content_id: str, key: str, *, last: bool = True) -> PreviewState | None:
        """Make the preview of a file and write what there is; None if nobody has this file any more."""
        if not [row async for row in self._naming(content_id, key)]:
            return None
        try:
            preview = await self._made(key)
        except PreviewRefused as refused:
            _log.info("enablement: no preview of %s: %s", key, refused.detail)
            preview = Preview("failed", problem=refused.detail[:300])
        except Exception:
            if not last:
                raise
            _log.exception("enablement: no preview of %s", key)
            preview = Preview("failed")
        await self._keep(key, preview)
        await self._write(content_id, key, preview)
        return preview.state

    async def face(self, viewer: Viewer, content_id: str) -> tuple[bytes, str]:
        """The cover of an item for somebody who may know of it, and its content type: its own, or a drawn one."""
        content, visibility = await self._contents.look(viewer, content_id)
        return await self._face(content, content.cover_key if visibility.page == "whole" else None)

    async def old_face(self, viewer: Viewer, content_id: str, major: int) -> tuple[bytes, str]:
        """The same of a version, for those who may read the history."""
        side = (await self._history.compare(viewer, content_id, major, major)).after
        return await self._face(side.fields, side.source.cover_key)

    async def next_face(self, viewer: Viewer, content_id: str) -> tuple[bytes, str]:
        """The same of what is proposed or drafted."""
        side = (await self._history.pending(viewer, content_id)).after
        own = "s3_key" in side.source.proposed if isinstance(side.source, Proposal) else True
        source = side.source if own else await self._contents.item(content_id)
        return await self._face(side.fields, source.cover_key)

    async def _face(self, fields: Any, cover_key: str | None) -> tuple[bytes, str]:
        made = await self.cover(cover_key)
        if made is not None:
            return made, WEBP
        products = await self._showing.products()
        kind = kind_of_file(fields.content_type if fields.s3_key else None)
        colour = colour_in(products, fields.product_suite)
        return drawn_cover(fields.title, fields.product_concept, kind, colour), SVG

    async def page_for(self, viewer: Viewer, content_id: str, number: str) -> bytes:
        """The picture of a page, for somebody who may read the item; its number as an address has it."""
        content, visibility = await self._contents.look(viewer, content_id)
        if visibility.page != "whole":
            raise no_such_content(content_id)
        return await self.page(content, int(number) if number.isascii() and number.isdecimal() else 0)

    async def page(self, source: Content, number: int) -> bytes:
        """The picture of a page; the first is 1."""
        there = min(source.page_count or 0, MOST_PAGES)
        if source.s3_key is None or source.cover_key is None or not 1 <= number <= there:
            raise NotFound("There is no picture of this page.")
        return (await self._kit.files.load(preview_name(source.s3_key, f"{number}.webp"))).data

    async def cover(self, name: str | None) -> bytes | None:
        """The picture for lists, if one was made."""
        if name is None or not name.startswith(f"{PREVIEWS}/"):
            return None
        try:
            return (await self._kit.files.load(name)).data
        except NotFound:
            return None

    async def look(self, source: Any, *, plays: bool) -> Look:
        """What there is to look at; `plays` says whether the viewer may have the film itself."""
        if source.s3_key is None:
            return Look("none")
        kind = kind_of_file(source.content_type)
        if kind == "video":
            return Look("video" if plays else "none")
        if source.preview_state in (None, "making"):
            ours = source.s3_bucket == self.bucket and source.s3_key.startswith(f"{ATTACHMENTS}/")
            return Look("making" if ours else "none")
        if source.preview_state == "failed":
            return Look("failed", text=source.preview_problem or "")
        if source.cover_key is not None:
            return Look("pages", pages=tuple(range(1, min(source.page_count or 1, MOST_PAGES) + 1)))
        if source.content_type == CSV and (rows := await self.rows(source)):
            return Look("table", rows=tuple(map(tuple, rows)))
        text = "" if source.text_key is None else await self.words(source.text_key)
        if not text:
            return Look("none")
        return Look("names" if kind == "archive" else "text", text=text[:_SHOWN])

    async def words(self, name: str) -> str:
        """A text by the name of its file, for search; empty if it is gone."""
        if not name.startswith((f"{PREVIEWS}/", "enablement/texts/")):
            return ""
        try:
            return (await self._kit.files.load(name)).data.decode("utf-8", "replace")
        except NotFound:
            return ""

    async def rows(self, source: Any) -> list[list[str]]:
        """The first rows of a CSV file."""
        if source.s3_key is None or source.content_type != CSV or source.preview_state != "ready":
            return []
        try:
            found: list[list[str]] = orjson.loads(
                (await self._kit.files.load(preview_name(source.s3_key, "rows.json"))).data
            )
        except NotFound:
            return []
        return found

    # -- making

    async def _made(self, key: str) -> Preview:
        info = await self._kit.files.info(key)
        if info is None:
            raise PreviewRefused("The file is gone.")
        start = await self._kit.files.start(key)
        kind = kind_of(start)
        shape = kind_of_file(kind)
        if shape == "video" or kind is None or info.size > MOST_BYTES:
            return NOTHING
        if shape == "text":
            # Of a long text its beginning is enough, and nothing need be parsed.
            beginning = await self._kit.files.start(key, _START)
            return _of_text(text_of(beginning if info.size <= _START else without_half_a_character(beginning)))
        data = (await self._kit.files.load(key)).data
        if shape == "pdf":
            from partita.kit.previews.pdf import pdf_preview

            paragraphs, count, cover, pages = await made(
                pdf_preview, data, MOST_PAGES, PAGE_WIDTH, COVER_WIDTH, seconds=SECONDS, megabytes=MEGABYTES
            )
            return Preview("ready", cover, tuple(pages), count, "\n\n".join(paragraphs))
        if shape == "picture":
            from partita.kit.previews.pictures import picture_preview

            small, large = await made(
                picture_preview, data, PAGE_WIDTH, COVER_WIDTH, seconds=SECONDS, megabytes=MEGABYTES
            )
            return Preview("ready", small, (large,), 1)
        if shape == "archive":
            from partita.kit.previews.archives import names_in

            names = await made(names_in, data, MOST_NAMES, seconds=SECONDS, megabytes=MEGABYTES)
            return Preview("ready", text="\n".join(names))
        found = await text_in(data)
        return Preview("ready" if found.blocks else "none", page_count=found.pages, text=found.plain)

    async def _keep(self, key: str, preview: Preview) -> None:
        """Names come from the key alone, so that doing it again replaces what is there."""
        files = self._kit.files
        if preview.cover is not None:
            await files.save(preview_name(key, "cover.webp"), preview.cover, WEBP)
        for number, page in enumerate(preview.pages, 1):
            await files.save(preview_name(key, f"{number}.webp"), page, WEBP)
        if preview.text:
            await files.save(preview_name(key, "text.txt"), _cut(preview.text), _TEXT)
        if preview.rows:
            await files.save(preview_name(key, "rows.json"), orjson.dumps(preview.rows), _JSON)

    async def _write(self, content_id: str, key: str, preview: Preview) -> None:
        """Write what there is into every row that names the file. It is bookkeeping: no version changes."""
        values = {
            "cover_key": preview_name(key, "cover.webp") if preview.cover else None,
            "page_count": preview.page_count,
            "text_key": preview_name(key, "text.txt") if preview.text else None,
            "preview_state": preview.state,
            "preview_problem": preview.problem,
        }
        async for row in self._naming(content_id, key):
            kind: Any = type(row)
            wanted = {name: value for name, value in values.items() if name in kind.model_fields}
            actions = [
                getattr(kind, name).remove() if value is None else getattr(kind, name).set(value)
                for name, value in wanted.items()
            ]
            same = Content.s3_key if isinstance(row, Content) else kind.fields
            try:
                await self._store.write(Update(row.own_key, *actions).unless_changed(row, same))
            except ChangedMeanwhileError:
                continue  # whoever changed it has its preview made anew, if it still names the file

    async def _naming(self, content_id: str, key: str) -> Any:
        """The rows that name a file: the item, its proposal, and its latest version."""
        content = await find(self._store, schema.content, content_id)
        if content is None:
            return
        if content.s3_key == key:
            yield content
        proposal: Proposal | None = await find(self._store, schema.proposal, content_id)
        if proposal is not None and proposal.fields.s3_key == key:
            yield proposal
        if content.major:
            version: Version | None = await find(self._store, schema.version_of, content_id, content.major)
            if version is not None and version.fields.s3_key == key:
                yield version


def _of_text(text: str) -> Preview:
    """The text itself, and its first rows if it is a table."""
    return Preview("ready", text=text, rows=tuple(rows_of(text)))


def rows_of(text: str) -> Iterator[tuple[str, ...]]:
    """The first rows of a CSV, whatever separates its cells; nothing if it cannot be read."""
    head = text[:_START]
    first = head.split("\n", 1)[0]
    separator = max(",;\t|", key=first.count)
    try:
        for place, row in enumerate(csv.reader(io.StringIO(head), delimiter=separator)):
            if place == MOST_ROWS:
                return
            yield tuple(cell[:LONGEST_CELL] for cell in row[:MOST_COLUMNS])
    except csv.Error:
        return


def _cut(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:MOST_TEXT].decode("utf-8", "ignore").encode()


def job(previews: Previews) -> JobKind:
    """Making a preview, as a job."""

    async def run(running: Running, arguments: Arguments) -> Result:
        last = running.attempt >= _TRIES
        state = await previews.make(arguments["content_id"], arguments["key"], last=last)
        return Result(f"Preview: {state or 'no longer wanted'}.", values={"state": state})

    return JobKind(JOB, "Make a preview", run, retries=_TRIES - 1, seconds=180, kept_days=1)
