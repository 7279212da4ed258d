"""The catalog for its librarians: what nobody has checked, what may be the same, which facts are missing, and files of
titles, which a job adds."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from pydantic import ValidationError

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import folded
from partita.apps.worthwatch.inputs import NewMovie, NewShow
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.search import FILMS, SERIES
from partita.apps.worthwatch.service.labels import Title, titles_by_ref
from partita.apps.worthwatch.service.titles import ExternalIdTaken, Titles, beside, new_title, parsed
from partita.kit.clock import stamp
from partita.kit.fetcher.charsets import text_of
from partita.kit.files.content import TEXT
from partita.kit.imports import unreadable
from partita.kit.jobs import Arguments, ChildError, Job, JobFailed, JobKind, Result, Running, in_child
from partita.kit.kit import Kit
from partita.kit.messages import field_errors
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Invalid, NotFound, TooLarge
from partita.kit.spreadsheets import MOST_CELLS, delimiter, plain
from partita.table import Page, Put

KIND = "worthwatch.catalog-import"
FOLDER = "worthwatch/catalog"
MOST_BYTES = 2_000_000
MOST_ROWS = 2_000
MISSING: Mapping[str, str] = {
    "year": "Year",
    "length": "Length",
    "seasons": "Seasons",
    "genres": "Genres",
    "makers": "Directors or creators",
    "synopsis": "The story",
}
_SMALL = 100_000
_MOST_REFUSALS = 50
_KEPT_SECONDS = 16 * 86_400
Kind = Literal["films", "series"]


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A title that waits for a look, and the one that it may be."""

    title: Title
    same: Title | None


