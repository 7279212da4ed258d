"""Import and export: streamed out, bounded in, and told row by row."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Literal

from pydantic import ValidationError, field_validator

from partita.apps.fus import schema
from partita.apps.fus.inputs import NewSite
from partita.apps.fus.sites import AlreadyThere, Sites, new_site
from partita.apps.fus.transfer import bookmarks, listing, spreadsheet
from partita.apps.fus.transfer.rows import Entry, Format, Row, moment_of, unreadable
from partita.kit.clock import id_at, stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.messages import field_errors
from partita.kit.permissions import Viewer
from partita.kit.problems import TooLarge
from partita.kit.urls import normalise

MOST_BYTES = 2_000_000
MOST_ENTRIES = 2_000
IMPORTING = Rule("fus-import", most=20, seconds=3600)
_AT_ONCE = 8
_SHOWN_URL = 300

Outcome = Literal["added", "there", "refused"]


class ImportedSite(NewSite):
    """A site of a file."""

    created_at: str | None = None

    @field_validator("created_at", mode="before")
    @classmethod
    def _moment(cls, value: object) -> str | None:
        if value is None or value == "":
            return None
        known = moment_of(value)
        if known is None:
            raise ValueError("Write the moment as 2026-01-31T10:30:00Z.")
        return known


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one row."""

    row: int
    url: str
    outcome: Outcome
    reason: str = ""
    site_id: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a file."""

    rows: tuple[Imported, ...]

    def count(self, outcome: Outcome) -> int:
        return sum(row.outcome == outcome for row in self.rows)


class Transfer:
    """The catalog as a file."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._sites = sites

    async def export(self, format: Format) -> AsyncIterator[bytes]:
        """Every site, newest first, as a file that is made while it is sent."""
        if format == "html":
            yield bookmarks.HEAD.encode()
        elif format == "csv":
            yield spreadsheet.line(spreadsheet.COLUMNS).encode()
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

    async def bring_in(
        self, viewer: Viewer, data: bytes, format: Format | None = None, *, folders_as_tags: bool = False
    ) -> Report:
        """Add the sites of a file that are not there yet; rows that cannot be sites are told, and hinder no others."""
        if len(data) > MOST_BYTES:
            raise TooLarge(f"A file has at most {MOST_BYTES // 1_000_000} MB. Divide it.")
        await self._kit.limits.check(IMPORTING, viewer.id)
        rows = await asyncio.to_thread(_read, data, format or format_of(data), folders_as_tags)
        if len(rows) > MOST_ENTRIES:
            raise TooLarge(f"A file has at most {MOST_ENTRIES:,} entries. Divide it.")
        if not rows:
            raise unreadable("There is no site in this file.")
        first: dict[str, int] = {}
        turns = asyncio.Semaphore(_AT_ONCE)

        async def take(row: Row) -> Imported:
            shown = str(row.fields.get("url", ""))[:_SHOWN_URL]
            try:
                site = _site(row)
            except ValueError as refused:
                return Imported(row.number, shown, "refused", str(refused))
            before = first.setdefault(normalise(site.url), row.number)
            if before != row.number:
                return Imported(row.number, shown, "there", f"Row {before} has the same address.")
            async with turns:
                return await self._take(viewer, row.number, site)

        return Report(tuple(await asyncio.gather(*map(take, rows))))

    async def _take(self, viewer: Viewer, number: int, said: ImportedSite) -> Imported:
        now = stamp(self._kit.clock)
        made = min(said.created_at, now) if said.created_at else None
        site_id = self._kit.ids.new() if made is None else id_at(datetime.fromisoformat(made))
        site = new_site(said, site_id, made or now, viewer.user_id)
        try:
            await self._sites.put(site.model_copy(update={"updated_at": now}))
        except AlreadyThere as there:
            return Imported(number, said.url, "there", there.detail, there.site_id)
        return Imported(number, said.url, "added", site_id=site_id)


def format_of(data: bytes) -> Format:
    """What a file is, by how it begins."""
    start = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"[", b"{")):
        return "json"
    return "html" if start.startswith(b"<") else "csv"


def _read(data: bytes, format: Format, folders_as_tags: bool) -> list[Row]:
    """The rows of a file; one more than are taken, so that too many are seen and never made."""
    rows: Iterator[Row]
    if format == "html":
        rows = bookmarks.bookmarks(data, folders_as_tags=folders_as_tags)
    elif format == "csv":
        rows = spreadsheet.lines(data)
    else:
        rows = listing.objects(data)
    return list(islice(rows, MOST_ENTRIES + 1))


def _site(row: Row) -> ImportedSite:
    """The site of a row; ValueError with the reason where it cannot be one."""
    if row.problem:
        raise ValueError(row.problem)
    try:
        return ImportedSite.model_validate({**row.fields, "fetch": False})
    except ValidationError as error:
        told = "; ".join(f"{each.field}: {each.message}" for each in field_errors(error))
        raise ValueError(told) from None
