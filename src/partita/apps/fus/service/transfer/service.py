"""Import and export: exports are streamed, imports are bounded and report on every row."""

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
from partita.apps.fus.service.sites import AlreadyThere, Sites, new_site
from partita.apps.fus.service.transfer import bookmarks, listing, spreadsheet
from partita.apps.fus.service.transfer.rows import Entry, Format, Row, moment_of, unreadable
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
_LONGEST_URL = 300
"""How much of an address a report repeats."""

Outcome = Literal["added", "there", "refused"]


class ImportedSite(NewSite):
    """A site in a file."""

    created_at: str | None = None

    @field_validator("created_at", mode="before")
    @classmethod
    def _moment(cls, value: object) -> str | None:
        if value is None or value == "":
            return None
        moment = moment_of(value)
        if moment is None:
            raise ValueError("Write the moment as 2026-01-31T10:30:00Z.")
        return moment


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """The outcome of one row."""

    row: int
    url: str
    outcome: Outcome
    reason: str = ""
    site_id: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of an import."""

    rows: tuple[ImportedRow, ...]

    @property
    def added(self) -> int:
        return self._count("added")

    @property
    def there(self) -> int:
        return self._count("there")

    @property
    def refused(self) -> int:
        return self._count("refused")

    def _count(self, outcome: Outcome) -> int:
        return sum(row.outcome == outcome for row in self.rows)


class Transfer:
    """Export and import."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._sites = sites

    async def export(self, format: Format) -> AsyncIterator[bytes]:
        """Every site, newest first, as the pieces of a file."""
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

    async def import_file(
        self, viewer: Viewer, data: bytes, format: Format | None = None, *, folders_as_tags: bool = False
    ) -> Report:
        """Add the sites of a file that are not in the catalog yet; a row that is refused does not stop the others."""
        if len(data) > MOST_BYTES:
            raise TooLarge(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
        await self._kit.limits.check(IMPORTING, viewer.id)
        rows = await asyncio.to_thread(_read, data, format or format_of(data), folders_as_tags)
        if len(rows) > MOST_ENTRIES:
            raise TooLarge(f"A file can have at most {MOST_ENTRIES:,} entries. Split it.")
        if not rows:
            raise unreadable("There is no site in this file.")
        first_with: dict[str, int] = {}
        turns = asyncio.Semaphore(_AT_ONCE)

        async def import_row(row: Row) -> ImportedRow:
            url = str(row.fields.get("url", ""))[:_LONGEST_URL]
            try:
                site = _site(row)
            except ValueError as refused:
                return ImportedRow(row.number, url, "refused", str(refused))
            first = first_with.setdefault(normalise(site.url), row.number)
            if first != row.number:
                return ImportedRow(row.number, url, "there", f"Row {first} has the same address.")
            async with turns:
                return await self._add(viewer, row.number, site)

        return Report(tuple(await asyncio.gather(*map(import_row, rows))))

    async def _add(self, viewer: Viewer, number: int, imported: ImportedSite) -> ImportedRow:
        now = stamp(self._kit.clock)
        created = min(imported.created_at, now) if imported.created_at else None
        site_id = self._kit.ids.new() if created is None else id_at(datetime.fromisoformat(created))
        site = new_site(imported, site_id, created or now, viewer.user_id)
        try:
            await self._sites.put(site.model_copy(update={"updated_at": now}))
        except AlreadyThere as there:
            return ImportedRow(number, imported.url, "there", there.detail, there.site_id)
        return ImportedRow(number, imported.url, "added", site_id=site_id)


def format_of(data: bytes) -> Format:
    """The format of a file, recognised by its start."""
    start = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"[", b"{")):
        return "json"
    return "html" if start.startswith(b"<") else "csv"


def _read(data: bytes, format: Format, folders_as_tags: bool) -> list[Row]:
    """The rows of a file; at most one more than are allowed, which is enough to see that there are too many."""
    rows: Iterator[Row]
    if format == "html":
        rows = bookmarks.bookmarks(data, folders_as_tags=folders_as_tags)
    elif format == "csv":
        rows = spreadsheet.lines(data)
    else:
        rows = listing.objects(data)
    return list(islice(rows, MOST_ENTRIES + 1))


def _site(row: Row) -> ImportedSite:
    """The site in a row; ValueError with the reason if there is none."""
    if row.problem:
        raise ValueError(row.problem)
    try:
        return ImportedSite.model_validate({**row.fields, "fetch": False})
    except ValidationError as error:
        raise ValueError("; ".join(f"{each.field}: {each.message}" for each in field_errors(error))) from None