class CatalogDesk:
    """What librarians see and do."""

    def __init__(self, kit: Kit, titles: Titles) -> None:
        self._kit = kit
        self._store = kit.store
        self._titles = titles

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Import a catalog", self.run, needs=WorthWatch.CATALOG)

    async def unchecked(self, *, limit: int = 20, cursor: str | None = None) -> Page[Unchecked]:
        """Titles that nobody has checked, newest first."""
        page = await self._store.page(schema.unchecked_titles(), limit=limit, after=cursor)
        refs = {each.maybe_same: parsed(each.maybe_same) for each in page if each.maybe_same}
        others = await titles_by_ref(self._store, refs.values())
        found = (Unchecked(each, others.get(refs[each.maybe_same]) if each.maybe_same else None) for each in page)
        return Page(tuple(found), page.next_cursor)

    async def lacking(
        self, kind: Kind, facts: Iterable[str] = (), *, limit: int = 20, cursor: str | None = None
    ) -> Page[Title]:
        """Films or series without any of these facts, those on most lists first."""
        wanted = frozenset(facts) & frozenset(MISSING) or frozenset(MISSING)
        page = await self._kit.search.find(
            FILMS if kind == "films" else SERIES, "", filters={"lacks": wanted}, limit=limit, cursor=cursor
        )
        content_type: Any = "MOVIE" if kind == "films" else "SHOW"
        titles = await titles_by_ref(self._store, ((content_type, hit.id) for hit in page.hits))
        return Page(tuple(titles.values()), page.next_cursor, total=page.total)

    # -- files of titles

    async def begin_import(self, viewer: Viewer, data: bytes, filename: str) -> Job:
        """Start to add the titles of a file; while the same file is added, it is that job."""
        authorize(viewer, WorthWatch.CATALOG)
        if len(data) > MOST_BYTES:
            raise TooLarge(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
        if not data.strip():
            raise unreadable("The file is empty.")
        name = await self._kit.uploads.keep(FOLDER, data, TEXT)
        key = f"{viewer.id} {hashlib.sha256(data).hexdigest()[:32]}"
        arguments = {"file": name, "called": filename[:200]}
        title = f"Import {filename[:150] or 'a catalog'}"
        job = await self._kit.jobs.start(KIND, arguments, viewer, key=key, title=title)
        if orjson.loads(job.arguments)["file"] != name:
            await self._kit.uploads.discard(name)
        return job

    async def run(self, running: Running, arguments: Arguments) -> Result:
        """Add each title with the checkpoint that says so; what the catalog has already stays as it is."""
        saved: dict[str, Any] = running.saved or {"done": 0, "added": 0, "there": 0, "refused": []}
        if running.saved is None:
            gone = JobFailed("The file is no longer there. Choose it again.")
            claim = self._kit.uploads.claim_for(arguments["file"], seconds=_KEPT_SECONDS)
            await running.checkpoint(saved, claim.otherwise(gone))
        try:
            rows = await read_titles((await self._kit.files.load(arguments["file"])).data)
        except NotFound:
            raise JobFailed("The file is no longer there. Choose it again.") from None
        except (Invalid, TooLarge) as refused:
            raise JobFailed(refused.errors[0].message if refused.errors else refused.detail) from refused
        for number, row in enumerate(rows[saved["done"] :], start=saved["done"] + 1):
            await running.progress("Adding titles", done=number - 1, total=len(rows))
            saved = await self._add(running, saved, number, row)
        await running.checkpoint(saved)
        await self._kit.uploads.discard(arguments["file"])
        refusals = saved["refused"]
        counts = {
            "added": saved["added"],
            "there": saved["there"],
            "refused": len(rows) - saved["added"] - saved["there"],
        }
        message = f"{counts['added']:,} added, {counts['there']:,} already there, {counts['refused']:,} refused."
        if refusals:
            message += f" Row {refusals[0][0]}: {refusals[0][1]}"
        return Result(message[:900], "/worthwatch/catalog", {**counts, "refusals": refusals})

    async def _add(self, running: Running, saved: dict[str, Any], number: int, row: dict[str, Any]) -> dict[str, Any]:
        done = {**saved, "done": number}
        try:
            new = _checked(row)
        except ValueError as refused:
            return {**done, "refused": [*saved["refused"], [number, str(refused)[:200]]][:_MOST_REFUSALS]}
        title = new_title(new, self._kit.ids.new(), stamp(self._kit.clock), running.user_id, checked=True)
        if await self._is_there(title):
            return {**done, "there": saved["there"] + 1}
        added = {**done, "added": saved["added"] + 1}
        try:
            await running.checkpoint(added, Put(title).if_new(), *beside(None, title))
        except ExternalIdTaken:  # one of its ids; or somebody was faster
            return {**done, "there": saved["there"] + 1}
        return added

    async def _is_there(self, title: Title) -> bool:
        """A title of the same type, name and year; one that has the same external id is refused by its guard."""
        for named in await self._titles.named(title.title, title.content_type):
            if named.year == (title.year or 0):
                return True
        return False


async def read_titles(data: bytes) -> list[dict[str, Any]]:
    """The rows of a file in TMDB's shape: JSON, a line of JSON each, or CSV; `Invalid` if it is none of these."""
    try:
        read = (
            await asyncio.to_thread(plain_titles, data)
            if len(data) <= _SMALL
            else await in_child(plain_titles, data, seconds=30.0, megabytes=512)
        )
    except ChildError as error:
        raise unreadable(f"This file cannot be read. {error}") from error
    if isinstance(read, str):
        raise unreadable(read)
    if len(read) > MOST_ROWS:
        raise TooLarge(f"A file can have at most {MOST_ROWS:,} titles. Split it.")
    if not read:
        raise unreadable("There is no title in this file.")
    return read


def plain_titles(data: bytes) -> list[dict[str, Any]] | str:
    """The rows as plain values, or why there are none."""
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"[", b"{")):
        return _json(start)
    text = text_of(data).replace("\0", "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))
    try:
        head = [cell.strip().lower().lstrip("\ufeff") for cell in next(reader, [])]
        if not {"title", "name"} & set(head):
            return "The first line must name the columns, with title or name among them."
        rows: list[dict[str, Any]] = []
        for cells in reader:
            if len(cells) > MOST_CELLS:
                return f"Line {reader.line_num} has {len(cells):,} cells, and at most {MOST_CELLS:,} are read."
            if any(cells):
                rows.append(dict(zip(head, map(plain, cells), strict=False)))
    except csv.Error as error:
        return f"This file cannot be read: {error}."
    return rows[: MOST_ROWS + 1]


def _json(data: bytes) -> list[dict[str, Any]] | str:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            value = [orjson.loads(line) for line in data.splitlines() if line.strip()]
        except orjson.JSONDecodeError:
            return "This is neither JSON nor a line of JSON for each title."
    if isinstance(value, dict):
        value = value.get("results", [value])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return "This JSON is no list of titles."
    return value[: MOST_ROWS + 1]


def _checked(row: Mapping[str, Any]) -> NewMovie | NewShow:
    """The title in a row; ValueError with the reason if there is none."""
    model, facts = _facts(row)
    try:
        return model.model_validate({name: value for name, value in facts.items() if value not in (None, "", ())})
    except ValidationError as error:
        raise ValueError("; ".join(f"{each.field}: {each.message}" for each in field_errors(error))) from None


def _facts(row: Mapping[str, Any]) -> tuple[type[NewMovie | NewShow], dict[str, Any]]:
    """TMDB's names as ours. Films have a title, series a name."""
    kind = str(row.get("media_type") or row.get("type") or "").lower()
    series = kind in ("tv", "show", "series", "scripted") or (not kind and "name" in row and "title" not in row)
    title = _text(row.get("name") or row.get("title") if series else row.get("title") or row.get("name"))
    original = _text(row.get("original_name") if series else row.get("original_title"))
    facts: dict[str, Any] = {
        "title": title or original,
        "other_titles": (original,) if original and title and folded(original) != folded(title) else (),
        "genres": _names(row.get("genres")),
        "cast": _names(row.get("cast"))[:20],
        "synopsis": _text(row.get("overview") or row.get("synopsis"))[:5000],
        "tmdb_id": _text(row.get("tmdb_id") or row.get("id")) or None,
        "imdb_id": _text(row.get("imdb_id")) or None,
    }
    if series:
        return NewShow, facts | {
            "start_year": _year(row.get("first_air_date") or row.get("start_year") or row.get("year")),
            "end_year": _year(row.get("last_air_date") or row.get("end_year")),
            "creators": _names(row.get("created_by") or row.get("creators")),
            "number_of_seasons": _number(row.get("number_of_seasons")),
            "number_of_episodes": _number(row.get("number_of_episodes")),
            "status": _STATUS.get(_text(row.get("status")).lower()),
        }
    return NewMovie, facts | {
        "release_year": _year(row.get("release_date") or row.get("release_year") or row.get("year")),
        "runtime": _number(row.get("runtime")),
        "directors": _names(row.get("directors") or row.get("director")),
    }


_STATUS = {
    "returning series": "ongoing",
    "in production": "ongoing",
    "ongoing": "ongoing",
    "ended": "ended",
    "canceled": "cancelled",
    "cancelled": "cancelled",
}


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value).strip()


def _year(value: Any) -> int | None:
    digits = _text(value)[:4]
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdecimal() else None


def _number(value: Any) -> int | None:
    text = _text(value).partition(".")[0]
    return int(text) or None if text.isascii() and text.isdecimal() and len(text) <= 6 else None


def _names(value: Any) -> tuple[str, ...]:
    """Names as objects, as a list, or in one text with `|` or commas between them."""
    each: Sequence[Any]
    if isinstance(value, list):
        each = [one.get("name") if isinstance(one, dict) else one for one in value]
    else:
        text = _text(value)
        each = text.split("|" if "|" in text else ",")
    return tuple(dict.fromkeys(name[:200] for name in map(_text, each) if name))[:100]
